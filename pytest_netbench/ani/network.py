"""The draft's four methods (§4.2) over a running lab, and what they share with the extras."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from pytest_netbench import deadline, parts
from pytest_netbench.ani import excerpts, wire
from pytest_netbench.ani.access import Access
from pytest_netbench.ani.approval import Approver, Change
from pytest_netbench.ani.commands import SHELLS, CommandRules
from pytest_netbench.ani.extras import ALL
from pytest_netbench.ani.family_methods import FamilyMethods
from pytest_netbench.ani.guard import METHOD, CommandGuard
from pytest_netbench.ani.ledger import Ledger
from pytest_netbench.ani.meter import longest_s
from pytest_netbench.ani.methods import check_params, validated
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.recorder import MAX_ANSWER_BYTES, clip
from pytest_netbench.ani.standing import Standing
from pytest_netbench.ani.topology_pages import page_of
from pytest_netbench.ani.unresponsive import await_answer
from pytest_netbench.ani.watching import Watching
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.errors import AniError, LabError, PolicyViolation, RequirementMissing
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import Devices, UnknownDevice
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.capabilities import NOTICES
from pytest_netbench.platforms.driver import Driver
from pytest_netbench.platforms.terminal import CommandKind
from pytest_netbench.rpccodes import Code

MIN_MESSAGE_BYTES: Final = 256
ROOM_FOR_A_NOTE: Final = 1_024

T = TypeVar("T")


class NetworkMethods:
    """Answers requests about devices. Requests to one device run one at a time.

    Args:
        lab: The running network.
        policy: What is permitted.
        ledger: What the trial keeps.
        watching: Is told of every change.
        family_methods: The scene's methods, which say when devices answer and may be changed.
        dialects: Dialects by name, instead of those found by entry point.
        approver: Who approves each change, if anyone does.
    """

    def __init__(
        self,
        lab: Lab,
        *,
        policy: Policy,
        ledger: Ledger,
        watching: Watching,
        family_methods: FamilyMethods,
        dialects: Mapping[str, Dialect] | None,
        approver: Approver | None,
    ) -> None:
        self._lab = lab
        self._policy = policy
        self._ledger = ledger
        self._meter = ledger.meter
        self.watching = watching
        """Is told of every change."""
        self._family_methods = family_methods
        self.devices = Devices(lab)
        """The lab's devices."""
        self.dialects: Mapping[str, Dialect] = {
            name: parts.load("dialects", name)() if dialects is None else dialects[name]
            for name in self.devices.dialects
        }
        """The dialects of the lab's nodes, by name, in topology order."""
        self.access = Access(lab.topology, policy)
        """Which devices may be read and which may be configured."""
        self._rules = CommandRules(policy.commands, self.devices)
        self._approver = approver
        self._approving = threading.Lock()
        self.locks = {name: threading.Lock() for name in self.devices.names}
        """By device: held while a request to it is answered."""
        self._noticing = {name for name in self.devices.names if self._notices(name)}
        """Devices that see each change themselves."""
        self._handlers: dict[str, Callable[[Any], wire.Wire]] = {
            "get-topology": self._get_topology,
            "get-running-cfg": self._get_running_cfg,
            "update-cfg": self._update_cfg,
            "execute-cmd": self._execute_cmd,
        }

    @property
    def answers(self) -> dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
        """By method: what answers one request, or raises ``AniError``."""
        return {name: partial(self._answer, name) for name in (*self._handlers, *ALL)}

    def changes(self, device: str) -> bool:
        """Whether ``device`` may be configured now."""
        return self._family_methods.permits_changes and self.access.control(device) == "managed"

    def guard(self, standing: Standing | None = None) -> CommandGuard:
        """Return what checks, counts and records the lines that are entered at a device's own command line.

        Args:
            standing: Takes a turn for each, if the network stands still between them.
        """
        return CommandGuard(
            admit=self._admit,
            ledger=self._ledger,
            watching=self.watching,
            noticing=self._noticing,
            check=self._check_line,
            broken=self._broken,
            standing=standing,
        )

    # lines at a device's own command line

    def _admit(self, device: str, *, changes: bool) -> None:
        self._ledger.refuse_if_closed()
        self._permitted(device, changes=changes)
        await_answer(self._lab, device, "at its console")

    def _check_line(self, device: str, line: str, kind: CommandKind) -> None:
        """Check a line that is entered at a device's own command line, and ask for approval if it may be a change."""
        self._rules.check_line(device, line, kind)
        unknown_kind = kind == "read" and self.devices.node(device).platform in SHELLS and self.changes(device)
        if kind == "configure" or unknown_kind:
            self._approved(device, METHOD, [line])

    def _broken(self, device: str, error: Exception) -> None:
        """Note that a session at a device's own command line failed."""
        if self._ledger.lab_error is not None or self._ledger.closed.is_set() or isinstance(error, AniError):
            return
        if not agent_may_have_caused(error, self.devices.node(device)):
            broke = LabError(f"{device}: its console failed: {error!r}")
            self._ledger.broke(error if isinstance(error, LabError) else broke)

    # the four methods

    def _get_topology(self, params: wire.GetTopologyParams) -> wire.GetTopologyResult:
        for device in params.devices:
            self._known(device)
        view = wire.TopologyView(**self._lab.topology.wire(params.devices))
        return wire.GetTopologyResult(topology=view) if params.page is None else page_of(view, params.page)

    def _get_running_cfg(self, params: wire.GetRunningCfgParams) -> wire.GetRunningCfgResult:
        text = self._ask(params.device, "get-running-cfg", lambda driver, node: driver.running_config(node))
        if params.section is not None:
            text = excerpts.section(text, params.section)
        if params.page is None:
            return wire.GetRunningCfgResult(
                running_config=clip(text, MAX_ANSWER_BYTES, "; ask for a section or a page")
            )
        page = excerpts.page(text, params.page)
        return wire.GetRunningCfgResult(running_config=clip(page, MAX_ANSWER_BYTES), pages=excerpts.pages(text))

    def _update_cfg(self, params: wire.UpdateCfgParams) -> wire.UpdateCfgResult:
        device, commands = params.device, params.commands
        self._permitted(device, changes=True)
        self._rules.check(device, "update-cfg", commands)
        self._meter.charge_commands(sum(max(1, _lines(command)) for command in commands))
        self._approved(device, "update-cfg", commands)
        noticed = device in self._noticing
        with nullcontext() if noticed else self.watching.change(device, commands):
            statuses = self._ask(device, "update-cfg", lambda driver, node: driver.apply(node, commands))
        if noticed:
            self.watching.complete()
        self._ledger.commands.extend(statuses)
        limit = max(MIN_MESSAGE_BYTES, MAX_ANSWER_BYTES // max(1, len(statuses)))
        return wire.UpdateCfgResult(results=tuple(_result_of(status, limit) for status in statuses))

    def _execute_cmd(self, params: wire.ExecuteCmdParams) -> wire.ExecuteCmdResult:
        device, line = params.device, params.command.strip()
        self._permitted(device)
        self._rules.check(device, "execute-cmd", [line])
        self._meter.charge_commands(1)
        limits = SandboxLimits(output_bytes=MAX_ANSWER_BYTES - ROOM_FOR_A_NOTE)
        wall_s = self._meter.left()["wall_s"]
        if wall_s is not None:
            limits = replace(limits, timeout_s=max(0.1, min(limits.timeout_s, wall_s)))
        output = self._ask(device, "execute-cmd", lambda driver, node: driver.execute(node, line, limits=limits))
        return wire.ExecuteCmdResult(output=clip(output, MAX_ANSWER_BYTES, "; ask for less"))

    # shared by the methods

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._policy.check_method(method)
        if (extra := ALL.get(method)) is not None:
            return extra.answer(self, validated(method, extra.params, params)).plain()
        return self._handlers[method](check_params(method, params)).plain()

    def _ask(self, device: str, what: str, question: Callable[[Driver[Any], LabNode], T]) -> T:
        self._permitted(device)
        await_answer(self._lab, device, what)
        with self.locks[device]:
            self._ledger.refuse_if_closed()
            self._meter.check()
            try:
                cancelled = self._ledger.closed.is_set
                with deadline.within(longest_s(self._meter.left()["wall_s"]), cancelled=cancelled):
                    return self.devices.ask(device, what, question)
            except LabError as error:
                # an error that an agent's request can cause must not make its trial invalid
                if not agent_may_have_caused(error, self.devices.node(device)):
                    raise
                raise AniError(
                    f"{device}: the device did not answer {what}: {error}", code=Code.DEVICE_ERROR
                ) from error

    def _notices(self, device: str) -> bool:
        """Whether a device sees each change itself. It tells of each from now on."""
        try:
            notices = self.devices.node(device).capability(NOTICES)
        except RequirementMissing:
            return False
        notices.notify(partial(self.watching.noticed, device))
        return True

    def _permitted(self, device: str, *, changes: bool = False) -> None:
        self._family_methods.check(changes=changes)
        self._known(device)
        if changes:
            self.access.check_change(device)
        else:
            self.access.check_read(device)

    def _approved(self, device: str, method: str, commands: Sequence[str]) -> None:
        """Ask for approval of a change, if that is needed; the agent's clock stands still meanwhile.

        Raises:
            PolicyViolation: It was refused.
            AniError: Nobody could decide.
        """
        if self._approver is None:
            return
        change = Change(
            device=device, platform=self.devices.node(device).platform, method=method, commands=tuple(commands)
        )
        with self._approving, self._meter.paused():
            began = time.monotonic()
            decision = self._approver.decide(change, cancelled=self._ledger.closed.is_set)
            seconds = time.monotonic() - began
        self._ledger.refuse_if_closed()
        outcome = "failed" if decision.failed else "allowed" if decision.allowed else "refused"
        why = f": {decision.reason}" if decision.reason else ""
        self._ledger.note(f"approval of {method} on {device} {outcome} after {seconds:.1f} s{why}")
        if decision.failed:
            raise AniError(f"the change on {device!r} could not be approved, and was not made{why}")
        if not decision.allowed:
            raise PolicyViolation(f"the change on {device!r} was not approved, and was not made{why}", kind="approval")

    def _known(self, device: str) -> None:
        try:
            self.devices.node(device)
        except UnknownDevice as error:
            raise AniError(str(error), code=Code.INVALID_PARAMS) from None


def _lines(command: str) -> int:
    return sum(bool(line.strip()) for line in command.splitlines())


def _result_of(status: CommandStatus, limit: int) -> wire.CommandResult:
    message = clip(status.message, limit) if status.message or status.status == "error" else None
    return wire.CommandResult(command=status.command, status=status.status, message=message)
