"""Scores a finished run again from its transcripts: no lab, no agent, no network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_netbench import parts
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.process import process_of
from pytest_netbench.results.files import replace_file
from pytest_netbench.results.store import MERGED, ResultsDir
from pytest_netbench.scorers.apply import load_scorers, score_of
from pytest_netbench.scorers.protocol import Scorer
from pytest_netbench.text import plain_json

RESCORED = "results.rescored.jsonl"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A number that changed. ``before`` or ``after`` is ``None`` if that scoring did not have it."""

    node_id: str
    trial: int
    metric: str
    before: Score | None
    after: Score | None

    @property
    def expected(self) -> bool:
        """Whether another scorer version explains it, or there was no number before (killed, or without the extra)."""
        if self.before is None or self.before.value is None:
            return True
        return self.after is not None and self.before.scorer != self.after.scorer

    def __str__(self) -> str:
        return f"{self.node_id} trial {self.trial}: {self.metric}: {_said(self.before)} -> {_said(self.after)}"


@dataclass(frozen=True, kw_only=True)
class RescoreReport:
    """The result of scoring again.

    ``unscored`` has the reason for each trial that could not be scored again; ``equal`` counts unchanged scores.
    ``versions`` are the scorers that have changed since, before and now.
    """

    path: Path
    results: tuple[TrialResult, ...]
    equal: int
    differences: tuple[Difference, ...]
    unscored: tuple[str, ...]
    versions: tuple[tuple[str, str], ...] = ()

    @property
    def same(self) -> bool:
        """Whether every difference is expected."""
        return all(difference.expected for difference in self.differences)

    def lines(self) -> list[str]:
        """The report, for people."""
        head = f"{len(self.results)} results, {self.equal} scores equal, {len(self.differences)} different: {self.path}"
        return [
            head,
            *(f"  another version of a scorer: {before} -> {now}" for before, now in self.versions),
            *(f"  {one}" for one in self.differences),
            *(f"  not scored again: {one}" for one in self.unscored),
        ]


def rescore(path: Path) -> RescoreReport:
    """Score all trials of a results directory again and write ``results.rescored.jsonl`` there.

    Raises:
        UsageError: There are no results.
        ResultsError: They cannot be read, or the new ones cannot be written.
    """
    if not path.is_dir():
        raise UsageError("no such results directory; give the one that --netbench-results named", path=path)
    store = ResultsDir(path)
    stored = store.read().results
    if not stored:
        raise UsageError(f"no results here (neither {MERGED} nor results-*.jsonl)", path=path)
    scorers: dict[str, Scorer] = {}
    rescored: list[TrialResult] = []
    unscored: list[str] = []
    for result in stored:
        try:
            rescored.append(_again(store, result, scorers))
        except ResultsError as error:
            rescored.append(result)
            unscored.append(f"{result.node_id} trial {result.trial}: {error}")
    pairs = list(zip(stored, rescored, strict=True))
    compared = [pair for before, after in pairs for pair in _compared(before, after)]
    differences = tuple(one for one in compared if _value(one.before) != _value(one.after))
    target = path / RESCORED
    replace_file(target, "".join(plain_json(result.model_dump(mode="json")) + "\n" for result in rescored))
    return RescoreReport(
        path=target,
        results=tuple(rescored),
        equal=len(compared) - len(differences),
        differences=differences,
        unscored=tuple(unscored),
        versions=tuple(
            sorted(
                {
                    (one.before.scorer, one.after.scorer)
                    for one in compared
                    if one.before and one.after and one.before.scorer != one.after.scorer
                }
            )
        ),
    )


def _again(store: ResultsDir, result: TrialResult, scorers: dict[str, Scorer]) -> TrialResult:
    """Return ``result`` with new scores and verdicts. An infrastructure error has no record and is not changed."""
    record = store.record_of(result)
    if record is None:
        if result.status == "error":
            return result
        if result.sealed is not None:
            raise ResultsError("the record is sealed (fix: netbench unseal DIR --key FILE -o NEW, and rescore NEW)")
        raise ResultsError("no transcript was kept")
    names = _scorer_names(result, record)
    scorers |= load_scorers([name for name in names if name not in scorers])
    scores = tuple(score_of(scorers[name], record) for name in names)
    process = process_of(record, passed=result.status == "passed")
    return result.model_copy(update={"scores": scores, "process": process})


def _scorer_names(result: TrialResult, record: TrialRecord) -> list[str]:
    """Scorers that were applied, and those that the family applies by default: a run that was killed may lack some."""
    applied = [score.scorer.partition("/")[0] for score in result.scores]
    return list(dict.fromkeys([*applied, *parts.load("families", record.task.family)().scorers]))


def _compared(before: TrialResult, after: TrialResult) -> Iterator[Difference]:
    old = {score.metric: score for score in before.scores}
    new = {score.metric: score for score in after.scores}
    for metric in dict.fromkeys([*old, *new]):
        yield Difference(
            node_id=before.node_id, trial=before.trial, metric=metric, before=old.get(metric), after=new.get(metric)
        )


def _value(score: Score | None) -> tuple[bool, float | None]:
    return (score is not None, None if score is None else score.value)


def _said(score: Score | None) -> str:
    if score is None:
        return "absent"
    return f"{'not measured' if score.value is None else format(score.value, 'g')} ({score.scorer})"
