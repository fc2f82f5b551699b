"""The summary at the end of a run: a table per agent, a row per domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from textwrap import wrap

from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.common import common_lines
from pytest_netbench.reporting.intervals import clusters_of, passed
from pytest_netbench.results.pairing import task_id
from pytest_netbench.stats.attempts import over_tasks, pass_at_k, pass_hat_k
from pytest_netbench.stats.clusters import clustered_share
from pytest_netbench.stats.detection import Confusion
from pytest_netbench.stats.means import mean

_DRAFT = ("reasoning", "command", "testcase")
"""The order of the draft's three scores; others follow in the order in which they were made."""

_Columns = Sequence[tuple[str, int]]
_BEFORE: _Columns = (("passed", 6), ("95 %", 7))
_AFTER: _Columns = (("cost", 7), ("tokens", 6), ("calls", 5), ("time", 6))
_LEAST_LABEL = 8
_LEGEND = (
    "95 %: Wilson interval of passed, clustered by task",
    f"scores: means of what was measured ({words.NOTHING} nothing); cost to time: totals",
)


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
    for agent in sorted({result.agent.id for result in results}):
        lines += [*_table(agent, [one for one in results if one.agent.id == agent], width), ""]
    if different := common_lines(results):
        lines += [*(row for line in different for row in wrap(line, width)), ""]
    if any(one.status != "error" for one in results):
        lines += _LEGEND
    return lines if lines[-1] else lines[:-1]


def _own_scores_only(result: TrialResult) -> TrialResult:
    own = tuple(one for one in result.scores if not _is_beside(one.metric, {result.family}))
    return result.model_copy(update={"scores": own})


def _is_beside(metric: str, families: Collection[str]) -> bool:
    """Whether the metric is another definition of a score: its name is ``WHOSE.NAME``, and not that of a family."""
    whose, dot, _ = metric.partition(".")
    return bool(dot) and whose not in families


def _table(agent: str, results: Sequence[TrialResult], width: int) -> list[str]:
    scored = [one for one in results if one.status != "error"]
    extras = sorted({name for one in scored for name in one.extras})
    offered = f" (with {', '.join(extras)})" if extras else ""
    lines = [words.clipped(f"agent {agent}{offered}", width)]
    shown, left_over = _metrics(scored, width)
    columns = (*_BEFORE, *((name, max(len(name), 4)) for name in shown), *_AFTER)
    if scored:
        lines += _rows(scored, shown, columns, width)
    notes = (*_attempts(scored), *_means(scored, left_over), *_detection(scored), *_notes(results, scored))
    return [*lines, *(words.clipped(note, width) for note in notes)]


def _rows(scored: list[TrialResult], shown: Sequence[str], columns: _Columns, width: int) -> Iterable[str]:
    """Yield the head, a row per domain, and a row for all. Cells wider than their column narrow the domain's column."""
    domains = sorted({one.domain for one in scored})
    groups = [(domain, [one for one in scored if one.domain == domain]) for domain in domains]
    if len(groups) > 1:
        groups.append(("all", scored))
    rows = [(domain, _cells(group, shown)) for domain, group in groups]
    wide = [max(least, *(len(cells[at]) for _, cells in rows)) for at, (_, least) in enumerate(columns)]
    columns = [(name, room) for (name, _), room in zip(columns, wide, strict=True)]
    label = min(max(len(name) for name in (*domains, "domain")), width - sum(room + 1 for room in wide))
    yield _row("domain", label, [name for name, _ in columns], columns)
    yield from (_row(domain, label, cells, columns) for domain, cells in rows)


def _metrics(scored: Sequence[TrialResult], width: int) -> tuple[list[str], list[str]]:
    """Metrics of the scorers that ran: those that have room for a column, and the others."""
    made = dict.fromkeys(score.metric for one in scored for score in one.scores)
    ordered = [name for name in _DRAFT if name in made] + [name for name in made if name not in _DRAFT]
    families = {one.family for one in scored}
    beside = [name for name in ordered if _is_beside(name, families)]
    ordered = [name for name in ordered if not _is_beside(name, families)]
    room = width - _LEAST_LABEL - sum(column + 1 for _, column in (*_BEFORE, *_AFTER))
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


def _row(name: str, label: int, cells: Sequence[str], columns: _Columns) -> str:
    padded = (f"{cell:>{width}}" for cell, (_, width) in zip(cells, columns, strict=True))
    return " ".join([f"{words.clipped(name, label):<{label}}", *padded])


def _cells(results: Sequence[TrialResult], metrics: Sequence[str]) -> list[str]:
    return [
        f"{sum(map(passed, results)):.0f}/{len(results)}",
        _interval(results),
        *(words.score(mean(one.score(metric) for one in results).value) for metric in metrics),
        _cost(results),
        _tokens(results),
        words.count(sum(one.budget_used.calls for one in results)),
        words.seconds(sum(one.agent_s for one in results)),
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


def _tokens(results: Sequence[TrialResult]) -> str:
    if not any(one.usage.completions for one in results):
        return words.NOTHING
    return words.count(sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in results))


def _cost(results: Sequence[TrialResult]) -> str:
    """The sum of what is known; a ``+`` says that there is more of which the price is not known."""
    asked = [one.usage for one in results if one.usage.completions]
    known = [usage.cost_usd for usage in asked if usage.cost_usd is not None]
    if not known:
        return words.NOTHING
    return words.money(sum(known)) + ("+" if len(known) < len(asked) else "")
