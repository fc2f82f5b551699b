"""The summary of a run: a table per agent with a row per domain, time and cost, and agents side by side."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.agents import ENDED, MOST_TASKS, by_agent, differences, spent, tasks_table
from pytest_netbench.reporting.common import common_lines
from pytest_netbench.reporting.ending import endings
from pytest_netbench.reporting.intervals import clusters_of, passed
from pytest_netbench.reporting.item import is_unprotected
from pytest_netbench.reporting.tables import Table, safe
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.attempts import over_tasks, pass_at_k, pass_hat_k
from pytest_netbench.stats.clusters import clustered_share
from pytest_netbench.stats.detection import Confusion
from pytest_netbench.stats.means import mean

_DRAFT = ("reasoning", "command", "testcase")
"""The order of the draft's three scores; others follow in the order in which they were made."""

_LABEL, _ENDING = 8, 20
"""Characters that the label and the endings of a row have at least."""
_BESIDE: Final = 16
"""Characters of the columns ``passed`` and ``95 %``, with gaps."""
_LEGEND: Final = (
    "95 %: Wilson interval of passed, clustered by task",
    f"scores: means of what was measured ({words.NOTHING} nothing)",
)
_OF_TIMES: Final = "wall: deploy + agent + evaluation; all columns are totals over trials"
_OF_DIFFERENCES: Final = "95 % of B - A: for tasks like these, by bootstrap over the tasks that both ran"


