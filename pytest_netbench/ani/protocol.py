"""The interface of an agent to a network: the draft's four methods (§4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import BudgetUsed, CommandStatus, MethodSpec, SshAccess, Step


class WorkWatcher(Protocol):
    """Is told of every change that an agent makes, while it makes it."""

    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> AbstractContextManager[None]:
        """Around the work for one change. The agent waits until it is left.

        Args:
            device: What is changed.
            lines: What the agent sent.
            at_s: Wall seconds since the agent began.
        """
        ...


@runtime_checkable
class LooksAtParts(Protocol):
    """What a watcher may offer: it looks after each part of a change that a device sees itself, too."""

    def look_after(self, what: str) -> None:
        """Look after a part of a change, such as a request to an API. Its answer is held meanwhile."""
        ...


@runtime_checkable
class ReportsFlows(Protocol):
    """What a watcher may offer: it tells what it saw last."""

    def report(self) -> str:
        """Who reaches whom, for people."""
        ...


class Ani(Protocol):
    """The Agent-Network Interface as an agent sees it.

    Every method raises ``AniError`` for a request that is refused (unknown device, policy) and ``BudgetExhausted`` once
    the budget is used up. Results have exactly the draft's shapes.
    """

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        """``{"topology": {"nodes": [...], "links": [...]}}``; empty ``devices`` means all."""
        ...

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        """``{"running_config": "..."}``."""
        ...

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        """Apply configuration lines and return one result for each command.

        A result is ``{"command": ..., "status": "success"}`` or
        ``{"command": ..., "status": "error", "message": ...}``; the value is ``{"results": [...]}``.
        """
        ...

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        """``{"output": "..."}``."""
        ...

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """One request by its wire name, e.g. ``call("get-running-cfg", {"device": "R1"})``.

        The names of the draft's revision -02 (``methods.DRAFT_TOOLS``) are taken as well, e.g. ``execute_validation``.
        """
        ...

    def budget_left(self) -> dict[str, float | None]:
        """What is left: calls, commands, wall_s, tokens; ``None`` means unlimited."""
        ...

    def offered(self) -> tuple[MethodSpec, ...]:
        """The methods that this agent may call, with the JSON Schemas of their parameters and results."""
        ...

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        """Record one model completion as a step of the trace and count its tokens against the budget."""
        ...

    def note(self, text: str) -> None:
        """Record a note (a retry, a truncation) as a step of the trace."""
        ...


class OpenAni(Ani, Protocol):
    """An ``Ani`` with the operations of the code that runs a trial. It serves one agent and is closed afterwards."""

    ssh: SshAccess | None
    """Logins, if the devices answer with SSH."""

    @property
    def waited_s(self) -> float:
        """Wall seconds that the agent waited for the evaluation; its clock stood still."""
        ...

    @property
    def quiet_s(self) -> float | None:
        """Wall seconds since the last answer, 0 while a request is under way; ``None`` if there was none.

        Requests that were made after the budget was known to be used up do not count.
        """
        ...

    def start(self) -> None:
        """Start the agent's clock; otherwise the first request does."""
        ...

    def watch(self, watcher: WorkWatcher) -> None:
        """Tell ``watcher`` of every change from now on."""
        ...

    def close(self) -> None:
        """Refuse everything from now on, and wait for the requests under way. Idempotent."""
        ...

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace so far."""
        ...

    @property
    def commands(self) -> tuple[CommandStatus, ...]:
        """Every configuration command so far and what the device said of it."""
        ...

    @property
    def violations(self) -> Mapping[str, int]:
        """How many requests the policy refused, by kind (see ``errors.PolicyViolation``)."""
        ...

    @property
    def budget_used(self) -> BudgetUsed:
        """What was used of the budget."""
        ...

    @property
    def lab_error(self) -> LabError | None:
        """The first infrastructure error of a request, even if the agent ignored it: the trial cannot be scored."""
        ...
