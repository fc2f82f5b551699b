"""One trial from start to end: prepare, let the agent work, evaluate, score, judge."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_netbench.agents import run_budget
from pytest_netbench.agents.cassettes import active_cassette
from pytest_netbench.agents.cassettes.tapes import Recording, Replay
from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.agents.resolve import agent_id, is_own, resolve_agent
from pytest_netbench.agents.worker.apart import Processes
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.errors import InfrastructureError
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import Clock
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, TrialRecord, TrialResult
from pytest_netbench.scorers.apply import Place, load_scorers
from pytest_netbench.trial.cassettes import CassetteSpec, checked
from pytest_netbench.trial.limits import Terms
from pytest_netbench.trial.scoring import EVERYWHERE, error_result, scored, words_of
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.spec import TrialSpec
from pytest_netbench.trial.stage import Stage


@dataclass(frozen=True, kw_only=True)
class Here:
    """What a trial uses of this process, instead of what its spec names. It cannot be sent anywhere.

    Attributes:
        agent: The agent.
        settings: How the stage is set up.
        stage: A stage that is prepared; the caller removes it.
        ani: The agent's interface to the stage, opened under ``terms``.
        terms: What the agent may do and use.
        tape: A new tape of the cassette that the spec names.
    """

    agent: Agent | InformedAgent | None = None
    settings: Settings | None = None
    stage: Stage | None = None
    ani: OpenAni | None = None
    terms: Terms | None = None
    tape: Recording | Replay | None = None


NOTHING = Here()


def execute(spec: TrialSpec, here: Here = NOTHING) -> TrialResult:
    """Run a trial from start to end. Everything that it starts is removed.

    An infrastructure error (a lab or a provider broke) is a result of status ``error`` without scores.

    Args:
        spec: The trial.
        here: What it uses of this process.

    Returns:
        The result; ``result.record`` is what it was scored from, unless it is an error.

    Raises:
        RequirementMissing: This machine lacks something that the task or the agent needs.
        InputError: There is no such task, agent or scorer, the agent cannot be run as it is configured, or the cassette
            does not fit.
    """
    began = time.time()
    task = here.stage.task if here.stage is not None else spec.load_task()
    here = _with_tape(spec, here, task)
    try:
        return perform(spec, here, task=task)
    except InfrastructureError as error:
        return error_result(
            task,
            AgentInfo(id=_agent_id(spec, here), strategy=""),
            words_of(error),
            node_id=spec.node_id or task.slug,
            number=spec.number,
            started_at=began,
            duration_s=time.time() - began,
            replayed=None if here.tape is None else here.tape.replayed,
        )


def perform(spec: TrialSpec, here: Here = NOTHING, *, task: Task | None = None) -> TrialResult:
    """Run a trial as ``execute`` does, but raise infrastructure errors.

    Args:
        spec: The trial.
        here: What it uses of this process.
        task: The task of ``spec``, if it is loaded already.

    Raises:
        InfrastructureError: The lab or the model's provider broke; there is nothing to score.
    """
    load_scorers(spec.scorers)  # an unknown one is refused before anything is deployed
    task = here.stage.task if here.stage is not None else task or spec.load_task()
    tape = _with_tape(spec, here, task).tape
    with run_budget.used(spec.run_budget), active_cassette.used(tape), ExitStack() as opened:
        agent = here.agent or opened.enter_context(_agent_of(spec))
        stage = here.stage or opened.enter_context(Stage(task, here.settings or spec.settings))
        stage.work(agent, ani=here.ani, terms=here.terms, budget=spec.budget, ssh=spec.ssh)
        result = evaluated(
            stage,
            node_id=spec.node_id,
            number=spec.number,
            also=spec.scorers,
            where=EVERYWHERE if spec.heavy else ("worker",),
            tape=tape,
        )
    if spec.cassette is not None and tape is not None and result.record is not None:
        spec.cassette.keep(tape, result.record)
    return result


def evaluated(
    stage: Stage,
    *,
    node_id: str = "",
    number: int = 1,
    also: Sequence[str] = (),
    where: Sequence[Place] = ("worker",),
    tape: Recording | Replay | None = None,
) -> TrialResult:
    """Evaluate the state that an agent has left on ``stage``, score and judge it.

    Args:
        stage: Where the agent has worked.
        node_id: As for ``Stage.evaluate``, and so is ``number``.
        number: 1 for the first attempt, 2 for the second …
        also: As for ``scored``, and so is ``where``.
        where: Which scorers are applied.
        tape: What the agent's model was recorded on, or replayed from.

    Raises:
        InfrastructureError: The stage broke.
        InputError: The agent's requests and its tape do not fit.
    """
    record = checked(stage.evaluate(node_id=node_id, number=number), tape)
    return scored(record, also=also, where=where).model_copy(update={"record": record})


def run_trial(
    task: Task,
    agent: Agent | InformedAgent | str,
    *,
    backend: str | Sequence[str] | None = None,
    time_scale: float | None = None,
    clock: Clock | None = None,
    budget: Mapping[str, float | None] | None = None,
    number: int = 1,
    ssh: bool = False,
    scorers: Sequence[str] = (),
    cassette: CassetteSpec | None = None,
    settings: Settings | None = None,
) -> TrialResult:
    """Run a trial of ``agent`` at ``task`` from start to end; see ``execute``.

    Args:
        task: What is asked, e.g. from ``load_task``.
        agent: The agent to evaluate, or what ``--agent`` calls it.
        backend: Name of what deploys the lab or another resource, or several, instead of those in ``settings``.
        time_scale: Lab seconds per wall second, instead of the one in ``settings``.
        clock: How lab time passes while a verdict waits, instead of what ``settings`` say.
        budget: Limits instead of the task's, by field name.
        number: 1 for the first attempt, 2 for the second …
        ssh: Let the devices answer with SSH; ``brief.ssh`` says how to log in.
        scorers: Names of scorers beside those of the task's family.
        cassette: Where what the agent's model answers is kept, or comes from.
        settings: How the stage is set up.

    Returns:
        Scores and verdict; ``result.record`` is what they were made from.

    Raises:
        RequirementMissing: This machine lacks something that the task or the agent needs.
        InputError: The agent cannot be run as it is configured, or the cassette does not fit.
    """
    names = backend if backend is None or isinstance(backend, str) else tuple(backend)
    given: dict[str, Any] = {"backend": names, "time_scale": time_scale, "clock": clock}
    given = {name: value for name, value in given.items() if value is not None}
    spec = TrialSpec(
        task=task,
        agent=agent if isinstance(agent, str) else agent.info.id,
        budget=dict(budget or {}),
        ssh=ssh,
        number=number,
        scorers=tuple(scorers),
        cassette=cassette,
        **given,
    )
    made = None if isinstance(agent, str) else agent
    return execute(spec, Here(agent=made, settings=None if settings is None else replace(settings, **given)))


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A trial that was run and scored.

    Attributes:
        task: The task.
        lab: Its lab, if it has a network; it may still be up.
        record: What the trial was scored from.
        result: Scores and verdict.
    """

    task: Task
    lab: Lab | None
    record: TrialRecord
    result: TrialResult


def _with_tape(spec: TrialSpec, here: Here, task: Task) -> Here:
    """``here`` with a tape, if the trial has a cassette."""
    if spec.cassette is None or here.tape is not None:
        return here
    node_id = spec.node_id or task.slug
    return replace(
        here, tape=spec.cassette.tape(task, agent=_agent_id(spec, here), node_id=node_id, number=spec.number)
    )


def _agent_id(spec: TrialSpec, here: Here) -> str:
    return here.agent.info.id if here.agent is not None else agent_id(spec.agent, rootdir=Path(spec.agents))


@contextmanager
def _agent_of(spec: TrialSpec) -> Iterator[Agent | InformedAgent]:
    """The agent that ``spec`` names, in a process of its own if its code is a user's."""
    root = Path(spec.agents)
    if not is_own(spec.agent, rootdir=root):
        yield resolve_agent(spec.agent, rootdir=root)
        return
    processes = Processes(rootdir=root)
    try:
        yield processes.agent(spec.agent, name=agent_id(spec.agent, rootdir=root))
    finally:
        processes.close()
