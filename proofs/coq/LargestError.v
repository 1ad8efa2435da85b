(** * Where an error x h(x) is largest: from finitely many inequalities to a statement about all real x

    Let h be odd with derivatives h1 and h2, and s = 1 or -1.  A [certificate] is a list of inequalities that a computer
    can check: most of them on a cell, and these contain only closed forms; the others at single points.  Theorem
    [largest_error]: they imply that |x h(x)| has its greatest value at t and -t and nowhere else, and enclose t and
    that value.  For x > 0 the error s x h(x) has its peak at t; -s x h(x), "the other side", stays below the level m
    ([value_lower]), a lower bound of the value at the peak.

    Away from the peak, s x h(x) < m holds as long as q(x) = m/x - s h(x) is positive.  Now -x^2 q'(x) = m + s x^2 h1(x)
    has a closed form when h1 has one, though h may be an integral.  So q is followed along the axis:
    - where m + s x^2 h1 >= 0, q decreases: it is positive on the whole cell if it is at the right end ([falling]);
    - where m + s x^2 h1 <= k x^2, q drops by at most k per unit: it stays positive if it is large enough at the left
      end ([drifting]).

    At the peak.  D(x) = s x h(x) is concave on a core interval, and D' changes sign between [lo] and [hi]: one maximum,
    whose value lies between D(lo) and the tangent at [lo] ([peak]). *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue.
Open Scope R_scope.

(** ** Away from the peak *)

Definition q (m s : R) (h : R -> R) (x : R) : R := m / x - s * h x.

Lemma q_positive : forall m s h x, 0 < x -> (0 < q m s h x <-> s * (x * h x) < m).
Proof.
  intros m s h x Hx. unfold q. assert (E : m = m / x * x) by (field; lra). split; intros H.
  - assert (0 < (m / x - s * h x) * x) by (now apply Rmult_lt_0_compat). lra.
  - apply (Rmult_lt_reg_r x); [exact Hx |]. lra.
Qed.

Lemma q_mean_value : forall m s h h1 a b, derivative h h1 -> 0 < a -> a <= b ->
  exists c, a <= c <= b /\ q m s h a - q m s h b = (m + s * (c * c) * h1 c) / (c * c) * (b - a).
Proof.
  intros m s h h1 a b H a0 ab.
  destruct (mean_value (q m s h) (fun c => - ((m + s * (c * c) * h1 c) / (c * c))) a b ab) as [c [Hc E]].
  - intros x Hx. replace (- ((m + s * (x * x) * h1 x) / (x * x))) with (- m / (x * x) - s * h1 x) by (field; lra).
    apply (is_derive_minus (fun y => m / y) (fun y => s * h y)); [| apply (is_derive_scal h x s), H].
    auto_derive; [lra | field; lra].
  - exists c. split; [exact Hc | lra].
Qed.

Lemma falling : forall m s h h1 a b, derivative h h1 -> 0 <= a -> a <= b ->
  (forall x, a <= x <= b -> 0 <= m + s * (x * x) * h1 x) -> s * (b * h b) < m ->
  forall x, 0 < x -> a <= x <= b -> s * (x * h x) < m.
Proof.
  intros m s h h1 a b H a0 ab Hcell Hb x x0 Hx.
  apply q_positive; [exact x0 |]. apply q_positive in Hb; [| lra].
  destruct (q_mean_value m s h h1 x b H) as [c [Hc E]]; [exact x0 | lra |].
  assert (0 <= (m + s * (c * c) * h1 c) / (c * c) * (b - x)); [| lra].
  apply Rmult_le_pos; [| lra]. apply Rmult_le_pos; [apply Hcell; lra | apply Rlt_le, Rinv_0_lt_compat; nra].
Qed.

Lemma drifting : forall m s h h1 k a b, derivative h h1 -> 0 < a -> a <= b -> 0 <= k ->
  (forall x, a <= x <= b -> m + s * (x * x) * h1 x <= k * (x * x)) -> s * (a * h a) + k * (b - a) * a < m ->
  forall x, a <= x <= b -> s * (x * h x) < m.
Proof.
  intros m s h h1 k a b H a0 ab k0 Hcell Ha x Hx.
  apply q_positive; [lra |].
  assert (Qa : k * (b - a) < q m s h a).
  { unfold q. apply (Rmult_lt_reg_r a); [exact a0 |].
    replace ((m / a - s * h a) * a) with (m - s * (a * h a)) by (field; lra). lra. }
  destruct (q_mean_value m s h h1 a x H) as [c [Hc E]]; [exact a0 | lra |].
  assert (R : (m + s * (c * c) * h1 c) / (c * c) <= k).
  { apply (Rmult_le_reg_r (c * c)); [nra |].
    replace ((m + s * (c * c) * h1 c) / (c * c) * (c * c)) with (m + s * (c * c) * h1 c) by (field; nra).
    apply Hcell; lra. }
  assert ((m + s * (c * c) * h1 c) / (c * c) * (x - a) <= k * (b - a)).
  { apply Rle_trans with (k * (x - a)); [apply Rmult_le_compat_r | apply Rmult_le_compat_l]; lra. }
  lra.
Qed.

Lemma below_far : forall m s h x, (s = 1 \/ s = - 1) -> 0 < x -> x * Rabs (h x) < m -> s * (x * h x) < m.
Proof.
  intros m s h x Hs Hx B. rewrite <- (Rabs_pos_eq x), <- Rabs_mult in B by lra. rewrite (Rabs_pos_eq x) in B by lra.
  apply Rabs_def2 in B. destruct Hs as [-> | ->]; lra.
Qed.

(** ** At the peak *)

Definition D (s : R) (h : R -> R) (x : R) : R := s * (x * h x).
Definition D_1 (s : R) (h h1 : R -> R) (x : R) : R := s * (h x + x * h1 x).
Definition D_2 (s : R) (h1 h2 : R -> R) (x : R) : R := s * (2 * h1 x + x * h2 x).

Lemma D_derivative : forall s h h1, derivative h h1 -> derivative (D s h) (D_1 s h h1).
Proof.
  intros s h h1 H x. apply (is_derive_scal (fun y => y * h y) x s), product_derivative, H.
Qed.

Lemma D_derivative_2 : forall s h h1 h2,
  derivative h h1 -> derivative h1 h2 -> derivative (D_1 s h h1) (D_2 s h1 h2).
Proof.
  intros s h h1 h2 H H1 x. unfold D_2. replace (2 * h1 x + x * h2 x) with (h1 x + (h1 x + x * h2 x)) by ring.
  apply (is_derive_scal (fun y => h y + y * h1 y) x s).
  apply (is_derive_plus h); [apply H | apply product_derivative, H1].
Qed.

Lemma peak : forall s h h1 h2 a b lo hi m M,
  derivative h h1 -> derivative h1 h2 -> a <= lo -> lo < hi -> hi <= b ->
  (forall x, a <= x <= b -> D_2 s h1 h2 x < 0) ->
  0 < D_1 s h h1 lo -> D_1 s h h1 hi < 0 -> m < D s h lo -> D s h lo + D_1 s h h1 lo * (hi - lo) < M ->
  exists t, lo < t < hi /\ m < D s h t < M /\ (forall x, a <= x <= b -> x <> t -> D s h x < D s h t).
Proof.
  intros s h h1 h2 a b lo hi m M H H1 alo lohi hib Concave Dlo Dhi Vlo Vhi.
  pose proof (D_derivative s h h1 H) as Der. pose proof (D_derivative_2 s h h1 h2 H H1) as Der2.
  assert (Der' : derivative (fun x => - D s h x) (fun x => - D_1 s h h1 x))
    by (intros x; apply (is_derive_opp (D s h)), Der).
  assert (Der2' : derivative (fun x => - D_1 s h h1 x) (fun x => - D_2 s h1 h2 x))
    by (intros x; apply (is_derive_opp (D_1 s h h1)), Der2).
  destruct (single_crossing _ _ a b lo hi Der2' alo lohi hib) as [t [Ht [Zt [Before After]]]]; [| lra | lra |].
  { intros x Hx. pose proof (Concave x Hx). lra. }
  assert (Top : forall x, a <= x <= b -> x <> t -> D s h x < D s h t).
  { intros x Hx Ne. assert (- D s h t < - D s h x); [| lra].
    apply (valley _ _ a b t Der'); [lra | exact Before | exact After | exact Hx | exact Ne]. }
  exists t. split; [exact Ht |]. split; [| exact Top].
  split; [apply Rlt_trans with (1 := Vlo), Top; lra |].
  destruct (mean_value (D s h) (D_1 s h h1) lo t) as [c [Hc E]]; [lra | intros; apply Der |].
  destruct (mean_value (D_1 s h h1) (D_2 s h1 h2) lo c) as [d [Hd E2]]; [lra | intros; apply Der2 |].
  assert (D_2 s h1 h2 d < 0) by (apply Concave; lra).
  assert (Slope : D_1 s h h1 c <= D_1 s h h1 lo) by nra.
  assert (D_1 s h h1 c * (t - lo) <= D_1 s h h1 lo * (hi - lo)); [| lra].
  apply Rle_trans with (D_1 s h h1 lo * (t - lo)); [apply Rmult_le_compat_r | apply Rmult_le_compat_l]; lra.
Qed.

(** ** The certificate and what it proves *)

Record numbers := Numbers {
  value_lower : R; value_upper : R;          (* the greatest error lies strictly between *)
  place_lower : R; place_upper : R;          (* and so does the point t where it is attained *)
  core_left : R; core_right : R;             (* D is concave here *)
  side_end : R; side_drift : R;              (* from [core_right] to [side_end], q drops at most so fast *)
  other_start : R; other_end : R; other_drift : R;      (* the same on the other side *)
  far : R                                    (* beyond, the error is negligible *)
}.

Record certificate (s : R) (h h1 h2 : R -> R) (n : numbers) : Prop := Certificate {
  other_order : 0 < other_start n <= other_end n;
  other_far : other_end n <= far n;
  other_drift_sign : 0 <= other_drift n;
  core_order : 0 < core_left n <= place_lower n;
  place_order : place_lower n < place_upper n;
  place_core : place_upper n <= core_right n;
  side_order : core_right n <= side_end n <= far n;
  side_drift_sign : 0 <= side_drift n;
  (* the peak *)
  value_at_most : D s h (place_lower n) + D_1 s h h1 (place_lower n) * (place_upper n - place_lower n) < value_upper n;
  value_at_least : value_lower n < D s h (place_lower n);
  rises_before : 0 < D_1 s h h1 (place_lower n);
  falls_after : D_1 s h h1 (place_upper n) < 0;
  concave : forall x, core_left n <= x <= core_right n -> D_2 s h1 h2 x < 0;
  (* elsewhere on the side of the peak *)
  at_core_left : s * (core_left n * h (core_left n)) < value_lower n;
  at_core_right :
    s * (core_right n * h (core_right n)) + side_drift n * (side_end n - core_right n) * core_right n < value_lower n;
  side_first : forall x, 0 <= x <= core_left n -> 0 <= value_lower n + s * (x * x) * h1 x;
  side_second : forall x, core_right n <= x <= side_end n ->
    value_lower n + s * (x * x) * h1 x <= side_drift n * (x * x);
  side_third : forall x, side_end n <= x <= far n -> 0 <= value_lower n + s * (x * x) * h1 x;
  (* the other side *)
  at_other_start :
    - s * (other_start n * h (other_start n)) + other_drift n * (other_end n - other_start n) * other_start n
      < value_lower n;
  other_first : forall x, 0 <= x <= other_start n -> 0 <= value_lower n + - s * (x * x) * h1 x;
  other_second : forall x, other_start n <= x <= other_end n ->
    value_lower n + - s * (x * x) * h1 x <= other_drift n * (x * x);
  other_third : forall x, other_end n <= x <= far n -> 0 <= value_lower n + - s * (x * x) * h1 x;
  (* the tail *)
  negligible : forall x, far n <= x -> x * Rabs (h x) < value_lower n
}.

Lemma other_side_below : forall s h h1 h2 n, (s = 1 \/ s = - 1) -> derivative h h1 -> certificate s h h1 h2 n ->
  forall x, 0 < x < far n -> - s * (x * h x) < value_lower n.
Proof.
  intros s h h1 h2 n Hs H C x Hx. pose proof (negligible _ _ _ _ _ C) as Tail. destruct C.
  destruct (Rle_or_lt x (other_start n)); [| destruct (Rle_or_lt x (other_end n))].
  - apply (falling (value_lower n) (- s) h h1 0 (other_start n)); auto; try lra.
    assert (0 <= other_drift n * (other_end n - other_start n) * other_start n)
      by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra). lra.
  - apply (drifting (value_lower n) (- s) h h1 (other_drift n) (other_start n) (other_end n)); auto; lra.
  - apply (falling (value_lower n) (- s) h h1 (other_end n) (far n)); auto; try lra.
    apply (below_far (value_lower n) (- s) h); [lra | lra | apply Tail; lra].
Qed.

Lemma side_below : forall s h h1 h2 n, (s = 1 \/ s = - 1) -> derivative h h1 -> certificate s h h1 h2 n ->
  forall x, 0 < x < core_left n \/ core_right n < x < far n -> s * (x * h x) < value_lower n.
Proof.
  intros s h h1 h2 n Hs H C x Hx. pose proof (negligible _ _ _ _ _ C) as Tail. destruct C.
  destruct Hx as [Hx | Hx]; [| destruct (Rle_or_lt x (side_end n))].
  - apply (falling (value_lower n) s h h1 0 (core_left n)); auto; lra.
  - apply (drifting (value_lower n) s h h1 (side_drift n) (core_right n) (side_end n)); auto; lra.
  - apply (falling (value_lower n) s h h1 (side_end n) (far n)); auto; try lra.
    apply (below_far (value_lower n) s h); [lra | lra | apply Tail; lra].
Qed.

Theorem largest_error : forall s h h1 h2 n,
  (s = 1 \/ s = - 1) -> (forall x, h (- x) = - h x) -> derivative h h1 -> derivative h1 h2 -> certificate s h h1 h2 n ->
  exists t, place_lower n < t < place_upper n /\ value_lower n < Rabs (t * h t) < value_upper n /\
    (forall x, Rabs (x * h x) <= Rabs (t * h t)) /\
    (forall x, Rabs (x * h x) = Rabs (t * h t) -> x = t \/ x = - t).
Proof.
  intros s h h1 h2 n Hs Odd H H1 C.
  pose proof (other_side_below s h h1 h2 n Hs H C) as Other. pose proof (side_below s h h1 h2 n Hs H C) as Side.
  pose proof (negligible _ _ _ _ _ C) as Tail. destruct C.
  destruct (peak s h h1 h2 (core_left n) (core_right n) (place_lower n) (place_upper n) (value_lower n) (value_upper n))
    as [t [Ht [Vt Top]]]; auto; try lra. unfold D in Vt, Top.
  assert (Pos : 0 < value_lower n).
  { apply Rle_lt_trans with (far n * Rabs (h (far n))); [| apply Tail; lra].
    apply Rmult_le_pos; [lra | apply Rabs_pos]. }
  assert (At : Rabs (t * h t) = s * (t * h t)).
  { destruct Hs as [-> | ->]; [rewrite Rabs_pos_eq | rewrite Rabs_left]; lra. }
  assert (Strict : forall x, 0 <= x -> x <> t -> Rabs (x * h x) < Rabs (t * h t)).
  { intros x Hx Ne. rewrite At. destruct (Rle_or_lt (far n) x) as [L | L].
    - rewrite Rabs_mult, (Rabs_pos_eq x) by exact Hx. pose proof (Tail x L). lra.
    - destruct Hx as [x0 | <-]; [| rewrite Rmult_0_l, Rabs_R0; lra].
      assert (s * (x * h x) < s * (t * h t)).
      { destruct (Rlt_or_le x (core_left n)); [assert (s * (x * h x) < value_lower n) by (apply Side; lra); lra |].
        destruct (Rle_or_lt x (core_right n)); [apply Top; lra |].
        assert (s * (x * h x) < value_lower n) by (apply Side; lra); lra. }
      pose proof (Other x ltac:(lra)). apply Rabs_def1; destruct Hs as [-> | ->]; lra. }
  assert (Even : forall x, Rabs (x * h x) = Rabs (Rabs x * h (Rabs x))).
  { intros x. destruct (Rle_or_lt 0 x) as [P | N]; [now rewrite (Rabs_pos_eq x) |].
    rewrite (Rabs_left x) by exact N. rewrite Odd. f_equal. ring. }
  exists t. split; [exact Ht |]. split; [lra |]. split.
  - intros x. rewrite Even. destruct (Req_dec (Rabs x) t) as [-> | Ne]; [lra |].
    apply Rlt_le, Strict; [apply Rabs_pos | exact Ne].
  - intros x E. rewrite Even in E. destruct (Req_dec (Rabs x) t) as [Et | Ne].
    + destruct (Rle_or_lt 0 x); [left; rewrite <- Et; symmetry; now apply Rabs_pos_eq | right].
      rewrite <- Et, Rabs_left by assumption. ring.
    + pose proof (Strict (Rabs x) (Rabs_pos x) Ne). lra.
Qed.
