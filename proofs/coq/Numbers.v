(** * The numbers in the statements, and where the cells of the proofs end

    Generated from the certificates by [python -m gelu_verify.proofs.formal_numbers --write]; not edited by hand.  The
    fields of [numbers] are explained in LargestError.v. *)

From Coq Require Import Reals.
From GeluVerify Require Import LargestError.
Open Scope R_scope.

Definition tanh_numbers : numbers := {|
  value_lower := 0.000473235520687284;
  value_upper := 0.000473235520687285;
  place_lower := 2.69894138637727;
  place_upper := 2.69894138637728;
  core_left := 2.5;
  core_right := 3;
  side_end := 4.3;
  side_drift := 0.000012;
  other_start := 1.4;
  other_end := 2.6;
  other_drift := 0.00012;
  far := 5
|}.

Definition tanh_bound : R := 0.000473235520688.
Definition tanh_bound_minus_unit : R := 0.000473235520687.

Definition sigmoid_numbers : numbers := {|
  value_lower := 0.0203348722092392;
  value_upper := 0.0203348722092393;
  place_lower := 2.27039773719661;
  place_upper := 2.27039773719662;
  core_left := 2;
  core_right := 2.6;
  side_end := 4.5;
  side_drift := 0.0003;
  other_start := 0.9;
  other_end := 2;
  other_drift := 0.011;
  far := 5
|}.

Definition sigmoid_bound : R := 0.0203348722093.
Definition sigmoid_bound_minus_unit : R := 0.0203348722092.

Definition minimum_value_lower : R := -0.169971207479904.
Definition minimum_value_upper : R := -0.169971207479903.
Definition minimum_place_lower : R := -0.751791524693565.
Definition minimum_place_upper : R := -0.751791524693564.
