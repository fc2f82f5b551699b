"""Verdicts on how an agent worked, from the record of its trial alone. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.process import CauseTrail, Completion, Process
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.process.findings import Findings
from pytest_netbench.process.reasons import reason_of
from pytest_netbench.process.requests import KINDS, Request
from pytest_netbench.process.undoing import undone

_LIMITS = ("calls", "commands", "wall_s", "tokens", "lab_s")


def process_of(record: TrialRecord, *, passed: bool) -> Process:
    """Return the verdicts on how an agent worked.

    Args:
        record: Of the trial. Nothing else is read.
        passed: Whether the trial passed; only one that failed has a reason.
    """
    found = Findings(record)
    trails = tuple(_trails(found))
    kinds = Counter(one.kind for one in found.requests)
    completion = _completion(record, passed=passed)
    return Process(
        completion=completion,
        reason=None if passed else reason_of(found),
        causes=trails,
        named_unseen=sum(one.named is True and one.shown_by is None for one in trails),
        seen_unnamed=sum(one.named is False and one.shown_by is not None for one in trails),
        actions={kind: kinds[kind] for kind in KINDS if kinds[kind]},
        errors=sum(one.errs for one in found.requests),
        repeated=_repeated(found.requests),
        changed_unread=tuple(_changed_unread(found.requests)),
        unverified=not found.is_verified,
        undone=undone(found.requests, found.platforms),
        stopped_early=completion == "submitted-early" and _has_calls_left(record),
        ended_by=_ended_by(record) if record.outcome == "budget" else None,
    )


def _trails(found: Findings) -> Iterator[CauseTrail]:
    if not isinstance(found.payload, Faulty):
        return
    places = (cause.resources[0] for cause in causes_of(found.payload.faults, found.payload.topology))
    for fault, place, shown, named in zip(found.payload.faults, places, found.shown, found.named, strict=True):
        yield CauseTrail(fault_type=fault.fault, resource=place, shown_by=shown, named=named)


def _completion(record: TrialRecord, *, passed: bool) -> Completion:
    if passed:
        return "correct"
    by_outcome: dict[str, Completion] = {"budget": "limit", "agent-error": "error"}
    return by_outcome.get(record.outcome, "submitted-early")


def _repeated(requests: Sequence[Request]) -> int:
    asked: set[tuple[str, str]] = set()
    count = 0
    for one in requests:
        if one.applied:
            asked = set()
        elif one.kind in {"look", "measure"}:
            count += one.key in asked
            asked.add(one.key)
    return count


def _changed_unread(requests: Sequence[Request]) -> Iterator[str]:
    read: set[str] = set()
    changed: set[str] = set()
    for one in requests:
        if one.looks and one.device:
            read.add(one.device)
        if one.applied and one.device not in changed:
            changed.add(one.device)
            if one.device not in read:
                yield one.device


def _left(record: TrialRecord) -> dict[str, float | None]:
    """What was left of the budget after the last request; the budget of the task if there was none."""
    last = next((step for step in reversed(record.trace) if step.kind == "ani"), None)
    left = None if last is None else last.data.get("budget_left")
    return dict(left) if isinstance(left, dict) else record.task.budget.model_dump()


def _has_calls_left(record: TrialRecord) -> bool:
    calls = _left(record).get("calls")
    return calls is None or calls > 0


def _ended_by(record: TrialRecord) -> str | None:
    """The limit that the error names, or else the one of which nothing is left."""
    said = (record.error or "").partition("budget exhausted: ")[2].split()
    if said[:1] and said[0] in _LIMITS:
        return said[0]
    left = _left(record)
    return next((name for name in _LIMITS if (amount := left.get(name)) is not None and amount <= 0), None)
