"""The first screen: what was asked, what holds, what does not, from the results of the steps and nothing else."""

from collections.abc import Iterator, Mapping
from typing import Any

from gelu_verify.records import Verdict

Line = dict[str, Any]
ASKED = {"forms": "bounds", "floats": "written_forms"}  # questions that are asked only where there is an answer


def summary(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a report's results.

    `failed` names what was found to be false although it should hold, `undecided` what should have been decided.
    """
    rows = list(_rows(results))
    return {
        "asked": ["claims", *(word for word, needs in ASKED.items() if needs in results), "trust"],
        "answers": list(_answers(results)),
        "holds": list(_holds(results)),
        "open": list(_open(results)),
        "fails": list(_fails(results)),
        "failed": [name for name, verdict in rows if verdict is Verdict.REFUTED],
        "undecided": [name for name, verdict in rows if verdict is Verdict.UNKNOWN and not name.startswith("claim-")],
    }


def _rows(results: Mapping[str, Any]) -> Iterator[tuple[str, Verdict]]:
    """Yield every row of the report that should hold, by its anchor."""
    tables = {
        "claim": results["claims"]["ledger"],
        "theorem": results.get("theorems", ()),
        "certificate": results.get("certificates", ()),
        "bound": results.get("bounds", {}).get("errors", ()),
        "points": results.get("bounds", {}).get("points", ()),
        "constants": results.get("constants", ()),
    }
    for prefix, table in tables.items():
        yield from ((f"{prefix}-{row['id']}", Verdict(row["verdict"])) for row in table)


def _holds(results: Mapping[str, Any]) -> Iterator[Line]:
    verdicts = [Verdict(claim["verdict"]) for claim in results["claims"]["ledger"]]
    yield _line("claims", count=sum(verdict.holds for verdict in verdicts), all=len(verdicts))
    for name in ("theorems", "certificates"):
        if name in results:
            held = sum(Verdict(row["verdict"]).holds for row in results[name])
            yield _line(name, count=held, all=len(results[name]))
    for choice in _forward_choices(results):
        best = choice["best"]
        counts = {"zero": best["zero"], "over": best["over_4_ulp"]}
        yield _line(f"write_{choice['function']}", code=short_code(best["code"]), **counts)


def _open(results: Mapping[str, Any]) -> Iterator[Line]:
    verdicts = [Verdict(claim["verdict"]) for claim in results["claims"]["ledger"]]
    for verdict in (Verdict.CITED, Verdict.SAMPLED, Verdict.UNKNOWN):
        if verdict in verdicts:
            yield _line(str(verdict), count=verdicts.count(verdict))


def _fails(results: Mapping[str, Any]) -> Iterator[Line]:
    refuted = [claim["id"] for claim in results["claims"]["ledger"] if claim["verdict"] == Verdict.REFUTED]
    if refuted:
        yield _line("claims", count=len(refuted), ids=", ".join(refuted))
    false = [claim for claim in results["claims"]["folklore"] if claim["verdict"] == Verdict.REFUTED]
    if false:
        yield _line("folklore", count=len(false))
    for choice in _forward_choices(results):
        for other in choice["others"]:
            if other["why"]["key"] == "zero":
                ends = {name: other["zeros"][name]["decimal"] for name in ("first", "last")}
                yield _line("zeros", code=short_code(other["code"]), count=other["zeros"]["count"], **ends)


def _forward_choices(results: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the functions for which there is more than one form to write."""
    for choice in results.get("written_forms", {}).get("choices", ()):
        if choice["derivative"] == 0 and choice["others"]:
            yield choice


def short_code(code: str) -> str:
    """Return the code of a form without the definitions of the names in it.

    >>> short_code("x*sigmoid(2*u), sigmoid(v) = 1/(1 + exp(-v))")
    'x*sigmoid(2*u)'
    """
    return code.partition(", ")[0]


def _line(key: str, **values: object) -> Line:
    return {"key": key, "values": values}


def _answers(results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if "bounds" not in results:
        return
    errors = {each["id"]: each for each in results["bounds"]["errors"]}
    points = {each["id"]: each for each in results["bounds"]["points"]}
    yield _supremum("tanh", errors["error.gelu_tanh.gelu.absolute.reals"])
    yield _supremum("sigmoid", errors["error.gelu_sigmoid.gelu.absolute.reals"])
    yield _minimum(points["minimum.gelu"])


def _supremum(name: str, error: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "value": error["supremum"],
        "places": error["at"],
        "verdict": error["verdict"],
        "command": f"gelu-verify bound {error['function']}",
        "anchors": [f"bound-{error['id']}", f"certificate-{error['function']}_error", f"formal-{name}_error_bound"],
    }


def _minimum(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "minimum",
        "value": row["points"][0]["value"] if row["points"] else None,
        "places": [point["x"] for point in row["points"]],
        "verdict": row["verdict"],
        "command": "gelu-verify locate minimum gelu",
        "anchors": [f"points-{row['id']}", "certificate-gelu_minimum", "formal-gelu_minimum"],
    }
