"""Runs the formal proof: compiles `coq/*.v` and checks that what was compiled is what was to be proved.

Three things must hold before a theorem counts as proved: no file contains a word that could leave something unproved;
the development compiles, and its theorems prove the statements of `formal_statements.py`, which are kept apart from it;
and the axioms they rest on are those of the real numbers in Coq's standard library, no others.
"""

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gelu_verify.errors import IncompleteError
from gelu_verify.proofs.coq_source import compilation_order, forbidden_words
from gelu_verify.proofs.formal_numbers import certified_numbers
from gelu_verify.proofs.formal_statements import (
    FormalTheorem,
    assumptions,
    audit_source,
    formal_theorems,
    refused_axioms,
)
from gelu_verify.records import Verdict

COQ_FOLDER = Path(__file__).parent / "coq"
LIBRARIES = {"Coquelicot": "Coquelicot.Coquelicot", "CoqInterval": "Interval.Tactic"}
INSTALL = "on Debian: apt-get install coq libcoq-coquelicot libcoq-interval"
_AT_ONCE = 2  # files that are compiled side by side
_PAUSE = 0.02  # seconds between two looks at them
_ERROR = re.compile(r'File "(?:\./)?([^"]+)", line (\d+)[^\n]*\n(?:(?!File ")[^\n]*\n)*?Error:\s*([^\n]*(?:\n[^\n]+)?)')


@dataclass(frozen=True, slots=True)
class FormalVerdict:
    """How one theorem fared: `proved`, or `unknown` with the reason. (A proof that Coq refuses refutes nothing.)"""

    theorem: FormalTheorem
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FormalResult:
    """What a run of the formal proof found.

    Attributes:
        verdicts: one for each theorem.
        ran: whether Coq was there and came to an end; if not, every reason says why.
        coq: Coq's version, empty when it was not found.
        axioms: the axioms that the theorems rest on.
        seconds: how long each file took to compile.
    """

    verdicts: tuple[FormalVerdict, ...]
    ran: bool
    coq: str = ""
    axioms: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every theorem is proved."""
        return all(verdict.verdict.holds for verdict in self.verdicts)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What Coq said of one file; `problem` is empty when it compiled."""

    name: str
    seconds: float
    output: str
    problem: str


@dataclass(frozen=True, slots=True)
class Compilation:
    """A file that is being compiled; its output goes to files beside it."""

    name: str
    folder: Path
    process: subprocess.Popen[bytes]
    started: float

    def ended(self) -> bool:
        """Whether it has come to its end."""
        return self.process.poll() is not None

    def result(self) -> Compiled:
        """Return how it ended."""
        seconds = time.monotonic() - self.started
        output, complaint = (
            (self.folder / f"{self.name}.{suffix}").read_text(encoding="utf-8", errors="replace")
            for suffix in ("out", "err")
        )
        problem = "" if self.process.returncode == 0 else _one_line(self.name, complaint)
        return Compiled(self.name, seconds, output, problem)

    def stop(self) -> None:
        """End it if it has not ended."""
        self.process.kill()
        self.process.wait()


