(** * The one minimum of G

    G' = Phi + x phi and G'' = (2 - x^2) phi.  So G' increases on [[-7/5, 0]], where it changes sign once, at m; to the
    left of -7/5 it is negative, because 1 - Phi(y) <= exp(-y^2/2)/2 < y phi(y) for y >= 7/5; to the right of 0 it is
    positive, term by term.  Hence G decreases up to m and increases after it. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue Gaussian Forms LargestError Numbers ExactInterval.
Open Scope R_scope.

Definition G_1 (x : R) : R := Phi x + x * phi x.
Definition G_2 (x : R) : R := phi x * (2 - x * x).

Lemma G_derivative : derivative G G_1.
Proof. apply (product_derivative Phi phi), Phi_derivative. Qed.

Lemma G_derivative_2 : derivative G_1 G_2.
Proof.
  intros x. unfold G_2. replace (phi x * (2 - x * x)) with (phi x + (phi x + x * (- x * phi x))) by ring.
  apply (is_derive_plus Phi); [apply Phi_derivative |].
  apply (product_derivative phi (fun t => - t * phi t)), phi_derivative.
Qed.

Lemma G_2_positive : forall x, - 7 / 5 <= x <= 0 -> 0 < G_2 x.
Proof. intros x Hx. apply Rmult_lt_0_compat; [apply phi_positive | nra]. Qed.

Lemma G_1_negative_far_left : forall x, x <= - 7 / 5 -> G_1 x < 0.
Proof.
  intros x Hx. unfold G_1, phi. rewrite <- (Ropp_involutive x) at 1. rewrite Phi_reflection.
  destruct (Phi_tail (- x)) as [_ U]; [lra |]. replace (- x * - x) with (x * x) in U by ring.
  assert (R : 5 / 14 < / sqrt (2 * PI)) by interval with (i_prec 60).
  pose proof (exp_pos (- (x * x) / 2)) as E. set (e := exp (- (x * x) / 2)) in *.
  change (e / sqrt (2 * PI)) with (e * / sqrt (2 * PI)).
  assert (1 / 2 < - x * / sqrt (2 * PI)) by nra. nra.
Qed.

Lemma G_1_positive_right : forall x, 0 <= x -> 0 < G_1 x.
Proof.
  intros x Hx. unfold G_1. pose proof (phi_positive x) as P.
  assert (1 / 2 <= Phi x); [| nra].
  rewrite <- Phi_0. destruct Hx as [Hx | <-]; [| apply Rle_refl].
  apply Rlt_le, (increase Phi phi); [apply Phi_derivative | exact Hx | intros; apply phi_positive].
Qed.

Ltac minimum_point :=
  unfold G, G_1, Phi, phi, minimum_place_lower, minimum_place_upper, minimum_value_lower, minimum_value_upper;
  integral with (i_prec 80, i_degree 15, i_fuel 2).

Lemma G_1_changes_sign : G_1 minimum_place_lower < 0 < G_1 minimum_place_upper.
Proof. split; minimum_point. Qed.

(** G decreases from [minimum_place_lower] to m, by less than the tangent there would. *)
Lemma value_below : G minimum_place_lower < minimum_value_upper.
Proof. minimum_point. Qed.

Lemma value_above :
  minimum_value_lower < G minimum_place_lower + G_1 minimum_place_lower * (minimum_place_upper - minimum_place_lower).
Proof. minimum_point. Qed.

Theorem G_minimum : exists m, minimum_place_lower < m < minimum_place_upper /\
  minimum_value_lower < G m < minimum_value_upper /\
  (forall x, x <> m -> G m < G x) /\ (forall x, is_derive G x 0 <-> x = m).
Proof.
  assert (Order :
    - 7 / 5 <= minimum_place_lower /\ minimum_place_lower < minimum_place_upper /\ minimum_place_upper <= 0)
    by (unfold minimum_place_lower, minimum_place_upper; lra).
  destruct Order as [O1 [O2 O3]]. destruct G_1_changes_sign as [S1 S2].
  destruct (single_crossing G_1 G_2 (- 7 / 5) 0 minimum_place_lower minimum_place_upper G_derivative_2 O1 O2 O3
    G_2_positive S1 S2) as [m [Hm [Zm [Before After]]]].
  assert (Left : forall x, x < m -> G_1 x < 0).
  { intros x Hx. destruct (Rle_or_lt x (- 7 / 5)); [now apply G_1_negative_far_left | apply Before; lra]. }
  assert (Right : forall x, m < x -> 0 < G_1 x).
  { intros x Hx. destruct (Rle_or_lt 0 x); [now apply G_1_positive_right | apply After; lra]. }
  assert (Least : forall x, x <> m -> G m < G x).
  { intros x Ne. apply (valley G G_1 (Rmin x m) (Rmax x m) m); auto using G_derivative, Rmin_l, Rmin_r, Rmax_l, Rmax_r.
    - intros y Hy. apply Left, Hy.
    - intros y Hy. apply Right, Hy. }
  exists m. split; [exact Hm |]. split; [| split; [exact Least |]].
  - split.
    + apply Rlt_le_trans with (1 := value_above).
      destruct (mean_value G G_1 minimum_place_lower m) as [c [Hc E]]; [lra | intros; apply G_derivative |].
      destruct (mean_value G_1 G_2 minimum_place_lower c) as [d [Hd E2]]; [lra | intros; apply G_derivative_2 |].
      assert (0 < G_2 d) by (apply G_2_positive; lra).
      assert (G_1 minimum_place_lower <= G_1 c) by nra.
      enough (G_1 minimum_place_lower * (minimum_place_upper - minimum_place_lower)
        <= G_1 c * (m - minimum_place_lower)) by lra.
      apply Rle_trans with (G_1 minimum_place_lower * (m - minimum_place_lower)); [nra |].
      apply Rmult_le_compat_r; lra.
    + apply Rlt_trans with (2 := value_below). apply Least. lra.
  - intros x. split.
    + intros D0. pose proof (is_derive_unique G x 0 D0) as E0. rewrite (is_derive_unique G x _ (G_derivative x)) in E0.
      destruct (Rtotal_order x m) as [L | [E | R]]; [| exact E |].
      * pose proof (Left x L). lra.
      * pose proof (Right x R). lra.
    + intros ->. rewrite <- Zm. apply G_derivative.
Qed.
