"""The agent of an item: in a process of its own if its code is a user's, else in this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_netbench.plugin.settings.run_options import AgentChoice

if TYPE_CHECKING:
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.agents.worker.apart import Processes


class Agents:
    """Makes the agents of this process's items, and keeps the processes of agents until the session ends.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        option = config.option
        # a debugger needs the agent in the process that has the terminal
        self._here = bool(getattr(option, "usepdb", False) or getattr(option, "trace", False))
        self._processes: Processes | None = None

    def make(self, choice: AgentChoice) -> Agent | InformedAgent:
        """Return the agent of a trial.

        Raises:
            InputError: It cannot be used.
        """
        from pytest_netbench.agents.resolve import is_own, resolve_agent  # needs pydantic
        from pytest_netbench.agents.worker.apart import Processes

        if self._here or not is_own(choice.spec, rootdir=self._root):
            return resolve_agent(choice.spec, rootdir=self._root)
        if self._processes is None:
            self._processes = Processes(rootdir=self._root)
        return self._processes.agent(choice.spec, name=choice.id)

    def pytest_unconfigure(self) -> None:
        """End the processes."""
        if self._processes is not None:
            self._processes.close()
            self._processes = None


AGENTS = pytest.StashKey[Agents]()
