"""What a claim is: one question that the self-test of a task answers by measuring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from pytest_netbench.model.trial import TestcaseResult


class Claim(Protocol):
    """One claim about a task. It is measured repeatedly, then asked what was found."""

    name: str
    """As ``--netbench-selftest-claims`` gives it."""

    def measure(self, repeat: int) -> None:
        """Measure once more.

        Args:
            repeat: 0-based number of the repeat.

        Raises:
            AgentError: The ground truth cannot be applied: nothing can be proved.
        """
        ...

    def problems(self) -> Iterable[str]:
        """What is wrong with the task, with what to do."""
        ...

    def shown(self) -> Mapping[str, str]:
        """Results for the table, by column."""
        ...

    def listed(self) -> Mapping[str, tuple[str, ...]]:
        """Lines below the table, by heading."""
        ...


def distinct(results: Iterator[TestcaseResult]) -> list[TestcaseResult]:
    """The last result of each testcase."""
    return list({result.name: result for result in results}.values())


def unequal(who: str, runs: Sequence[Sequence[TestcaseResult]]) -> Iterator[str]:
    """A problem for each testcase whose result is not the same in all ``runs``."""
    for results in zip(*runs, strict=True):
        if len({result.status for result in results}) > 1:
            yield f"testcase {results[0].name!r} comes out differently from repeat to repeat with the {who}"