def summary_lines(results: Sequence[TrialResult], *, width: int, verbose: bool = False) -> list[str]:
    """Return the tables, at most ``width`` (but at least 80) columns wide, with a column for each score that was made.

    Infrastructure errors are counted under the table and are in none of its numbers. Scores by another definition, such
    as ``netconfbench.command``, are shown under the table, and only if ``verbose``.
    """
    results = list(results) if verbose else [_own_scores_only(one) for one in results]
    if not results:
        return []
    width = max(width, 80) - 1  # a line as wide as the terminal would wrap on some
    lines: list[str] = []
    for part in _parts(results, width=width, verbose=verbose):
        lines += [*part.lines(width), ""]
    return lines[:-1]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a summary: a title, a table, and notes. Each may be missing."""

    title: str = ""
    table: Table | None = None
    notes: Sequence[str] = ()

    def lines(self, width: int | None) -> list[str]:
        """The part as text; ``None`` is any width."""
        said = [[self.title] if self.title else [], self.notes]
        title, notes = (texts if width is None else [words.clipped(one, width) for one in texts] for texts in said)
        return [*title, *([] if self.table is None else self.table.lines(width)), *notes]

    def markdown(self) -> list[str]:
        """The part as Markdown."""
        title = [f"#### {safe(self.title)}", ""] if self.title else []
        table = [] if self.table is None else [*self.table.markdown(), ""]
        notes = [*(f"- {safe(note)}" for note in self.notes), ""] if self.notes else []
        return [*title, *table, *notes]


def _parts(results: Sequence[TrialResult], *, width: int, verbose: bool) -> Iterator[Part]:
    """Yield a part for each agent, then those about all agents, then the legend."""
    for agent, mine in by_agent(results).items():
        yield _of_agent(agent, mine, width)
    if different := common_lines(results):
        yield Part(notes=[row for line in different for row in wrap(line, width)])
    scored = [one for one in results if one.status != "error"]
    if scored:
        yield from agents_parts(scored, width=width, all_tasks=verbose, by_domain=verbose)
        yield Part(notes=_LEGEND)


def agents_parts(
    scored: Sequence[TrialResult],
    *,
    width: int,
    all_tasks: bool = False,
    by_domain: bool = False,
    with_endings: bool = False,
) -> Iterator[Part]:
    """Yield time and cost of agents; of several also their differences and the agents x tasks table."""
    yield Part(table=spent(scored, by_domain=by_domain, with_endings=with_endings), notes=[_OF_TIMES])
    if len(by_agent(scored)) > 1:
        table, notes = differences(scored)
        if table is not None:
            yield Part(table=table, notes=[*notes, _OF_DIFFERENCES])
        table, notes = tasks_table(scored, width=width, most=sys.maxsize if all_tasks else MOST_TASKS)
        yield Part(table=table, notes=notes)


def _own_scores_only(result: TrialResult) -> TrialResult:
    own = tuple(one for one in result.scores if not _is_beside(one.metric, {result.family}))
    return result.model_copy(update={"scores": own})


def _is_beside(metric: str, families: Collection[str]) -> bool:
    """Whether the metric is another definition of a score: its name is ``WHOSE.NAME``, and not that of a family."""
    whose, dot, _ = metric.partition(".")
    return bool(dot) and whose not in families


def _of_agent(agent: str, results: Sequence[TrialResult], width: int) -> Part:
    scored = [one for one in results if one.status != "error"]
    extras = sorted({name for one in scored for name in one.extras})
    offered = f" (with {', '.join(extras)})" if extras else ""
    shown, left_over = _metrics(scored, width)
    table, cut_off = _by_domain(scored, shown, width) if scored else (None, ())
    notes = (*cut_off, *_attempts(scored), *_means(scored, left_over), *_detection(scored), *_notes(results, scored))
    return Part(title=f"agent {agent}{offered}", table=table, notes=notes)


def _by_domain(scored: list[TrialResult], shown: Sequence[str], width: int) -> tuple[Table, Sequence[str]]:
    """A row per domain, and a row for all. The last column is cut if it is too wide, and then is whole in a note."""
    domains = sorted({one.domain for one in scored})
    groups = [(domain, [one for one in scored if one.domain == domain]) for domain in domains]
    if len(groups) > 1:
        groups.append(("all", scored))
    head = ("domain", "passed", "95 %", *shown, ENDED)
    table = Table(
        head=head, rows=[(domain, *_cells(group, shown)) for domain, group in groups], left=frozenset({len(head) - 1})
    )
    is_cut = any(line.endswith("…") for line in table.lines(width))
    return table, [f"ended: {endings(scored)}"] if is_cut else ()


def _metrics(scored: Sequence[TrialResult], width: int) -> tuple[list[str], list[str]]:
    """Metrics of the scorers that ran: those that have room for a column, and the others."""
    made = dict.fromkeys(score.metric for one in scored for score in one.scores)
    ordered = [name for name in _DRAFT if name in made] + [name for name in made if name not in _DRAFT]
    families = {one.family for one in scored}
    beside = [name for name in ordered if _is_beside(name, families)]
    ordered = [name for name in ordered if not _is_beside(name, families)]
    room = width - _LABEL - _BESIDE - _ENDING - 1
    shown: list[str] = []
    for name in ordered:
        room -= max(len(name), 4) + 1
        if room < 0:
            break
        shown.append(name)
    return shown, ordered[len(shown) :] + beside


def _means(scored: Sequence[TrialResult], metrics: Sequence[str]) -> Iterable[str]:
    """Lines for metrics that have no column."""
    for metric in metrics:
        yield f"{metric}: {words.score(mean(one.score(metric) for one in scored).value)}"


def _cells(results: Sequence[TrialResult], metrics: Sequence[str]) -> list[str]:
    return [
        f"{sum(map(passed, results)):.0f}/{len(results)}",
        _interval(results),
        *(words.score(mean(one.score(metric) for one in results).value) for metric in metrics),
        endings(results),
    ]


def _notes(results: Sequence[TrialResult], scored: Sequence[TrialResult]) -> Iterable[str]:
    replayed = sum(one.replayed is not None for one in results)
    if replayed:
        yield f"replayed: {replayed} of {len(results)} trials; cost and tokens are those of the recordings"
    waited = [one for one in scored if one.usage.waited_s]
    if waited:
        total = words.seconds(sum(one.usage.waited_s for one in waited))
        yield f"waited for the provider: {total} of the time, in {len(waited)} of {len(scored)} trials"
    errors = [one for one in results if one.status == "error"]
    if errors:
        where = ", ".join(f"{domain} {number}" for domain, number in _counted(one.domain for one in errors).items())
        yield f"infrastructure errors, not scored: {len(errors)} ({where})"
    yield from _violations(scored)
    yield from _unprotected(scored)
    for metric in dict.fromkeys([*_DRAFT, *(score.metric for one in scored for score in one.scores)]):
        lacking = [score for one in scored for score in one.scores if score.metric == metric and score.value is None]
        if lacking:
            why = lacking[0].explanation.removeprefix("not measured: ")
            yield f"{metric} not measured in {len(lacking)} of {len(scored)}: {why}"


def _violations(scored: Sequence[TrialResult]) -> Iterable[str]:
    """How many requests the policies of agents refused."""
    kinds: Counter[str] = Counter()
    for one in scored:
        kinds.update(one.violations)
    if kinds:
        trials = sum(1 for one in scored if one.violations)
        yield f"policy violations: {kinds.total()} in {trials} of {len(scored)} trials ({words.counted(kinds)})"


def _unprotected(scored: Sequence[TrialResult]) -> Iterable[str]:
    """In how many trials an agent could change a node by commands that must not."""
    where = [one.environment for one in scored if one.environment is not None and is_unprotected(one)]
    if where:
        backends = ", ".join(sorted({str(one.backend) for one in where}))
        yield f"read-only not enforced in {len(where)} of {len(scored)} trials (backend {backends})"


def _attempts(scored: Sequence[TrialResult]) -> Iterable[str]:
    """What the trials of tasks tell about several attempts, if each task has more than one."""
    tasks = [(round(sum(one)), len(one)) for one in clusters_of(scored, task_id, passed)]
    k = min((trials for _, trials in tasks), default=1)
    if k > 1:
        some, each = (words.score(over_tasks(measure, tasks, k).value) for measure in (pass_at_k, pass_hat_k))
        yield f"of {k} attempts one or more pass: {some} (pass@{k}), all pass: {each} (pass^{k})"


def _detection(scored: Sequence[TrialResult]) -> Iterable[str]:
    """What a share of right detections does not tell: it depends on how many networks were healthy."""
    made = [score for one in scored for score in one.scores if score.metric == "detection" and score.value is not None]
    if made:
        counts = Confusion.of((bool(one.evidence.get("is_anomaly")), one.value == 1.0) for one in made)
        balanced, mcc = words.score(counts.balanced_accuracy), words.score(counts.mcc)
        of = f"{counts.faulty} faulty, {counts.healthy} healthy"
        yield f"detection: balanced accuracy {balanced}, Matthews correlation {mcc} ({of})"


def _counted(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name in sorted(names):
        counts[name] = counts.get(name, 0) + 1
    return counts


def _interval(results: Sequence[TrialResult]) -> str:
    interval = clustered_share(clusters_of(results, task_id, passed))
    return f"{100 * interval.low:.0f}-{100 * interval.high:.0f}%"
