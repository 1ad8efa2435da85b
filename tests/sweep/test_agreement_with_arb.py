"""The block oracle and the bulk oracle agree with Arb, input by input.

What the oracles are built from is Arb's as well, but at other points: a few expansions for thousands of millions of
inputs. Here Arb is asked at the inputs themselves.

GELU_VERIFY_AGREEMENT sets the number of random inputs; 1000000 takes some minutes.
"""

import os
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest
from flint import arb

from gelu_verify.catalogue import FUNCTIONS, Expression, function_or_expression
from gelu_verify.enclosures import working_precision
from gelu_verify.formats import FORMATS
from gelu_verify.references import derivative_ball, rounded
from gelu_verify.references.anchored import expected_bits
from gelu_verify.references.bulk import references
from gelu_verify.references.models import cut, upper
from gelu_verify.references.partition import Anchored, Piece, Planner, Smooth
from gelu_verify.references.spans import CHUNK, Span, binades
from gelu_verify.references.values import point
from gelu_verify.sweep.oracle import Kernel

BINARY32 = FORMATS["binary32"]
RANDOM = int(os.environ.get("GELU_VERIFY_AGREEMENT", "1000"))
KINKED = {"relu", "leaky_relu", "elu"}
TYPED = ("x*sigmoid(1.773*x)", "x**3*exp(-x)", "log(1 + exp(x))")
PRECISION = 400
BATCH = 20_000  # inputs whose balls are kept at a time
SIGN = 0x80000000