@dataclass(frozen=True, slots=True)
class Coq:
    """A Coq compiler, the folder it works in, and the moment when its time is up (on the clock `time.monotonic`)."""

    program: str
    folder: Path
    deadline: float

    def version(self) -> str:
        """Return the compiler's version, or an empty string when it does not tell."""
        return (self._finished("--print-version", name="version").output.split() or [""])[0]

    def compile(self, name: str) -> Compiled:
        """Compile one file of the folder. Raises IncompleteError when the time is up."""
        return self._finished(*_options(name), name=name)

    def start(self, name: str) -> Compilation:
        """Begin to compile one file of the folder."""
        return self._started(*_options(name), name=name)

    def check_time(self) -> None:
        """Raise IncompleteError when the time is up."""
        if time.monotonic() >= self.deadline:
            raise IncompleteError("time was up")

    def _started(self, *arguments: str, name: str) -> Compilation:
        with (self.folder / f"{name}.out").open("wb") as out, (self.folder / f"{name}.err").open("wb") as err:
            process = subprocess.Popen(
                [self.program, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err
            )
        return Compilation(name, self.folder, process, time.monotonic())

    def _finished(self, *arguments: str, name: str) -> Compiled:
        running = self._started(*arguments, name=name)
        try:
            running.process.wait(max(self.deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise IncompleteError("time was up") from None
        finally:
            running.stop()
        return running.result()


def _options(name: str) -> list[str]:
    return ["-q", "-w", "none", "-Q", ".", "GeluVerify", f"{name}.v"]


def _one_line(name: str, complaint: str) -> str:
    """Turn Coq's complaint into one line."""
    found = _ERROR.search(complaint)
    if found is None:
        last = complaint.strip().splitlines()[-1:]
        return f"{name}.v does not compile: {''.join(last) or 'coqc failed without a word'}"
    return f"{found[1]}, line {found[2]}: {' '.join(found[3].split())}"


def run_formal(
    timeout: float = 900.0,
    coqc: str = "coqc",
    source: Path = COQ_FOLDER,
    folder: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FormalResult:
    """Compile the development and audit it: about a minute of computing.

    To print the result: a line a theorem with `verdict`, `theorem.sentence` and, if not proved, `reason`. When `ran` is
    false all reasons are the same: one line will do, and the exit code is 3 (incomplete), also where Coq is missing.
    When `ran` is true and `holds` is false, the exit code is 1.

    Arguments:
        timeout: seconds for everything.
        coqc: Coq's compiler, a name on the PATH or a path.
        source: the folder with the .v files; they are copied, never compiled in place.
        folder: an existing folder to compile in, whose contents are kept; by default a temporary one.
        progress: called with the number of files done and the number of all files.

    Raises:
        InputError: the certificates, from which the statements take their numbers, are not valid.
    """
    theorems = formal_theorems(certified_numbers())
    program = shutil.which(coqc)
    if program is None:
        return _all_unknown(theorems, f"did not run: {coqc} not found ({INSTALL})", ran=False)
    with tempfile.TemporaryDirectory(prefix="gelu-verify-coq-") as temporary:
        coq = Coq(program, folder or Path(temporary), time.monotonic() + timeout)
        try:
            return _run(theorems, coq, source, progress)
        except IncompleteError as error:
            return _all_unknown(theorems, f"did not run: {error}", ran=False)


def _run(
    theorems: Sequence[FormalTheorem], coq: Coq, source: Path, progress: Callable[[int, int], None]
) -> FormalResult:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(source.glob("*.v"))}
    for name, text in sources.items():
        for line, word in forbidden_words(text):
            return _all_unknown(theorems, f"{name}.v, line {line}: {word} is not allowed", coq=coq.version())
    version = coq.version()
    require_libraries(coq)
    for name, text in sources.items():
        (coq.folder / f"{name}.v").write_text(text, encoding="utf-8")
    compiled = compile_all(coq, sources, progress)
    seconds = tuple((f"{each.name}.v", each.seconds) for each in compiled)
    for failed in (each for each in compiled if each.problem):
        return _all_unknown(theorems, failed.problem, coq=version, seconds=seconds)
    verdicts, axioms = _audit_all(theorems, coq)
    return FormalResult(verdicts, ran=True, coq=version, axioms=axioms, seconds=seconds)


def _all_unknown(
    theorems: Sequence[FormalTheorem],
    reason: str,
    ran: bool = True,
    coq: str = "",
    seconds: tuple[tuple[str, float], ...] = (),
) -> FormalResult:
    verdicts = tuple(FormalVerdict(theorem, Verdict.UNKNOWN, reason) for theorem in theorems)
    return FormalResult(verdicts, ran=ran, coq=coq, seconds=seconds)


def require_libraries(coq: Coq) -> None:
    """Raise IncompleteError when a library that the development needs does not load."""
    for title, module in LIBRARIES.items():
        (coq.folder / "Probe.v").write_text(f"Require {module}.\n", encoding="utf-8")
        if coq.compile("Probe").problem:
            raise IncompleteError(f"{title} does not load in {coq.program} ({INSTALL})")


def compile_all(
    coq: Coq, sources: Mapping[str, str], progress: Callable[[int, int], None] = lambda done, total: None
) -> list[Compiled]:
    """Compile the files, two at a time where they need not wait for each other, up to the first that fails."""
    order = compilation_order(sources)
    waiting: list[str] = []
    running: list[Compilation] = []
    compiled: list[Compiled] = []
    try:
        while order.is_active() and not any(each.problem for each in compiled):
            waiting += order.get_ready()
            while waiting and len(running) < _AT_ONCE:
                running.append(coq.start(waiting.pop(0)))
            for each in [each for each in running if each.ended()]:
                running.remove(each)
                compiled.append(each.result())
                order.done(each.name)
                progress(len(compiled), len(sources))
            coq.check_time()
            time.sleep(_PAUSE)
    finally:
        for each in running:
            each.stop()
    return compiled


def _audit_all(theorems: Sequence[FormalTheorem], coq: Coq) -> tuple[tuple[FormalVerdict, ...], tuple[str, ...]]:
    """Audit all theorems at once, which is quick, and if something is wrong each by itself."""
    problem, axioms = audit(theorems, coq)
    reasons = [audit([theorem], coq)[0] for theorem in theorems] if problem else [""] * len(theorems)
    verdicts = tuple(
        FormalVerdict(theorem, Verdict.UNKNOWN if reason else Verdict.PROVED, reason)
        for theorem, reason in zip(theorems, reasons, strict=True)
    )
    return verdicts, axioms


def audit(theorems: Sequence[FormalTheorem], coq: Coq) -> tuple[str, tuple[str, ...]]:
    """Return what is wrong with these compiled theorems, statements or axioms (empty: nothing), and the axioms."""
    (coq.folder / "Audit.v").write_text(audit_source(theorems), encoding="utf-8")
    audited = coq.compile("Audit")
    if audited.problem:
        return f"Theorems.v does not prove the statement expected of it: {audited.problem}", ()
    if "Axioms:" not in audited.output and "Closed under the global context" not in audited.output:
        return "Coq did not say on which axioms it rests", ()
    axioms = assumptions(audited.output)
    refused = refused_axioms(axioms)
    return (f"rests on more than it may: {'; '.join(refused)}" if refused else ""), axioms
