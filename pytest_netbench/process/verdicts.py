"""Verdicts on how an agent worked, from the record of its trial alone. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_netbench.dialects.syntax import Path, syntax_of
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.observation import begins
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.process import CauseTrail, Completion, Process
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.process.findings import Findings
from pytest_netbench.process.reasons import reason_of
from pytest_netbench.process.requests import KINDS, Request

MOST = 20
"""Lines that are listed."""


def undone(requests: Iterable[Request], platforms: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines that an agent undid, each as ``DEVICE: LINE``.

    Commands that are no lines of a config, as those of a shell, are compared by their words: an ``add`` and a ``del``
    of the same. A line that is replaced by another one is not undone, and neither is one that is taken away and entered
    again in one request: so the order of lines is changed.

    Args:
        requests: Of the agent, in order.
        platforms: Of the devices, by name.
    """
    by_device: dict[str, list[Sequence[str]]] = {}
    for one in requests:
        if one.applied and one.device in platforms:
            by_device.setdefault(one.device, []).append(one.applied)
    found = [f"{device}: {line}" for device, sent in by_device.items() for line in _of(sent, platforms[device])]
    return tuple(dict.fromkeys(found))[:MOST]


def _of(sent: Iterable[Sequence[str]], platform: str) -> Iterator[str]:
    entered: set[Path] = set()
    removed: set[Path] = set()
    for commands in sent:
        now_entered, now_removed = _split(commands, platform)
        both = {path for path in now_removed if path in now_entered}
        for path in now_removed:
            if path not in both and (hit := next((one for one in entered if begins(one, path)), None)) is not None:
                yield hit[-1]
        for path in now_entered:
            if path not in both and path in removed:
                yield path[-1]
        entered = {one for one in entered if not any(begins(one, path) for path in now_removed)} | now_entered
        removed = (removed | now_removed) - now_entered


def _split(commands: Sequence[str], platform: str) -> tuple[set[Path], set[Path]]:
    """What commands of one request enter and what they remove. Lines that only open a place are neither."""
    try:
        syntax = syntax_of(platform)
    except UsageError:  # of a package that is not installed
        return set(), set()
    if not syntax.negate(("x",)):
        return _by_words(commands)
    edits = syntax.edits(tuple(commands))
    opened = {one.path[:-1] for one in edits}
    entered = {one.path for one in edits if not one.removes and one.path not in opened}
    return entered, {one.path for one in edits if one.removes}


def _by_words(commands: Sequence[str]) -> tuple[set[Path], set[Path]]:
    """The same of a shell's commands: the words but for ``add`` or ``del``."""
    entered: set[Path] = set()
    removed: set[Path] = set()
    for command in commands:
        words = command.split()
        for verbs, kept in ((("add", "append"), entered), (("del", "delete"), removed)):
            place = next((at for at, word in enumerate(words) if word in verbs), None)
            if place is not None:
                kept.add((" ".join([*words[:place], *words[place + 1 :]]),))
    return entered, removed


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
