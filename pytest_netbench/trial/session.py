"""The session of an agent: opening its interface, what it is told, and checking the state and answer that it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import ValidationError

from pytest_netbench.ani import manual
from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.methods import SSH
from pytest_netbench.ani.protocol import OpenAni
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.base import Model
from pytest_netbench.model.extra_methods import SEARCH_MANUAL
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.agent_runner import Work
from pytest_netbench.trial.limits import Terms


class Evaluated(Protocol):
    """Who is evaluated: an agent, or whoever sends the requests of an episode."""

    @property
    def info(self) -> AgentInfo: ...


@dataclass(frozen=True, kw_only=True)
class AgentSession:
    """An agent at work, between ``Stage.begin`` and ``Stage.finish``.

    Attributes:
        agent: Who works.
        terms: What it may do and use.
        ani: Its interface. ``Stage.finish`` closes it.
        brief: What it is told.
        started_at: When it began, as ISO 8601 in UTC.
    """

    agent: Evaluated
    terms: Terms
    ani: OpenAni
    brief: Brief
    started_at: str


def open_ani(lab: Lab | None, terms: Terms, *, methods: Sequence[FamilyMethod] = ()) -> OpenAni:
    """Open the agent's interface to ``lab`` under ``terms``; the caller closes it.

    Args:
        lab: The lab, if there is one.
        terms: What the agent may do and use.
        methods: What the scene offers.

    Raises:
        RequirementMissing: This machine lacks what an extra needs.
        LabError: Devices could not be made to answer with SSH.
    """
    permitted = terms.policy.methods
    own = [one for one in methods if permitted is None or one.spec.name in permitted]
    ani = AgentInterface(lab, policy=terms.policy, budget=terms.budget, methods=own, approver=terms.approver)
    if ani.network is None:
        return ani
    if SEARCH_MANUAL in terms.extras:
        manual.prepare(ani.network.dialects)
    if SSH in terms.extras:
        open_ssh(ani)
    return ani


def with_unreadable(work: Work, unreadable: Sequence[str]) -> Work:
    """Return ``work``, failed if the agent left a state that cannot be evaluated."""
    if not unreadable:
        return work
    return replace(work, outcome="agent-error", error="; ".join([*filter(None, [work.error]), *unreadable]))


def with_checked_answer(work: Work, answer: type[Model] | None) -> Work:
    """Return ``work``; an answer that the family cannot read is dropped and is the agent's failure."""
    given = work.submission.answer
    if answer is None or given is None:
        return work
    try:
        answer.model_validate(given)
    except ValidationError as error:
        first: Any = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        words = f"the answer cannot be read: {where + ': ' if where else ''}{first['msg']}"
        submission: Submission = work.submission.model_copy(update={"answer": None})
        return replace(work, outcome="agent-error", error=work.error or words, submission=submission)
    return work
