"""Correctly rounded results for whole arrays, as fast as an unproven float64 evaluation.

A function's partition (`gelu_verify.references.partition`) is turned into tables once. For formats of at most 16 bits
that is the table of all results. For binary32 the upper 18 bits of an encoding select an entry of 2^14 consecutive
inputs: either a polynomial, whose float64 value is known to a small fraction of an ulp, or a line a(x) of which the
correct rounding is known to be that of f. A polynomial's value that lies too near to a rounding boundary is decided by
Arb, one by one: that happens to about one input in a hundred thousand.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gelu_verify.catalogue import Expression, Function
from gelu_verify.errors import InputError
from gelu_verify.formats import Format, arrays
from gelu_verify.references.anchored import expected_bits
from gelu_verify.references.correct_rounding import rounded
from gelu_verify.references.models import ROUND_UP, Floats, cut, gamma, verify_model
from gelu_verify.references.partition import Anchored, Planner, Smooth
from gelu_verify.references.spans import Span, binades

Bits = npt.NDArray[Any]
Places = npt.NDArray[np.intp]

_ENTRY = 14  # binary digits of the inputs that share an entry
_BLOCK = 1 << 15  # inputs that are worked on at a time, so that they stay in the caches
_ALONE, _CONSTANT, _LINE, _STRAIGHT, _SHORT, _LONG = range(6)  # kinds of entries
# For polynomials of so many coefficients: what their values may be off by, relative to them and absolutely. The
# absolute part is for subnormal results: so far below 2^-149 it decides nothing else.
_KINDS = {
    _STRAIGHT: (2, 2.0**-44, 2.0**-170),
    _SHORT: (6, 2.0**-44, 2.0**-170),
    _LONG: (16, 2.0**-41, 2.0**-167),
}


def references(function: Function | Expression, format: Format, bits: npt.ArrayLike, derivative: int = 0) -> Bits:
    """Return the correctly rounded results for an array of inputs.

    The first call for a function makes its tables, which takes some tenths of a second.

    Arguments:
        function: a catalogue function or an expression.
        format: of inputs and results, at most 32 bits wide.
        bits: encodings, in an array of any shape.
        derivative: the order of the derivative that is asked for.

    Returns:
        Encodings, as `gelu_verify.references.rounded` gives them one by one (NaN becomes the usual NaN).

    Raises:
        InputError: the format is too wide, or the function has no value or no limit at one of the inputs.
        IncompleteError: a result could not be told from a rounding boundary.

    >>> from gelu_verify.catalogue import get_function
    >>> from gelu_verify.formats import FORMATS
    >>> [hex(bits) for bits in references(get_function("gelu"), FORMATS["binary16"], [0x3C00, 0xBC00, 0x0001])]
    ['0x3abb', '0xb114', '0x1']
    """
    if format.width > 32:
        raise InputError(f"{format.name} is too wide for tables of a function; round its values one by one")
    expression = function.expression if isinstance(function, Function) else function
    encodings = np.ascontiguousarray(np.asarray(bits).astype(arrays.storage_dtype(format), copy=False))
    table = _table(expression, derivative, format)
    return table(encodings.ravel()).reshape(encodings.shape)


class CorrectlyRounded:
    """A function on arrays whose results are all correctly rounded: the best implementation there can be.

    Arguments:
        derivative: it computes this derivative of the function.

    Raises:
        InputError: when called with an array of another type than the format's.

    >>> from gelu_verify.catalogue import get_function
    >>> from gelu_verify.formats import FORMATS
    >>> CorrectlyRounded(get_function("tanh"), FORMATS["binary32"])(np.array([0.5, -100], np.float32))
    array([ 0.46211717, -1.        ], dtype=float32)
    """

    def __init__(self, function: Function, format: Format, derivative: int = 0) -> None:
        self._function = function
        self._format = format
        self._derivative = derivative

    def __call__(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the results in the type of x."""
        native = arrays.native_dtype(self._format)
        if x.dtype != native:
            raise InputError(f"an array of {native} is needed; got one of {x.dtype}")
        bits = np.ascontiguousarray(x).view(arrays.storage_dtype(self._format))
        return references(self._function, self._format, bits, self._derivative).view(native)


@lru_cache(maxsize=16)
def _table(expression: Expression, derivative: int, format: Format) -> Callable[[Bits], Bits]:
    return (_AllResults if format.width <= 16 else _Entries)(expression, derivative, format)


