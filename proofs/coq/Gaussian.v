(** * The standard normal distribution function, from its integral

    phi(t) = exp(-t^2/2) / sqrt(2 pi) and Phi(x) = 1/2 + (Riemann integral of phi from 0 to x).  Proved here:

    - Phi' = phi > 0 ([Phi_derivative], [phi_positive]) and Phi(-x) = 1 - Phi(x) ([Phi_reflection]);
    - the Gaussian integral, without limits or double integrals: with J(x) the integral of exp(-t^2/2) from 0 to x, and
      K(x) the integral of exp(-x^2 (1 + t^2)/2) / (1 + t^2) for t from 0 to 1, the function J^2 + 2 K has derivative 0,
      and K(0) = arctan 1, so J(x)^2 + 2 K(x) = pi/2 ([gauss_identity]);
    - hence 0 <= 1 - Phi(x) <= exp(-x^2/2) / 2 for x >= 0 ([Phi_tail]), so that Phi(x) -> 1 as x -> infinity, and Phi
      is the distribution function: Phi(x) is the integral of phi from -infinity to x ([Phi_is_distribution_function]);
    - Phi(x) = (1 + erf(x / sqrt 2)) / 2 ([Phi_erf]). *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Import MeanValue.
Open Scope R_scope.

Definition phi (t : R) : R := exp (- (t * t) / 2) / sqrt (2 * PI).
Definition Phi (x : R) : R := 1 / 2 + RInt phi 0 x.
Definition erf (x : R) : R := 2 / sqrt PI * RInt (fun t => exp (- (t * t))) 0 x.

(** Coquelicot states equalities in its normed modules; [ring] and [field] want them in the type of the reals. *)
Ltac over_reals := match goal with |- @eq _ ?a ?b => change (@eq R a b) end.

(** ** First properties *)

Lemma root_two_pi : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Lemma phi_positive : forall t, 0 < phi t.
Proof. intros t. apply Rdiv_lt_0_compat; [apply exp_pos | apply root_two_pi]. Qed.

Lemma phi_even : forall t, phi (- t) = phi t.
Proof. intros t. unfold phi. now replace (- t * - t) with (t * t) by ring. Qed.

Lemma phi_derivative : derivative phi (fun t => - t * phi t).
Proof.
  intros t. unfold phi. auto_derive; [exact I |].
  pose proof root_two_pi. unfold Rdiv. set (E := exp _). field. lra.
Qed.

(** A function with a derivative everywhere is integrable everywhere, and differentiable in the upper end. *)
Lemma integrable : forall f f' : R -> R, derivative f f' -> forall a b, ex_RInt f a b.
Proof.
  intros f f' H a b. apply (ex_RInt_continuous f). intros x _. apply (ex_derive_continuous f). eexists. apply H.
Qed.

Lemma integral_derivative : forall f f' : R -> R, derivative f f' -> derivative (fun x => RInt f 0 x) f.
Proof.
  intros f f' H x. apply (is_derive_RInt f (fun y => RInt f 0 y) 0 x).
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply (RInt_correct f), (integrable f f' H).
  - apply (ex_derive_continuous f). eexists. apply H.
Qed.

Lemma Phi_derivative : derivative Phi phi.
Proof.
  intros x. unfold Phi. rewrite <- (Rplus_0_l (phi x)).
  apply (is_derive_plus (fun _ => 1 / 2) (fun y => RInt phi 0 y)); [apply @is_derive_const |].
  apply (integral_derivative phi _ phi_derivative).
Qed.

Lemma Phi_0 : Phi 0 = 1 / 2.
Proof. unfold Phi. rewrite (RInt_point 0 phi). unfold zero; simpl. ring. Qed.

Lemma constant : forall f : R -> R, derivative f (fun _ => 0) -> forall x, f x = f 0.
Proof.
  intros f H x. destruct (Rle_or_lt 0 x) as [L | L].
  - destruct (mean_value f (fun _ => 0) 0 x L) as [c [_ E]]; [intros; apply H | lra].
  - destruct (mean_value f (fun _ => 0) x 0) as [c [_ E]]; [lra | intros; apply H | lra].
Qed.

Lemma Phi_reflection : forall x, Phi (- x) = 1 - Phi x.
Proof.
  intros x. assert (E : Phi x + Phi (- x) = Phi 0 + Phi (- 0)).
  { apply (constant (fun y => Phi y + Phi (- y))). intros y.
    replace 0 with (plus (phi y) (scal (- 1) (phi (- y))))
      by (rewrite phi_even; unfold plus, scal; simpl; unfold mult; simpl; ring).
    apply (is_derive_plus Phi (fun z => Phi (- z))); [apply Phi_derivative |].
    apply (is_derive_comp Phi (fun z => - z)); [apply Phi_derivative | auto_derive; trivial]. }
  rewrite Ropp_0, Phi_0 in E. lra.
Qed.

(** ** The Gaussian integral *)

Definition bell (t : R) : R := exp (- (t * t) / 2).
Definition J (x : R) : R := RInt bell 0 x.
Definition k (x t : R) : R := exp (- (x * x) * (1 + t * t) / 2) / (1 + t * t).
Definition K (x : R) : R := RInt (k x) 0 1.

Lemma one_plus_square : forall t, 1 + t * t <> 0.
Proof. intros t. nra. Qed.

Lemma bell_derivative : derivative bell (fun t => - t * bell t).
Proof. intros t. unfold bell. auto_derive; [exact I |]. set (E := exp _). field. Qed.

Lemma J_derivative : derivative J bell.
Proof. apply (integral_derivative bell _ bell_derivative). Qed.

Lemma k_derivative_x : forall t, derivative (fun x => k x t) (fun x => - x * exp (- (x * x) * (1 + t * t) / 2)).
Proof.
  intros t x. unfold k. pose proof (one_plus_square t). auto_derive; [exact I |].
  unfold Rdiv. set (E := exp _). simpl. field. assumption.
Qed.

Lemma k_integrable : forall x a b, ex_RInt (k x) a b.
Proof.
  intros x a b. apply (ex_RInt_continuous (k x)). intros t _. apply (ex_derive_continuous (k x)).
  unfold k. auto_derive. apply one_plus_square.
Qed.

(** Substituting s = x t turns the derivative of [k] in x, integrated over t, into - bell(x) J(x). *)
Lemma k_derivative_integral : forall x,
  RInt (fun t => - x * exp (- (x * x) * (1 + t * t) / 2)) 0 1 = - (bell x * J x).
Proof.
  intros x.
  assert (Substitution : RInt (fun t => x * bell (x * t + 0)) 0 1 = J x).
  { transitivity (RInt bell (x * 0 + 0) (x * 1 + 0)).
    - apply (RInt_comp_lin bell x 0 0 1), (integrable bell _ bell_derivative).
    - unfold J. f_equal; ring. }
  rewrite <- Substitution, (Ropp_mult_distr_l (bell x)).
  transitivity (RInt (fun t => - bell x * (x * bell (x * t + 0))) 0 1).
  - apply RInt_ext. intros t _. unfold bell.
    replace (- (x * x) * (1 + t * t) / 2) with (- (x * x) / 2 + - ((x * t + 0) * (x * t + 0)) / 2) by field.
    rewrite exp_plus. over_reals. ring.
  - apply (RInt_scal (fun t => x * bell (x * t + 0)) 0 1 (- bell x)).
    apply (ex_RInt_continuous (fun t => x * bell (x * t + 0))). intros t _.
    apply (ex_derive_continuous (fun t => x * bell (x * t + 0))). unfold bell. auto_derive. exact I.
Qed.

Lemma k_derivative_continuous : forall x t,
  continuity_2d_pt (fun u v => Derive (fun z => k z v) u) x t.
Proof.
  intros x t.
  apply (continuity_2d_pt_ext (fun u v => - u * exp (- (u * u) * (1 + v * v) / 2))).
  { intros u v. symmetry. apply is_derive_unique, k_derivative_x. }
  assert (U : continuity_2d_pt (fun u _ : R => u) x t) by apply continuity_2d_pt_id1.
  assert (V : continuity_2d_pt (fun _ v : R => v) x t) by apply continuity_2d_pt_id2.
  assert (C : forall c, continuity_2d_pt (fun _ _ : R => c) x t) by (intros c; apply continuity_2d_pt_const).
  apply continuity_2d_pt_mult; [now apply continuity_2d_pt_opp |].
  apply (continuity_1d_2d_pt_comp exp); [apply derivable_continuous_pt, derivable_pt_exp |].
  apply continuity_2d_pt_mult; [| apply C].
  apply continuity_2d_pt_mult.
  - now apply continuity_2d_pt_opp, continuity_2d_pt_mult.
  - apply continuity_2d_pt_plus; [apply C | now apply continuity_2d_pt_mult].
Qed.

Lemma K_derivative : derivative K (fun x => - (bell x * J x)).
Proof.
  intros x. rewrite <- k_derivative_integral.
  rewrite (RInt_ext _ (fun t => Derive (fun z => k z t) x)).
  2: { intros t _. symmetry. apply is_derive_unique, k_derivative_x. }
  apply (is_derive_RInt_param k 0 1 x).
  - exists (mkposreal 1 Rlt_0_1). intros y _ t _. eexists. apply k_derivative_x.
  - intros t _. apply k_derivative_continuous.
  - exists (mkposreal 1 Rlt_0_1). intros y _. apply k_integrable.
Qed.

Lemma k_0 : forall t, k 0 t = / (1 + t * t).
Proof.
  intros t. unfold k. replace (- (0 * 0) * (1 + t * t) / 2) with 0 by field.
  rewrite exp_0. unfold Rdiv. ring.
Qed.

Lemma K_0 : K 0 = PI / 4.
Proof.
  unfold K. rewrite (RInt_ext _ (fun t => / (1 + t * t))) by (intros t _; apply k_0).
  apply is_RInt_unique.
  replace (PI / 4) with (minus (atan 1) (atan 0)) by (rewrite atan_0, atan_1; apply Rminus_0_r).
  apply (is_RInt_derive atan (fun t => / (1 + t * t))).
  - intros t _. apply is_derive_Reals. replace (t * t) with (t ^ 2) by ring. apply derivable_pt_lim_atan.
  - intros t _. apply (ex_derive_continuous (fun t => / (1 + t * t))). auto_derive. apply one_plus_square.
Qed.

Lemma gauss_identity : forall x, J x * J x + 2 * K x = PI / 2.
Proof.
  intros x. replace (PI / 2) with (J 0 * J 0 + 2 * K 0).
  2: { rewrite K_0. unfold J. rewrite (RInt_point 0 bell). unfold zero; simpl. field. }
  apply (constant (fun y => J y * J y + 2 * K y)). intros y.
  replace 0 with (plus (bell y * J y + J y * bell y) (2 * (- (bell y * J y)))) by (unfold plus; simpl; ring).
  apply (is_derive_plus (fun z => J z * J z) (fun z => 2 * K z)).
  - apply (is_derive_mult J J); [apply J_derivative | apply J_derivative | apply Rmult_comm].
  - apply (is_derive_scal K y 2), K_derivative.
Qed.

(** ** The tail *)

Lemma K_bounds : forall x, 0 <= K x <= PI / 4 * bell x.
Proof.
  assert (P : forall t, 0 < / (1 + t * t)) by (intros t; apply Rinv_0_lt_compat; nra).
  intros x. split.
  - apply RInt_ge_0; [lra | apply k_integrable |]. intros t _.
    apply Rmult_le_pos; [apply Rlt_le, exp_pos | apply Rlt_le, P].
  - rewrite <- K_0, Rmult_comm. unfold K. change (bell x * RInt (k 0) 0 1) with (scal (bell x) (RInt (k 0) 0 1)).
    rewrite <- (RInt_scal (k 0) 0 1 (bell x) (k_integrable 0 0 1)).
    apply RInt_le; [lra | apply k_integrable | apply (ex_RInt_scal (k 0)), k_integrable |].
    intros t _. change (k x t <= bell x * k 0 t). rewrite k_0.
    apply Rmult_le_compat_r; [apply Rlt_le, P |]. unfold bell.
    destruct (Req_dec (x * t) 0) as [Z | Z].
    + right. f_equal. replace (- (x * x) * (1 + t * t) / 2) with (- (x * x) / 2 - (x * t) * (x * t) / 2) by field.
      rewrite Z. field.
    + left. apply exp_increasing. assert (0 < (x * t) * (x * t)) by nra. nra.
Qed.

Lemma Phi_J : forall x, Phi x = 1 / 2 + J x / sqrt (2 * PI).
Proof.
  intros x. unfold Phi, J, Rdiv. f_equal. rewrite Rmult_comm.
  transitivity (RInt (fun t => scal (/ sqrt (2 * PI)) (bell t)) 0 x);
    [| apply (RInt_scal bell 0 x (/ sqrt (2 * PI))), (integrable bell _ bell_derivative)].
  apply RInt_ext. intros t _. apply Rmult_comm.
Qed.

Theorem Phi_tail : forall x, 0 <= x -> 0 <= 1 - Phi x <= exp (- (x * x) / 2) / 2.
Proof.
  intros x Hx. rewrite Phi_J. fold (bell x). set (N := J x / sqrt (2 * PI)).
  pose proof root_two_pi as S. pose proof PI_RGT_0 as P. destruct (K_bounds x) as [K1 K2].
  assert (N0 : 0 <= N).
  { apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, S].
    apply RInt_ge_0; [exact Hx | apply (integrable bell _ bell_derivative) |]. intros; apply Rlt_le, exp_pos. }
  assert (NN : 2 * PI * (N * N) + 2 * K x = PI / 2).
  { rewrite <- (gauss_identity x). f_equal. rewrite <- (sqrt_sqrt (2 * PI)) by lra.
    unfold N. field. lra. }
  assert (Q : 0 <= 1 / 4 - N * N <= bell x / 4).
  { split; apply (Rmult_le_reg_l (2 * PI)); lra. }
  assert (1 / 2 - N <= bell x / 2) by nra. split; nra.
Qed.

Theorem Phi_bounds : forall x, 0 <= Phi x <= 1.
Proof.
  assert (P : forall x, 0 <= x -> 1 / 2 <= Phi x <= 1).
  { intros x Hx. pose proof (Phi_tail x Hx). split; [| lra]. rewrite <- Phi_0.
    destruct (mean_value Phi phi 0 x Hx) as [c [_ E]]; [intros; apply Phi_derivative |].
    pose proof (phi_positive c). nra. }
  intros x. destruct (Rle_or_lt 0 x) as [L | L].
  - pose proof (P x L). lra.
  - assert (L' : 0 <= - x) by lra. pose proof (P (- x) L'). pose proof (Phi_reflection x). lra.
Qed.

(** ** Phi is the distribution function *)

Lemma Phi_near_1 : forall (eps : posreal) x, / eps < x -> Rabs (Phi x - 1) < eps.
Proof.
  intros [e Pe] x Hx. simpl in *. assert (E0 : 0 < / e) by (now apply Rinv_0_lt_compat).
  assert (x0 : 0 < x) by lra. pose proof (Phi_tail x ltac:(lra)) as T.
  assert (E1 : / x < e).
  { rewrite <- (Rinv_inv e). apply Rinv_lt_contravar; [now apply Rmult_lt_0_compat | exact Hx]. }
  assert (E2 : exp (- (x * x) / 2) <= / x).
  { replace (- (x * x) / 2) with (- (x * x / 2)) by field. rewrite exp_Ropp.
    apply Rinv_le_contravar; [exact x0 |]. pose proof (exp_ineq1_le (x * x / 2)). nra. }
  apply Rabs_def1; lra.
Qed.

Theorem Phi_limit : is_lim Phi p_infty 1.
Proof. apply is_lim_spec. intros eps. exists (/ eps). apply Phi_near_1. Qed.

Theorem Phi_is_distribution_function : forall x, is_RInt_gen phi (Rbar_locally m_infty) (at_point x) (Phi x).
Proof.
  intros x P [eps HP].
  apply (Filter_prod _ _ _ (fun a => a < - / eps) (fun b => b = x)); [now exists (- / eps) | reflexivity |].
  intros a b Ha ->. exists (Phi x - Phi a). split.
  - apply (is_RInt_derive Phi phi).
    + intros y _. apply Phi_derivative.
    + intros y _. apply (ex_derive_continuous phi). eexists. apply phi_derivative.
  - apply HP. change (Rabs (Phi x - Phi a - Phi x) < eps).
    replace (Phi x - Phi a - Phi x) with (Phi (- a) - 1) by (rewrite Phi_reflection; ring).
    apply Phi_near_1. lra.
Qed.

(** ** The error function: the substitution t = sqrt 2 s *)

Theorem Phi_erf : forall x, Phi x = (1 + erf (x / sqrt 2)) / 2.
Proof.
  intros x. pose proof PI_RGT_0 as P. assert (S2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (SP : 0 < sqrt PI) by (now apply sqrt_lt_R0). assert (SS : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  assert (D : derivative (fun t => exp (- (t * t))) (fun t => - 2 * t * exp (- (t * t)))).
  { intros t. auto_derive; [exact I | ring]. }
  enough (E : RInt phi 0 x = / sqrt PI * RInt (fun t => exp (- (t * t))) 0 (x / sqrt 2)).
  { unfold Phi, erf. rewrite E. field. lra. }
  replace (x / sqrt 2) with (/ sqrt 2 * x + 0) by (unfold Rdiv; ring).
  replace 0 with (/ sqrt 2 * 0 + 0) at 2 by ring.
  rewrite <- (RInt_comp_lin (fun t => exp (- (t * t))) (/ sqrt 2) 0 0 x (integrable _ _ D _ _)).
  rewrite <- (RInt_scal (fun t => / sqrt 2 * exp (- ((/ sqrt 2 * t + 0) * (/ sqrt 2 * t + 0))))).
  - apply RInt_ext. intros t _. over_reals. unfold phi. rewrite sqrt_mult by lra.
    replace ((/ sqrt 2 * t + 0) * (/ sqrt 2 * t + 0)) with (t * t / (sqrt 2 * sqrt 2)) by (field; lra).
    rewrite SS. replace (- (t * t / 2)) with (- (t * t) / 2) by field.
    change (exp (- (t * t) / 2) / (sqrt 2 * sqrt PI) = / sqrt PI * (/ sqrt 2 * exp (- (t * t) / 2))). field. lra.
  - apply (ex_RInt_comp_lin (fun t => exp (- (t * t))) (/ sqrt 2) 0 0 x), (integrable _ _ D).
Qed.
