"""The two views of a report's JSON document: HTML and Markdown. They compute nothing and look nothing up elsewhere."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gelu_verify.enclosures import Enclosure
from gelu_verify.errors import InputError
from gelu_verify.records import Verdict
from gelu_verify.reports.claims.numbers import read_approach
from gelu_verify.reports.claims.record import Note
from gelu_verify.reports.evidence import anchors, evidence
from gelu_verify.reports.figures.plot import draw
from gelu_verify.reports.languages import Language, get_language
from gelu_verify.reports.typesetting import count, formula, grouped, put_in, read_decimal, typeset

if TYPE_CHECKING:
    import jinja2

ASKED = (  # what the templates may call
    "count",
    "domain",
    "errors",
    "evidence",
    "figure",
    "formats",
    "grid",
    "has_figure",
    "least",
    "ledger",
    "links",
    "located",
    "number",
    "places",
    "say",
    "statement",
    "stretch",
    "symbol",
    "tell",
)
SECTIONS = (
    "claims",
    "folklore",
    "shape",
    "forms",
    "constants",
    "written",
    "floats",
    "theorems",
    "certificates",
    "formal",
    "method",
    "machine",
)
SYMBOLS = {
    Verdict.PROVED: "✓",
    Verdict.CERTIFIED: "✓",
    Verdict.EXHAUSTIVE: "✓",
    Verdict.SAMPLED: "≈",
    Verdict.REFUTED: "✗",
    Verdict.CITED: "❞",
    Verdict.UNKNOWN: "?",
}


def render(document: Mapping[str, Any], kind: str, language: str) -> str:
    """Return the document as `html` or `md`, in a language.

    Raises:
        InputError: there is no such language.
    """
    return str(View(document, get_language(language)).render(f"report.{kind}"))


def figure_files(document: Mapping[str, Any], language: str) -> dict[str, str]:
    """Return the document's figures as SVG files, by their names."""
    return View(document, get_language(language)).standalone_figures()


