"""Proof before use: whether a drawn task can be solved and is not vacuous, measured once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_netbench.families.proof import Extent
from pytest_netbench.lab.resources import by_kind
from pytest_netbench.model.task import Task
from pytest_netbench.results.memory import KeptVerdicts
from pytest_netbench.trial.limits import family_of
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.settings import Settings

CLAIMS: Final = ("oracle", "nop")
"""What is proved of a task whose family has claims to choose from."""
_KEY: Final = "proof before use"


class Proofs:
    """The verdicts on drawn tasks, kept in ``.netbench/cache/selftest`` by the digest of the task.

    Args:
        settings: How stages are set up.
        root: Where ``.netbench`` is, or is made.
        fresh: Measure again what was kept.
    """

    def __init__(self, settings: Settings, *, root: Path, fresh: bool = False) -> None:
        self._settings = settings
        self._root = root
        self._fresh = fresh

    def problems(self, task: Task) -> tuple[str, ...]:
        """What keeps ``task`` from being used; nothing if it is proven. It is proved if no verdict is kept.

        Raises:
            RequirementMissing: This machine lacks something that the task needs.
            InfrastructureError: A stage broke, or its health checks failed. No verdict is kept.
        """
        kept = self._memory(task, fresh=self._fresh).get(_KEY)
        if kept is not None:
            return tuple(kept)
        claims = tuple(claim for claim in CLAIMS if claim in family_of(task).claims)
        found = selftest(task, self._settings, Extent(repeats=1, claims=claims or None)).problems
        self.keep(task, found)
        return found

    def keep(self, task: Task, problems: tuple[str, ...]) -> None:
        """Keep the verdict of a self-test that was run for another reason."""
        self._memory(task, fresh=True).put(_KEY, value=list(problems))

    def _memory(self, task: Task, *, fresh: bool) -> KeptVerdicts:
        backends = by_kind(self._settings.backend)
        also = [backends, self._settings.time_scale, *([self._settings.lab] if self._settings.lab else [])]
        also += [self._settings.clock] if self._settings.clock != "events" else []
        return KeptVerdicts(self._root, task, also=also, fresh=fresh)
