(** * The tanh form: its largest error over all real x

    The premises of [largest_error] for the gate of T, inequality by inequality.  T lies above G where the error is
    largest, so s = 1. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue Gaussian Forms LargestError Numbers ExactInterval.
Open Scope R_scope.

Lemma tanh_gate_far : forall x, 5 <= x -> 5 / 2 * x <= tanh_gate x.
Proof.
  intros x Hx. unfold tanh_gate.
  assert (R : 3 / 2 <= 2 * sqrt (2 / PI)) by interval with (i_prec 60).
  assert (C : 5 * 5 * x <= x * x * x) by (apply Rmult_le_compat_r; nra).
  apply Rle_trans with (3 / 2 * (x + 0.044715 * (x * x * x))); [lra |].
  apply Rmult_le_compat_r; lra.
Qed.

Lemma tanh_certificate :
  certificate 1 (gap tanh_gate) (gap_1 tanh_gate tanh_gate_1)
    (gap_2 tanh_gate tanh_gate_1 tanh_gate_2) tanh_numbers.
Proof.
  unfold tanh_numbers. constructor.
  - (* other_order *) order.
  - (* other_far *) order.
  - (* other_drift_sign *) order.
  - (* core_order *) order.
  - (* place_order *) order.
  - (* place_core *) order.
  - (* side_order *) order.
  - (* side_drift_sign *) order.
  - (* value_at_most *) point.
  - (* value_at_least *) point.
  - (* rises_before *) point.
  - (* falls_after *) point.
  - (* concave *) cell.
  - (* at_core_left *) point.
  - (* at_core_right *) point.
  - (* side_first *) cell.
  - (* side_second *) cell.
  - (* side_third *) cell.
  - (* at_other_start *) point.
  - (* other_first *) cell.
  - (* other_second *) cell.
  - (* other_third *) cell.
  - (* negligible *) intros x Hx. cbn [far value_lower] in *.
    apply Rle_lt_trans with (5 * exp (- (5 / 2) * 5)); [| interval with (i_prec 60)].
    apply gap_tail; [lra | lra | lra | apply tanh_gate_far; lra].
Qed.

Theorem tanh_largest_error :
  exists t, place_lower tanh_numbers < t < place_upper tanh_numbers /\
    value_lower tanh_numbers < Rabs (T t - G t) < value_upper tanh_numbers /\
    (forall x, Rabs (T x - G x) <= Rabs (T t - G t)) /\
    (forall x, Rabs (T x - G x) = Rabs (T t - G t) -> x = t \/ x = - t).
Proof.
  destruct (largest_error 1 (gap tanh_gate) (gap_1 tanh_gate tanh_gate_1)
    (gap_2 tanh_gate tanh_gate_1 tanh_gate_2) tanh_numbers) as [t [Ht [Vt [Top Only]]]].
  - now left.
  - apply gap_odd. intros x. unfold tanh_gate. ring.
  - apply gap_derivative, tanh_gate_derivative.
  - apply gap_derivative_2; [apply tanh_gate_derivative | apply tanh_gate_derivative_2].
  - apply tanh_certificate.
  - exists t. rewrite T_error. split; [exact Ht |]. split; [exact Vt |].
    split; intros x; rewrite T_error; [apply Top | apply Only].
Qed.

Lemma tanh_witness :
  value_lower tanh_numbers < Rabs (T (place_lower tanh_numbers) - G (place_lower tanh_numbers)).
Proof.
  apply Rlt_le_trans with (1 := value_at_least _ _ _ _ _ tanh_certificate).
  rewrite T_error. unfold D. rewrite Rmult_1_l. apply Rle_abs.
Qed.
