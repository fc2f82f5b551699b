"""netbench export huggingface: tasks as a dataset of the Hugging Face Hub."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli.taskpaths import files
from pytest_netbench.errors import NetbenchError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_netbench.exports.huggingface import Item
    from pytest_netbench.generators.sources import Source
    from pytest_netbench.model.task import Task


def run(arguments: argparse.Namespace) -> int:
    """Write the dataset; return 1 if there is no task."""
    from pytest_netbench.exports.huggingface import dataset  # imports pydantic
    from pytest_netbench.results.files import replace_file

    if arguments.results or arguments.agent or arguments.min_score or arguments.content:
        raise UsageError("huggingface is of tasks: give task files, folders or --generate")
    folder = Path(arguments.output)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("a dataset is written to a new or an empty folder, and this is none", path=folder)
    wanted = set(arguments.family)
    sources = [(source, task) for source, task in _tasks(arguments) if not wanted or task.family in wanted]
    if not sources:
        print("there is no task to write")
        return 1
    items = [_item(source, task) for source, task in sources]
    _check(items)
    written = dataset(items, name=arguments.name or folder.resolve().name)
    for place, text in written.items():
        replace_file(folder / place, text)
    for source, task in sources:
        _copy_records(source, task, folder)
    print(f"wrote {len(items)} tasks to {folder}")
    if "eval.yaml" not in written:
        print("left out eval.yaml: no task of these families can be asked without a network")
    return 0


def _tasks(arguments: argparse.Namespace) -> Iterator[tuple[Source, Task]]:
    from pytest_netbench.generators.series import read_series  # imports pydantic
    from pytest_netbench.generators.sources import FileSource

    for path in files(arguments.paths):
        source = FileSource(path)
        yield source, source.load()
    for text in arguments.generate:
        for draw in read_series(text).sources():
            yield draw, draw.load()


def _item(source: Source, task: Task) -> Item:
    """A task, with its question and its reference answer in words if it has them."""
    from pytest_netbench.exports.huggingface import Item  # imports pydantic
    from pytest_netbench.results.truth import TruthStore
    from pytest_netbench.training.truth import of_task

    folder, root = _around(source)
    try:
        messages = of_task(task, TruthStore.around(folder, root=root)).messages
    except NetbenchError:
        return Item(task=task)
    system, question, answer = (str(one["content"]) for one in messages)
    return Item(task=task, question=f"{system.rstrip()}\n\n{question}", reference=answer)


def _check(items: list[Item]) -> None:
    twice = [name for name, count in Counter(item.id for item in items).items() if count > 1]
    if twice:
        raise UsageError(f"several tasks are called {', '.join(twice)}: rename their files, or name them once")


def _copy_records(source: Source, task: Task, folder: Path) -> None:
    """Put what was recorded of a task beside its file: verdicts and scores need it."""
    from pytest_netbench.exports.huggingface import TASKS  # imports pydantic
    from pytest_netbench.results import reference, truth

    near, root = _around(source)
    found = {
        truth.FOLDER: truth.TruthStore.around(near, root=root).path(task),
        reference.FOLDER: reference.ReferenceStore.around(near, root=root).path(task),
    }
    for name, path in found.items():
        if path is not None:
            place = folder / TASKS / name / path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def _around(source: Source) -> tuple[Path, Path]:
    from pytest_netbench.generators.sources import FileSource  # imports pydantic

    folder = source.path.parent.resolve() if isinstance(source, FileSource) else Path.cwd()
    return folder, Path(folder.anchor)
