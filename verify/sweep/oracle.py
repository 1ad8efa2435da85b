"""The block oracle: the values of a smooth piece for a whole chunk, by one matrix product, checked as it runs.

A chunk of n encodings is R rows of C columns. With s_j the centres of the rows and a_i the places within a row,
p(s_j + a_i / R) is the product of a matrix of row coefficients (R x K) with the powers of a_i (K x C). How far its
float64 result may lie from the function is `Pieces.bound`.

That bound presumes that the matrix product sums products: neither a lower precision nor a fast multiplication that
cancels. So the product is compared with exact integers when a kernel is made, and every chunk's values are compared
with its polynomial, evaluated in plain Python, at a few places. Models are compared with Arb at points of their span
that their construction did not use.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from gelu_verify.references.models import COLUMNS, Floats, powers, taylor_matrix
from gelu_verify.references.partition import Smooth
from gelu_verify.references.spans import CHUNK


class Kernel:
    """Evaluates smooth pieces chunk by chunk into one buffer."""

    def __init__(self) -> None:
        _require_exact_products()
        self._values = np.empty(CHUNK)
        self._spare = np.empty(CHUNK)

    def values(self, piece: Smooth, part: int, *, spare: bool = False) -> Floats:
        """Return the values at all encodings of a part, valid until the next call with the same `spare`.

        Raises:
            ArithmeticError: the matrix product disagrees with the polynomial by more than the proven bound.
        """
        count = piece.part
        columns = min(COLUMNS, count)
        rows = count // columns
        terms = piece.pieces.terms if rows > 1 else piece.pieces.coefficients.shape[1]
        coefficients = piece.pieces.coefficients[part]
        result = (self._spare if spare else self._values)[:count]
        by_row = powers(rows, len(coefficients)) @ taylor_matrix(coefficients, terms, 1 / rows)
        np.matmul(by_row, _place_powers(columns, terms), out=result.reshape(rows, columns))
        self._check(piece, part, result)
        return result

    def _check(self, piece: Smooth, part: int, values: Floats) -> None:
        count = len(values)
        backwards = piece.pieces.coefficients[part].tolist()[::-1]
        bound = 2 * float(piece.pieces.bound[part])
        for index in (0, count - 1, (part * 40503 + 12289) % count):
            t = 2 * index / count - 1
            expected = 0.0
            for coefficient in backwards:
                expected = expected * t + coefficient
            if not abs(expected - values[index]) <= bound:
                raise ArithmeticError(
                    f"the matrix product gave {values[index]!r} where the polynomial is {expected!r} "
                    f"(encoding {piece.span.first + part * count + index:#x}): the BLAS cannot be trusted"
                )


@cache
def _place_powers(columns: int, terms: int) -> Floats:
    """Return a_i^k, a_i = (i - columns/2)/(columns/2), with shape (terms, columns)."""
    half = columns // 2
    return np.ascontiguousarray([[(i - half) ** k / half**k for i in range(columns)] for k in range(terms)])


@cache
def _require_exact_products() -> None:
    """Compare matrix products of small integers, which float64 holds exactly, with those of Python integers.

    Raises:
        ArithmeticError: they differ; the BLAS that NumPy uses is unfit for proofs.
    """
    generator = np.random.default_rng(20240229)
    for rows, terms, columns in ((256, 4, 256), (256, 16, 256), (4, 5, 256), (1, 16, 256)):
        left = generator.integers(-(2**24), 2**24, (rows, terms))
        right = generator.integers(-(2**24), 2**24, (terms, columns))
        exact: npt.NDArray[np.int64] = np.einsum("ik,kj->ij", left, right)  # on integers: no BLAS, no rounding
        if not np.array_equal(left.astype(np.float64) @ right.astype(np.float64), exact.astype(np.float64)):
            raise ArithmeticError("NumPy's matrix product is not exact on small integers; its BLAS cannot be trusted")
