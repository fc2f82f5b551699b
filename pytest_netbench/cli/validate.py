"""netbench validate: check task files, and the solutions recorded beside them; with --boot, in labs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import seal
from pytest_netbench.cli.taskpaths import add_paths, files, missing
from pytest_netbench.errors import (
    InfrastructureError,
    InputError,
    RequirementMissing,
    ResultsError,
    SealedFileError,
)

if TYPE_CHECKING:
    from pytest_netbench.cli.checking import Checked
    from pytest_netbench.model.solutions import Solutions
    from pytest_netbench.model.task import Task
    from pytest_netbench.taskfile.review import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is checked, and the key of what is sealed."""
    add_paths(parser)
    seal.add_key_argument(parser)
    parser.add_argument(
        "--boot",
        action="store_true",
        help="deploy each task's network, and report each line of its configurations that a device refuses",
    )
    parser.add_argument("--backend", default="netns", metavar="NAME", help="what deploys the labs (default: netns)")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per good file, and the problems of each invalid one; return 1 if there is one."""
    from pytest_netbench.taskfile.frozen import sets_of  # imports pydantic

    bad = sum(map(_frozen_set_changed, sets_of([path for path in arguments.paths if path.is_dir()])))
    bundles = [path for path in arguments.paths if path.suffix == seal.SUFFIX]
    bad += sum(_bundle_is_bad(path, arguments.key) for path in bundles)
    for path in list(files([path for path in arguments.paths if path not in bundles], must_exist=False)):
        if path.exists():
            bad += _is_bad(path, arguments)
        else:
            bad += 1
            print(missing(path), file=sys.stderr)
    return 1 if bad else 0


def _is_bad(path: Path, arguments: argparse.Namespace) -> bool:
    """Check one task file; say what was found."""
    try:
        checked, facts = _loaded(path)
        problems = _behaviour_problems(checked.task, path)
    except InputError as error:
        if error.path is None:
            raise
        for line in _lines(error):
            print(line, file=sys.stderr)
        return True
    except ResultsError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return True
    from pytest_netbench.cli.checking import merged

    findings = checked.findings()
    unknown = False
    if arguments.boot and checked.task.has_network:
        refused = _booted(checked, arguments)
        unknown = refused is None
        findings = merged(findings, refused or [])
        facts.append("booted")
    for where, finding in findings:
        print(f"{where}:{finding}", file=sys.stderr)
    for problem in problems:
        print(f"{path}: {problem}", file=sys.stderr)
    if problems or unknown or any(not one.is_warning for _, one in findings):
        return True
    print(f"{path}: ok ({', '.join(facts)})")
    return False


def _loaded(path: Path) -> tuple[Checked, list[str]]:
    """A task file with its solutions, and what is said of it if it is good."""
    from pytest_netbench.cli.checking import Checked
    from pytest_netbench.taskfile import load_task  # imports pydantic
    from pytest_netbench.taskfile.solutions import solutions_path

    task = load_task(path)
    solutions = recorded_solutions(path, task)
    checked = Checked(task=task, path=path, solutions=solutions, recorded=solutions_path(path, task.slug))
    return checked, [task.slug, *_counts(task), *_counted(task, solutions), f"digest {task.digest}"]


def _lines(error: InputError) -> list[str]:
    """One line for each problem of a file, each with its place."""
    if not error.problems:
        return [str(error)]
    return [f"{error.path}:{line}:{column}: {message}" for (line, column), message in error.problems]


def _booted(checked: Checked, arguments: argparse.Namespace) -> list[tuple[Path, Finding]] | None:
    """The lines that devices refuse; ``None`` if the network cannot be deployed, which is said."""
    from pytest_netbench.trial import Settings  # imports backends' protocols

    path = checked.path
    began = time.monotonic()

    def progress(what: str) -> None:
        print(f"{path}: {time.monotonic() - began:.0f} s: {what}", file=sys.stderr, flush=True)

    try:
        return checked.booted(Settings(backend=arguments.backend, where=path.parent), progress)
    except RequirementMissing as error:
        print(f"{path}: not booted, as this machine cannot deploy it: {error}", file=sys.stderr)
    except InfrastructureError as error:
        print(f"{path}: not booted: {error}", file=sys.stderr)
    return None


def _bundle_is_bad(path: Path, key_file: Path | None) -> bool:
    """Check a sealed bundle: its structure, and its tasks if there is a key. Say what was found."""
    from pytest_netbench.generators.sealed import solutions_in, unpacked  # imports pydantic
    from pytest_netbench.sealing.bundle import read_bundle
    from pytest_netbench.sealing.keys import key_of

    key = key_of(key_file)
    try:
        bundle = read_bundle(path)
        if key is not None:
            bundle.check_key(key)
    except SealedFileError as error:
        print(error, file=sys.stderr)
        return True
    manifest = bundle.manifest
    about = f"{len(manifest.names)} tasks, sealed {manifest.created} by netbench {manifest.version}, key {manifest.key}"
    if key is None:
        print(f"{path}: complete ({about}); give the key to check the tasks")
        return False
    bad = 0
    for name in manifest.names:
        try:
            packed = bundle.open(name, key)
            task = unpacked(packed)
            solutions_in(packed, task)
        except InputError as error:
            bad += 1
            print(f"{path}: task {name}: {error}", file=sys.stderr)
    if not bad:
        print(f"{path}: ok ({about}): {', '.join(manifest.names)}")
    return bool(bad)


def _frozen_set_changed(folder: Path) -> bool:
    """Whether a frozen set is not as it was released; say so."""
    from pytest_netbench.taskfile.frozen import changes, read_manifest  # imports pydantic

    manifest = read_manifest(folder)
    found = list(changes(folder, manifest))
    for change in found:
        print(f"{folder}: {change}", file=sys.stderr)
    if not found:
        print(f"{folder}: frozen set as released ({len(manifest.files)} tasks, sha256 {manifest.digest})")
    return bool(found)


def recorded_solutions(path: Path, task: Task) -> Solutions | None:
    """The solutions recorded beside a task file."""
    from pytest_netbench.families.configure.renaming import renaming_of_truth  # imports pydantic
    from pytest_netbench.model.configure import Configure
    from pytest_netbench.taskfile.solutions import load_solutions, solutions_path

    payload = task.payload
    recorded = solutions_path(path, task.slug)
    if not isinstance(payload, Configure) or not recorded.is_file():
        return None
    return load_solutions(recorded, task, judge=lambda one: renaming_of_truth(payload, one.configs))


def _counted(task: Task, solutions: Solutions | None) -> Iterator[str]:
    """How many solutions are recorded, if the task can be configured."""
    from pytest_netbench.model.configure import Configure  # imports pydantic

    if solutions is not None:
        yield f"{len(solutions.right)} right and {len(solutions.wrong)} wrong solutions"
    elif isinstance(task.payload, Configure):
        yield "no recorded solutions"


def _behaviour_problems(task: Task, path: Path) -> list[str]:
    """What keeps the task from being held to its reference behaviour."""
    from pytest_netbench.evaluation.behaviour.problems import problems_of  # imports pydantic
    from pytest_netbench.results.reference import ReferenceStore, is_held, lack_of

    store = ReferenceStore.around(path.parent, root=Path.cwd())
    lack = lack_of(task, store, path)
    behaviour = store.load(task) if is_held(task) and lack is None else None
    return [lack] if lack is not None else [] if behaviour is None else problems_of(task, behaviour, path=path)


def _counts(task: Task) -> Iterator[str]:
    """How many nodes and testcases ``task`` has, if it has any."""
    if task.has_network:
        yield f"{len(task.network.topology.nodes)} nodes"
    if (testcases := getattr(task.payload, "testcases", None)) is not None:
        yield f"{len(testcases)} testcases"
