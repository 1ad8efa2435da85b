"""What the Coq development must prove, and on which axioms: said here again, apart from the development.

From this page a file is written that defines the functions anew, states every theorem with its numbers, and proves it
by nothing but the theorem of the same name in `coq/Theorems.v`. Coq accepts that only if the two statements, with all
definitions unfolded, are the same: a theorem that was weakened, or a definition that was bent, does not pass.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gelu_verify.proofs.formal_numbers import FormalNumbers, bounds, decimals

# The axioms of the real numbers in Coq's standard library, and where each of them stands.
ALLOWED_AXIOMS: Mapping[str, str] = MappingProxyType(
    {
        "ClassicalDedekindReals.sig_forall_dec": (
            "Coq.Reals.ClassicalDedekindReals: a decidable property of the naturals holds for all or fails for one"
        ),
        "ClassicalDedekindReals.sig_not_dec": "Coq.Reals.ClassicalDedekindReals: a negation is decidable",
        "FunctionalExtensionality.functional_extensionality_dep": (
            "Coq.Logic.FunctionalExtensionality: functions that agree everywhere are equal"
        ),
        "Classical_Prop.classic": "Coq.Logic.Classical_Prop: the excluded middle",
    }
)
MACHINE_ARITHMETIC = ("FloatAxioms", "FloatOps", "PrimFloat", "PrimInt63", "Sint63", "Uint63")

_DEFINITIONS = """\
From Coq Require Import Reals.
From Coquelicot Require Import Coquelicot.
From GeluVerify Require Theorems.
Open Scope R_scope.

