(** * Interval arithmetic without machine numbers

    CoqInterval computes with the processor's floats, or with big numbers built on the processor's integers; what the
    processor does then enters every theorem as axioms about [PrimFloat] or [Uint63].  The same verified algorithms over
    mantissas in [Z] need no such axiom: this file makes that instance.  It is slower, and fast enough here.

    Two tactics on top of it, for the inequalities of [LargestError.certificate]: [cell] proves one between closed forms
    for all x of a cell (Taylor models and bisection), [point] one at a single point where Phi, an integral, occurs.

    [interval] and [integral] must always be given [i_prec]: without it they fall back to processor floats. *)

From Coq Require Import Reals Lra.
From Interval Require Import Float.Specific_stdz Float.Specific_ops.
From Interval Require Export Tactic.
From GeluVerify Require Import Gaussian Forms LargestError.
Open Scope R_scope.

Module ExactFloat := SpecificFloat StdZRadix2.
Module ExactInterval := IntervalTactic ExactFloat.
Export ExactInterval.

(** Unfolds everything between a certificate and the elementary functions. *)
Ltac closed_form :=
  cbv beta iota delta [value_lower value_upper place_lower place_upper core_left core_right side_end side_drift
    other_start other_end other_drift far D D_1 D_2 gap gap_1 gap_2 tanh_gate tanh_gate_1 tanh_gate_2
    sigmoid_gate sigmoid_gate_1 sigmoid_gate_2 slope sigmoid Phi phi] in *.

Ltac order := closed_form; lra.

Ltac cell :=
  let x := fresh "x" in let Hx := fresh "Hx" in
  intros x Hx; closed_form; try apply Rminus_le;
  interval with (i_prec 60, i_bisect x, i_taylor x, i_degree 6, i_depth 20).

(** About 20 digits of the integral.  Little [i_fuel]: a wrong inequality is refused soon, not after minutes. *)
Ltac point := closed_form; integral with (i_prec 80, i_degree 40, i_fuel 2).
