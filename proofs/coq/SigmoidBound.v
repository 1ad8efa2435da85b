(** * The sigmoid form: its largest error over all real x

    The premises of [largest_error] for the gate of S, inequality by inequality.  S lies below G where the error is
    largest, so s = -1. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue Gaussian Forms LargestError Numbers ExactInterval.
Open Scope R_scope.

Lemma sigmoid_certificate :
  certificate (- 1) (gap sigmoid_gate) (gap_1 sigmoid_gate sigmoid_gate_1)
    (gap_2 sigmoid_gate sigmoid_gate_1 sigmoid_gate_2) sigmoid_numbers.
Proof.
  unfold sigmoid_numbers. constructor.
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
    apply Rle_lt_trans with (5 * exp (- (1.702) * 5)); [| interval with (i_prec 60)].
    apply gap_tail; [lra | lra | lra | apply Rle_refl].
Qed.

Theorem sigmoid_largest_error :
  exists t, place_lower sigmoid_numbers < t < place_upper sigmoid_numbers /\
    value_lower sigmoid_numbers < Rabs (S t - G t) < value_upper sigmoid_numbers /\
    (forall x, Rabs (S x - G x) <= Rabs (S t - G t)) /\
    (forall x, Rabs (S x - G x) = Rabs (S t - G t) -> x = t \/ x = - t).
Proof.
  destruct (largest_error (- 1) (gap sigmoid_gate) (gap_1 sigmoid_gate sigmoid_gate_1)
    (gap_2 sigmoid_gate sigmoid_gate_1 sigmoid_gate_2) sigmoid_numbers) as [t [Ht [Vt [Top Only]]]].
  - now right.
  - apply gap_odd. intros x. unfold sigmoid_gate. ring.
  - apply gap_derivative, sigmoid_gate_derivative.
  - apply gap_derivative_2; [apply sigmoid_gate_derivative | apply sigmoid_gate_derivative_2].
  - apply sigmoid_certificate.
  - exists t. rewrite S_error. split; [exact Ht |]. split; [exact Vt |].
    split; intros x; rewrite S_error; [apply Top | apply Only].
Qed.

Lemma sigmoid_witness :
  value_lower sigmoid_numbers < Rabs (S (place_lower sigmoid_numbers) - G (place_lower sigmoid_numbers)).
Proof.
  apply Rlt_le_trans with (1 := value_at_least _ _ _ _ _ sigmoid_certificate).
  rewrite S_error. unfold D. rewrite <- Rabs_Ropp. apply Rle_trans with (2 := Rle_abs _). lra.
Qed.
