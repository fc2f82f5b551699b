"""The process that carries trials on a node, and the one that holds the budget of the run. Ray makes actors of both.

It learns of the end of whoever started the run from Ray, which ends it; its labs end with it.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import local
from typing import Any

from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.distributed.carrying import Carrier
from pytest_netbench.distributed.orders import Delivery
from pytest_netbench.distributed.till import Till
from pytest_netbench.distributed.versions import versions
from pytest_netbench.errors import ResultsError
from pytest_netbench.pickling import loaded


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
