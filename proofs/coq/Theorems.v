(** * What is proved

    G(x) = x Phi(x) is GELU, T its tanh form, S its sigmoid form (definitions in Gaussian.v and Forms.v); all x are
    real numbers, without restriction.  The proofs are in the other files; here the statements stand together.  The
    numbers are in Numbers.v. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import Gaussian Forms LargestError Numbers TanhBound SigmoidBound Minimum.
Open Scope R_scope.

(** ** The functions *)

(** Phi is the distribution function of the standard normal law: the integral of its density from -infinity. *)
Theorem Phi_is_the_normal_distribution : forall x, is_RInt_gen phi (Rbar_locally m_infty) (at_point x) (Phi x).
Proof. exact Phi_is_distribution_function. Qed.

Theorem Phi_through_erf : forall x, Phi x = (1 + erf (x / sqrt 2)) / 2.
Proof. exact Phi_erf. Qed.

Theorem tanh_form_is_a_sigmoid_gate : forall x,
  T x = x * sigmoid (2 * sqrt (2 / PI) * (x + 0.044715 * (x * x * x))).
Proof. exact T_as_gate. Qed.

(** ** The tanh form *)

Theorem tanh_error_bound : forall x, Rabs (T x - G x) <= tanh_bound.
Proof.
  intros x. destruct tanh_largest_error as [t [_ [V [Top _]]]].
  apply Rle_trans with (1 := Top x). unfold tanh_numbers, tanh_bound in *. cbn [value_upper] in V. lra.
Qed.

(** One unit less in the last digit of the bound would be wrong. *)
Theorem tanh_error_witness :
  tanh_bound_minus_unit < Rabs (T (place_lower tanh_numbers) - G (place_lower tanh_numbers)).
Proof.
  apply Rlt_trans with (2 := tanh_witness). unfold tanh_bound_minus_unit, tanh_numbers. cbn [value_lower]. lra.
Qed.

(** The supremum is attained, at t and -t and nowhere else. *)
Theorem tanh_error_largest :
  exists t, place_lower tanh_numbers < t < place_upper tanh_numbers /\
    value_lower tanh_numbers < Rabs (T t - G t) < value_upper tanh_numbers /\
    (forall x, Rabs (T x - G x) <= Rabs (T t - G t)) /\
    (forall x, Rabs (T x - G x) = Rabs (T t - G t) -> x = t \/ x = - t).
Proof. exact tanh_largest_error. Qed.

(** ** The sigmoid form *)

Theorem sigmoid_error_bound : forall x, Rabs (S x - G x) <= sigmoid_bound.
Proof.
  intros x. destruct sigmoid_largest_error as [t [_ [V [Top _]]]].
  apply Rle_trans with (1 := Top x). unfold sigmoid_numbers, sigmoid_bound in *. cbn [value_upper] in V. lra.
Qed.

Theorem sigmoid_error_witness :
  sigmoid_bound_minus_unit < Rabs (S (place_lower sigmoid_numbers) - G (place_lower sigmoid_numbers)).
Proof.
  apply Rlt_trans with (2 := sigmoid_witness). unfold sigmoid_bound_minus_unit, sigmoid_numbers. cbn [value_lower]. lra.
Qed.

Theorem sigmoid_error_largest :
  exists t, place_lower sigmoid_numbers < t < place_upper sigmoid_numbers /\
    value_lower sigmoid_numbers < Rabs (S t - G t) < value_upper sigmoid_numbers /\
    (forall x, Rabs (S x - G x) <= Rabs (S t - G t)) /\
    (forall x, Rabs (S x - G x) = Rabs (S t - G t) -> x = t \/ x = - t).
Proof. exact sigmoid_largest_error. Qed.

(** ** The minimum of GELU *)

(** There is one point where G is least, and it is the only one where the derivative vanishes. *)
Theorem gelu_minimum : exists m, minimum_place_lower < m < minimum_place_upper /\
  minimum_value_lower < G m < minimum_value_upper /\
  (forall x, x <> m -> G m < G x) /\ (forall x, is_derive G x 0 <-> x = m).
Proof. exact G_minimum. Qed.