class View:
    """A document together with a language: what the templates can ask for."""

    def __init__(self, document: Mapping[str, Any], language: Language) -> None:
        self.document = document
        self.language = language
        self._anchors = frozenset(anchors(document))

    def render(self, template: str) -> str:
        """Fill a template.

        Raises:
            KeyError: the document lacks what the template shows.
        """
        names = {name: getattr(self, name) for name in ASKED}
        import jinja2

        environment = _environment(template.endswith(".html"))
        try:
            return self._fill(environment.get_template(template), names)
        except jinja2.UndefinedError as error:
            raise KeyError(f"the document lacks something: {error}") from None

    def _fill(self, template: "jinja2.Template", names: Mapping[str, Any]) -> str:
        return template.render(
            document=self.document,
            language=self.language.code,
            style=_style(page=True),
            sections=self._sections(),
            **names,
        )

    def located(self, relatives: bool) -> list[Mapping[str, Any]]:
        """Return the rows of located points: those of GELU and its forms, or those of the relatives."""
        rows = self.document["bounds"]["points"]
        return [row for row in rows if row["function"].startswith("gelu") is not relatives]

    def stretch(self, row: Mapping[str, Any]) -> str:
        """Say what there is instead of single points: whole intervals, nothing, or no answer."""
        if not row["complete"]:
            return str(row["reason"])
        ends = [[end.replace("None", "inf") for end in part] for part in row["intervals"]]
        parts = [self.domain(["-inf" if low == "inf" else low, high]) for low, high in ends]
        return ", ".join(parts) if parts else self.say("points.none")

    def errors(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the suprema of the `forms` over all reals, of the forms on a `part` of them, or of all `others`."""
        rows = []
        for row in self.document["bounds"]["errors"]:
            of_form = row["function"] in ("gelu_tanh", "gelu_sigmoid")
            found = "others" if not of_form else "forms" if row["domain"][0] == "-inf" else "part"
            rows += [row] if found == kind else []
        return rows

    def _sections(self) -> list[str]:
        """Return the sections for which the document has what they show."""
        needs = {"floats": ("special_values", "sweeps"), "folklore": ("claims",), "shape": ("figures",)}
        needs |= {"forms": ("bounds",), "method": ("claims",), "written": ("written_forms",)}
        return [name for name in SECTIONS if any(part in self.document for part in needs.get(name, (name,)))]

    def say(self, key: str, **values: Any) -> str:
        """Return a sentence of the language, the numbers put in set as in print."""
        return self.language.say(key, **{name: put_in(value) for name, value in values.items()})

    def tell(self, note: Mapping[str, Any]) -> str:
        """Return a note of evidence in the language, its numbers set as in print."""
        values = {name: typeset(value) for name, value in note["values"].items()}
        return self.language.tell(Note(note["key"], values))

    def links(self, anchors: Sequence[str]) -> list[tuple[str, str]]:
        """Return those of the anchors that this document has, each with a word for it: a theorem's is its id."""
        found = [anchor for anchor in anchors if anchor in self._anchors]
        kinds = [anchor.partition("-") for anchor in found]
        return [
            (anchor, name if kind == "theorem" else self.say(f"anchor.{kind}"))
            for anchor, (kind, _, name) in zip(found, kinds, strict=True)
        ]

    def ledger(self) -> list[Mapping[str, Any]]:
        """Return the claims of the ledger; those about libraries as they came out on this machine, if it was asked."""
        here = self.document.get("machine", {}).get("implementations", {}).get("claims", ())
        judged = {claim["id"]: claim for claim in here}
        return [judged.get(claim["id"], claim) for claim in self.document["claims"]["ledger"]]

    def statement(self, claim: Mapping[str, Any]) -> tuple[str, str]:
        """Return a claim's sentence and the code of the language it is in."""
        statements = claim["statements"]
        code = self.language.code if self.language.code in statements else "en"
        return statements[code], code

    def number(self, value: Any, digits: int = 12) -> str:
        """Return a number of the document for people: its certain digits, its float, or its word."""
        if isinstance(value, Mapping):
            if "bits" in value:
                return f"{value['decimal']} ({value['hex']})"
            enclosure = Enclosure(read_decimal(value["lower"]), read_decimal(value["upper"]))
            return typeset(enclosure.decimal(digits))
        return "∞" if value == "infinity" else str(value)

    def count(self, number: int) -> str:
        """Return a whole number in groups of three."""
        return count(number)

    def evidence(self, row: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the links to what else shows a row's number."""
        return self.links(evidence(row))

    def formats(self) -> list[dict[str, Any]]:
        """Return what is known of each format: its name, its rows of thresholds and its rows of special values."""
        thresholds = self.document.get("bounds", {}).get("thresholds", ())
        special = self.document.get("special_values", ())
        names = dict.fromkeys(row["format"] for row in (*thresholds, *special))
        return [
            {
                "name": name,
                "thresholds": [row for row in thresholds if row["format"] == name],
                "special": [row for row in special if row["format"] == name],
            }
            for name in names
        ]

    def least(self, function: str) -> Mapping[str, Any] | None:
        """Return the row of a function's minimum, if it was located."""
        rows = self.document.get("bounds", {}).get("points", ())
        return next((row for row in rows if row["id"] == f"minimum.{function}" and row["points"]), None)

    def domain(self, ends: Sequence[str]) -> str:
        """Return a domain for people."""
        low, high = (end.replace("-", "\N{MINUS SIGN}") for end in ends)
        if (low, high) == ("\N{MINUS SIGN}inf", "inf"):
            return "ℝ"
        left = f"({low}" if low.endswith("inf") else f"[{low}"
        right = f"{high})" if high.endswith("inf") else f"{high}]"
        return f"{left}, {right}".replace("inf", "∞")

    def places(self, row: Mapping[str, Any], digits: int = 15) -> str:
        """Return where a supremum is attained, or how it is approached."""
        values = [self.number(place, digits) for place in row["at"]]
        if len(values) == 2 and values[0] == f"\N{MINUS SIGN}{values[1]}":
            return f"±{values[1]}"
        return ", ".join(values) if values else "; ".join(map(self._approach, row["approached"]))

    def _approach(self, words: str) -> str:
        """Say in the language how a supremum is approached, from the bounds' own words `as x -> END [from SIDE]`."""
        side, end = read_approach(words)
        return self.say(f"approach.{side}", end=typeset(end).replace("-inf", "\N{MINUS SIGN}∞").replace("inf", "∞"))

    def grid(self, name: str) -> str:
        """Return what a set of representable constants is called."""
        digits, _, unit = name.partition(" ")
        return self.say("constants.digits", digits=digits) if unit else name

    def symbol(self, verdict: str) -> str:
        """Return a sign that goes with a verdict's word."""
        return SYMBOLS[Verdict(verdict)]

    def figure(self, identifier: str) -> str:
        """Return a figure of the document as SVG with alternative text, or nothing if the document has none."""
        found = next((each for each in self.document["figures"] if each["id"] == identifier), None)
        if found is None:
            return ""
        return self._draw(found)

    def has_figure(self, identifier: str) -> bool:
        """Tell whether the document has a figure."""
        return any(each["id"] == identifier for each in self.document["figures"])

    def standalone_figures(self) -> dict[str, str]:
        """Return every figure as a file of its own, by its name: it brings its style along."""
        return {f"{each['id']}.svg": self._draw(each, _style(page=False)) + "\n" for each in self.document["figures"]}

    def _draw(self, figure: Mapping[str, Any], style: str = "") -> str:
        bands = {band["key"]: self.say(f"band.{band['key']}") for band in figure.get("bands", ())}
        title, description = (self.say(f"figure.{figure['id']}.{part}") for part in ("title", "description"))
        return draw(figure, title, description, bands, style)


def check_renderer() -> None:
    """Make sure that views can be written, before any work is done for them.

    Raises:
        InputError: Jinja2 is not installed.
    """
    if find_spec("jinja2") is None:
        command = "pip install 'gelu-verify[report]'"
        raise InputError(f"Jinja2 is needed to write reports and is not installed; install it with: {command}")


@lru_cache(maxsize=2)
def _environment(html: bool) -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _read(f"templates/{name}")),
        autoescape=html,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = _cell
    environment.filters["grouped"] = lambda text: _markup(grouped(text))
    environment.filters["mathml"] = lambda text: _markup(formula(text))
    return environment


def _markup(text: str) -> str:
    """Return what is markup already, so that it is not escaped again."""
    from markupsafe import Markup

    return Markup(text)


def _cell(text: str) -> str:
    """Make a text fit for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


@lru_cache(maxsize=2)
def _style(page: bool) -> str:
    """Return the style sheet of the page, or of a figure that stands alone."""
    parts = ("colours", "report", "figure") if page else ("colours", "figure")
    return "".join(_read(f"templates/{part}.css") for part in parts)


def _read(name: str) -> str:
    return files("gelu_verify.reports").joinpath(*name.split("/")).read_text(encoding="utf-8")
