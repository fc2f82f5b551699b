"""A judgement in words: for a terminal, for GitHub's annotations, and in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.regression_gate.judging import Judgement, Ruling
from pytest_netbench.regression_gate.starting import refusals
from pytest_netbench.workflow import annotation

MOST_LOST: Final = 5
HEADLINES: Final = {
    "passed": "the gate is passed",
    "failed": "THE GATE IS NOT PASSED",
    "not judged": "NOT JUDGED: too many infrastructure errors",
}


def lines(judgement: Judgement) -> Iterator[str]:
    """Yield what a person reads: the outcome, then each ruling with its reasons."""
    yield HEADLINES[judgement.outcome]
    if judgement.errors:
        yield f"  {judgement.errors} of {judgement.trials} trials ended in an infrastructure error"
    yield from (f"  {words}" for words in _replays(judgement))
    for words, why in refusals(judgement):
        yield f"  {words}"
        yield from (f"    {line}" for line in why)
    for (task, agent), (failed, trials) in judgement.must_pass.items():
        yield f"  must pass: {agent} failed {failed} of {trials} at {task}"
    for words in judgement.unmatched:
        yield f"  {words}"
    for ruling in judgement.rulings:
        yield f"  {headline(ruling)}"
        yield from (f"    {words}" for words in reasons(ruling))
    yield from (f"  {words}" for words in joint(judgement))


def joint(judgement: Judgement) -> Iterator[str]:
    """Yield how sure all verdicts are together, if there are several."""
    compared = sum(one.verdict is not None for one in judgement.rulings)
    if compared > 1:
        yield f"{compared} verdicts, each with its own level: at most {judgement.level:.0%} that any of them is wrong"


def headline(ruling: Ruling) -> str:
    """Who was judged by what, and the verdict."""
    kind: str = "nothing to compare" if ruling.verdict is None else ruling.verdict.kind
    kind = kind.upper() if ruling.fails else kind
    return f"{kind}: {ruling.agent}, {ruling.rule.metric}, {ruling.rule.about}"


def reasons(ruling: Ruling, *, most: int = MOST_LOST) -> Iterator[str]:
    """Yield why, a sentence each, with ``most`` tasks that got worse."""
    if ruling.verdict is not None:
        yield _measured(ruling)
        yield _concluded(ruling)
        if ruling.verdict.kind != "regressed":
            yield _detectable(ruling)
        yield from (f"lost: {one}" for one in ruling.lost[:most])
        if len(ruling.lost) > most:
            yield f"lost: {len(ruling.lost) - most} more tasks"
    yield from ruling.exceeded
    yield from ruling.left_out


def entries(judgement: Judgement) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield for a page: how an entry is meant (``ok``, ``inconclusive``, ``regressed``, ``failed``), what, and why."""
    if judgement.errors:
        kind = "failed" if judgement.outcome == "not judged" else "inconclusive"
        yield kind, f"{judgement.errors} of {judgement.trials} trials ended in an infrastructure error", ()
    yield from (("inconclusive", words, ()) for words in _replays(judgement))
    yield from (("failed", words, why) for words, why in refusals(judgement))
    for (task, agent), (failed, trials) in judgement.must_pass.items():
        yield "failed", f"must pass: {agent} failed {failed} of {trials} at {task}", ()
    for words in judgement.unmatched:
        yield "failed", words, ()
    for ruling in judgement.rulings:
        kind = "inconclusive" if ruling.verdict is None else ruling.verdict.kind
        yield "failed" if ruling.fails else kind, headline(ruling), tuple(reasons(ruling))
    yield from (("ok", words, ()) for words in joint(judgement))


def markdown(judgement: Judgement) -> str:
    """The judgement for a summary page of a CI system."""
    rows = [f"### netbench: {HEADLINES[judgement.outcome]}", ""]
    if judgement.errors:
        rows += [f"{judgement.errors} of {judgement.trials} trials ended in an infrastructure error.", ""]
    rows += [f"{words}.\n" for words in _replays(judgement)]
    for words, why in refusals(judgement):
        rows += [f"- **{_plain(words)}**", *(f"  - {_plain(line.strip())}" for line in why)]
    for (task, agent), (failed, trials) in judgement.must_pass.items():
        rows.append(f"- **must pass**: {_plain(agent)} failed {failed} of {trials} at {_plain(task)}")
    rows += [f"- {_plain(words)}" for words in judgement.unmatched]
    for ruling in judgement.rulings:
        rows.append(f"- **{_plain(headline(ruling))}**")
        rows += [f"  - {_plain(words)}" for words in reasons(ruling)]
    rows += [f"\n{words}." for words in joint(judgement)]
    return "\n".join([*rows, ""])


def workflow_commands(judgement: Judgement) -> Iterator[str]:
    """Yield GitHub's workflow commands: an error for each reason why the gate is not passed."""
    if judgement.outcome == "not judged":
        yield _annotation(f"{judgement.errors} of {judgement.trials} trials ended in an infrastructure error")
    for words, why in refusals(judgement):
        yield _annotation("\n".join([words, *why]))
    for (task, agent), (failed, trials) in judgement.must_pass.items():
        yield _annotation(f"must pass: {agent} failed {failed} of {trials} at {task}")
    yield from map(_annotation, judgement.unmatched)
    for ruling in judgement.rulings:
        if ruling.fails:
            yield _annotation("; ".join([headline(ruling), *reasons(ruling)]))


def _replays(judgement: Judgement) -> Iterator[str]:
    """Yield what was replayed: it tells about the code of an agent, and nothing new about its model."""
    if judgement.replayed:
        yield (
            f"{judgement.replayed} of {judgement.trials} trials were replayed from cassettes: the model was not asked,"
            " so the verdicts are about everything else"
        )
    if judgement.replayed_before:
        yield f"{judgement.replayed_before} trials of the baseline were replayed from cassettes"


def _measured(ruling: Ruling) -> str:
    before, now = ruling.shares
    first, second = ruling.trials
    return f"{now:.3f}, was {before:.3f} ({ruling.tasks} tasks; {second} trials, were {first})"


def _concluded(ruling: Ruling) -> str:
    verdict, rule = ruling.verdict, ruling.rule
    assert verdict is not None
    sure, accepted = f"{1 - rule.level:.0%} sure", f"a loss of {rule.tolerance:g} is accepted"
    if verdict.kind == "regressed":
        return f"worse by at least {verdict.low:.3f} ({sure}); {accepted}"
    if verdict.kind == "ok":
        most = f"worse by at most {verdict.high:.3f}" if verdict.high > 0 else f"better by at least {-verdict.high:.3f}"
        return f"{most} ({sure}); {accepted}"
    span = f"{_change(verdict.low)} to {_change(verdict.high)} ({sure}); {accepted}"
    if verdict.more is None:
        return f"{span}; no affordable number of trials would tell"
    return f"{span}; about {verdict.more} more trials of each task, of both sides, would tell"


def _detectable(ruling: Ruling) -> str:
    if ruling.detectable is None:
        return "no loss would be found in eight of ten such runs: there are too few trials"
    return f"a loss of {ruling.detectable:.2f} or more would be found in eight of ten such runs"


def _change(loss: float) -> str:
    return f"{abs(loss):.3f} {'worse' if loss > 0 else 'better'}"


def _annotation(words: str) -> str:
    return annotation("error", words, title="netbench gate")


def _plain(words: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{one}" if one in "\\`*_[]|#~" else one for one in escaped).replace("\n", " ")
