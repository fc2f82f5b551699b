"""The stage of a task: prepared, healthy and settled before an agent works, and always removed afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from pytest_netbench.agents.protocol import Agent, InformedAgent
from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.errors import UsageError
from pytest_netbench.families.protocol import (
    ComparesBehaviour,
    Family,
    Follows,
    OffersMethods,
    Scene,
    WatchesWork,
)
from pytest_netbench.lab.devices import versions
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.resources import by_kind
from pytest_netbench.lab.turn_access import turns_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Environment, Findings, TrialRecord
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.trial.agent_runner import Work, let_work
from pytest_netbench.trial.deployment import Deployment
from pytest_netbench.trial.limits import Terms, brief_for, family_of, terms_for
from pytest_netbench.trial.provenance import environment
from pytest_netbench.trial.session import (
    AgentSession,
    Evaluated,
    open_ani,
    with_checked_answer,
    with_unreadable,
)
from pytest_netbench.trial.settings import Settings


class Stage:
    """Where one trial takes place. A context manager: entering it prepares the stage, leaving it removes everything.

    The steps, in this order: ``prepare``, ``health``, ``inject``, ``settle`` (all four on entering), ``work``,
    ``evaluate``, ``destroy`` (on leaving). The task's family defines what each step does.

    Args:
        task: The task.
        settings: How the stage is set up.
        lab: A lab that the caller has deployed for the task and will destroy.
        when_healthy: Called with the scene on entering, between ``health`` and ``inject``.

    Raises:
        UsageError: The task's family is not installed.
    """

    def __init__(
        self,
        task: Task,
        settings: Settings | None = None,
        *,
        lab: Lab | None = None,
        when_healthy: Callable[[Any], object] | None = None,
    ) -> None:
        self.task = task
        self.family: Family = family_of(task)
        self.settings = settings or Settings()
        self._given = lab
        self._deployment = Deployment(task, self.settings, lab=lab)
        self._when_healthy = when_healthy
        self._own: Scene | None = None
        self._scene: Scene | None = None
        self._session: AgentSession | None = None
        self._work: Work | None = None
        self.prepare_s = 0.0
        """Wall seconds until the stage was ready for an agent."""

    def __enter__(self) -> Self:
        try:
            self.prepare()
            began = time.monotonic()
            self.health()
            if self._when_healthy is not None:
                self._when_healthy(self.scene)
            self.inject()
            self.settle()
            self.prepare_s += time.monotonic() - began
        except BaseException:
            self.destroy()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    @property
    def scene(self) -> Scene:
        """The scene on the stage.

        Raises:
            UsageError: The stage is not prepared, or was destroyed.
        """
        if self._scene is None:
            raise UsageError(f"the stage of {self.task.slug} is not prepared: use it as `with Stage(task) as stage:`")
        return self._scene

    @property
    def lab(self) -> Lab | None:
        """The lab; ``None`` if the task has no network."""
        return self.scene.lab

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """The ANI methods that the scene itself offers."""
        return self.scene.methods if isinstance(self.scene, OffersMethods) else ()

    # the steps

    def prepare(self) -> None:
        """Set up what the agent will work on.

        Raises:
            RequirementMissing: This machine lacks something.
            InfrastructureError: It could not be set up.
        """
        began = time.monotonic()
        self._own = self._scene = self._prepared()
        self.prepare_s = time.monotonic() - began if self.lab is None else self.lab.deploy_s

    def health(self) -> None:
        """Check the preconditions of the task.

        Raises:
            NotReady: One does not hold.
        """
        self.scene.health()

    def inject(self) -> None:
        """Inject what the agent must find."""
        self.scene.inject()

    def settle(self) -> None:
        """Wait until the injection has taken effect, then report the lab as ready."""
        self.scene.settle()
        if self.settings.ready is not None and self.lab is not None:
            self.settings.ready(self.lab, self.task)

    def work(
        self,
        agent: Agent | InformedAgent,
        *,
        ani: OpenAni | None = None,
        terms: Terms | None = None,
        budget: Mapping[str, float | None] | None = None,
        ssh: bool = False,
        grace_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Work:
        """Let ``agent`` work.

        Args:
            agent: The agent to evaluate.
            ani: Its interface to the stage; by default opened under the terms. It is closed afterwards.
            terms: What it may do and use; by default from the task, the agent's file, ``budget`` and ``ssh``.
            budget: Limits instead of the task's, by field name.
            ssh: Let the devices answer with SSH; ``brief.ssh`` says how to log in.
            grace_s: As for ``let_work``: wall seconds after the end of its time in which the agent may still submit.
            clock: Wall seconds, monotonic.

        Raises:
            InfrastructureError: The lab or the model's provider broke; there is nothing to score.
            InputError: The agent cannot be run as it is configured.
            RequirementMissing: It needs something that this machine lacks.
        """
        session = self.begin(agent, ani=ani, terms=terms, budget=budget, ssh=ssh)
        try:
            work = let_work(agent, task=self.task, brief=session.brief, ani=session.ani, grace_s=grace_s, clock=clock)
        except BaseException:
            session.ani.close()
            raise
        return self.finish(work)

    def begin(
        self,
        agent: Evaluated,
        *,
        ani: OpenAni | None = None,
        terms: Terms | None = None,
        budget: Mapping[str, float | None] | None = None,
        ssh: bool = False,
    ) -> AgentSession:
        """Let an agent begin that sends its requests from outside. ``finish`` ends its part.

        Args and errors are those of ``work``, which calls both.
        """
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        turns = turns_of(self.lab)
        agreed = terms or terms_for(self.task, agent.info, budget=budget, ssh=ssh, stands_still=turns is not None)
        held = ani or open_ani(self.lab, agreed, methods=self.methods)
        try:
            with nullcontext() if turns is None else turns.before.at_a_moment():
                # opening may configure devices (SSH): that is not the agent's change
                self.scene.observe()
                if isinstance(self.scene, WatchesWork):
                    held.watch(self.scene.watcher)
                there = {} if self.lab is None else versions(self.lab)
                notes = getattr(self.lab, "notes", ())
                brief = brief_for(self.task, agreed, versions=there, notes=notes).model_copy(update={"ssh": held.ssh})
                if turns is not None:
                    turns.begin()
        except BaseException:
            held.close()
            raise
        self._session = AgentSession(agent=agent, terms=agreed, ani=held, brief=brief, started_at=started_at)
        return self._session

    def finish(self, work: Work) -> Work:
        """End the part of the agent that has begun: close its interface, and check its answer.

        Returns:
            ``work``; failed if the family cannot read the answer.

        Raises:
            UsageError: No agent has begun.
            InfrastructureError: The lab broke while the agent worked.
        """
        session = self._session
        if session is None:
            raise UsageError(f"no agent has begun on the stage of {self.task.slug}: call stage.begin(agent) first")
        session.ani.close()
        if session.ani.lab_error is not None:
            raise session.ani.lab_error
        self._work = with_checked_answer(work, self.family.answer)
        return self._work

    def evaluate(self, *, node_id: str = "", number: int = 1) -> TrialRecord:
        """Evaluate the state that the agent left; return the record that scorers use.

        Args:
            node_id: Name of the trial in results; by default the task's slug.
            number: 1 for the first attempt, 2 for the second …

        Raises:
            UsageError: No agent has worked yet.
            InfrastructureError: The stage broke.
        """
        session, work = self._session, self._work
        if session is None or work is None:
            raise UsageError(f"no agent has worked on the stage of {self.task.slug} yet: call stage.work(agent) first")
        began = time.monotonic()
        findings = self.scene.evaluate(work.submission)
        work = with_unreadable(work, findings.unreadable)
        record = self._record(session, work, findings, node_id=node_id or self.task.slug, number=number)
        return record.model_copy(update={"evaluate_s": time.monotonic() - began})

    def destroy(self) -> None:
        """Remove everything. Idempotent."""
        turns = None if self._scene is None else turns_of(self._scene.lab)
        own, self._own, self._scene = self._own, None, None
        try:
            if turns is not None:
                turns.end()
        finally:
            if own is not None and self._given is None:
                own.destroy()

    def adopt(self, lab: Lab) -> None:
        """Continue with ``lab`` instead of the stage's own, e.g. from an overridden fixture."""
        if lab is not self.lab:
            self._deployment = Deployment(self.task, self.settings, lab=lab)
            self._scene = self._prepared()

    def disclose(self, task: Task, settings: Settings) -> None:
        """Judge by ``task``: the task of this stage together with checks that were withheld while the agent worked.

        Args:
            task: The whole task.
            settings: Where what was recorded of it is found; otherwise as those of this stage.

        A scene that has the whole payload already goes on as it is.

        Raises:
            UsageError: The task's family cannot do without its checks so long.
        """
        before, has_all = self.scene, task.payload == self.task.payload
        self.task, self.family, self.settings = task, family_of(task), settings
        if has_all:
            return
        self._deployment = Deployment(task, settings, lab=self.lab)
        scene = self._prepared()
        if not isinstance(scene, Follows):
            raise UsageError(f"the checks of {task.slug} cannot be withheld: family {task.family} needs them at once")
        scene.follow(before)
        self._scene = scene

    def _prepared(self) -> Scene:
        scene = self.family.prepare(self.task, self._deployment)
        if isinstance(scene, ComparesBehaviour):
            backend = by_kind(self.settings.backend)["lab"]
            find = self.settings.reference or ReferenceStore.around(self.settings.where, backend=backend).load
            behaviour = find(self.task)
            if behaviour is not None:
                scene.hold_to(behaviour)
        return scene

    @property
    def environment(self) -> Environment:
        """The environment in which the trial runs."""
        return environment(
            self.lab,
            backend=self._deployment.backend,
            where=self.settings.where,
            pytest_version=self.settings.pytest_version,
        )

    def _record(
        self, session: AgentSession, work: Work, findings: Findings, *, node_id: str, number: int
    ) -> TrialRecord:
        find = self.settings.truth or TruthStore.around(self.settings.where).load
        truth = find(self.task)
        known: dict[str, Any] = {name: getattr(findings, name) for name in Findings.model_fields}
        return TrialRecord(
            **known,
            task=self.task,
            task_digest=self.task.digest,
            node_id=node_id,
            agent=session.agent.info,
            trial=number,
            extras=session.terms.extras,
            outcome=work.outcome,
            error=work.error,
            traceback=work.traceback,
            process_end=work.process_end,
            submission=work.submission,
            trace=session.ani.steps,
            commands=session.ani.commands,
            violations=dict(session.ani.violations),
            budget_used=session.ani.budget_used,
            truth_initial_configs=None if truth is None else truth.initial_configs,
            truth_configs=None if truth is None else truth.configs,
            right_configs={} if truth is None else truth.right,
            right_reasoning={} if truth is None else truth.right_reasoning,
            environment=self.environment,
            started_at=session.started_at,
            deploy_s=self.prepare_s,
            agent_s=work.seconds,
        )
