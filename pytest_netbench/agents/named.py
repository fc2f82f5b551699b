"""An agent under the name, budget and policy that an agent file gives it."""

from __future__ import annotations

from pytest_netbench.agents.protocol import Agent
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


class NamedAgent:
    """A user's agent under the run's name: it delegates to the agent, except for ``info``.

    Args:
        agent: The agent.
        name: Its id in this run.
        overrides: Budget, policy, extras and access from an agent file.
    """

    def __init__(self, *, agent: Agent, name: str, overrides: AgentSettings) -> None:
        self._agent = agent
        self._name = name
        self._overrides = overrides

    @property
    def info(self) -> AgentInfo:
        own = self._agent.info
        settings = {**own.settings, **self._overrides.plain()}
        return own.model_copy(update={"id": self._name, "settings": settings, "overrides": self._overrides})

    def prepare(self) -> None:
        """Passed on, if the agent has it."""
        prepare = getattr(self._agent, "prepare", None)
        if prepare is not None:
            prepare()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        return self._agent.run(brief, ani)
