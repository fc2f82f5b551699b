"""Why a trial failed: the first rule that holds. The rules stand in the order of ``REASONS``. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pytest_netbench.model.process import OTHER
from pytest_netbench.process.findings import Findings

Rule = Callable[[Findings], bool]


def reason_of(found: Findings) -> str:
    """Return why a trial failed, one of ``REASONS``."""
    return next((name for name, holds in RULES.items() if holds(found)), OTHER)


# the answer


def _ends_early(found: Findings) -> bool:
    is_over = found.record.outcome == "budget"
    return is_over and (found.answer is None if found.asks_causes else not found.changes and not _has_code(found))


def _lacks_answer(found: Findings) -> bool:
    if found.asks_causes:
        return found.answer is None
    return _plan(found) == "nothing"


def _is_false_alarm(found: Findings) -> bool:
    answer = found.answer
    return answer is not None and not found.named and (answer.is_anomaly or bool(answer.root_causes))


def _places(found: Findings) -> Iterator[tuple[bool, bool]]:
    """For each cause that is missing: whether a stranger names its place, and whether one names its type."""
    causes, _ = found.compared
    for number in found.missing:
        one = causes[number]
        yield (
            any(other.resource_id in one.resources for other in found.strangers),
            any(other.fault_type == one.fault_type for other in found.strangers),
        )


def _says_all_clear(found: Findings) -> bool:
    return bool(found.missing) and found.answer is not None and not found.answer.root_causes


def _sees_unnamed(found: Findings) -> bool:
    return any(found.shown[number] is not None for number in found.missing)


def _has_surplus(found: Findings) -> bool:
    return found.answer is not None and bool(found.named) and not found.missing and not found.is_diagnosed


# code


def _plan(found: Findings) -> str | None:
    """How the run of the code ended that an agent handed in; ``None`` if the task asks for none."""
    plan = found.record.other.get("plan")
    return str(plan.get("status")) if isinstance(plan, Mapping) else None


def _has_code(found: Findings) -> bool:
    return _plan(found) not in {None, "nothing"}


def _is_wrong_result(found: Findings) -> bool:
    plan = found.record.other.get("plan")
    return isinstance(plan, Mapping) and not (plan.get("answered") and plan.get("graph_right"))


# changes


def _is_wrong(found: Findings) -> bool:
    """Whether the network is not as it must be at the end."""
    return bool(found.wrong_after) or any(failed for failed, _ in found.tests.values())


def _broke(found: Findings) -> bool:
    failed, _ = found.tests.get("regression", (0, 0))
    return bool(found.last_change) and (bool(found.wrong_after - found.wrong_before) or bool(failed))


def _mended_part(found: Findings) -> bool:
    failed, count = found.tests.get("intent", (0, 0))
    return bool(found.wrong_before - found.wrong_after) or 0 < failed < count


def _is_cause_unseen(found: Findings) -> bool:
    return bool(found.shown) and not any(found.shown) and not found.asks_causes and not _mended_part(found)


RULES: Final[Mapping[str, Rule]] = {
    "agent-error": lambda found: found.record.outcome == "agent-error",
    "out-of-budget-searching": _ends_early,
    "no-answer": _lacks_answer,
    "false-alarm": _is_false_alarm,
    "wrong-type": lambda found: any(place for place, _ in _places(found)),
    "wrong-place": lambda found: any(kind for _, kind in _places(found)),
    "seen-not-named": _sees_unnamed,
    "decoy-named": lambda found: bool(found.missing) and found.names_decoy,
    "all-clear": _says_all_clear,
    "wrong-cause": lambda found: bool(found.missing) and bool(found.strangers),
    "incomplete": lambda found: bool(found.missing),
    "surplus-cause": _has_surplus,
    "code-failed": lambda found: _has_code(found) and _plan(found) != "done",
    "wrong-result": _is_wrong_result,
    "unsafe-result": _has_code,
    "out-of-budget-changing": lambda found: found.record.outcome == "budget",
    "changed-nothing": lambda found: _is_wrong(found) and not found.changes,
    "changes-refused": lambda found: _is_wrong(found) and found.last_change is None,
    "broke-something": _broke,
    "lost-again": lambda found: bool(found.wrong_after) and found.was_right,
    "refused-command-left": lambda found: _is_wrong(found) and found.refused_left,
    "cause-not-found": lambda found: _is_wrong(found) and _is_cause_unseen(found),
    "not-verified": lambda found: _is_wrong(found) and not found.is_verified,
    "partly-done": lambda found: _is_wrong(found) and _mended_part(found),
    "wrong-change": _is_wrong,
    "traffic-lost": lambda found: found.breached,
}
"""By reason: whether it holds, if none before it does."""
