"""Hypothesis strategies that aim at the inputs on which implementations of GELU go wrong.

Needs the package hypothesis: pip install 'gelu-verify[test]'.
"""

from hypothesis import strategies as st

from gelu_verify.formats import Format, get_format
from gelu_verify.vectors import hard_inputs


def encodings(format: str | Format = "binary32", *, special: bool = True) -> st.SearchStrategy[int]:
    """Return a strategy of encodings: thresholds, ties, binade edges, zeros of the derivative, places where the forms
    differ most, their neighbours, and any other number.

    Arguments:
        format: a format, or its name.
        special: whether infinities and NaN are among them.

    Raises:
        InputError: there is no such format.
    """
    chosen = format if isinstance(format, Format) else get_format(format)
    hard = [bits for bits in hard_inputs(chosen) if special or chosen.is_finite(bits)]
    anything = st.integers(0, (1 << chosen.width) - 1)
    edges = st.builds(
        lambda e, o, s: _edge(chosen, e, o, s),
        st.integers(0, chosen.emax - chosen.emin + 1),
        st.integers(-2, 2),
        st.booleans(),
    )
    return st.one_of(st.sampled_from(hard), edges, anything).filter(lambda bits: special or chosen.is_finite(bits))


def _edge(format: Format, exponent: int, offset: int, negative: bool) -> int:
    magnitude = min(max((exponent << format.fraction_bits) + offset, 0), format.max_finite)
    return magnitude | (format.sign_mask if negative else 0)


def floats(format: str | Format = "binary32", *, special: bool = True) -> st.SearchStrategy[float]:
    """Return a strategy of the same inputs as Python floats, which hold every number of every format.

    Raises:
        InputError: there is no such format.
    """
    import numpy as np

    from gelu_verify.formats.arrays import storage_dtype, to_float64

    chosen = format if isinstance(format, Format) else get_format(format)
    dtype = storage_dtype(chosen)
    return encodings(chosen, special=special).map(lambda bits: float(to_float64(chosen, np.array([bits], dtype))[0]))
