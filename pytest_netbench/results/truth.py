"""Recorded ground truth: the running configs that the oracle and other right solutions leave, kept for the scores.

A truth is found by the digest of what determines the configs (``Task.truth_digest``), in a folder ``.truth`` near the
task: ``tasks/.truth/llq-voice-5f7a2b422d3a7ece.json``. So a task keeps its truth if its file is renamed, copied or
generated, or if its wording changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.generators.variants.skins import record_under
from pytest_netbench.model.base import Model
from pytest_netbench.model.task import Task
from pytest_netbench.model.variant import Variant
from pytest_netbench.results.recorded import RecordedFiles, versions_of
from pytest_netbench.text import plain_json

FOLDER = ".truth"


class Truth(Model):
    """Running configs by node before and after the ground truth is applied, for tasks of this truth digest.

    ``proved``: the proof digest of the task whose self-test passed last. ``versions``: the versions that recorded them.
    ``right``: by the name of a recorded right solution, the running configs that it leaves, of the nodes whose config
    differs from ``configs``. ``right_reasoning``: the reasoning of those that have one.
    """

    digest: str
    proved: str | None = None
    initial_configs: dict[str, str]
    configs: dict[str, str]
    right: dict[str, dict[str, str]] = {}
    right_reasoning: dict[str, str] = {}
    versions: dict[str, str] = {}


class TruthStore:
    """Recorded truths near a task.

    Args:
        folders: Where they are looked for, and recorded, nearest first.
        shipped: Where they are looked for afterwards; nothing is written there.
    """

    def __init__(self, folders: Sequence[Path], *, shipped: Sequence[Path] = ()) -> None:
        self._files = RecordedFiles(folders, shipped=shipped)

    @classmethod
    def around(cls, folder: Path, *, root: Path | None = None) -> TruthStore:
        """The truths in ``.truth`` of ``folder``, of its parents up to ``root``, and of the shipped tasks.

        Args:
            folder: The folder of the task file, or where a script runs.
            root: Where the search ends; by default, and if ``folder`` is not in it, in the folder itself.
        """
        store = cls(())
        store._files = RecordedFiles.around(FOLDER, folder, root=root)
        return store

    def load(self, task: Task) -> Truth | None:
        """What was recorded for the task's network and ground truth; ``None`` if nothing was.

        A variant has the ground truth of its original, under its own names, addresses and numbers.

        Raises:
            ResultsError: There is a file, and it cannot be read.
        """
        digest, path = task.truth_digest, self.path(task)
        if path is not None and digest is not None:
            return _read(path, digest)
        return None if task.variant is None or digest is None else self._of_original(task.variant, digest)

    def path(self, task: Task) -> Path | None:
        """The file with the truth of the task's network and ground truth as they are now."""
        return None if task.truth_digest is None else self._files.find(task.truth_digest)

    def outdated(self, task: Task) -> Path | None:
        """A file that was recorded when the task was different, if there is none for the task as it is now."""
        return None if task.truth_digest is None or self.load(task) is not None else self._files.named(task.slug)

    def _of_original(self, variant: Variant, digest: str) -> Truth | None:
        """What was recorded for the original of a variant, as the record of the truth digest of the variant."""
        original = variant.truth_digest
        path = None if original is None else self._files.find(original)
        if path is None or original is None:
            return None
        data = record_under(variant.skin, _read(path, original).model_dump(mode="json"))
        return Truth.model_validate({**data, "digest": digest, "proved": None})

    def save(
        self,
        task: Task,
        initial_configs: Mapping[str, str],
        configs: Mapping[str, str],
        *,
        right: Mapping[str, Mapping[str, str]] | None = None,
        right_reasoning: Mapping[str, str] | None = None,
        versions: Mapping[str, str] | None = None,
    ) -> bool:
        """Record the ground truth of a task; returns whether a file changed (other versions alone change none).

        It goes to the file that has the digest, else to the nearest folder ``.truth`` that exists, else to a new one
        beside the task.

        Args:
            task: The task.
            initial_configs: Running configs by node before the ground truth is applied.
            configs: Running configs by node after it.
            right: By the name of each recorded right solution: running configs by node after it. By default, those that
                are recorded are kept.
            right_reasoning: The reasoning of right solutions, by their names; by default as for ``right``.
            versions: With what they were recorded; by default this package and the task's platforms.

        Raises:
            ResultsError: It cannot be written.
            UsageError: No configs are recorded for tasks of this family.
        """
        digest = task.truth_digest
        if digest is None:
            raise UsageError(f"task {task.slug} of family {task.family!r} has no ground-truth configs to record")
        known = _recorded(self, task)
        truth = Truth(
            digest=digest,
            proved=task.proof_digest,
            initial_configs=dict(initial_configs),
            configs=dict(configs),
            right=_kept(known, "right") if right is None else _differing(right, configs),
            right_reasoning=_kept(known, "right_reasoning") if right_reasoning is None else dict(right_reasoning),
            versions=dict(versions_of(task) if versions is None else versions),
        )
        if known == truth.model_copy(update={"versions": {}}):
            return False
        text = plain_json(truth.model_dump(mode="json"), indent=1) + "\n"
        self._files.write(task.slug, digest, text, what="ground truth")
        return True

    def save_right(
        self, task: Task, right: Mapping[str, Mapping[str, str]], *, reasoning: Mapping[str, str] | None = None
    ) -> bool:
        """Record right solutions beside the recorded ground truth; returns whether a file changed.

        Args:
            task: The task.
            right: By the name of each right solution: running configs by node after it. Others are forgotten.
            reasoning: The reasoning of those that have one.

        Raises:
            ResultsError: It cannot be written, or the recorded ground truth cannot be read.
            UsageError: No ground truth is recorded for the task.
        """
        truth = self.load(task)
        if truth is None:
            raise UsageError(
                f"task {task.slug} has no recorded ground truth to compare right solutions with; record it first:"
                " pytest TASK_FILE --netbench-selftest"
            )
        return self.save(task, truth.initial_configs, truth.configs, right=right, right_reasoning=dict(reasoning or {}))


def _read(path: Path, digest: str) -> Truth:
    try:
        truth = Truth.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        words = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
        raise ResultsError(
            f"{path}: not a recorded ground truth ({words}); record it again: pytest TASK_FILE --netbench-selftest"
        ) from error
    if truth.digest != digest:
        raise ResultsError(f"{path}: holds the ground truth of digest {truth.digest}; its name says {digest}")
    return truth


def _recorded(store: TruthStore, task: Task) -> Truth | None:
    """What is recorded now, versions left aside; ``None`` if it is nothing or of no use."""
    try:
        truth = store.load(task)
    except ResultsError:
        return None  # the caller records it again, which repairs it
    return None if truth is None else truth.model_copy(update={"versions": {}})


def _kept(known: Truth | None, field: str) -> Any:
    return {} if known is None else getattr(known, field)


def _differing(right: Mapping[str, Mapping[str, str]], configs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """``right`` without the configs that are the ground truth's: most nodes are configured in one way only."""
    return {
        name: {node: config for node, config in nodes.items() if config != configs.get(node)}
        for name, nodes in right.items()
    }
