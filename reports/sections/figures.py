"""The pictures, from the results of the steps before."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gelu_verify.catalogue import get_function
from gelu_verify.reports.figures import gallery, ulps
from gelu_verify.reports.pipeline import Context


def figures(context: Context) -> list[dict[str, Any]]:
    """Return the descriptions of all figures; points marked in them are certified ones of the bounds."""
    bounds = context.results.get("bounds", {"errors": [], "points": []})
    points = {each["id"]: each["points"] for each in bounds["points"]}
    lowest = points.get("minimum.gelu", [])
    slopes = [*points.get("minimum.gelu.derivative1", []), *points.get("maximum.gelu.derivative1", [])]
    tanh, sigmoid = get_function("gelu_tanh"), get_function("gelu_sigmoid")
    errors = {each["id"]: each for each in bounds["errors"]}
    return [
        gallery.functions(_marks(lowest, "clear", "end")),
        gallery.derivatives(_marks(slopes)),
        gallery.error(
            "error-tanh",
            [("tanh", "gelu_tanh", tanh)],
            6e-4,
            -4,
            _attained(errors.get("error.gelu_tanh.gelu.absolute.reals"), 1),
        ),
        gallery.error(
            "error-sigmoid",
            [("sigmoid", "gelu_sigmoid", sigmoid)],
            0.025,
            -2,
            _attained(errors.get("error.gelu_sigmoid.gelu.absolute.reals"), -1),
        ),
        gallery.minimum(_marks(lowest)),
        *_best(context.results.get("constants", ())),
        *_ulps(context.results.get("written_forms", {}).get("counts", ())),
    ]


def _best(constants: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the errors with the usual constants beside those with the best ones."""
    best = {each["family"]: each["constants"] for each in constants if each["target"] == "gelu" and "constants" in each}
    if set(best) != {"gelu_sigmoid", "gelu_tanh", "gelu_tanh2"}:
        return []
    members = {name: get_function(name).with_constants(**_decimals(best[name])) for name in best}
    k, c = (float(_decimals(best[name])[letter][:8]) for name, letter in (("gelu_sigmoid", "k"), ("gelu_tanh", "c")))
    sigmoid = [
        ("k = 1.702", "gelu_sigmoid", get_function("gelu_sigmoid")),
        (f"k = {k:.4f}", "best", members["gelu_sigmoid"]),
    ]
    tanh = [
        ("c = 0.044715", "gelu_tanh", get_function("gelu_tanh")),
        (f"c = {c:.5f}", "best", members["gelu_tanh"]),
        ("a, b", "best of two", members["gelu_tanh2"]),
    ]
    return [gallery.error("best-sigmoid", sigmoid, 0.025, -2), gallery.error("best-tanh", tanh, 6e-4, -4)]


def _ulps(counts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the errors of the written forms in ulp: by binade in binary32, and input by input in bfloat16."""
    if not counts:
        return []
    wide = [each for each in counts if each["format"] == "binary32"]
    return [
        ulps.by_binade("ulp-forms", [each for each in wide if not each["derivative"]]),
        ulps.by_binade("ulp-gradients", [each for each in wide if each["derivative"]]),
        ulps.bfloat16_map("ulp-map-naive", "tanh_naive"),
        ulps.bfloat16_map("ulp-map-factored", "tanh_factored"),
    ]


def _decimals(constants: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {name: value["lower"] for name, value in constants.items()}


def _marks(points: Sequence[Mapping[str, Any]], side: str = "", anchor: str = "middle") -> list[dict[str, Any]]:
    """Return marks at located points, labelled with their coordinates: below zero below, unless a side is given."""
    places = [(_middle(point["x"]), _middle(point["value"])) for point in points]
    return [
        {
            "x": x,
            "y": y,
            "text": f"({_short(x)}, {_short(y)})",
            "side": side or ("below" if y < 0 else "above"),
            "anchor": anchor,
        }
        for x, y in places
    ]


def _attained(error: Mapping[str, Any] | None, sign: int) -> list[dict[str, Any]]:
    """Return marks where a supremum is attained; `sign` is that of the error there."""
    if error is None or not isinstance(error["supremum"], Mapping):
        return []
    height = sign * _middle(error["supremum"])
    side = "above" if sign > 0 else "below"
    return [
        {"x": _middle(place), "y": height, "text": f"x = {_short(_middle(place))}", "side": side}
        for place in error["at"]
    ]


def _middle(enclosure: Mapping[str, str]) -> float:
    """Return the middle of an enclosure to six significant digits."""
    middle = (Fraction(enclosure["lower"]) + Fraction(enclosure["upper"])) / 2
    return float(f"{float(middle):.6g}")


def _short(value: float) -> str:
    return f"{value:.4f}".replace("-", "\N{MINUS SIGN}")
