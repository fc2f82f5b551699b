"""The protocol of a generator: parameters, a seed and an index in, a task out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, TypeVar

from pytest_netbench.model.base import Model
from pytest_netbench.model.task import Task


class Parameters(Model):
    """The parameters of a generator. Each has a default and a description.

    On a command line a parameter is ``NAME=VALUE``. Use ``Span`` of ``generators.values`` for a range of whole numbers
    (``1-3``), and a ``tuple`` for a set (``a+b``). Names that are taken: ``n`` and ``seed``.
    """

    also_called: ClassVar[Mapping[str, str]] = {}
    """By another name that a parameter can be given by: the parameter."""

    @classmethod
    def respelled(cls, given: Mapping[str, str]) -> dict[str, str]:
        """Return what was written, in the words of this model.

        Raises:
            UsageError: Two words say the same differently.
        """
        return dict(given)


P = TypeVar("P", bound=Parameters)


class Generator(Protocol[P]):
    """Draws tasks. It is made without arguments, once per process, and keeps no state between draws."""

    name: str
    """Its part name."""
    parameters: type[P]
    """What can be chosen; every field has a default."""

    def draw(self, parameters: P, *, seed: int, index: int) -> Task:
        """Return the task ``index`` of the series ``seed``.

        Equal arguments give a task with equal JSON, in every process, on every machine and every Python version. All
        random choices come from ``generators.randomness.random_of`` and are written in the task. The task's ``drawn``
        names the arguments, and its slug is ``drawn.slug``.

        Args:
            parameters: An instance of ``parameters``.
            seed: The seed of the series, 0 or above.
            index: The place in the series, from 0. A draw does not depend on the draws before it.

        Raises:
            UsageError: Nothing can be drawn with these parameters.
        """
        ...
