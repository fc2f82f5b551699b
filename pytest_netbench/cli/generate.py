"""netbench generate: draw tasks and write them as task files, or list the generators."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.errors import InfrastructureError, InputError, RequirementMissing, TaskFileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_netbench.generators.series import Series
    from pytest_netbench.generators.sources import GeneratedSource
    from pytest_netbench.model.task import Task

    Prove = Callable[[Task], tuple[str, ...]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is drawn, and where to."""
    parser.add_argument(
        "series", nargs="?", metavar="NAME:PARAMETER=VALUE,…", help="what to draw, as --netbench-generate of pytest"
    )
    parser.add_argument("--output", "-o", type=Path, metavar="DIR", help="the folder for the task files")
    add_proof_arguments(parser)
    parser.add_argument("--list", action="store_true", help="print the generators and their parameters")


def add_proof_arguments(parser: argparse.ArgumentParser) -> None:
    """Whether tasks are proven before they are written, and how."""
    parser.add_argument("--prove", action="store_true", help="write only tasks that pass their self-test in a lab")
    parser.add_argument(
        "--jobs",
        "-n",
        type=_jobs,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="proofs that run at a time (default: the number of processor cores)",
    )
    parser.add_argument("--backend", default="netns", metavar="NAME", help="what deploys the labs (default: netns)")


def run(arguments: argparse.Namespace) -> int:
    """Write the files; return 1 if none was written."""
    if arguments.list:
        print("\n".join(_listing()))
        return 0
    if arguments.series is None or arguments.output is None:
        raise UsageError("give what to draw and a folder, e.g. netbench generate NAME:n=20,seed=7 -o tasks/, or --list")
    from pytest_netbench.generators.series import read_series  # imports pydantic

    return 0 if write(read_series(arguments.series), arguments) else 1


def write(series: Series, arguments: argparse.Namespace) -> int:
    """Write the tasks of a series as files, and say how many were written and why others were not.

    Args:
        series: What is drawn.
        arguments: ``output``, and what ``add_proof_arguments`` added.

    Returns:
        How many were written.
    """
    arguments.output.mkdir(parents=True, exist_ok=True)
    prove = _prover(arguments.backend, arguments.jobs) if arguments.prove else None
    written, dropped = 0, Counter[str]()
    for reason in _reasons(series, arguments.output, prove, jobs=arguments.jobs):
        written += reason is None
        dropped += Counter() if reason is None else Counter([reason])
    print(f"wrote {written} of {series.count} tasks to {arguments.output}")
    for reason, count in dropped.most_common():
        print(f"dropped {count}: {reason}")
    return written


def _reasons(series: Series, folder: Path, prove: Prove | None, *, jobs: int) -> Iterator[str | None]:
    """Draw, prove and write each task, ``jobs`` at a time.

    Yields in the order of the draws: ``None`` for a task that was written, else why it was not.
    """

    def handled(source: GeneratedSource) -> tuple[str | None, str, float]:
        began = time.monotonic()
        return *_handled(source, folder, prove), time.monotonic() - began

    # threads are enough: a lab's work is done by its own processes, which end with this one
    pool = ThreadPoolExecutor(max_workers=1 if prove is None else jobs)
    try:
        pairs = zip(series.sources(), pool.map(handled, series.sources()), strict=True)
        for number, (source, (reason, detail, seconds)) in enumerate(pairs, start=1):
            if prove is not None or reason is not None:
                verdict = "proven" if reason is None else f"dropped: {detail}"
                _tell(f"{number}/{series.count} {source}: {seconds:.1f} s: {verdict}")
            yield reason
    except KeyboardInterrupt:
        _tell("interrupted: waiting for the proofs that run; files that were written are complete")
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _handled(source: GeneratedSource, folder: Path, prove: Prove | None) -> tuple[str | None, str]:
    """Why the task of ``source`` was not written, in short and in full; ``None`` if it was."""
    try:
        task = source.load()
    except InputError as error:
        return "the draw failed", str(error)
    try:
        problems = () if prove is None else prove(task)
    except RequirementMissing as lack:
        return f"this machine cannot prove it: {lack}", str(lack)
    except InfrastructureError as error:
        return "the lab of the proof broke", str(error)
    if problems:
        return f"not proven: {problems[0].partition(': ')[0]}", "; ".join(problems)
    _write(task, folder)
    return None, ""


def _write(task: Task, folder: Path) -> None:
    from pytest_netbench.taskfile import load_task  # imports pydantic
    from pytest_netbench.taskfile.writing import task_text

    path = folder / f"{task.slug}.task.yaml"
    path.write_text(task_text(task), encoding="utf-8")
    if load_task(path).digest != task.digest:
        raise TaskFileError(
            "the file does not load as the task that was drawn: its family's payload must be JSON", path=path
        )


def _prover(backend: str, jobs: int) -> Prove:
    from pytest_netbench.trial import Settings  # imports backends' protocols
    from pytest_netbench.trial.proof_cache import Proofs

    return Proofs(Settings(backend=backend, workers=jobs), root=Path.cwd()).problems


def _listing() -> list[str]:
    from pytest_netbench import parts
    from pytest_netbench.generators.listing import generator_lines  # imports pydantic
    from pytest_netbench.generators.series import DEFAULTS, parameters_of

    lines = []
    for name in parts.names("generators"):
        generator = parts.load("generators", name)
        parameters_of(name, generator)
        lines += generator_lines(name, generator, DEFAULTS)
    return lines or ["no generator is installed"]


def _jobs(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
