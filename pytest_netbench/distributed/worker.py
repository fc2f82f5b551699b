"""The process that carries trials on a node, and the one that holds the budget of the run. Ray makes actors of both.

It learns of the end of whoever started the run from Ray, which ends it; its labs end with it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Thread, local
from typing import Any

from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.agents.till import REFUSED
from pytest_netbench.distributed.carrying import Carrier
from pytest_netbench.distributed.orders import Delivery
from pytest_netbench.distributed.versions import versions
from pytest_netbench.errors import ResultsError
from pytest_netbench.lab.scratch import ScratchDirectory
from pytest_netbench.pickling import loaded


class Till:
    """Serves the socket from threads, until it is closed or the process ends.

    Args:
        answer: Gives the answer to a line; a ``ResultsError`` that it raises is raised where the line came from.
    """

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self._folder = ScratchDirectory("netbench-till-")
        self.path = str(self._folder.path / "socket")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        self._listening.listen()
        Thread(target=self._serve, name="netbench-till", daemon=True).start()

    def close(self) -> None:
        """Answer no more, and remove the socket."""
        self._listening.close()
        self._folder.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                made, _ = self._listening.accept()
                Thread(target=self._answer_one, args=(made,), name="netbench-till", daemon=True).start()

    def _answer_one(self, made: socket.socket) -> None:
        with made, contextlib.suppress(OSError), made.makefile("r", encoding="utf-8") as lines:
            line = lines.readline().strip()
            try:
                answer = self._answer(line)
            except ResultsError as error:
                answer = f"{REFUSED}{error}".replace("\n", " ")
            made.sendall(f"{answer}\n".encode())


@dataclass(frozen=True, kw_only=True)
class About:
    """A worker that is ready: its process, its node, and what runs there."""

    pid: int
    node: str
    versions: dict[str, str]


class TrialWorker:
    """Carries trials in threads, one for each call at a time."""

    def __init__(self) -> None:
        self._of_thread = local()
        self._till: Till | None = None

    def begin(self, *, variables: Mapping[str, str], keeper: Any) -> About:
        """Take what agents need; say where this is.

        Args:
            variables: For the environment: what agent files name.
            keeper: The actor of the budget of the run, if it has one.
        """
        import ray  # Ray runs this

        os.environ.update(variables)
        if keeper is not None:
            self._till = Till(lambda line: str(ray.get(keeper.answer.remote(line))))
        return About(pid=os.getpid(), node=ray.get_runtime_context().get_node_id(), versions=versions())

    def pid(self) -> int:
        """Its process."""
        return os.getpid()

    def carry(self, packed: bytes) -> bytes:
        """Run a pickled ``Order``; return a pickled ``Delivery``."""
        order = loaded(packed)
        if order.spec.run_budget is not None and self._till is not None:
            shared = replace(order.spec.run_budget, socket=self._till.path)
            order = replace(order, spec=order.spec.model_copy(update={"run_budget": shared}))
        if not hasattr(self._of_thread, "carrier"):
            self._of_thread.carrier = Carrier()
        return pickle.dumps(self._of_thread.carrier.carry(order), protocol=5)


class BudgetKeeper:
    """Notes what workers spend, in the file of the run. It is started anew if it ends, and finds all in the file."""

    def __init__(self, run_budget: RunBudget) -> None:
        self._run_budget = run_budget

    def answer(self, line: str) -> str:
        """Answer a line of a ``Till``. Errors are part of the answer: an exception would be retried."""
        verb, _, rest = line.partition(" ")
        try:
            if verb == "note":
                self._run_budget.note(rest)
                return "noted"
            spent = self._run_budget.spent()
        except ResultsError as error:
            return f"error {error}".replace("\n", " ")
        return f"{spent.cost_usd!r} {spent.tokens}"

    def pid(self) -> int:
        """Its process."""
        return os.getpid()


def unpacked(packed: bytes) -> Delivery:
    """What came back."""
    delivery = loaded(packed)
    assert isinstance(delivery, Delivery)
    return delivery
