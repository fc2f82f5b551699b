"""Runs an order in this process. An item of pytest takes the same steps, by its fixtures."""

from __future__ import annotations

import time
import traceback
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from pytest_netbench.agents import run_budget
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.tapes import Recording, Replay
from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.agents.resolve import agent_id, is_own, resolve_agent
from pytest_netbench.agents.worker.apart import Processes
from pytest_netbench.catching import Caught
from pytest_netbench.distributed.orders import Delivery, Order
from pytest_netbench.errors import InfrastructureError, RequirementMissing
from pytest_netbench.lab.turn_access import turns_of
from pytest_netbench.pickling import copied
from pytest_netbench.trial.cassettes import recorded
from pytest_netbench.trial.execution import Here, perform
from pytest_netbench.trial.limits import terms_for
from pytest_netbench.trial.proof_cache import Proofs
from pytest_netbench.trial.session import open_ani
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.spec import TrialSpec
from pytest_netbench.trial.stage import Stage

NOT_PROVEN = "not proven: "


class Carrier:
    """Runs orders one after the other, and keeps the processes of agents for those that follow."""

    def __init__(self) -> None:
        self._processes: dict[str, Processes] = {}

    def carry(self, order: Order) -> Delivery:
        """Run ``order``. What goes wrong is part of the delivery."""
        began, clock = time.time(), time.monotonic()
        tape = _tape_of(order)
        with Caught(Exception) as caught:
            delivery = self._carried(order, tape)
        if (error := caught.error) is not None:
            delivery = Delivery(error=_sendable(error), trace="".join(traceback.format_exception(error)))
        replayed = None if tape is None else tape.replayed
        return replace(delivery, started_at=began, seconds=time.monotonic() - clock, replayed=replayed)

    def close(self) -> None:
        """End the processes of agents."""
        for processes in self._processes.values():
            processes.close()
        self._processes.clear()

    def _carried(self, order: Order, tape: Recording | Replay | None) -> Delivery:
        spec = order.spec.model_copy(update={"cassette": None})  # it is kept where the order came from
        settings = _settings_of(order)
        task = spec.load_task()
        with run_budget.used(spec.run_budget), active_cassette.used(tape), ExitStack() as opened:
            agent = self._agent(spec)
            try:
                problems = Proofs(settings, root=settings.where).problems(task) if order.proves else ()
                if problems:
                    return Delivery(skipped=f"{NOT_PROVEN}{problems[0].partition(chr(10))[0]}")
                stage = opened.enter_context(Stage(task, settings))
                terms = terms_for(
                    task, agent.info, budget=spec.budget, ssh=spec.ssh, stands_still=turns_of(stage.lab) is not None
                )
                ani = open_ani(stage.lab, terms, methods=stage.methods)
            except RequirementMissing as lack:
                return Delivery(skipped=str(lack))
            opened.callback(ani.close)
            result = perform(spec, Here(agent=agent, stage=stage, ani=ani, terms=terms, tape=tape))
        assert result.record is not None
        cassette = recorded(tape, result.record) if isinstance(tape, Recording) else None
        return Delivery(result=result, cassette=cassette)

    def _agent(self, spec: TrialSpec) -> Agent | InformedAgent:
        root = Path(spec.agents)
        if not is_own(spec.agent, rootdir=root):
            return resolve_agent(spec.agent, rootdir=root)
        processes = self._processes.setdefault(spec.agents, Processes(rootdir=root))
        return processes.agent(spec.agent, name=agent_id(spec.agent, rootdir=root))


def _tape_of(order: Order) -> Recording | Replay | None:
    spec = order.spec.cassette
    if spec is None:
        return None
    if order.replays is None:
        return Recording()
    return spec.replay(order.replays, order.spec.load_task())


def _settings_of(order: Order) -> Settings:
    return replace(order.spec.settings, truth=lambda _: order.truth, reference=lambda _: order.reference)


def _sendable(error: Exception) -> BaseException:
    """``error``, or its words if it cannot be pickled."""
    again: object = None
    with suppress(Exception):  # constructors of errors may raise anything
        again = copied(error)
    if type(again) is type(error) and str(again) == str(error):
        return error
    return InfrastructureError(f"{type(error).__name__}: {error}")
