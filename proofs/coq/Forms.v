(** * GELU and its two popular stand-ins

    G(x) = x Phi(x), the tanh form T and the sigmoid form S, written as they are printed in papers.  Proved here:

    - T(x) = x sigmoid(v(x)) with v(x) = 2 sqrt(2/pi) (x + 0.044715 x^3) ([T_as_gate]): T and S are both x times a
      sigmoid gate of an odd polynomial v, so their errors are x times the gap sigmoid(v(x)) - Phi(x);
    - the first two derivatives of such a gap in closed form ([gap_derivative], [gap_derivative_2]): no integral is
      left in them;
    - the gap is odd, hence the errors T - G and S - G are even ([gap_odd]);
    - the gap is at most exp(-kappa x) for large x, so that the error dies out ([gap_tail]). *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue Gaussian.
Open Scope R_scope.

Definition sigmoid (x : R) : R := 1 / (1 + exp (- x)).
Definition G (x : R) : R := x * Phi x.
Definition T (x : R) : R := x / 2 * (1 + tanh (sqrt (2 / PI) * (x + 0.044715 * (x * x * x)))).
Definition S (x : R) : R := x * sigmoid (1.702 * x).

(** ** Gates *)

Definition tanh_gate (x : R) : R := 2 * sqrt (2 / PI) * (x + 0.044715 * (x * x * x)).
Definition tanh_gate_1 (x : R) : R := 2 * sqrt (2 / PI) * (1 + 3 * 0.044715 * (x * x)).
Definition tanh_gate_2 (x : R) : R := 2 * sqrt (2 / PI) * (6 * 0.044715 * x).
Definition sigmoid_gate (x : R) : R := 1.702 * x.
Definition sigmoid_gate_1 (_ : R) : R := 1.702.
Definition sigmoid_gate_2 (_ : R) : R := 0.

Lemma sigmoid_denominator : forall x, 0 < 1 + exp (- x).
Proof. intros x. pose proof (exp_pos (- x)). lra. Qed.

Lemma half_one_plus_tanh : forall u, (1 + tanh u) / 2 = sigmoid (2 * u).
Proof.
  intros u. unfold tanh, sinh, cosh, sigmoid.
  replace (- (2 * u)) with (- u + - u) by ring. rewrite exp_plus, exp_Ropp.
  pose proof (exp_pos u). field. repeat split; nra.
Qed.

Theorem T_as_gate : forall x, T x = x * sigmoid (tanh_gate x).
Proof.
  intros x. unfold T, tanh_gate. rewrite (Rmult_assoc 2), <- half_one_plus_tanh. field.
Qed.

Lemma tanh_gate_derivative : derivative tanh_gate tanh_gate_1.
Proof. intros x. unfold tanh_gate, tanh_gate_1. auto_derive; [exact I |]. set (r := sqrt _). field. Qed.

Lemma tanh_gate_derivative_2 : derivative tanh_gate_1 tanh_gate_2.
Proof. intros x. unfold tanh_gate_1, tanh_gate_2. auto_derive; [exact I |]. set (r := sqrt _). field. Qed.

Lemma sigmoid_gate_derivative : derivative sigmoid_gate sigmoid_gate_1.
Proof. intros x. unfold sigmoid_gate, sigmoid_gate_1. auto_derive; [exact I | ring]. Qed.

Lemma sigmoid_gate_derivative_2 : derivative sigmoid_gate_1 sigmoid_gate_2.
Proof. intros x. apply @is_derive_const. Qed.

(** ** The gap between a gate and Phi *)

Definition slope (y : R) : R := sigmoid y * (1 - sigmoid y).

Definition gap (v : R -> R) (x : R) : R := sigmoid (v x) - Phi x.
Definition gap_1 (v v1 : R -> R) (x : R) : R := v1 x * slope (v x) - phi x.
Definition gap_2 (v v1 v2 : R -> R) (x : R) : R :=
  v2 x * slope (v x) + v1 x * v1 x * (slope (v x) * (1 - 2 * sigmoid (v x))) + x * phi x.

Lemma T_error : forall x, T x - G x = x * gap tanh_gate x.
Proof. intros x. rewrite T_as_gate. unfold G, gap. ring. Qed.

Lemma S_error : forall x, S x - G x = x * gap sigmoid_gate x.
Proof. intros x. unfold S, G, gap, sigmoid_gate. ring. Qed.

Lemma sigmoid_derivative : derivative sigmoid slope.
Proof.
  intros x. pose proof (sigmoid_denominator x). unfold sigmoid, slope, sigmoid.
  auto_derive; [lra |]. set (e := exp (- x)) in *. field. lra.
Qed.

Lemma slope_derivative : derivative slope (fun y => slope y * (1 - 2 * sigmoid y)).
Proof.
  intros y. replace (slope y * (1 - 2 * sigmoid y)) with (slope y * (1 - sigmoid y) + sigmoid y * - slope y) by ring.
  apply (is_derive_mult sigmoid (fun z => 1 - sigmoid z)); [apply sigmoid_derivative | | apply Rmult_comm].
  rewrite <- (Rminus_0_l (slope y)).
  apply (is_derive_minus (fun _ => 1) sigmoid); [apply @is_derive_const | apply sigmoid_derivative].
Qed.

Lemma gap_derivative : forall v v1, derivative v v1 -> derivative (gap v) (gap_1 v v1).
Proof.
  intros v v1 H x. apply (is_derive_minus (fun y => sigmoid (v y)) Phi); [| apply Phi_derivative].
  apply (is_derive_comp sigmoid v); [apply sigmoid_derivative | apply H].
Qed.

Lemma gap_derivative_2 : forall v v1 v2,
  derivative v v1 -> derivative v1 v2 -> derivative (gap_1 v v1) (gap_2 v v1 v2).
Proof.
  intros v v1 v2 H H1 x. unfold gap_2.
  match goal with |- is_derive _ _ ?d => replace d with
    (v2 x * slope (v x) + v1 x * (v1 x * (slope (v x) * (1 - 2 * sigmoid (v x)))) - - x * phi x) by ring end.
  apply (is_derive_minus (fun y => v1 y * slope (v y)) phi); [| apply phi_derivative].
  apply (is_derive_mult v1 (fun y => slope (v y))); [apply H1 | | apply Rmult_comm].
  apply (is_derive_comp slope v); [apply slope_derivative | apply H].
Qed.

Lemma sigmoid_reflection : forall x, sigmoid (- x) = 1 - sigmoid x.
Proof.
  intros x. unfold sigmoid. rewrite Ropp_involutive, (exp_Ropp x). pose proof (exp_pos x). field. lra.
Qed.

Lemma gap_odd : forall v, (forall x, v (- x) = - v x) -> forall x, gap v (- x) = - gap v x.
Proof. intros v H x. unfold gap. rewrite H, sigmoid_reflection, Phi_reflection. ring. Qed.

(** ** The gap far from the origin *)

Lemma sigmoid_tail : forall x, 0 <= 1 - sigmoid x <= exp (- x).
Proof.
  intros x. pose proof (exp_pos (- x)) as P. unfold sigmoid. set (e := exp (- x)) in *.
  replace (1 - 1 / (1 + e)) with (e / (1 + e)) by (field; lra). split.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - apply (Rmult_le_reg_r (1 + e)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H | ->]; [left; now apply exp_increasing | right; reflexivity]. Qed.

Lemma x_exp_decreasing : forall kappa L x, 0 < L <= x -> 1 <= kappa * L ->
  x * exp (- kappa * x) <= L * exp (- kappa * L).
Proof.
  intros kappa L x Hx HL.
  replace (- kappa * x) with (- kappa * L + - (kappa * (x - L))) by ring.
  rewrite exp_plus, (exp_Ropp (kappa * (x - L))).
  pose proof (exp_pos (- kappa * L)) as P. set (e := exp (- kappa * L)) in *.
  pose proof (exp_ineq1_le (kappa * (x - L))) as Q. set (d := exp (kappa * (x - L))) in *.
  assert (D : x <= L * d) by nra.
  assert (0 < d) by apply exp_pos.
  apply (Rmult_le_reg_r d); [assumption |]. replace (x * (e * / d) * d) with (e * x) by (field; lra). nra.
Qed.

Lemma gap_tail : forall v kappa L x, 0 < L <= x -> 1 <= kappa * L -> kappa <= L / 2 -> kappa * x <= v x ->
  x * Rabs (gap v x) <= L * exp (- kappa * L).
Proof.
  intros v kappa L x Hx HL Hk Hv.
  apply Rle_trans with (x * exp (- kappa * x)); [| now apply x_exp_decreasing].
  apply Rmult_le_compat_l; [lra |].
  destruct (Phi_tail x ltac:(lra)) as [P0 P1]. destruct (sigmoid_tail (v x)) as [S0 S1].
  assert (exp (- (x * x) / 2) <= exp (- kappa * x)) by (apply exp_le; nra).
  assert (exp (- v x) <= exp (- kappa * x)) by (apply exp_le; lra).
  pose proof (exp_pos (- kappa * x)).
  unfold gap. apply Rabs_le. lra.
Qed.
