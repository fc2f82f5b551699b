"""The page in Chromium on wide and narrow screens, light and dark: nothing is cut, and all of it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.trial import BudgetUsed, TrialRecord, TrialResult, Usage
from pytest_netbench.reporting.page.writing import write_page
from tests.support.chromium import CHROMIUM, Browser, browser
from tests.support.networks import DOWN, UNPLUGGED, faulty
from tests.support.pages import HOSTILE, trial

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed; fix: apt-get install chromium (Debian; Ubuntu has only a snap)"
)
NAMES = ("oracle", "nop", "react-with-a-rather-long-name-and-a-model-of-2026", "crashing.Crashing", "e" * 60)
WIDTHS = (1440, 900, 500, 400, 320)
SCHEMES = ("light", "dark")
CHECKS = (Path(__file__).parents[1] / "support" / "screen.js").read_text()


def many() -> Iterator[tuple[TrialResult, TrialRecord]]:
    """Trials of five agents that end in every way, with all that a page can show."""
    for number in range(60):
        text = HOSTILE if number % 7 else "unbroken" * 40
        one, record = trial(number, text=text, status=("passed", "failed", "error")[number % 3 if number % 5 else 2])
        agent = one.agent.model_copy(update={"id": NAMES[number % 5]})
        outcome = (None, "budget", "agent-error", "done")[number % 4]
        changes = {
            "agent": agent,
            "node_id": f"t.yaml::t{number // 5}[{agent.id}]",
            "outcome": outcome,
            "deploy_s": 1.5,
            "agent_s": number * 3.0,
            "evaluate_s": 90.0,
            "violations": {"command": number % 2},
            "usage": Usage(completions=number % 2, cost_usd=0.01 * number),
            "budget_used": BudgetUsed(calls=number),
            "drawn": Drawn(generator="g", seed=1, index=number // 5, label="x" * 30, level=1 + number % 3),
        }
        if number % 4 == 1:
            record = faulty(DOWN, UNPLUGGED, agent=agent, trace=record.trace)
        yield one.model_copy(update=changes), record


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    pairs = list(many())
    records = {id(one): record for one, record in pairs}
    comparison = ("the gate is not passed", [("regressed", HOSTILE, ["unbroken" * 40]), ("ok", "fine", [])])
    results = [one for one, _ in pairs]
    write_page(path, results, lambda one: records[id(one)], comparison=comparison, note="It was cut off.")
    return path


@pytest.fixture(scope="module")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("home")) as made:
        yield made


def addresses(page: Path) -> list[str]:
    """The page, all kinds of trials opened in it, and a page beside it."""
    numbers = [text.split('"', 1)[0] for text in page.read_text().split('id="of-trial-')[1:]]
    beside = sorted((page.parent / "page-trials").iterdir())
    assert len(numbers) > 10
    return [page.as_uri(), *(f"{page.as_uri()}#trial-{number}" for number in numbers[:10:3]), beside[1].as_uri()]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut(screen, page, width):
    for address in addresses(page):
        screen.open(address, width=width)
        screen.evaluate(f"{CHECKS};netbenchScreen.open()")
        assert screen.evaluate("netbenchScreen.cut()") == [], address


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_text_and_drawings_have_contrast(screen, page, scheme):
    for address in addresses(page):
        screen.open(address, scheme=scheme)
        screen.evaluate(f"{CHECKS};netbenchScreen.open()")
        count, faint = screen.evaluate("netbenchScreen.faint()")
        assert count > 20, address
        assert faint == [], address


def test_what_is_cut_or_faint_would_be_found(screen, page):
    screen.open(page.as_uri(), width=400)
    screen.evaluate(f"{CHECKS};netbenchScreen.open()")
    spoil = "document.querySelector('{}').style.cssText = '{}'"
    screen.evaluate(spoil.format(".headline", "width: 600px; color: #999"))
    screen.evaluate(spoil.format("figcaption", "width: 60px; overflow: hidden; white-space: nowrap"))
    assert len(screen.evaluate("netbenchScreen.cut()")) >= 2
    assert screen.evaluate("netbenchScreen.faint()")[1]


def test_the_page_asks_for_nothing_and_says_nothing_to_the_console(screen, page):
    for address in addresses(page):
        screen.open(address)
        assert screen.complaints == []


def test_the_width_is_used(screen, page):
    screen.open(page.as_uri(), width=1440)
    screen.evaluate(f"{CHECKS};netbenchScreen.open()")
    assert screen.evaluate("netbenchScreen.unused()") == []


def test_links_open_a_trial_in_the_page_and_without_scripts_beside_it(screen, page):
    screen.open(page.as_uri())
    screen.evaluate("document.querySelector('a[data-trial]').click()")
    assert screen.evaluate("document.getElementById('detail').open && location.hash.startsWith('#trial-')")
    screen.open(page.as_uri(), scripts=False)
    (link,) = screen.evaluate("[document.querySelector('a[data-trial]').getAttribute('href')]")
    assert (page.parent / link).is_file()
    assert screen.evaluate("document.getElementById('filter').checkVisibility()") is False