Definition phi (t : R) : R := exp (- (t * t) / 2) / sqrt (2 * PI).
Definition Phi (x : R) : R := 1 / 2 + RInt phi 0 x.
Definition erf (x : R) : R := 2 / sqrt PI * RInt (fun t : R => exp (- (t * t))) 0 x.
Definition sigmoid (x : R) : R := 1 / (1 + exp (- x)).
Definition G (x : R) : R := x * Phi x.
Definition T (x : R) : R := x / 2 * (1 + tanh (sqrt (2 / PI) * (x + 0.044715 * (x * x * x)))).
Definition S (x : R) : R := x * sigmoid (1.702 * x).
"""

_LARGEST = """\
exists t : R, {place_lower} < t < {place_upper} /\\ {value_lower} < Rabs ({form} t - G t) < {value_upper} /\\
  (forall x : R, Rabs ({form} x - G x) <= Rabs ({form} t - G t)) /\\
  (forall x : R, Rabs ({form} x - G x) = Rabs ({form} t - G t) -> x = t \\/ x = - t)"""

_MINIMUM = """\
exists m : R, {place_lower} < m < {place_upper} /\\ {value_lower} < G m < {value_upper} /\\
  (forall x : R, x <> m -> G m < G x) /\\ (forall x : R, is_derive G x 0 <-> x = m)"""


@dataclass(frozen=True, slots=True)
class FormalTheorem:
    """A theorem of the development.

    Attributes:
        identifier: its name in Theorems.v.
        sentence: what it says, for people.
        statement: what it says, in Coq, over the definitions above.
    """

    identifier: str
    sentence: str
    statement: str


def formal_theorems(numbers: FormalNumbers) -> tuple[FormalTheorem, ...]:
    """Return the theorems that the development must prove, with the numbers of the certificates in them."""
    theorems = [
        FormalTheorem(
            "Phi_is_the_normal_distribution",
            "Phi(x) is the integral of the standard normal density from -infinity to x",
            "forall x : R, is_RInt_gen phi (Rbar_locally m_infty) (at_point x) (Phi x)",
        ),
        FormalTheorem(
            "Phi_through_erf",
            "Phi(x) = (1 + erf(x / sqrt 2)) / 2 for all real x",
            "forall x : R, Phi x = (1 + erf (x / sqrt 2)) / 2",
        ),
        FormalTheorem(
            "tanh_form_is_a_sigmoid_gate",
            "T(x) = x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)) for all real x",
            "forall x : R, T x = x * sigmoid (2 * sqrt (2 / PI) * (x + 0.044715 * (x * x * x)))",
        ),
    ]
    theorems += _error_theorems("tanh", "T", decimals(numbers.tanh) | bounds(numbers.tanh))
    theorems += _error_theorems("sigmoid", "S", decimals(numbers.sigmoid) | bounds(numbers.sigmoid))
    least = decimals(numbers.minimum)
    sentence = (
        "G has one minimum over all real x, at x between {place_lower} and {place_upper}, "
        "its value between {value_lower} and {value_upper}; nowhere else is G' zero"
    )
    theorems.append(FormalTheorem("gelu_minimum", sentence.format(**least), _MINIMUM.format(**least)))
    return tuple(theorems)


def _error_theorems(name: str, form: str, values: Mapping[str, str]) -> list[FormalTheorem]:
    point, bound, short = values["place_lower"], values["bound"], values["bound_minus_unit"]
    sentence = (
        "|{form} - G| is largest over all real x at x = t and x = -t and nowhere else, t between {place_lower} "
        "and {place_upper}, the value between {value_lower} and {value_upper}"
    )
    return [
        FormalTheorem(
            f"{name}_error_bound",
            f"|{form}(x) - G(x)| <= {bound} for all real x",
            f"forall x : R, Rabs ({form} x - G x) <= {bound}",
        ),
        FormalTheorem(
            f"{name}_error_witness",
            f"|{form}(x) - G(x)| > {short} at x = {point}",
            f"{short} < Rabs ({form} {point} - G {point})",
        ),
        FormalTheorem(
            f"{name}_error_largest", sentence.format(form=form, **values), _LARGEST.format(form=form, **values)
        ),
    ]


def audit_source(theorems: Sequence[FormalTheorem]) -> str:
    """Return a Coq file that compiles if Theorems.v proves these statements, and prints the axioms they rest on."""
    parts = [_DEFINITIONS]
    parts += [
        f"Lemma {theorem.identifier} : {theorem.statement}.\nProof. exact Theorems.{theorem.identifier}. Qed.\n"
        for theorem in theorems
    ]
    names = ", ".join(theorem.identifier for theorem in theorems)
    parts.append(f"Definition audited := ({names}).\nPrint Assumptions audited.\n")
    return "\n".join(parts)


_ASSUMPTION = re.compile(r"([^\W\d][\w'.]*)\s*(?::|$)")


def assumptions(printed: str) -> tuple[str, ...]:
    """Return the axioms in the output of Print Assumptions; a line that is not understood counts as one.

    >>> assumptions("Axioms:\\nDecidable.em : forall P : Prop, dec P\\nPrimFloat.add\\n  : float -> float")
    ('Decidable.em', 'PrimFloat.add')
    >>> assumptions("Closed under the global context")
    ()
    """
    found = []
    for line in printed.splitlines():
        if not line.strip() or line.startswith(" ") or line.strip() in ("Axioms:", "Closed under the global context"):
            continue
        name = _ASSUMPTION.match(line)
        found.append(name[1] if name else line.strip())
    return tuple(found)


def refused_axioms(axioms: Sequence[str]) -> tuple[str, ...]:
    """Say, for each axiom that is not one of those allowed, what is wrong with it.

    >>> refused_axioms(["Classical_Prop.classic", "PrimFloat.add", "cheat"])
    ('PrimFloat.add: machine arithmetic', 'cheat: not an axiom of the reals')
    """
    return tuple(
        f"{axiom}: {'machine arithmetic' if axiom.split('.')[0] in MACHINE_ARITHMETIC else 'not an axiom of the reals'}"
        for axiom in axioms
        if axiom not in ALLOWED_AXIOMS
    )
