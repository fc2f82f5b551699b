"""Finds, among the trials of a run that passed, solutions that differ from all that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_netbench import __version__
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.solutions import GroundTruth
from pytest_netbench.model.task import digest_of
from pytest_netbench.model.trial import TrialRecord, TrialResult
from pytest_netbench.scorers.comparison import Comparer, Comparison, lack
from pytest_netbench.scorers.references import Reference, references, shown

DIFFERENCE = 0.2
"""The least share of changed lines that a candidate has otherwise than each known solution."""

RecordOf = Callable[[TrialResult], TrialRecord | None]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A solution that a trial found, and how much of it the nearest known one has."""

    result: TrialResult
    solution: GroundTruth
    nearest: str
    shared: float


@dataclass(kw_only=True)
class Harvest:
    """What a run yields: candidates by task digest, and why passed trials yield none, with how many there are."""

    candidates: dict[str, list[Candidate]] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, why: str) -> None:
        """Count a trial that yields no candidate."""
        self.left_out[why] = self.left_out.get(why, 0) + 1


def harvest(
    results: Sequence[TrialResult],
    record_of: RecordOf,
    *,
    difference: float = DIFFERENCE,
    dialects: Mapping[str, Dialect] | None = None,
) -> Harvest:
    """Return the candidates among the trials that passed.

    Names that a person may choose freely and the order of lines do not count as differences, as for the score
    ``command``. Lines that one of two solutions has beside all of the other do not count either: at least
    ``difference`` of the smaller one must be otherwise.

    Args:
        results: The trials of a run.
        record_of: Gives the full record of a trial.
        difference: The least share of changed lines that differ from each known solution, 0…1.
        dialects: Dialects by name, instead of those found by entry point.

    Raises:
        ResultsError: A record cannot be read.
    """
    found = Harvest()
    for result in results:
        if result.status != "passed":
            continue
        record = record_of(result)
        why = "no transcript was kept" if record is None else _unfit(record)
        if record is None or why is not None:
            found.leave_out(why or "")
            continue
        others = found.candidates.setdefault(result.task_digest, [])
        nearest, shared = _nearest(record, [(one, record_of(one.result)) for one in others], dialects)
        if shared > 1 - difference:
            found.leave_out("too near to a known solution")
            continue
        solution = _solution(result, record, nearest=nearest, shared=shared)
        others.append(Candidate(result=result, solution=solution, nearest=nearest, shared=shared))
    found.candidates = {digest: some for digest, some in found.candidates.items() if some}
    return found


def _unfit(record: TrialRecord) -> str | None:
    """Why the trial yields no solution, or ``None``."""
    if not isinstance(record.task.payload, Configure):
        return "the task has no ground-truth configs"
    if record.task.variant is not None or record.task.drawn is not None:
        return "the task is drawn or a variant, so it has no file"
    if not _accepted(record):
        return "no configuration command was accepted"
    return lack(record)


def _accepted(record: TrialRecord) -> dict[str, tuple[str, ...]]:
    """The commands that devices accepted, by node."""
    accepted: dict[str, list[str]] = {}
    for one in record.commands:
        if one.status == "success" and one.command.strip():
            accepted.setdefault(one.device, []).append(one.command)
    return {node: tuple(commands) for node, commands in accepted.items()}


def _nearest(
    record: TrialRecord,
    candidates: Sequence[tuple[Candidate, TrialRecord | None]],
    dialects: Mapping[str, Dialect] | None,
) -> tuple[str, float]:
    """The known solution that has most of the trial's changes, in words, and the share of the smaller of the two."""
    comparer = Comparer(record, dialects=dialects)
    known: Iterator[tuple[str, Reference]] = ((shown(one.name), one) for one in references(record))
    others = (
        (
            f"candidate {one.solution.solution_id!r}",
            Reference(name=one.solution.solution_id, configs=other.final_configs),
        )
        for one, other in candidates
        if other is not None
    )
    shares = [(words, _share(comparer.with_reference(one))) for words, one in (*known, *others)]
    return max(shares, key=lambda one: one[1])


def _share(compared: Comparison) -> float:
    smaller = min(compared.generated, compared.expected)
    return 1.0 if smaller == 0 else compared.matched / smaller


def _solution(result: TrialResult, record: TrialRecord, *, nearest: str, shared: float) -> GroundTruth:
    configs = _accepted(record)
    provenance = {
        "agent": result.agent.id,
        "model": result.agent.model,
        "trial": f"{result.node_id} trial {result.trial}",
        "started_at": result.started_at,
        "netbench": __version__,
        "nearest": nearest,
        "shared": round(shared, 3),
    }
    name = f"{result.agent.id}-{digest_of({node: list(lines) for node, lines in configs.items()})[:8]}"
    return GroundTruth(
        solution_id=name,
        configs=configs,
        reasoning=record.submission.reasoning or "",
        provenance={key: value for key, value in provenance.items() if value is not None},
    )
