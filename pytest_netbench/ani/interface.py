"""The Agent-Network Interface over a running lab: checks, counts, answers and records every request of an agent."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pytest_netbench import deadline, parts
from pytest_netbench.ani import wire
from pytest_netbench.ani.access import Access
from pytest_netbench.ani.approval import Approver, Change
from pytest_netbench.ani.commands import SHELL, CommandRules
from pytest_netbench.ani.guard import METHOD, CommandGuard
from pytest_netbench.ani.manual import search
from pytest_netbench.ani.meter import Meter, longest_s
from pytest_netbench.ani.methods import (
    GET_REACHABILITY,
    SEARCH_MANUAL,
    as_sent,
    check_method,
    check_params,
    wire_name,
)
from pytest_netbench.ani.own import OwnMethod, OwnMethods
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.protocol import ReportsFlows, WorkWatcher
from pytest_netbench.ani.recorder import Recorder, clip
from pytest_netbench.ani.silence import await_answer
from pytest_netbench.ani.watching import Watching
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.errors import AniError, BudgetExhausted, LabError, NetbenchError, PolicyViolation
from pytest_netbench.lab.devices import Devices, UnknownDevice, unknown
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.lab.wellness import may_be_the_agents
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import BudgetUsed, CommandStatus, MethodSpec, SshAccess, Step
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.driver import Driver
from pytest_netbench.platforms.terminal import CommandKind
from pytest_netbench.rpccodes import Code

MAX_ANSWER_BYTES = 65_536
MIN_MESSAGE_BYTES = 256
ROOM_FOR_A_NOTE = 1_024
LONGEST_CLOSE_S = 10.0

T = TypeVar("T")


class LabAni:
    """An agent's interface to a lab. May be called from several threads; requests to one device run one at a time.

    Args:
        lab: The running network.
        policy: What is permitted.
        budget: What may be used.
        dialects: Dialects by name, instead of those found by entry point.
        methods: What the scene offers beside the devices.
        approver: Who approves each change, if anyone does.
        clock: Wall seconds, monotonic.
    """

    def __init__(
        self,
        lab: Lab,
        *,
        policy: Policy,
        budget: Budget,
        dialects: Mapping[str, Dialect] | None = None,
        methods: Sequence[OwnMethod] = (),
        approver: Approver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lab = lab
        self._devices = Devices(lab)
        self._dialects = {
            name: parts.load("dialects", name)() if dialects is None else dialects[name]
            for name in self._devices.dialects
        }
        self._policy = policy
        self._access = Access(lab.topology, policy)
        self._rules = CommandRules(policy.commands, self._devices)
        self._approver = approver
        self._violations: Counter[str] = Counter()
        self._meter = Meter(budget, clock=clock)
        self._recorder = Recorder()
        self._commands: list[CommandStatus] = []
        self._approving = threading.Lock()
        self._locks = {name: threading.Lock() for name in self._devices.names}
        self._closed = threading.Event()
        self._own = OwnMethods(methods, self._meter, refuse_if_closed=self._refuse_if_closed, closed=self._closed)
        self._lab_error: LabError | None = None
        self._watching = Watching(self._meter, broken=self._watcher_broke)
        self._watcher: WorkWatcher | None = None
        self._at_close: list[Callable[[], None]] = []
        self.ssh: SshAccess | None = None
        """Logins, if the devices answer with SSH (see ``ani.ssh``)."""
        self._handlers: dict[str, Callable[[Any], wire.Wire]] = {
            "get-topology": self._get_topology,
            "get-running-cfg": self._get_running_cfg,
            "update-cfg": self._update_cfg,
            "execute-cmd": self._execute_cmd,
            SEARCH_MANUAL: self._search_manual,
            GET_REACHABILITY: self._get_reachability,
        }

    # the agent's side

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return self.call("get-topology", {"devices": as_sent(devices)})

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        return self.call("get-running-cfg", {"device": device})

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        return self.call("update-cfg", {"device": device, "commands": as_sent(commands)})

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        method = wire_name(method)
        self._refuse_if_closed()
        self._meter.start()
        at_s = self._meter.elapsed_s
        known_to_be_over = self._meter.exhausted
        try:
            with self._meter.answering():
                result = self._answer(method, params)
        except NetbenchError as error:
            if isinstance(error, LabError):
                self._lab_error = self._lab_error or error
            if not known_to_be_over:
                self._record(method, params, at_s, error={"code": int(code_of(error)), **self._refusal(error)})
            raise
        self._record(method, params, at_s, result=result)
        return result

    def budget_left(self) -> dict[str, float | None]:
        return self._meter.left()

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        """Record one completion and count its tokens.

        Raises:
            BudgetExhausted: The tokens or the time are used up. The completion is recorded in any case. A completion
                that is counted with 0 tokens (one that is not the agent's own) is never refused.
        """
        self._refuse_if_closed()
        self._meter.start()
        self._recorder.add("completion", data, at_s=self._meter.elapsed_s)
        self._meter.charge_tokens(tokens)

    def note(self, text: str) -> None:
        self._refuse_if_closed()
        self._meter.start()
        self._recorder.add("note", {"text": text}, at_s=self._meter.elapsed_s)

    def offered(self) -> tuple[MethodSpec, ...]:
        return (*self._policy.offered, *self._own.specs)

    # for the code that runs the trial

    @property
    def waited_s(self) -> float:
        """Wall seconds that the agent waited for the evaluation; its clock stood still."""
        return self._meter.waited_s

    @property
    def quiet_s(self) -> float | None:
        """Wall seconds since the last answer, 0 while a request is under way; ``None`` if there was none."""
        return self._meter.quiet_s

    def start(self) -> None:
        """Start the agent's clock; otherwise the first request does."""
        self._meter.start()

    def watch(self, watcher: WorkWatcher) -> None:
        """Tell ``watcher`` of every change from now on."""
        self._watcher = watcher
        self._watching.begin(watcher)

    def close(self) -> None:
        """Refuse everything from now on, and wait a limited time for running requests. Idempotent."""
        self._closed.set()
        self._meter.stop()
        while self._at_close:
            self._at_close.pop()()
        ends_at = time.monotonic() + LONGEST_CLOSE_S
        for lock in self._locks.values():
            if lock.acquire(timeout=max(0.0, ends_at - time.monotonic())):
                lock.release()
        self._watching.complete()

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the ANI is closed."""
        self._at_close.append(callback)

    @property
    def devices(self) -> Devices:
        """The lab's devices."""
        return self._devices

    @property
    def dialects(self) -> Mapping[str, Dialect]:
        """The dialects of the lab's nodes, by name, in topology order."""
        return self._dialects

    @property
    def access(self) -> Access:
        """Which devices may be read and which may be configured."""
        return self._access

    def changes(self, device: str) -> bool:
        """Whether ``device`` may be configured now."""
        return self._own.permits_changes and self._access.control(device) == "managed"

    def guard(self) -> CommandGuard:
        """The guard for lines entered at a device's own command line: it checks, counts and records them."""
        return CommandGuard(
            admit=self._admit,
            meter=self._meter,
            recorder=self._recorder,
            commands=self._commands,
            broken=self._broken,
            watching=self._watching,
            check=self._check_line,
            refusal=self._refusal,
        )

    def _admit(self, device: str, *, changes: bool) -> None:
        self._refuse_if_closed()
        self._permitted(device, changes=changes)
        await_answer(self._lab, device, "at its console")

    def _check_line(self, device: str, line: str, kind: CommandKind) -> None:
        """Check a line that is entered at a device's own command line, and ask for approval if it may be a change."""
        self._rules.check_line(device, line, kind)
        unknown_kind = kind == "read" and self._devices.node(device).platform == SHELL and self.changes(device)
        if kind == "configure" or unknown_kind:
            self._approved(device, METHOD, [line])

    def _broken(self, device: str, error: Exception) -> None:
        """Note that a session at a device's own command line failed."""
        if self._lab_error is not None or self._closed.is_set():
            return
        if not may_be_the_agents(error, self._devices.node(device)):
            broke = LabError(f"{device}: its console failed: {error!r}")
            self._lab_error = error if isinstance(error, LabError) else broke

    def _watcher_broke(self, error: LabError) -> None:
        self._lab_error = self._lab_error or error

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace so far."""
        return self._recorder.steps

    @property
    def commands(self) -> tuple[CommandStatus, ...]:
        """Every configuration command so far and what the device said of it."""
        return tuple(self._commands)

    @property
    def violations(self) -> Mapping[str, int]:
        """How many requests and lines the policy refused, by kind."""
        return dict(self._violations)

    @property
    def budget_used(self) -> BudgetUsed:
        """What was used of the budget."""
        return self._meter.used()

    @property
    def lab_error(self) -> LabError | None:
        """The first infrastructure error of a request, even if the agent ignored it: the trial cannot be scored."""
        return self._lab_error

    # the four methods

    def _get_topology(self, params: wire.GetTopologyParams) -> wire.GetTopologyResult:
        for device in params.devices:
            self._known(device)
        return wire.GetTopologyResult(topology=wire.TopologyView(**self._lab.topology.wire(params.devices)))

    def _get_running_cfg(self, params: wire.GetRunningCfgParams) -> wire.GetRunningCfgResult:
        text = self._ask(params.device, "get-running-cfg", lambda driver, node: driver.running_config(node))
        return wire.GetRunningCfgResult(running_config=clip(text, MAX_ANSWER_BYTES))

    def _update_cfg(self, params: wire.UpdateCfgParams) -> wire.UpdateCfgResult:
        device, commands = params.device, params.commands
        self._permitted(device, changes=True)
        self._rules.check(device, "update-cfg", commands)
        self._meter.charge_commands(sum(max(1, _lines(command)) for command in commands))
        self._approved(device, "update-cfg", commands)
        with self._watching.change(device, commands):
            statuses = self._ask(device, "update-cfg", lambda driver, node: driver.apply(node, commands))
        self._commands.extend(statuses)
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

    # the extras

    def _search_manual(self, params: wire.SearchManualParams) -> wire.SearchManualResult:
        known, platform = self._dialects, params.platform
        if platform is not None and platform not in known:
            raise AniError(unknown("platform", platform, tuple(known)), code=Code.INVALID_PARAMS)
        found = search(known if platform is None else {platform: known[platform]}, params.query)
        return wire.SearchManualResult(sections=tuple(found))

    def _get_reachability(self, params: wire.NoParams) -> wire.GetReachabilityResult:  # noqa: ARG002  (it has none)
        watcher: object = self._watcher
        if not isinstance(watcher, ReportsFlows):
            raise AniError(
                f"{GET_REACHABILITY}: nobody watches the flows of this network; send packets with execute-cmd instead",
                code=Code.DEVICE_ERROR,
            )
        # what is entered at a prompt may be a change that is not complete yet
        self._watching.complete()
        return wire.GetReachabilityResult(report=clip(watcher.report(), MAX_ANSWER_BYTES))

    # shared by the methods

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._meter.charge_call()
        if (own := self._own.get(method)) is not None:
            return self._own.answer(own, params)
        spec = check_method(method, known=[one.name for one in self.offered()])
        self._policy.check_method(spec.name)
        return self._handlers[spec.name](check_params(spec.name, params)).plain()

    def _ask(self, device: str, what: str, question: Callable[[Driver[Any], LabNode], T]) -> T:
        self._permitted(device)
        await_answer(self._lab, device, what)
        with self._locks[device]:
            self._refuse_if_closed()
            self._meter.check()
            try:
                with deadline.within(longest_s(self._meter.left()["wall_s"]), cancelled=self._closed.is_set):
                    return self._devices.ask(device, what, question)
            except LabError as error:
                # an error that an agent's request can cause must not make its trial invalid
                if not may_be_the_agents(error, self._devices.node(device)):
                    raise
                raise AniError(
                    f"{device}: the device did not answer {what}: {error}", code=Code.DEVICE_ERROR
                ) from error

    def _permitted(self, device: str, *, changes: bool = False) -> None:
        self._own.check(changes=changes)
        self._known(device)
        if changes:
            self._access.check_change(device)
        else:
            self._access.check_read(device)

    def _approved(self, device: str, method: str, commands: Sequence[str]) -> None:
        """Ask for approval of a change, if that is needed; the agent's clock stands still meanwhile.

        Raises:
            PolicyViolation: It was refused.
            AniError: Nobody could decide.
        """
        if self._approver is None:
            return
        change = Change(
            device=device, platform=self._devices.node(device).platform, method=method, commands=tuple(commands)
        )
        with self._approving, self._meter.paused():
            began = time.monotonic()
            decision = self._approver.decide(change, cancelled=self._closed.is_set)
            seconds = time.monotonic() - began
        self._refuse_if_closed()
        outcome = "failed" if decision.failed else "allowed" if decision.allowed else "refused"
        why = f": {decision.reason}" if decision.reason else ""
        self._recorder.add(
            "note",
            {"text": f"approval of {method} on {device} {outcome} after {seconds:.1f} s{why}"},
            at_s=self._meter.elapsed_s,
        )
        if decision.failed:
            raise AniError(f"the change on {device!r} could not be approved, and was not made{why}")
        if not decision.allowed:
            raise PolicyViolation(f"the change on {device!r} was not approved, and was not made{why}", kind="approval")

    def _refusal(self, error: NetbenchError) -> dict[str, Any]:
        """What the trace says of an error; a violation is counted."""
        if not isinstance(error, PolicyViolation):
            return {"message": str(error)}
        self._violations[error.kind] += 1
        return {"message": str(error), "violation": error.kind}

    def _known(self, device: str) -> None:
        try:
            self._devices.node(device)
        except UnknownDevice as error:
            raise AniError(str(error), code=Code.INVALID_PARAMS) from None

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise AniError("the trial has ended: no further requests are answered", code=Code.POLICY_DENIED)

    def _record(self, method: str, params: Any, at_s: float, **outcome: Any) -> None:
        data = {
            "method": method,
            "params": params,
            **outcome,
            "duration_s": round(self._meter.elapsed_s - at_s, 6),
            "budget_left": self._meter.left(),
        }
        self._recorder.add("ani", data, at_s=at_s)


def code_of(error: NetbenchError) -> int:
    """The JSON-RPC error code of ``error``."""
    if isinstance(error, AniError):
        return error.code
    return Code.BUDGET_EXHAUSTED if isinstance(error, BudgetExhausted) else Code.INTERNAL_ERROR


def _lines(command: str) -> int:
    return sum(bool(line.strip()) for line in command.splitlines())


def _result_of(status: CommandStatus, limit: int) -> wire.CommandResult:
    message = clip(status.message, limit) if status.message or status.status == "error" else None
    return wire.CommandResult(command=status.command, status=status.status, message=message)
