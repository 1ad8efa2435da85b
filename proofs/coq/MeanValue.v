(** * Signs of derivatives, and what they say of a function

    Facts of first-year calculus, in the form the other files use them.

    - [mean_value]: f(b) - f(a) = f'(c) (b - a) for some c in [[a, b]].
    - [increase]: f(a) < f(b) when f' > 0 strictly between a and b.
    - [single_crossing]: if f' > 0 on [[a, b]] and f changes sign between [lo] and [hi], then it does so at one point
      only.
    - [valley]: if f' < 0 to the left of m and f' > 0 to its right, then f takes its least value at m and nowhere
      else. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition derivative (f f' : R -> R) : Prop := forall x, is_derive f x (f' x).

Lemma derivative_continuity : forall (f : R -> R) (x l : R), is_derive f x l -> continuity_pt f x.
Proof.
  intros f x l H.
  apply continuity_pt_filterlim, (ex_derive_continuous f). now exists l.
Qed.

Lemma product_derivative : forall f f1, derivative f f1 -> derivative (fun x => x * f x) (fun x => f x + x * f1 x).
Proof.
  intros f f1 H x. rewrite <- (Rmult_1_l (f x)).
  apply (is_derive_mult (fun y => y) f); [apply @is_derive_id | apply H | apply Rmult_comm].
Qed.

Lemma mean_value : forall (f f' : R -> R) (a b : R),
  a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  exists c, a <= c <= b /\ f b - f a = f' c * (b - a).
Proof.
  intros f f' a b ab H.
  destruct (MVT_gen f a b f') as [c [Hc E]]; rewrite Rmin_left, Rmax_right in * by exact ab.
  - intros x Hx. apply H; lra.
  - intros x Hx. apply (derivative_continuity f x (f' x)), H; lra.
  - now exists c.
Qed.

Lemma increase : forall (f f' : R -> R) (a b : R),
  derivative f f' -> a < b -> (forall x, a < x < b -> 0 < f' x) -> f a < f b.
Proof.
  intros f f' a b Hd ab Hp.
  destruct (MVT_cor2 f f' a b ab) as [c [E Hc]].
  - intros x _. apply is_derive_Reals, Hd.
  - pose proof (Hp c Hc) as P. assert (0 < f' c * (b - a)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma single_crossing : forall (f f' : R -> R) (a b lo hi : R),
  derivative f f' -> a <= lo -> lo < hi -> hi <= b -> (forall x, a <= x <= b -> 0 < f' x) ->
  f lo < 0 -> 0 < f hi ->
  exists m, lo < m < hi /\ f m = 0 /\ (forall x, a <= x < m -> f x < 0) /\ (forall x, m < x <= b -> 0 < f x).
Proof.
  intros f f' a b lo hi Hd alo lohi hib Hp Flo Fhi.
  assert (Inc : forall x y, a <= x -> x < y -> y <= b -> f x < f y).
  { intros x y ax xy yb. apply (increase f f'); [exact Hd | exact xy |]. intros z Hz. apply Hp; lra. }
  destruct (IVT_gen f lo hi 0) as [m [Hm Zm]].
  - intros x. apply (derivative_continuity f x (f' x)), Hd.
  - rewrite Rmin_left, Rmax_right by lra. lra.
  - rewrite Rmin_left, Rmax_right in Hm by lra.
    assert (m <> lo) by (intros ->; lra). assert (m <> hi) by (intros ->; lra).
    exists m. repeat split; try lra; intros x Hx; rewrite <- Zm; apply Inc; lra.
Qed.

Lemma valley : forall (f f' : R -> R) (a b m : R),
  derivative f f' -> a <= m <= b ->
  (forall x, a <= x < m -> f' x < 0) -> (forall x, m < x <= b -> 0 < f' x) ->
  forall x, a <= x <= b -> x <> m -> f m < f x.
Proof.
  intros f f' a b m Hd Hm Hneg Hpos x Hx Ne.
  destruct (Rlt_or_le x m) as [L | L].
  - assert (- f x < - f m); [| lra].
    apply (increase (fun y => - f y) (fun y => - f' y)); [| exact L |].
    + intros y. apply (is_derive_opp f), Hd.
    + intros y Hy. assert (f' y < 0) by (apply Hneg; lra). lra.
  - apply (increase f f'); [exact Hd | lra |].
    intros y Hy. apply Hpos; lra.
Qed.
