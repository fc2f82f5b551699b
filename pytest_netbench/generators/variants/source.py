"""The source of a variant: a task file and the seed of a skin."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.documents.problems import Problems
from pytest_netbench.errors import TaskFileError
from pytest_netbench.generators.sources import FileSource
from pytest_netbench.generators.variants.skins import solutions_under, variant_of
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.checks import check


@dataclass(frozen=True)
class VariantSource:
    """A task file, of which the variant ``seed`` is wanted.

    Tasks of other families than ``configure`` stay as they are.
    """

    base: FileSource
    seed: int

    def __str__(self) -> str:
        return str(self.base)

    @property
    def stem(self) -> str:
        return f"{self.base.stem}~s{self.seed}"

    def item_name(self, task: Task, trial: str | None = None) -> str:
        name = task.slug if task.variant is None else f"{task.slug}~s{self.seed}"
        return name if trial is None else f"{name}[{trial}]"

    def load(self) -> Task:
        task = self.base.load()
        if not isinstance(task.payload, Configure):
            return task
        variant = variant_of(task, self.seed)
        problems = Problems()
        check(variant, problems)
        if problems:
            messages = "; ".join(message for _, message in problems.placed(lambda _: (0, 0)))
            raise TaskFileError(f"the variant {self.seed} is not valid: {messages}", path=self.base.path)
        return variant

    def solutions(self, task: Task) -> Solutions | None:
        original = self.base.load() if task.variant is not None else task
        solutions = self.base.solutions(original)
        if solutions is None or task.variant is None:
            return solutions
        return solutions_under(task.variant.skin, solutions)
