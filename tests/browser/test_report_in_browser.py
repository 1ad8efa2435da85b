"""The report as people meet it: in a browser, light and dark, on a phone and on a desk, in every language."""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gelu_verify.reports.build import views
from gelu_verify.reports.languages import LANGUAGES

WIDTHS = {"phone": 390, "desktop": 1280}
SCHEMES = ("light", "dark")
SUCCESS = ("proved", "certified", "exhaustive")
OTHER = ("sampled", "refuted", "cited", "unknown")


def no_browser(driver: Any) -> bool:
    """Say plainly that nothing was looked at where there is no browser; the session's warning says it too."""
    if driver is not None:
        return False
    from importlib.util import find_spec
    from shutil import which

    assert find_spec("selenium") is None or which("chromium") is None or which("chromedriver") is None
    return True


@pytest.fixture(scope="session")
def pages(document: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the HTML file in each language."""
    folder = tmp_path_factory.mktemp("pages")
    for language in LANGUAGES:
        (folder / f"{language}.html").write_text(views(document, language)["report.html"], encoding="utf-8")
    return {language: folder / f"{language}.html" for language in LANGUAGES}


@contextmanager
def opened(driver: Any, page: Path, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """Open a page at a width, in a colour scheme; forget what was logged before."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},  # no smooth scrolling to wait for
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get_log("browser")
    driver.get_log("performance")
    driver.get(page.as_uri())
    yield driver


def requests(driver: Any) -> list[str]:
    """Return the addresses that were asked for since the page was opened."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_is_whole_in_every_light_and_width(
    driver: Any, pages: dict[str, Path], artefacts: Path, language: str, width: str, scheme: str
) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages[language], WIDTHS[width], scheme):
        asked = [url for url in requests(driver) if not url.startswith("data:")]
        assert asked == [pages[language].as_uri()], "the page asked for something beside itself"
        assert driver.get_log("browser") == [], "the console has something to say"
        overflow = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, "the page is wider than the window"
        driver.save_screenshot(str(artefacts / f"report-{language}-{width}-{scheme}.png"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_internal_link_lands_and_ids_are_unique(driver: Any, pages: dict[str, Path], language: str) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages[language]):
        lost, ids = driver.execute_script("""
            const links = [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'));
            const lands = href => href.startsWith('#') && document.getElementById(decodeURIComponent(href.slice(1)));
            const lost = links.filter(href => !lands(href));
            return [lost, [...document.querySelectorAll('[id]')].map(e => e.id)];""")
        assert lost == []
        assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_command_is_seen_whole_and_no_number_is_cut(
    driver: Any, pages: dict[str, Path], language: str, width: str
) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages[language], WIDTHS[width]):
        driver.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
        cut = driver.execute_script("""
            const cut = e => {
                const frame = e.closest('.scroll, .answer, article, details, section').getBoundingClientRect();
                return e.getBoundingClientRect().right > frame.right + 0.5;
            };
            const cells = window.innerWidth < 600 ? 'table.cards td, .cmd:not(table:not(.cards) *)' : 'td, th, .cmd';
            return [...document.querySelectorAll(cells)].filter(cut).map(e => e.textContent.slice(0, 80));""")
        assert cut == []


def test_every_row_with_a_verdict_says_how_to_compute_it_again(driver: Any, pages: dict[str, Path]) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages["en"]):
        bare = driver.execute_script("""
            const rows = [...document.querySelectorAll('tbody tr[id]')].filter(
                r => r.id.startsWith('special-') || r.querySelector('.verdict'));
            return [rows.length, rows.filter(r => !r.querySelector('.cmd')).map(r => r.id)];""")
        assert bare[0] > 100
        assert bare[1] == []


def test_every_claim_has_an_anchor_that_opens_it(driver: Any, pages: dict[str, Path], document: Any) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages["en"]):
        for claim in (*document["claims"]["ledger"], *document["claims"]["folklore"]):
            driver.get(f"{pages['en'].as_uri()}#claim-{claim['id']}")
            top = driver.execute_script("return document.querySelector(':target').getBoundingClientRect().top")
            assert -1 <= top <= 900


def test_a_link_to_a_theorem_shows_it_although_it_was_folded(
    driver: Any, pages: dict[str, Path], document: Any
) -> None:
    if no_browser(driver):
        return
    from selenium.webdriver.common.by import By

    with opened(driver, pages["en"]):
        link = driver.find_element(By.CSS_SELECTOR, "a[href^='#theorem-']")
        driver.execute_script("arguments[0].click()", link)
        target = driver.find_element(By.CSS_SELECTOR, ":target")
        assert target.is_displayed()
        assert target.get_attribute("id").removeprefix("theorem-") in {each["id"] for each in document["theorems"]}


@pytest.mark.parametrize("width", WIDTHS)
def test_formulas_and_figures_are_rendered(driver: Any, pages: dict[str, Path], document: Any, width: str) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages["en"], WIDTHS[width]):
        driver.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
        formulas, figures = driver.execute_script("""
            const box = e => { const b = e.getBoundingClientRect(); return [b.width, b.height]; };
            const maths = [...document.querySelectorAll('math')];
            return [maths.map(e => [e instanceof MathMLElement, ...box(e)]),
                    [...document.querySelectorAll('svg.figure')].map(e => [...box(e),
                        e.querySelectorAll('path.series').length,
                        [...e.querySelectorAll('path.series')].every(p => p.getBBox().width > 0),
                        !!e.querySelector('title') && e.querySelector('title').textContent.length > 3,
                        !!e.querySelector('desc') && e.querySelector('desc').textContent.length > 20])];""")
        assert len(formulas) >= sum(len(each["mathml"]) for each in document["theorems"])
        assert all(native and width > 10 and height > 8 for native, width, height in formulas)
        assert len(figures) == len(document["figures"])
        for figure_width, height, _, drawn, titled, described in figures:
            assert min(figure_width, height) > 180
            assert drawn and titled and described


@pytest.mark.parametrize("scheme", SCHEMES)
def test_only_success_has_the_colour_of_success_and_all_is_legible(
    driver: Any, pages: dict[str, Path], scheme: str
) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages["en"], scheme=scheme):
        colours = driver.execute_script("""
            const style = getComputedStyle.bind(window);
            const found = {body: [style(document.body).color, style(document.body).backgroundColor]};
            for (const e of document.querySelectorAll('#method .verdict'))
                found[e.className.split(' ').pop()] = [style(e).color, style(e).backgroundColor];
            const back = style(document.body).backgroundColor;
            found.source = [style(document.querySelector('.source')).color, back];
            found.link = [style(document.querySelector('nav a')).color, back];
            found.tick = [style(document.querySelector('svg .tick')).fill, back];
            return found;""")
        success = {tuple(colours[word]) for word in SUCCESS}
        assert len(success) == 1
        assert all(tuple(colours[word]) not in success for word in OTHER)
        for name, (ink, paper) in colours.items():
            assert contrast(ink, paper) >= 4.5, f"{name} is hard to read: {ink} on {paper}"
        assert (luminance(colours["body"][1]) < 0.2) is (scheme == "dark")


def luminance(colour: str) -> float:
    """Return the relative luminance of `rgb(r, g, b)` (WCAG 2.2)."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_keyboard_reaches_the_summary_first_and_opens_proofs(driver: Any, pages: dict[str, Path]) -> None:
    if no_browser(driver):
        return
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    with opened(driver, pages["en"]):
        driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        focused = driver.switch_to.active_element
        assert focused.get_attribute("class") == "skip"
        assert focused.is_displayed()
        assert driver.execute_script("return document.activeElement.getBoundingClientRect().left") >= 0
        focused.send_keys(Keys.ENTER)
        assert driver.current_url.endswith("#summary")
        proof = driver.find_element(By.CSS_SELECTOR, "details.theorem summary")
        proof.send_keys(Keys.ENTER)
        assert driver.find_element(By.CSS_SELECTOR, "details.theorem[open] ol.steps").is_displayed()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_screen_reader_finds_its_way(driver: Any, pages: dict[str, Path], language: str) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages[language]):
        levels, unnamed, tables, uncaptioned, told = driver.execute_script("""
            const headings = [...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]));
            const unnamed = [...document.querySelectorAll('[role=region], nav, section')]
                .filter(e => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
                               || e.querySelector('h2'))).map(e => e.outerHTML.slice(0, 80));
            const tables = [...document.querySelectorAll('table')]
                .filter(t => !t.querySelector('thead th[scope=col]') || !t.querySelector('tbody th[scope=row]')).length;
            const captions = [...document.querySelectorAll('table')].filter(t => !t.caption?.textContent.trim()).length;
            return [headings, unnamed, tables, captions, document.documentElement.lang];""")
        assert told == language
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert unnamed == []
        assert (tables, uncaptioned) == (0, 0)


def test_it_prints_as_a_document_without_the_navigation(driver: Any, pages: dict[str, Path], artefacts: Path) -> None:
    if no_browser(driver):
        return
    with opened(driver, pages["en"], scheme="dark"):
        printed = driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
        content = base64.b64decode(printed["data"])
        (artefacts / "report.pdf").write_bytes(content)
        assert content.startswith(b"%PDF-")
        assert len(re.findall(rb"/Type\s*/Page\b", content)) > 5
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        hidden, paper = driver.execute_script("""
            return [getComputedStyle(document.querySelector('nav.contents')).display,
                    getComputedStyle(document.body).backgroundColor];""")
        assert hidden == "none"
        assert luminance(paper) > 0.9
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_it_is_small_and_opens_in_under_a_second(driver: Any, pages: dict[str, Path]) -> None:
    """The second is one of the browser's own thread: what else the machine is doing does not count."""
    assert all(page.stat().st_size < 2_000_000 for page in pages.values())
    if no_browser(driver):
        return
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    with opened(driver, pages["en"]):
        metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        assert driver.execute_script("return document.readyState") == "complete"
    driver.execute_cdp_cmd("Performance.disable", {})
    seconds = {metric["name"]: metric["value"] for metric in metrics}["TaskDuration"]
    assert 0 < seconds < 1.0