class _AllResults:
    """The results for all encodings of a narrow format."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self._exact = _OneByOne(expression, derivative, format)
        self._results = np.zeros(1 << format.width, arrays.storage_dtype(format))
        planner = Planner(expression, derivative, format)
        self._known = np.zeros(1 << format.width, np.bool_)
        for span in binades(format):
            for piece in planner.plan(span):
                first, stop = piece.span.first, piece.span.first + piece.span.count
                if isinstance(piece, Anchored) and _is_decided(piece):
                    self._results[first:stop] = expected_bits(piece, first, piece.span.count)
                    self._known[first:stop] = True
                elif isinstance(piece, Smooth):
                    verify_model(expression, derivative, piece.model)
                    self._fill(piece, format)
        self._known[[0, format.sign_mask]] = False

    def _fill(self, piece: Smooth, format: Format) -> None:
        count = piece.span.count
        t = (np.arange(count) - count // 2) / (count // 2)
        coefficients = piece.pieces.coefficients[0]
        values = np.polynomial.polynomial.polyval(t, coefficients)
        doubt = (
            float(piece.pieces.bound[0]) + gamma(2 * len(coefficients) + 2) * np.abs(coefficients).sum()
        ) * ROUND_UP
        low, high = (arrays.round_float64(format, values + side * doubt) for side in (-1, 1))
        places = slice(piece.span.first, piece.span.first + count)
        self._results[places] = low
        self._known[places] = low == high

    def __call__(self, bits: Bits) -> Bits:
        results: Bits = self._results[bits]
        unknown = ~self._known[bits]
        if unknown.any():
            for encoding in np.unique(bits[unknown]).tolist():
                self._results[encoding] = self._exact(encoding)
                self._known[encoding] = True
            results = self._results[bits]
        return results


def _is_decided(piece: Anchored) -> bool:
    """Tell whether the result is certain to the sign of a zero and to the direction in which ties go."""
    if piece.scale is None and piece.constant & ~piece.span.format.sign_mask:  # proven to be what all values round to
        return True
    return piece.gap_sign is not None


class _OneByOne:
    """Correct rounding of single inputs."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self._question = expression, format, derivative

    def __call__(self, bits: int) -> int:
        expression, format, derivative = self._question
        return rounded(expression, bits, format, derivative)


