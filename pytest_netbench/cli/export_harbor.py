"""netbench export harbor: tasks as a dataset of Harbor."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli.taskpaths import files as task_files
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_netbench.model.task import Task
    from pytest_netbench.results.reference import ReferenceStore
    from pytest_netbench.results.truth import TruthStore

    Found = tuple[Task, TruthStore, ReferenceStore]


def run(arguments: argparse.Namespace) -> int:
    """Write the dataset; return 1 if there is no task to write."""
    from pytest_netbench.exports.harbor import checks, dataset, layout  # imports pydantic
    from pytest_netbench.kernel.containers import PROFILE
    from pytest_netbench.taskfile.corpus import corpus

    if not (arguments.paths or arguments.generate):
        raise UsageError("name the tasks to export: netbench export harbor tasks/ -o DIR")
    profile = (corpus() / PROFILE).read_text(encoding="utf-8")
    written: dict[str, dict[str, str]] = {}
    left_out: Counter[str] = Counter()
    for task, truths, references in _found(arguments):
        if arguments.family and task.family not in arguments.family:
            continue
        if (why := checks.why_left_out(task)) is not None:
            print(f"{task.slug}: left out: {why}", file=sys.stderr)
            left_out[why] += 1
            continue
        folder = layout.folder_of(task)
        if folder in written:
            raise UsageError(f"two tasks are called {folder}, and a task's folder has its name")
        written[folder] = layout.files(
            task,
            organisation=arguments.organisation,
            truth=truths.load(task),
            reference=references.load(task),
            profile=profile,
            layout=arguments.layout,
            lab_image=arguments.lab_image,
            agent_image=arguments.agent_image,
        )
    if written:
        name = f"{arguments.organisation}/{Path(arguments.output).name}"
        description = "Tasks of pytest-netbench: networks of real devices"
        dataset.write(
            Path(arguments.output), written, name=name, description=description, beside=layout.beside(arguments.layout)
        )
    print(f"wrote {len(written)} tasks to {arguments.output}" if written else "there is no task to write")
    for reason, count in left_out.most_common():
        print(f"left out {count}: {reason}")
    return 0 if written else 1


def _found(arguments: argparse.Namespace) -> Iterator[Found]:
    """Each task with where its records are."""
    from pytest_netbench.generators.series import read_series  # imports pydantic
    from pytest_netbench.results.reference import ReferenceStore
    from pytest_netbench.results.truth import TruthStore
    from pytest_netbench.taskfile import load_task

    here = Path.cwd()
    places = [(load_task(path), path.parent) for path in task_files(arguments.paths)]
    places += [(one.load(), here) for text in arguments.generate for one in read_series(text).sources()]
    for task, folder in places:
        yield task, TruthStore.around(folder, root=here), ReferenceStore.around(folder, root=here)