class Oracles:
    """Both oracles for one function, compared with Arb at single inputs."""

    def __init__(self, written: str, derivative: int = 0, *, bulk: bool = True) -> None:
        self.expression: Expression = function_or_expression(written).expression
        self.derivative = derivative
        self.bulk = bulk  # its tables take a moment for each function
        self.planner = Planner(self.expression, derivative, BINARY32)
        self.kernel = Kernel()

    def compare(self, encodings: Iterable[int]) -> int:
        """Compare at all encodings; return how many lay in smooth pieces, and fail where something differs."""
        chosen = np.unique(np.fromiter(encodings, np.uint32))
        return sum(self._compare(batch) for batch in np.array_split(chosen, len(chosen) // BATCH + 1))

    def _compare(self, chosen: np.ndarray) -> int:
        smooth, balls = 0, {bits: self.ball(bits) for bits in chosen.tolist()}
        for span in binades(BINARY32):
            first, stop = np.searchsorted(chosen, [span.first, span.first + span.count])
            if first < stop:
                smooth += self._compare_blocks(span, chosen[first:stop].tolist(), balls)
        if self.bulk:
            self._compare_bulk(chosen, balls)
        return smooth

    def ball(self, bits: int) -> arb:
        with working_precision(PRECISION):
            return derivative_ball(self.expression, point(BINARY32.exact(bits)), self.derivative)

    def want(self, bits: int, ball: arb) -> int:
        """Round Arb's ball; where it does not tell (around a zero, or because of a tie), ask for more digits."""
        found = BINARY32.round_ball(ball)
        certain = found is not None and found & ~SIGN
        return found if certain else rounded(self.expression, bits, BINARY32, self.derivative)

    def _compare_blocks(self, span: Span, encodings: list[int], balls: dict[int, arb]) -> int:
        smooth = 0
        for piece in self.planner.plan(span):
            inside = [bits for bits in encodings if piece.span.first <= bits <= piece.span.last]
            if isinstance(piece, Anchored):
                self._compare_anchored(piece, inside, balls)
            elif isinstance(piece, Smooth):
                self._compare_smooth(piece, inside, balls)
                smooth += len(inside)
        return smooth

    def _compare_anchored(self, piece: Anchored, encodings: list[int], balls: dict[int, arb]) -> None:
        for bits in encodings:
            if bits & ~SIGN == 0:  # zeros are judged apart
                continue
            got, want = int(expected_bits(piece, bits, 1)[0]), self.want(bits, balls[bits])
            assert got == want or (piece.gap_sign is None and (got | want) & ~SIGN == 0), hex(bits)

    def _compare_smooth(self, piece: Smooth, encodings: list[int], balls: dict[int, arb]) -> None:
        for part, inside in groupby(encodings, lambda bits: (bits - piece.span.first) // piece.part):
            first = piece.span.first + part * piece.part
            values, bound = self.kernel.values(piece, part), float(piece.pieces.bound[part])
            for bits in inside:
                if bits & ~SIGN:
                    with working_precision(PRECISION):
                        assert upper(balls[bits] - float(values[bits - first])) <= bound, hex(bits)

    def _compare_bulk(self, chosen: np.ndarray, balls: dict[int, arb]) -> None:
        found = references(self.expression, BINARY32, chosen, self.derivative)
        for bits, got in zip(chosen.tolist(), found.tolist(), strict=True):
            assert got == self.want(bits, balls[bits]), hex(bits)


def random_encodings(number: int) -> Iterator[int]:
    """Half of them among all finite numbers, half between 2^-26 and 2^7, where functions are hardest."""
    generator = np.random.default_rng(20240917)
    anywhere = generator.integers(0, 0x7F800000, number // 2, dtype=np.uint32)
    between = generator.integers(101 << 23, 134 << 23, number - number // 2, dtype=np.uint32)
    magnitudes = np.concatenate([anywhere, between])
    yield from (magnitudes | generator.integers(0, 2, len(magnitudes), dtype=np.uint32) << np.uint32(31)).tolist()


def around(places: Iterable[int], width: int = 2) -> list[int]:
    """Return the finite encodings within `width` of the places, on both sides of zero."""
    near = {(place & ~SIGN) + step for place in places for step in range(-width, width + 1)}
    return [sign | magnitude for magnitude in near if 0 <= magnitude < 0x7F800000 for sign in (0, SIGN)]


BINADE_EDGES = [field << 23 for field in range(1, 256)]
ZEROS = [BINARY32.round(Fraction(x)) for x in (0, 0.7517915246935645, 2**0.5)]  # of GELU and of its first derivatives
TIES = [1, 3, 5, 7, *range(0x400001, 0x400041, 2), *range(0xFFFFC1, 0x1000001, 2), 0xFFFFFF]  # x/2 is half-way
THRESHOLDS = [
    0x40AB1ED9,  # from here on GELU rounds to x
    0xC165B274,  # the last input with a result other than -0
    BINARY32.round(Fraction(-10.770867347717285)),  # the same for the tanh form
    BINARY32.round(Fraction(-5.418708)),  # where NumPy's tanh becomes 1
]


@pytest.mark.parametrize("written", ["gelu", "gelu_tanh"])
def test_both_oracles_agree_with_arb_on_random_inputs(written: str) -> None:
    assert Oracles(written).compare(random_encodings(RANDOM)) >= RANDOM // 4


@pytest.mark.parametrize("derivative", [0, 1])
def test_both_oracles_agree_with_arb_beside_binade_edges_zeros_ties_and_thresholds(derivative: int) -> None:
    places = [*around(BINADE_EDGES, 1 if derivative else 2), *around([*ZEROS, *THRESHOLDS], 20), *around(TIES, 0)]
    Oracles("gelu", derivative).compare(places)


@pytest.mark.parametrize("written", [*(name for name in FUNCTIONS if name not in KINKED), *TYPED])
@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_the_oracles_of_every_smooth_function_and_its_derivatives_agree_with_arb(written: str, derivative: int) -> None:
    """In six chunks each, two of which lie where most functions are hardest: in [1/2, 8) on either side of zero."""
    generator = np.random.default_rng([derivative, len(written)])
    chunks = [
        *generator.integers(126 << 7, 130 << 7, 2) | np.array([0, 1 << 15]),
        *generator.integers(101 << 7, 126 << 7, 2) | np.array([0, 1 << 15]),
        *generator.integers(0, 137 << 7, 2) | np.array([0, 1 << 15]),  # beyond 2^10 Arb alone does not round them all
    ]
    encodings = [int(chunk) * CHUNK + int(place) for chunk in chunks for place in generator.integers(1, CHUNK, 6)]
    if (written, derivative) == ("log(1 + exp(x))", 2):  # cancels: from 32 to 128 no polynomial is found for it
        encodings = [bits for bits in encodings if not 132 << 23 <= bits < 134 << 23]
    Oracles(written, derivative, bulk=not derivative).compare(encodings)


def shifted(piece: Piece) -> Piece:
    """Return the piece with values that are off by a quarter of an ulp."""
    if not isinstance(piece, Smooth):
        return piece
    model = piece.model
    ulp = float(BINARY32.ulp(BINARY32.exact(BINARY32.round(abs(float(model.coefficients[0]))))))
    coefficients = model.coefficients.copy()
    coefficients[0] += ulp / 4
    moved = type(model)(model.span, coefficients, model.remainder, model.coefficient_error)
    return Smooth(piece.span, moved, cut(moved, len(piece.pieces.bound)))


def test_values_off_by_a_quarter_of_an_ulp_do_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    oracles = Oracles("gelu")
    real = oracles.planner.plan
    monkeypatch.setattr(oracles.planner, "plan", lambda span: [shifted(piece) for piece in real(span)])
    with pytest.raises(AssertionError):
        oracles.compare([0x3F9D70A4, 0x3F9D70A5])
