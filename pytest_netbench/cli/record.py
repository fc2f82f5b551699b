"""netbench record: record the reference behaviour of tasks, or check what is recorded."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import acceptance, validate
from pytest_netbench.cli.taskpaths import add_paths, files
from pytest_netbench.errors import GroundTruthRejected, NetbenchError, StartupConfigRejected

if TYPE_CHECKING:
    from pytest_netbench.model.behaviour import Behaviour
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.trial import RefusedLine
    from pytest_netbench.results.reference import ReferenceStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which tasks, and how."""
    add_paths(parser)
    parser.add_argument(
        "--check", action="store_true", help="observe again and compare with what is recorded; write nothing"
    )
    parser.add_argument(
        "--missing", action="store_true", help="leave out tasks that have a record of their present state"
    )
    parser.add_argument(
        "--accept",
        metavar="ID",
        help="take a candidate that netbench harvest found as a right solution, if the self-test passes with it",
    )
    parser.add_argument("--backend", default="netns", metavar="NAME", help="what deploys the labs (default: netns)")


def run(arguments: argparse.Namespace) -> int:
    """Record each task and print what was found; return 1 if a task is not in order."""
    if arguments.accept is not None:
        return 0 if acceptance.accept(arguments) else 1
    bad = 0
    for path in list(files(arguments.paths)):
        try:
            bad += not _record(path, arguments)
        except (StartupConfigRejected, GroundTruthRejected) as error:
            from pytest_netbench.taskfile.refused import told  # imports pydantic

            bad += 1
            print(told(error, path), file=sys.stderr)
        except NetbenchError as error:
            bad += 1
            print(f"{path}: {error}", file=sys.stderr)
    return 1 if bad else 0


def _record(path: Path, arguments: argparse.Namespace) -> bool:
    from pytest_netbench.evaluation.behaviour.problems import problems_of  # imports pydantic
    from pytest_netbench.results.reference import ReferenceStore, is_held
    from pytest_netbench.taskfile import load_task
    from pytest_netbench.taskfile.refused import refused_lines
    from pytest_netbench.trial import Settings, record_behaviour  # imports backends' protocols

    task = load_task(path)
    store = ReferenceStore.around(path.parent, root=Path.cwd(), backend=arguments.backend)
    if arguments.missing and store.own_path(task) is not None:
        return True
    began = time.monotonic()

    def progress(what: str) -> None:
        print(f"{path}: {time.monotonic() - began:.0f} s: {what}", file=sys.stderr, flush=True)

    refused: dict[RefusedLine, None] = {}
    settings = Settings(backend=arguments.backend, where=path.parent)
    recorded = validate.recorded_solutions(path, task)
    behaviour = record_behaviour(task, settings, solutions=recorded, progress=progress, refused=refused.update)
    for line in refused_lines(refused, path):
        print(f"{line} (warning: the rest of the config was loaded)", file=sys.stderr)
    print(f"{path}: observed in {time.monotonic() - began:.0f} s")
    in_order = _compared(task, behaviour, store) if arguments.check else _saved(task, behaviour, store)
    for line in _facts(task, behaviour):
        print(f"  {line}")
    print("\n".join(_to_paste(task, behaviour, path)), end="")
    problems = problems_of(task, behaviour, path=path) if is_held(task) else []
    for problem in problems:
        print(f"  problem: {problem}")
    return in_order and not problems


def _saved(task: Task, behaviour: Behaviour, store: ReferenceStore) -> bool:
    path = store.save(task, behaviour)
    print(f"  recorded in {path} ({path.stat().st_size / 1000:.0f} kB)")
    return True


def _compared(task: Task, behaviour: Behaviour, store: ReferenceStore) -> bool:
    from pytest_netbench.evaluation.behaviour.compare import unequal  # imports pydantic

    recorded = store.load(task)
    if recorded is None:
        print("  nothing is recorded for the task as it is now")
        return False
    lines = unequal(recorded, behaviour)
    print(f"  {len(lines)} flows differ from the record" if lines else "  the same as recorded")
    for line in lines[:5]:
        print(f"    {line}")
    return not lines


def _facts(task: Task, behaviour: Behaviour) -> list[str]:
    from pytest_netbench.evaluation.behaviour.listing import headline, tally  # imports pydantic
    from pytest_netbench.evaluation.behaviour.problems import reference_of

    reference = reference_of(task, behaviour)
    return [headline(reference), *tally(reference)]


def _to_paste(task: Task, behaviour: Behaviour, path: Path) -> list[str]:
    """Lines for the task file, at the left margin: they are pasted as they are."""
    from pytest_netbench.evaluation.behaviour.pasting import Entry, pasted_testcases  # pydantic
    from pytest_netbench.evaluation.behaviour.problems import reference_of
    from pytest_netbench.evaluation.behaviour.suggesting import suggested
    from pytest_netbench.results.reference import is_held

    text, as_json = path.read_text(encoding="utf-8-sig"), path.suffix.lower() == ".json"
    lines = suggested(task, reference_of(task, behaviour), text=text, as_json=as_json)
    if not is_held(task):
        entries = [Entry(fields=fields) for fields in _testcases(behaviour)]
        lines += pasted_testcases(entries, text=text, as_json=as_json)
    return [*lines, ""] if lines else []


def _testcases(behaviour: Behaviour) -> Iterator[dict[str, str | int]]:
    kind = {"kind": "reference", "role": "regression"}
    yield {"name": "everything else is as before", **kind}
    for event in behaviour.events:
        yield {"name": f"everything else is as before under {event}", **kind, "under": event}
