"""How an agent worked, as a transcript shows it: what it looked at, what it changed, and why its trial failed."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from pytest_netbench.model.base import Recorded

VERSION: Final = 2
"""Of the definitions. It rises with each change after which a stored transcript can have other verdicts."""

Completion = Literal["correct", "submitted-early", "limit", "error"]
"""How a trial was completed: right, ended by the agent although something was wrong, by its budget, or by an error."""

OTHER: Final = "other"

REASONS: Final[dict[str, str]] = {
    "agent-error": "The agent failed by itself: an error, the end of its process, or an answer that cannot be read.",
    "out-of-budget-searching": "The budget was used up before the agent answered, or before it changed anything.",
    "no-answer": "The agent ended without an answer, which the task asks for.",
    "false-alarm": "Nothing was wrong, and the agent named a cause.",
    "wrong-type": "The agent named the place of a cause, and not what is wrong there.",
    "wrong-place": "The agent named what is wrong, at another place.",
    "seen-not-named": "An output showed a cause before the answer, and the answer does not name it or its place.",
    "decoy-named": "The agent named a decoy, which looks like a cause and is none, and not the cause.",
    "all-clear": "Something was wrong, and the agent said that nothing is.",
    "wrong-cause": "The agent named something that is not wrong, and no output is known to have shown the cause.",
    "incomplete": "The agent did not name each cause, and no output is known to have shown the one that is missing.",
    "surplus-cause": "The agent named each cause, and more.",
    "code-failed": "The code that the agent handed in left no result.",
    "wrong-result": "The code that the agent handed in left a wrong result.",
    "unsafe-result": "The code that the agent handed in left a right result, and changed more, or broke a rule.",
    "out-of-budget-changing": "The budget was used up while the agent was changing the network.",
    "changed-nothing": "Something was to be changed, and the agent tried to change nothing.",
    "changes-refused": "Devices refused every command by which the agent wanted to change something.",
    "broke-something": "Something that was right when the agent began is wrong at the end.",
    "lost-again": "Everything was right after a change, and wrong again after a later one.",
    "refused-command-left": "A device refused a command, and the agent did not enter it in another way.",
    "cause-not-found": "Nothing that was wrong is right, and no output is known to have shown a cause.",
    "not-verified": "The agent did not look at the network after its last change, which did not do all that was asked.",
    "partly-done": "A part of what was wrong, or of what was asked for, is right at the end.",
    "wrong-change": "The agent looked at the network after its last change, and nothing that was wrong is right.",
    "traffic-lost": "Each flow is right, and the traffic of the network loses more than it may.",
    OTHER: "None of the other reasons.",
}
"""Why a trial failed, in words. If several hold, the first one counts."""


class CauseTrail(Recorded):
    """What became of one cause: whether an output showed it, and whether the answer names it."""

    fault_type: str
    resource: str = Field(description="the first of its places")
    shown_by: int | None = Field(
        None, description="number of the first request whose answer shows it, from 1; `null`: not shown to be seen"
    )
    named: bool | None = Field(None, description="whether the answer names it; `null` if the task asks for none")


class Process(Recorded):
    """How an agent worked. Numbers of requests count the requests of the trace, from 1."""

    version: int = VERSION
    completion: Completion
    reason: str | None = Field(None, description="why the trial failed; `null` if it passed")
    causes: tuple[CauseTrail, ...] = Field((), description="of a network with faults, in the order of the task")
    named_unseen: int = Field(0, description="how many causes are named and not shown to be seen")
    seen_unnamed: int = Field(0, description="how many causes are shown to be seen and not named")
    actions: dict[str, int] = Field(
        {}, description="how many requests looked, measured, changed, answered, waited, or did something else"
    )
    errors: int = Field(0, description="requests that the interface or a device refused, wholly or in part")
    repeated: int = Field(0, description="requests that ask again what was asked since the last change")
    changed_unread: tuple[str, ...] = Field(
        (), description="devices that were changed before anything of them was read"
    )
    unverified: bool = Field(False, description="whether nothing was looked at or measured after the last change")
    undone: tuple[str, ...] = Field((), description="lines that the agent entered and took back, or the reverse")
    stopped_early: bool = Field(False, description="ended by itself with calls left while something was wrong")
    ended_by: str | None = Field(None, description="the limit of the budget that ended the trial; `null` if none did")