class _Entries:
    """Tables for binary32: what kind of entry the upper bits of an encoding select, and where its data are."""

    def __init__(self, expression: Expression, derivative: int, format: Format) -> None:
        self._exact = _OneByOne(expression, derivative, format)
        self._format = format
        number = 1 << format.width - _ENTRY
        self._kinds = np.full(number, _ALONE, np.uint8)
        self._slots = np.zeros(number, np.int32)
        self._constants: list[int] = []
        self._limits: dict[int, int] = {}
        self._factors: list[float] = []
        self._polynomials: dict[int, list[Floats]] = {kind: [] for kind in _KINDS}
        self._fill(Planner(expression, derivative, format), expression, derivative)
        self._constant_bits = np.array(self._constants, np.uint32)
        self._line_factors = np.array(self._factors)
        # One array a coefficient: what is looked up together lies together.
        self._columns = {
            kind: list(np.ascontiguousarray(np.concatenate([np.zeros((0, _KINDS[kind][0])), *rows]).T))
            for kind, rows in self._polynomials.items()
        }

    def _fill(self, planner: Planner, expression: Expression, derivative: int) -> None:
        for binade in binades(self._format):
            for piece in planner.plan(binade):
                if piece.span.count < 1 << _ENTRY:
                    continue
                if isinstance(piece, Smooth):
                    verify_model(expression, derivative, piece.model)
                    self._add_polynomials(piece)
                elif isinstance(piece, Anchored) and _is_decided(piece):
                    self._add_line(piece)

    def _entries(self, span: Span) -> slice:
        return slice(span.first >> _ENTRY, span.first + span.count >> _ENTRY)

    def _add_line(self, piece: Anchored) -> None:
        entries = self._entries(piece.span)
        if piece.scale is None:
            self._kinds[entries], self._slots[entries] = _CONSTANT, len(self._constants)
            self._constants.append(piece.constant)
            return
        exponent, sign = piece.scale
        outward = (sign > 0) != piece.span.negative
        # As in `expected_bits`: a small step towards f decides values half-way between two numbers.
        nudge = 0.0 if not piece.gap_sign else 2.0**-50 * (1 if (piece.gap_sign > 0) == outward else -1)
        self._kinds[entries], self._slots[entries] = _LINE, len(self._factors)
        self._factors.append(sign * 2.0**exponent * (1 + nudge))

    def _add_polynomials(self, piece: Smooth) -> None:
        parts = piece.span.count >> _ENTRY
        pieces = cut(piece.model, parts)
        coefficients = np.zeros((parts, _KINDS[_LONG][0]))
        coefficients[:, : pieces.coefficients.shape[1]] = pieces.coefficients
        sizes = np.abs(coefficients)
        first = piece.span.first >> _ENTRY
        undone = np.ones(parts, np.bool_)
        for kind, (terms, relative, absolute) in _KINDS.items():
            doubt = pieces.bound + sizes[:, terms:].sum(axis=1) + gamma(2 * terms + 4) * sizes.sum(axis=1)
            chosen = undone & (doubt * ROUND_UP <= relative * pieces.low + absolute)
            rows = coefficients[chosen, :terms] * 0.5 ** ((_ENTRY - 1) * np.arange(terms))  # for t from -2^13 on
            known = sum(map(len, self._polynomials[kind]))
            self._kinds[first : first + parts][chosen] = kind
            self._slots[first : first + parts][chosen] = known + np.arange(len(rows))
            self._polynomials[kind].append(rows)
            undone &= ~chosen

    def __call__(self, bits: Bits) -> Bits:
        results = np.empty_like(bits)
        with np.errstate(all="ignore"):
            for start in range(0, len(bits), _BLOCK):
                self._block(bits[start : start + _BLOCK], results[start : start + _BLOCK])
        return results

    def _block(self, bits: Bits, results: Bits) -> None:
        """Work out all results as if their entries were of the commonest kind, then the others again."""
        entries = (bits >> np.uint32(_ENTRY)).astype(np.intp)
        kinds = self._kinds.take(entries)
        numbers = [int(np.count_nonzero(kinds == kind)) for kind in range(_LONG + 1)]
        commonest = int(np.argmax(numbers))
        results[:] = self._of_kind(commonest, bits, entries, kinds == commonest)
        for kind, number in enumerate(numbers):
            if number and kind != commonest:
                places = np.flatnonzero(kinds == kind)
                results[places] = self._of_kind(kind, bits[places], entries[places], np.ones(number, np.bool_))

    def _of_kind(self, kind: int, bits: Bits, entries: Places, where: npt.NDArray[np.bool_]) -> Bits:
        """Return the results for entries of a kind; where others are among them, `where` tells which count."""
        if kind == _ALONE:
            return self._alone(bits, where)
        slots = self._slots.take(entries).astype(np.intp)
        if kind == _CONSTANT:
            constants: Bits = self._constant_bits.take(slots, mode="clip")
            return constants
        if kind == _LINE:
            lines = bits.view(np.float32) * self._line_factors.take(slots, mode="clip")
            on_lines: Bits = lines.astype(np.float32).view(np.uint32)
            return on_lines
        return self._rounded_polynomials(kind, bits, slots, where)

    def _alone(self, bits: Bits, where: npt.NDArray[np.bool_]) -> Bits:
        values = bits.view(np.float32)
        results = np.full(len(bits), self._format.nan, np.uint32)
        # Where an argument has overflowed, whole arrays of it are the same infinity.
        for infinity in (self._format.overflow, self._format.overflow | self._format.sign_mask):
            infinite = bits == infinity
            if infinite.any():
                results[infinite] = self._at_infinity(infinity)
        for place in np.flatnonzero(where & np.isfinite(values)).tolist():
            results[place] = self._exact(int(bits[place]))
        return results

    def _at_infinity(self, infinity: int) -> int:
        if infinity not in self._limits:
            self._limits[infinity] = self._exact(infinity)
        return self._limits[infinity]

    def _rounded_polynomials(self, kind: int, bits: Bits, slots: Places, where: npt.NDArray[np.bool_]) -> Bits:
        columns, (_, relative, absolute) = self._columns[kind], _KINDS[kind]
        t = (bits & np.uint32((1 << _ENTRY) - 1)).astype(np.float64)
        t -= 1 << _ENTRY - 1
        values = columns[-1].take(slots, mode="clip")
        for column in reversed(columns[:-1]):
            values *= t
            values += column.take(slots, mode="clip")
        doubt = np.abs(values)
        doubt *= relative * ROUND_UP
        doubt += absolute
        low, high = ((values + side).astype(np.float32).view(np.uint32) for side in (-doubt, doubt))
        if not np.array_equal(low, high):
            for place in np.flatnonzero((low != high) & where).tolist():
                low[place] = self._exact(int(bits[place]))
        rounded_values: Bits = low
        return rounded_values
