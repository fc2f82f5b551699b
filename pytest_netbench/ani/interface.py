"""The Agent-Network Interface of a trial: counts, answers and records every request of an agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from pytest_netbench.ani.approval import Approver
from pytest_netbench.ani.family_methods import FamilyMethod, FamilyMethods
from pytest_netbench.ani.ledger import Ledger
from pytest_netbench.ani.methods import UPDATE_CFG, DraftMethods, unknown_method, wire_name
from pytest_netbench.ani.network import NetworkMethods
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.ani.standing import Standing
from pytest_netbench.ani.watching import Watching
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.errors import AniError, BudgetExhausted, LabError, NetbenchError
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turn_access import turns_of
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import BudgetUsed, CommandStatus, MethodSpec, SshAccess, Step
from pytest_netbench.rpccodes import Code

LONGEST_CLOSE_S: Final = 10.0


class AgentInterface(DraftMethods):
    """An agent's interface to what it works on. May be called from several threads.

    Every method has one entry in a registry: those of a lab's devices, and those that the scene offers.

    Args:
        lab: The running network; ``None`` for a task without one, which has only the scene's methods.
        policy: What is permitted.
        budget: What may be used.
        dialects: Dialects by name, instead of those found by entry point.
        methods: What the scene offers.
        approver: Who approves each change of a device, if anyone does.
        clock: Wall seconds, monotonic.
    """

    def __init__(
        self,
        lab: Lab | None,
        *,
        policy: Policy,
        budget: Budget,
        dialects: Mapping[str, Dialect] | None = None,
        methods: Sequence[FamilyMethod] = (),
        approver: Approver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy
        self._ledger = ledger = Ledger(budget, clock=clock)
        self._meter = ledger.meter
        turns = turns_of(lab)
        hurried = nullcontext if turns is None else turns.at_usual_pace
        self._watching = watching = Watching(self._meter, broken=ledger.broke, hurried=hurried)
        self._family_methods = family_methods = FamilyMethods(methods, ledger, watching)
        self._changing = {UPDATE_CFG, *(one.spec.name for one in methods if one.change is not None)}
        self._at_close: list[Callable[[], None]] = []
        self.network: NetworkMethods | None = None
        """What answers for the devices; ``None`` without a lab."""
        if lab is not None:
            self.network = NetworkMethods(
                lab,
                policy=policy,
                ledger=ledger,
                watching=watching,
                family_methods=family_methods,
                dialects=dialects,
                approver=approver,
            )
        self.standing = None if turns is None else Standing(turns, self._meter)
        """Takes turns for requests, if the lab stands still between them."""
        self._registry = {**({} if self.network is None else self.network.answers), **family_methods.answers}
        if self.standing is not None:
            self._registry |= self.standing.answers
        self.ssh: SshAccess | None = None
        """Logins, if the devices answer with SSH (see ``ani.ssh``)."""

    # the agent's side

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        method = wire_name(method)
        self._ledger.refuse_if_closed()
        self._meter.start()
        at_s = self._meter.elapsed_s
        known_to_be_over = self._meter.exhausted
        took: dict[str, float] = {}
        try:
            with self._meter.answering():
                self._meter.charge_call()
                with self._turn(method, took):
                    result = self._answer_of(method)(params)
        except NetbenchError as error:
            if isinstance(error, LabError):
                self._ledger.broke(error)
            if not known_to_be_over:
                refusal = {"code": int(code_of(error)), **self._ledger.refusal(error)}
                self._ledger.request(method, params, at_s, error=refusal, **took)
            raise
        self._ledger.request(method, params, at_s, result=result, **took)
        return result

    def _turn(self, method: object, took: dict[str, float]) -> AbstractContextManager[object]:
        """Around the work for one request; ``took`` is given its lab seconds, if the lab moves in turns."""
        if self.standing is None or not isinstance(method, str):
            return nullcontext()
        return self.standing.turn(method, changes=method in self._changing, took=took)

    def _answer_of(self, method: object) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        answer = self._registry.get(method) if isinstance(method, str) else None
        if answer is None:
            why = "" if self.network is not None else "this task has no network to ask"
            raise unknown_method(method, known=[one.name for one in self.offered()], why=why)
        return answer

    def budget_left(self) -> dict[str, float | None]:
        return self._meter.left()

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        """Record one completion and count its tokens.

        Raises:
            BudgetExhausted: The tokens or the time are used up. The completion is recorded in any case. A completion
                that is counted with 0 tokens (one that is not the agent's own) is never refused.
        """
        self._ledger.refuse_if_closed()
        self._meter.start()
        self._ledger.recorder.add("completion", data, at_s=self._meter.elapsed_s)
        self._meter.charge_tokens(tokens)

    def note(self, text: str) -> None:
        self._ledger.refuse_if_closed()
        self._meter.start()
        self._ledger.note(text)

    def offered(self) -> tuple[MethodSpec, ...]:
        standing = () if self.standing is None else self.standing.specs
        return (*(() if self.network is None else self._policy.offered), *self._family_methods.specs, *standing)

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
        self._watching.begin(watcher)

    def close(self) -> None:
        """Refuse everything from now on, and wait a limited time for running requests. Idempotent."""
        self._ledger.closed.set()
        self._meter.stop()
        while self._at_close:
            self._at_close.pop()()
        if self.standing is not None:
            self.standing.end(within_s=LONGEST_CLOSE_S)
        ends_at = time.monotonic() + LONGEST_CLOSE_S
        for lock in (self._family_methods.lock, *(() if self.network is None else self.network.locks.values())):
            if lock.acquire(timeout=max(0.0, ends_at - time.monotonic())):
                lock.release()
        self._watching.complete()

    def at_close(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the ANI is closed."""
        self._at_close.append(callback)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace so far."""
        return self._ledger.recorder.steps

    @property
    def commands(self) -> tuple[CommandStatus, ...]:
        """Every configuration command so far and what the device said of it."""
        return tuple(self._ledger.commands)

    @property
    def violations(self) -> Mapping[str, int]:
        """How many requests and lines the policy refused, by kind."""
        return dict(self._ledger.violations)

    @property
    def budget_used(self) -> BudgetUsed:
        """The used budget."""
        return self._meter.used()

    @property
    def lab_error(self) -> LabError | None:
        """The first infrastructure error of a request, even if the agent ignored it: the trial cannot be scored."""
        return self._ledger.lab_error


def code_of(error: NetbenchError) -> int:
    """The JSON-RPC error code of ``error``."""
    if isinstance(error, AniError):
        return error.code
    return Code.BUDGET_EXHAUSTED if isinstance(error, BudgetExhausted) else Code.INTERNAL_ERROR
