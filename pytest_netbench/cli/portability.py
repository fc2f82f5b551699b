"""netbench portability: do the same work on two backends and list every difference between the networks."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import validate
from pytest_netbench.cli.taskpaths import add_paths, files
from pytest_netbench.errors import NetbenchError, UsageError

if TYPE_CHECKING:
    from pytest_netbench.portability.portrait import Comparison
    from pytest_netbench.portability.running import Comparer, Kept


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which tasks, and on what."""
    add_paths(parser)
    parser.add_argument("--against", required=True, metavar="BACKEND", help="the backend to compare with the other one")
    parser.add_argument("--backend", default="netns", metavar="NAME", help="the other one (default: netns)")
    parser.add_argument(
        "--solutions",
        type=int,
        default=2,
        metavar="N",
        help="recorded solutions beside the ground truth and doing nothing, right and wrong ones in turns (default: 2)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="where comparisons are kept: those of tasks as they are now are not done again (default:"
        " .netbench/portability)",
    )
    parser.add_argument("--fresh", action="store_true", help="do again what is kept")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write a page in Markdown of all that is kept")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each work, and each difference below; return 1 if there is one, or something went wrong.

    Raises:
        UsageError: There is no such backend.
    """
    from pytest_netbench.lab.resources import by_kind  # imports pydantic
    from pytest_netbench.portability.page import page
    from pytest_netbench.portability.running import FOLDER, Kept

    for name in (arguments.backend, arguments.against):
        by_kind(name)
    if arguments.solutions < 0:
        raise UsageError(f"--solutions {arguments.solutions}: expected 0 or more")
    kept = Kept(arguments.results or FOLDER)
    bad = 0
    for path in list(files(arguments.paths)):
        try:
            bad += _compared(path, arguments, kept)
        except NetbenchError as error:
            bad += 1
            print(f"{path}: {error}", file=sys.stderr)
    if arguments.page is not None:
        arguments.page.write_text(page(kept.all()), encoding="utf-8")
        print(f"written: {arguments.page}")
    return 1 if bad else 0


def _compared(path: Path, arguments: argparse.Namespace, kept: Kept) -> int:
    """Compare all works of one task; return how many differ."""
    from pytest_netbench.portability.running import Comparer  # imports pydantic
    from pytest_netbench.portability.working import works_of
    from pytest_netbench.results.reference import ReferenceStore
    from pytest_netbench.taskfile import load_task
    from pytest_netbench.trial import Settings  # imports backends' protocols

    task = load_task(path)
    behaviour = ReferenceStore.around(path.parent, root=Path.cwd()).load(task)
    began = time.monotonic()

    def progress(what: str) -> None:
        print(f"{path}: {time.monotonic() - began:.0f} s: {what}", file=sys.stderr, flush=True)

    names = arguments.backend, arguments.against
    first, second = (Settings(backend=name, where=path.parent) for name in names)
    comparer: Comparer = Comparer(first=first, second=second, progress=progress)
    differing = 0
    for work in works_of(task, validate.recorded_solutions(path, task), most=arguments.solutions):
        found = None if arguments.fresh else kept.load(task, work, *names)
        if found is None or found.lacks:  # what was missing may be there now
            found = comparer.compare(task, work, behaviour)
            kept.save(found, *names)
        for line in _told(found):
            print(f"{path}: {line}", flush=True)
        differing += bool(found.differences)
    return differing


def _told(found: Comparison) -> list[str]:
    if found.lacks:
        return [f"{found.work}: not on {backend}: {lack}" for backend, lack in found.lacks.items()]
    share = "" if found.share is None else f" ({found.share:.0%} of {found.first.of} flows compared)"
    count = len(found.differences)
    what = "no difference" if not count else f"{count} difference{'s' if count > 1 else ''}"
    once = f"; {len(found.passing)} seen once and not again" if found.passing else ""
    return [f"{found.work}: {what}{share}{once}", *(f"  {one}" for one in found.differences)]
