"""Seats on the nodes of a Ray cluster: each is an actor with a core, which Ray places."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import cloudpickle

from pytest_netbench.distributed.cluster import Cluster
from pytest_netbench.distributed.versions import difference, versions
from pytest_netbench.errors import UsageError
from pytest_netbench.gymnasium.environment import NetbenchEnv
from pytest_netbench.gymnasium.seats import ENDS_WITHIN_S, Answer
from pytest_netbench.gymnasium.worker import answered

_DIES_WITHIN_S: Final = 10.0


class Player:
    """Plays on a node. Ray makes an actor of it, and ends it when whoever made it has ended; its labs end with it."""

    def __init__(self, arguments: bytes) -> None:
        self._arguments = arguments
        self._env: NetbenchEnv | None = None

    def versions(self) -> dict[str, str]:
        """What runs here."""
        return versions()

    def answer(self, method: str, given: Any) -> Answer:
        """Carry out a request."""
        if self._env is None:
            self._env = NetbenchEnv(**cloudpickle.loads(self._arguments))
        return answered(self._env, method, given)

    def leave(self) -> None:
        """Remove the lab."""
        if self._env is not None:
            self._env.close()

    def pid(self) -> int:
        """Its process."""
        return os.getpid()


class RaySeat:
    """A process on some node of a cluster that plays. One that ended is replaced at the next request.

    Args:
        cluster: Where it plays.
        arguments: Of ``NetbenchEnv``. Functions of the calling script may be among them.
    """

    def __init__(self, cluster: Cluster, arguments: Mapping[str, Any]) -> None:
        self._ray = cluster.ray
        self._arguments: bytes = cloudpickle.dumps(dict(arguments))
        self._actor: Any = None
        self._begun: Any = None
        self._asked: Any = None
        self._left: Any = None

    def ask(self, method: str, given: Any) -> None:
        """Send a request."""
        if self._actor is None:
            options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
            self._actor = self._ray.remote(Player).options(**options).remote(self._arguments)
            self._begun = self._actor.versions.remote()
        self._asked = self._actor.answer.remote(method, given)

    def answer(self) -> Answer:
        """Wait for the answer. A process that ended, or whose node is lost, is ``broken``."""
        try:
            if self._begun is not None and (different := difference(versions(), self._ray.get(self._begun))):
                self.abandon()
                return "failed", UsageError(
                    f"a node does not run what runs here ({different}): install the same versions on all nodes"
                )
            self._begun = None
            answer: Answer = self._ray.get(self._asked)
        except self._ray.exceptions.RayError as error:
            self.abandon()
            return "broken", f"the process of this episode ended on its node: {' '.join(str(error).split())}"
        return answer

    def leave(self) -> None:
        """Let the process remove its lab."""
        if self._actor is not None and self._left is None:
            self._left = self._actor.leave.remote()

    def close(self) -> None:
        """Wait for that, and end the process."""
        self.leave()
        if self._actor is not None:
            self._ray.wait([self._left], timeout=ENDS_WITHIN_S)
            self.abandon()

    def abandon(self) -> None:
        """End the process at once."""
        actor, self._actor, self._begun, self._left = self._actor, None, None, None
        if actor is not None:
            self._ray.kill(actor)
            self._ray.wait([actor.pid.remote()], timeout=_DIES_WITHIN_S)  # it is answered by an error
