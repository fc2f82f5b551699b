"""Recorded difficulty: files ``.difficulty/SLUG-DIGEST.json`` near tasks, made from the results of runs.

They are evidence beside a task and no part of it: no digest of a task, no draw and no verdict depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from pytest_netbench.errors import ResultsError
from pytest_netbench.model.difficulty import Difficulty, Measured, MeasuredFault, MeasuredTrial, Share
from pytest_netbench.model.task import digest_of
from pytest_netbench.model.trial import AgentInfo, TrialResult
from pytest_netbench.results.recorded import RecordedFiles
from pytest_netbench.stats.clusters import clustered_share
from pytest_netbench.text import plain_json

FOLDER: Final = ".difficulty"
HEALTHY: Final = "healthy"
BOUNDS: Final = frozenset({"oracle", "nop"})
"""Agents that bound what can be reached, and measure nothing."""
_UNKNOWN: Final = "unknown"
_DIGITS: Final = 4


class Subject(NamedTuple):
    """What a trial measures: a task, or draws of a generator with equal parameters at a level."""

    digest: str
    slug: str
    name: str
    version: str | None = None
    parameters: Mapping[str, object] | None = None


def subject_of(result: TrialResult) -> Subject:
    """Return what a trial measures the difficulty of."""
    drawn = result.drawn
    if drawn is None:
        slug = result.node_id.rpartition("::")[2].partition("[")[0]
        return Subject(result.task_digest, slug, slug)
    version = _UNKNOWN if result.environment is None else result.environment.netbench
    chosen = {name: value for name, value in drawn.parameters.items() if name != "level"}
    digest = digest_of({"generator": drawn.generator, "level": drawn.level, "version": version, "parameters": chosen})
    name = f"{drawn.generator} level {drawn.level}"
    return Subject(digest, name.replace(" ", "-"), name, version, chosen)


def folder_of(result: TrialResult, root: Path) -> Path:
    """Return the folder near which the difficulty is recorded, if pytest ran in ``root``."""
    return root / "tasks" if result.drawn is not None else root / Path(result.node_id.partition("::")[0]).parent


def why_left_out(result: TrialResult) -> str | None:
    """Return why a trial says nothing about difficulty; ``None`` if it does."""
    if result.status == "error":
        return "infrastructure errors"
    if result.agent.strategy in BOUNDS:
        return "trials of oracle or nop, which are bounds"
    if result.sealed is not None:
        return "trials of sealed tasks"
    if result.sought is not None:
        return "draws that a search for failures chose"
    return None


class DifficultyStore:
    """Recorded difficulties near a task, or where draws are made."""

    def __init__(self, files: RecordedFiles) -> None:
        self._files = files

    @classmethod
    def around(cls, folder: Path, *, root: Path | None = None) -> DifficultyStore:
        """What is in ``.difficulty`` of ``folder``, of its parents up to ``root``, and of the shipped tasks."""
        return cls(RecordedFiles.around(FOLDER, folder, root=root))

    def load(self, digest: str) -> Difficulty | None:
        """What was measured of the subject with this digest; ``None`` if nothing was.

        Raises:
            ResultsError: There is a file, and it cannot be read, or says what its own trials do not.
        """
        path = self._files.find(digest)
        return None if path is None else read_difficulty(path, digest)

    def add(self, subject: Subject, results: Sequence[TrialResult]) -> tuple[Difficulty, Path | None]:
        """Add the trials of a subject to what is recorded of it. Trials that are recorded already change nothing.

        Args:
            subject: As of ``subject_of`` of each result.
            results: Trials that nothing leaves out.

        Returns:
            What is recorded now, and the file that was written; ``None`` if nothing is new.

        Raises:
            ResultsError: The file cannot be read or written.
        """
        known = self.load(subject.digest)
        found = Difficulty(
            digest=subject.digest,
            subject=subject.name,
            version=subject.version,
            parameters=None if subject.parameters is None else dict(subject.parameters),
            measured=tuple(_joined(() if known is None else known.measured, results)),
        )
        if found == known:
            return found, None
        text = plain_json(found.model_dump(mode="json"), indent=1) + "\n"
        return found, self._files.write(subject.slug, subject.digest, text, what="difficulty")


def read_difficulty(path: Path, digest: str) -> Difficulty:
    """Return what a file says of the subject with this digest.

    Raises:
        ResultsError: It cannot be read, is of another subject, or its shares are not those of its trials.
    """
    try:
        found = Difficulty.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise ResultsError(
            f"{path}: no measured difficulty ({words}); delete it and run netbench difficulty"
        ) from error
    if found.digest != digest:
        raise ResultsError(f"{path}: holds the difficulty of digest {found.digest}; its name says {digest}")
    for one in found.measured:
        if _summed(one.agent, one.model, one.settings, one.trials) != one:
            raise ResultsError(f"{path}: the shares of {one.agent} are not those of its trials")
    return found


def _joined(known: Iterable[Measured], results: Iterable[TrialResult]) -> Iterator[Measured]:
    trials: dict[tuple[str, str | None, str], dict[tuple[str, int, str], MeasuredTrial]] = {}
    for one in known:
        trials[one.agent, one.model, one.settings] = {_key(trial): trial for trial in one.trials}
    for result in results:
        trial = _measured(result)
        trials.setdefault(_agent(result.agent), {})[_key(trial)] = trial
    for agent, of_agent in sorted(trials.items(), key=lambda item: (item[0][0], item[0][1] or "", item[0][2])):
        yield _summed(*agent, sorted(of_agent.values(), key=lambda one: (one.started_at, one.node_id, one.trial)))


def _agent(agent: AgentInfo) -> tuple[str, str | None, str]:
    return agent.id, agent.model, digest_of(agent.settings)


def _key(trial: MeasuredTrial) -> tuple[str, int, str]:
    return trial.node_id, trial.trial, trial.started_at


def _measured(result: TrialResult) -> MeasuredTrial:
    causes = () if result.process is None else result.process.causes
    named = tuple(MeasuredFault(fault_type=one.fault_type, named=one.named) for one in causes)
    return MeasuredTrial(
        task=result.task_digest,
        node_id=result.node_id,
        trial=result.trial,
        started_at=result.started_at,
        passed=result.status == "passed",
        faults=named or tuple(MeasuredFault(fault_type=one) for one in result.regions.get("fault", ())),
    )


def _summed(agent: str, model: str | None, settings: str, trials: Sequence[MeasuredTrial]) -> Measured:
    dates = [one.started_at[:10] for one in trials]
    has_faults = any(one.faults for one in trials)
    kinds = sorted({fault.fault_type for one in trials for fault in one.faults})
    by_fault = {kind: _share(trials, kind) for kind in kinds}
    healthy = [one for one in trials if not one.faults]
    if has_faults and healthy:
        by_fault[HEALTHY] = _share(healthy)
    return Measured(
        agent=agent,
        model=model,
        settings=settings,
        first=min(dates),
        last=max(dates),
        all=_share(trials),
        by_fault=by_fault,
        trials=tuple(trials),
    )


def _share(trials: Sequence[MeasuredTrial], kind: str | None = None) -> Share:
    """How many passed; with a kind of fault, of the trials that have it."""
    mine = [one for one in trials if kind is None or any(fault.fault_type == kind for fault in one.faults)]
    by_task: dict[str, list[float]] = {}
    for one in mine:
        by_task.setdefault(one.task, []).append(float(one.passed))
    interval = clustered_share(list(by_task.values()))
    named = [any(fault.named for fault in one.faults if fault.fault_type == kind) for one in mine if _asks(one)]
    return Share(
        trials=len(mine),
        passed=sum(one.passed for one in mine),
        named=sum(named) if named and kind is not None else None,
        low=round(interval.low, _DIGITS),
        high=round(interval.high, _DIGITS),
    )


def _asks(trial: MeasuredTrial) -> bool:
    return any(fault.named is not None for fault in trial.faults)
