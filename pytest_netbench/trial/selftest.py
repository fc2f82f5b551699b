"""The self-test of a task: its family proves it on fresh stages. Usable without pytest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from pytest_netbench.families.proof import Extent, TruthConfigs
from pytest_netbench.families.protocol import Scene
from pytest_netbench.model.task import Task
from pytest_netbench.trial.deployment import stands_still_by_default
from pytest_netbench.trial.limits import family_of
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage

REFUSED: Final = "lines of startup configs that devices refused"


@dataclass(frozen=True, kw_only=True)
class SelftestReport:
    """The result of a self-test. ``problems`` is empty for a usable task.

    ``shown`` maps each claim to its result, and ``listed`` a heading to lines for people. ``stages`` is the number of
    stages opened.
    """

    slug: str
    problems: tuple[str, ...]
    shown: Mapping[str, str]
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    truth: TruthConfigs | None = None
    stages: int = 0
    seconds: float = 0.0

    def plain(self) -> dict[str, Any]:
        """JSON values of all but the configs."""
        plain = {name: value for name, value in asdict(self).items() if name != "truth"}
        return {**plain, "verdict": self.verdict}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> SelftestReport:
        """The report as it was before ``plain``, but for its configs."""
        values = {name: value for name, value in plain.items() if name != "verdict"}
        listed = {heading: tuple(lines) for heading, lines in plain["listed"].items()}
        return cls(**{**values, "problems": tuple(plain["problems"]), "listed": listed})

    def text(self) -> str:
        """The problems, one a line, under a headline."""
        return "\n".join([f"{self.slug}: {self.verdict} in the self-test", *(f"  - {one}" for one in self.problems)])

    @property
    def verdict(self) -> str:
        """``ok``, or how many problems there are."""
        count = len(self.problems)
        return f"{count} problem{'s' * (count > 1)}" if count else "ok"


def selftest(task: Task, settings: Settings | None = None, extent: Extent | None = None) -> SelftestReport:
    """Test ``task``.

    Args:
        task: What is tested.
        settings: How stages are set up.
        extent: How much is proved; by default what the task's family proves, three times.

    Raises:
        RequirementMissing: This machine lacks something that the task needs.
        InfrastructureError: A stage broke, or its health checks failed.
    """
    began = time.monotonic()
    chosen = settings or Settings()
    if chosen.clock == "events" and stands_still_by_default(task):
        # a proof is no agent whose thinking must not count
        chosen = replace(chosen, clock="scaled")
    opened: list[None] = []  # from several threads
    refused: dict[str, None] = {}

    @contextmanager
    def stages(*, when_healthy: Callable[[Any], object] | None = None) -> Iterator[Scene]:
        opened.append(None)
        with Stage(task, chosen, when_healthy=when_healthy) as stage:
            if stage.lab is not None:
                refused.update(dict.fromkeys(map(str, stage.lab.refused_startup_lines)))
            yield stage.scene

    proof = family_of(task).prove(task, stages, extent or Extent())
    return SelftestReport(
        slug=task.slug,
        problems=proof.problems,
        shown=dict(proof.shown),
        listed=dict(proof.listed) | ({REFUSED: tuple(refused)} if refused else {}),
        truth=proof.truth,
        stages=len(opened),
        seconds=time.monotonic() - began,
    )
