"""Reading Coq source: what it imports, and words that would let a file compile without proving what it states."""

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from gelu_verify.errors import InputError

_UNPROVED = {"Abort", "Admit", "Admitted", "Obligation", "Obligations", "Program", "admit", "give_up"}
_ASSUMED = {"Axiom", "Axioms", "Conjecture", "Conjectures", "Parameter", "Parameters", "Primitive", "Symbol"}
_ASSUMED_UNLESS_IN_SECTIONS = {"Context", "Hypotheses", "Hypothesis", "Variable", "Variables"}
_UNCHECKED = {"Unset", "bypass_check", "native_compute"}
_OUT_OF_SIGHT = {"Add", "Back", "Declare", "Drop", "Load", "Redirect", "Reset", "Restart", "Undo"}
# Words with which a file can compile without proving what it states; the development does without them.
FORBIDDEN = frozenset(_UNPROVED | _ASSUMED | _ASSUMED_UNLESS_IN_SECTIONS | _UNCHECKED | _OUT_OF_SIGHT)
_WORD = re.compile(r"[^\W\d][\w']*")
_IMPORT = re.compile(r"From\s+GeluVerify\s+Require\s+(?:Import\s+|Export\s+)?([\w'\s]+)\.")


def code_only(source: str) -> str:
    """Blank out comments, which nest, and strings, keeping every line where it is.

    >>> code_only('a (* b (* "*)" *) c *) d "e" f').split()
    ['a', 'd', 'f']
    """
    kept, depth, quoted, at = [], 0, False, 0
    while at < len(source):
        two = source[at : at + 2]
        width, blank = 1, True
        if quoted:
            quoted = source[at] != '"'  # a doubled quote closes the string and opens it again
        elif source[at] == '"':
            quoted = True
        elif two == "(*":
            depth, width = depth + 1, 2
        elif two == "*)" and depth:
            depth, width = depth - 1, 2
        else:
            blank = depth > 0
        piece = source[at : at + width]
        kept.append(re.sub(r"\S", " ", piece) if blank else piece)
        at += width
    return "".join(kept)


def forbidden_words(source: str) -> tuple[tuple[int, str], ...]:
    """Return (line number, word) for every forbidden word outside comments and strings.

    >>> forbidden_words("Lemma x : False. (* Admitted is not allowed *)\\nAdmitted\\n.")
    ((2, 'Admitted'),)
    """
    return tuple(
        (number, word)
        for number, line in enumerate(code_only(source).split("\n"), start=1)
        for word in _WORD.findall(line)
        if word in FORBIDDEN
    )


def dependencies(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return, for each file (name without .v) of the development, the files it imports."""
    return {
        name: {word for group in _IMPORT.findall(code_only(source)) for word in group.split()}
        for name, source in sources.items()
    }


def compilation_order(sources: Mapping[str, str]) -> TopologicalSorter[str]:
    """Return the files sorted so that each comes after those it imports, ready for `get_ready`.

    Raises:
        InputError: a file is imported that is not there, or files import each other in a circle.
    """
    graph = dependencies(sources)
    for name, imported in graph.items():
        for missing in sorted(imported - set(sources)):
            raise InputError(f"{name}.v imports {missing}, which is not in the development")
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        raise InputError(f"the files import each other in a circle: {', '.join(error.args[1])}") from None
    return sorter
