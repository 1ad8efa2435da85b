"""`gelu-verify prove`: run theorems, list them, read one with its proof, try false variants, compile the Coq proof."""

import argparse
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gelu_verify.cli import EXIT_FAILED, EXIT_HOLDS, EXIT_INCOMPLETE
from gelu_verify.cli.output import print_json, print_lines, table
from gelu_verify.cli.progress import Progress
from gelu_verify.cli.ranges import check_workers
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict

if TYPE_CHECKING:
    from gelu_verify.proofs.formal import FormalResult
    from gelu_verify.proofs.library import Variant
    from gelu_verify.proofs.theorem import StepResult, Theorem, TheoremResult

EXAMPLES = (
    "gelu-verify prove",
    "gelu-verify prove gelu.derivative.first gelu.derivative.second",
    "gelu-verify prove --list",
    "gelu-verify prove --show gelu.derivative.nth",
    "gelu-verify prove --falsify gelu.derivative.second",
    "gelu-verify prove --formal",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="theorems to prove (default: all)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the theorems with their titles")
    what.add_argument("--show", metavar="ID", help="print one theorem: statement, assumptions, every step, LaTeX")
    what.add_argument(
        "--falsify", action="store_true", help="run the theorems with false statements; each must come out refuted"
    )
    what.add_argument(
        "--formal", action="store_true", help="compile the Coq proof of the headline bounds (exit code 3 without coqc)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes to use (default: one for each processor)")


def run(arguments: argparse.Namespace) -> int:
    """Prove, list, show or falsify; return the exit code."""
    check_workers(arguments.workers)
    if arguments.show is not None:
        if arguments.ids:
            raise InputError(f"--show takes one theorem; leave out {' '.join(arguments.ids)}")
        return _show(arguments.show, arguments.json)
    if arguments.list:
        return _list(arguments.ids, arguments.json)
    if arguments.falsify:
        return _falsify(arguments)
    if arguments.formal:
        if arguments.ids:
            raise InputError(f"--formal proves all its theorems together; leave out {' '.join(arguments.ids)}")
        return _formal(arguments.json)
    return _prove(arguments)


def _selected(ids: Sequence[str]) -> "list[Theorem]":
    from gelu_verify.proofs.library import get_theorem, theorems

    return [get_theorem(name) for name in dict.fromkeys(ids)] if ids else list(theorems().values())


def _prove(arguments: argparse.Namespace) -> int:
    from gelu_verify.proofs.library import prove

    names = [theorem.id for theorem in _selected(arguments.ids)]
    started = perf_counter()
    with Progress("proving", "theorems") as progress:
        results = prove(names, arguments.workers, progress)
    seconds = perf_counter() - started
    if arguments.json:
        print_json({"theorems": [_result_json(result) for result in results]})
    else:
        rows = [(result.id, str(result.verdict), f"{result.seconds:.2f}") for result in results]
        reasons = [f"{result.id}: {result.reason}" for result in results if result.reason]
        proved = sum(result.verdict is Verdict.PROVED for result in results)
        count = f"{proved} of {len(results)} proved, in {seconds:.1f} s"
        print_lines([*table(rows, ("theorem", "verdict", "seconds")), *reasons, count])
    return _exit_code(result.verdict for result in results)


def _exit_code(verdicts: Any) -> int:
    found = set(verdicts)
    if Verdict.REFUTED in found:
        return EXIT_FAILED
    return EXIT_HOLDS if found <= {Verdict.PROVED} else EXIT_INCOMPLETE


def _result_json(result: "TheoremResult") -> dict[str, Any]:
    return {
        "id": result.id,
        "verdict": str(result.verdict),
        "seconds": round(result.seconds, 3),
        "reason": result.reason,
        "rests_on": list(result.cites),
    }


def _list(ids: Sequence[str], as_json: bool) -> int:
    chosen = _selected(ids)
    if as_json:
        print_json({"theorems": [_theorem_json(theorem) for theorem in chosen]})
    else:
        print_lines(table([(theorem.id, theorem.title) for theorem in chosen], ("theorem", "title")))
    return EXIT_HOLDS


def _theorem_json(theorem: "Theorem") -> dict[str, Any]:
    from gelu_verify.proofs.printing import citation, statement_latex, statement_mathml, statement_text

    return {
        "id": theorem.id,
        "title": theorem.title,
        "statement": [statement_text(formula) for formula in theorem.statement],
        "latex": [statement_latex(formula) for formula in theorem.statement],
        "mathml": [statement_mathml(formula) for formula in theorem.statement],
        "assumptions": list(theorem.assumptions),
        "source": theorem.source,
        "citation": citation(theorem),
    }


def _falsify(arguments: argparse.Namespace) -> int:
    from gelu_verify.proofs.library import examine

    names = [theorem.id for theorem in _selected(arguments.ids)]
    with Progress("falsifying", "theorems") as progress:
        examinations = examine(names, arguments.workers, progress)
    rows = [(each.result.id, variant) for each in examinations for variant in each.variants]
    refuted = sum(variant.verdict is Verdict.REFUTED for _, variant in rows)
    if arguments.json:
        print_json({"variants": [_variant_json(name, variant) for name, variant in rows]})
    else:
        cells = [(name, variant.change, str(variant.verdict)) for name, variant in rows]
        count = f"{refuted} of {len(rows)} false variants refuted"
        print_lines([*table(cells, ("theorem", "false variant", "verdict")), count])
    return EXIT_HOLDS if refuted == len(rows) else EXIT_FAILED


