"""Why trials failed, as the page shows it: a row for each reason, with the trials of each agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.model.process import Process
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.reasons import UNKNOWN, counted, meaning


@dataclass(frozen=True, kw_only=True)
class ReasonRow:
    """A reason, what it means, and of each agent how many trials failed for it, and of how many that failed."""

    name: str
    meaning: str
    agents: Sequence[tuple[str, int, int]]


def reason_rows(scored: Sequence[TrialResult], agents: Sequence[str]) -> list[ReasonRow]:
    """Return the reasons, most trials first; none if no trial has one."""
    by_agent = {agent: counted(one for one in scored if one.agent.id == agent) for agent in agents}
    every = counted(scored)
    if not every.keys() - {UNKNOWN}:
        return []
    return [
        ReasonRow(
            name=name,
            meaning=meaning(name),
            agents=[(agent, found.get(name, 0), sum(found.values())) for agent, found in by_agent.items() if found],
        )
        for name in sorted(every, key=lambda name: -every[name])
    ]


def conduct_lines(process: Process | None) -> list[str]:
    """How an agent worked, in sentences: what is told of one trial."""
    if process is None:
        return []
    return [
        f"Completed: {process.completion}{f', by {process.ended_by}' if process.ended_by else ''}.",
        f"Requests: {words.counted(process.actions) or 'none'}; refused {process.errors}, repeated {process.repeated}.",
        *(_cause(one.fault_type, one.resource, one.shown_by, named=one.named) for one in process.causes),
        *([f"Changed before reading: {', '.join(process.changed_unread)}."] if process.changed_unread else []),
        *(["Nothing was looked at after the last change."] if process.unverified else []),
        *([f"Undone: {words.clipped('; '.join(process.undone), 300)}."] if process.undone else []),
        *(["It stopped with calls left, and something was wrong."] if process.stopped_early else []),
    ]


def _cause(fault_type: str, resource: str, shown_by: int | None, *, named: bool | None) -> str:
    seen = "not shown to be seen" if shown_by is None else f"seen by request {shown_by}"
    said = "" if named is None else ", named" if named else ", not named"
    return f"{fault_type} at {resource}: {seen}{said}."
