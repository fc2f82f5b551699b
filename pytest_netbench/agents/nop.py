"""The lower bound: an agent that does nothing."""

from __future__ import annotations

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


class Nop:
    """Does nothing. Its score is what a task gives without any work."""

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id="nop", strategy="nop")

    def run(self, brief: Brief, ani: Ani) -> Submission:  # the Agent protocol
        return Submission(reasoning=None, stop_reason="done")