def _variant_json(name: str, variant: "Variant") -> dict[str, str]:
    return {"id": name, "change": variant.change, "verdict": str(variant.verdict), "reason": variant.reason}


def _formal(as_json: bool) -> int:
    from gelu_verify.proofs.formal import run_formal

    started = perf_counter()
    with Progress("compiling", "files") as progress:
        result = run_formal(progress=progress)
    seconds = perf_counter() - started
    if as_json:
        print_json(_formal_json(result, seconds))
    else:
        print_lines(_formal_lines(result, seconds))
    if not result.ran:
        return EXIT_INCOMPLETE
    return EXIT_HOLDS if result.holds else EXIT_FAILED


def _formal_lines(result: "FormalResult", seconds: float) -> list[str]:
    if not result.ran:
        return [f"The formal proof {result.verdicts[0].reason}"]
    lines = ["G(x) = x Phi(x), T its tanh form with 0.044715, S its sigmoid form with 1.702:"]
    for each in result.verdicts:
        lines.append(f"{each.verdict}  {each.theorem.sentence}")
        lines += [f"  {each.reason}"] if each.reason else []
    proved = sum(each.verdict.holds for each in result.verdicts)
    lines.append(f"{proved} of {len(result.verdicts)} proved by Coq {result.coq}, in {seconds:.1f} s")
    return [*lines, f"Axioms, all of Coq's standard library: {', '.join(result.axioms)}"] if result.holds else lines


def _formal_json(result: "FormalResult", seconds: float) -> dict[str, Any]:
    """Return the result; every theorem carries the time of the whole run, as they are compiled together."""
    theorems = [
        {
            "id": each.theorem.identifier,
            "verdict": str(each.verdict),
            "seconds": round(seconds, 3),
            "reason": each.reason,
            "statement": each.theorem.sentence,
            "coq": each.theorem.statement,
        }
        for each in result.verdicts
    ]
    files = [{"file": name, "seconds": round(taken, 3)} for name, taken in result.seconds]
    return {"theorems": theorems, "ran": result.ran, "coq": result.coq, "axioms": list(result.axioms), "files": files}


def _show(name: str, as_json: bool) -> int:
    from gelu_verify.proofs.library import get_theorem, prove

    theorem = get_theorem(name)
    (result,) = prove([name], workers=1)
    if as_json:
        print_json(_theorem_json(theorem) | {"steps": _steps_json(theorem, result), **_result_json(result)})
    else:
        print_lines(_proof_lines(theorem, result))
    return _exit_code([result.verdict])


def _steps_json(theorem: "Theorem", result: "TheoremResult") -> list[dict[str, Any]]:
    from gelu_verify.proofs.printing import statement_latex, statement_text

    return [
        {
            "claim": statement_text(step.claim),
            "latex": statement_latex(step.claim),
            "method": step.method.name,
            "reason": step.reason,
            "evidence": seen.evidence,
            "verdict": str(seen.verdict),
        }
        for step, seen in zip(theorem.steps, result.steps, strict=False)
    ]


def _proof_lines(theorem: "Theorem", result: "TheoremResult") -> list[str]:
    from gelu_verify.proofs.printing import citation, definitions, digits, statement_latex, statement_text

    formulas = (*theorem.statement, *(step.claim for step in theorem.steps))
    lines = [theorem.id, theorem.title, "", "Statement"]
    lines += [f"  {statement_text(formula)}" for formula in theorem.statement]
    lines += ["", "Notation", *(f"  {line}" for line in definitions(formulas))]
    lines += ["", "Assumptions", *(f"  {line}" for line in theorem.assumptions or ("none beyond the quantifiers",))]
    lines += ["", "Proof"]
    numbers = {step.label or str(number): number for number, step in enumerate(theorem.steps, 1)}
    for number, (step, seen) in enumerate(zip(theorem.steps, result.steps, strict=False), 1):
        lines += _step_lines(number, step, seen, numbers)
    lines += ["", "LaTeX", *(f"  {statement_latex(formula)}" for formula in theorem.statement)]
    lines += [f"  {number}. {statement_latex(step.claim)}" for number, step in enumerate(theorem.steps, 1)]
    lines += ["", f"Remark: {theorem.remark}"] if theorem.remark else []
    lines += ["", f"Source: {theorem.source}", f"Cite as: {citation(theorem)}"]
    lines += ["", "In numbers", *(f"  {line}" for line in digits(theorem))] if theorem.values else []
    lines += [f"Verdict: {result.verdict}" + (f" ({result.reason})" if result.reason else "")]
    return lines


def _step_lines(number: int, step: Any, seen: "StepResult", numbers: dict[str, int]) -> list[str]:
    from gelu_verify.proofs.printing import statement_text

    used = ", ".join(str(numbers[label]) for label in step.needs)
    return [
        f"  {number}. {statement_text(step.claim)}",
        f"     {step.reason}",
        f"     [{step.method.name}{' from ' + used if used else ''}] {seen.verdict}: {seen.evidence}",
    ]
