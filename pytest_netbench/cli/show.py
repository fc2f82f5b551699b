"""netbench show: print all about one trial, or in short about all that failed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from pytest_netbench.cli import runs
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.store import ResultsDir

_NAMED: Final = 10
_NARROWEST: Final = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which trial of which run."""
    parser.add_argument(
        "trial",
        nargs="?",
        metavar="TRIAL",
        help="name of an item, e.g. 'llq-voice[nop]', its node id, or a part that only one has; without it, all trials"
        " that failed are shown in short",
    )
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="the results directory of a run (default: the newest run of pytest)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print it; return 1 if there is no trial."""
    from pytest_netbench.results.store import ResultsDir  # imports pydantic
    from pytest_netbench.text import clean

    trial, directory = arguments.trial, arguments.directory
    if directory is None and trial is not None and Path(trial).is_dir():
        directory = Path(trial)
        trial = None
    (folder,) = runs.chosen([] if directory is None else [directory])
    store = ResultsDir(folder)
    results = store.results()
    if not results:
        print(f"no results in {folder}")
        return 1
    lines = _failures(results, folder) if trial is None else _whole(_found(results, trial), store)
    print(clean("\n".join(lines)))
    return 0


def _found(results: Sequence[TrialResult], name: str) -> TrialResult:
    for matching in (
        [one for one in results if name in {one.node_id, one.node_id.rpartition("::")[2]}],
        [one for one in results if name in one.node_id.rpartition("::")[2]],
    ):
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise UsageError(f"{len(matching)} trials are called {name!r}; give one: {_listed(matching)}")
    raise UsageError(f"no trial is called {name!r} (there are: {_listed(results)})")


def _listed(results: Sequence[TrialResult]) -> str:
    more = len(results) - _NAMED
    return ", ".join(one.node_id for one in results[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _whole(result: TrialResult, store: ResultsDir) -> Iterator[str]:
    from pytest_netbench.reporting.failure import head_lines  # imports pydantic
    from pytest_netbench.reporting.item import item_sections
    from pytest_netbench.trial import explain, family_of

    record = store.record_of(result)
    yield f"{result.node_id}: {result.status}"
    if result.status == "error":
        yield str(result.error)
    else:
        yield from head_lines(result, width=_width())
    if record is not None and result.status == "failed":
        intents = [intent.text for intent in getattr(record.task.payload, "intents", ())]
        yield explain(result, intents=intents, pass_marks=family_of(record.task).pass_marks)
    for title, text in item_sections(result):
        where = f"{store.path}/{text}" if text in {result.transcript, result.sealed} else text
        yield f"\n--- {title}\n{where}"
    yield from _difficulty(result)


def _difficulty(result: TrialResult) -> Iterator[str]:
    """What is recorded of how often agents pass this task, or draws like it."""
    from pytest_netbench.reporting.difficulty import difficulty_lines  # imports pydantic
    from pytest_netbench.results.difficulty import DifficultyStore, folder_of, subject_of

    if result.sealed is not None:
        return
    subject = subject_of(result)
    known = DifficultyStore.around(folder_of(result, Path.cwd()), root=Path.cwd()).load(subject.digest)
    if known is not None:
        yield f"\n--- measured difficulty of {known.subject}"
        yield from difficulty_lines(known)


def _failures(results: Sequence[TrialResult], folder: Path) -> Iterator[str]:
    from pytest_netbench.reporting.failure import failure_lines  # imports pydantic

    failed = [one for one in results if one.status == "failed"]
    for one in failed:
        yield f"--- {one.node_id}"
        rest = [("transcript", f"{folder}/{one.transcript}")] if one.transcript else []
        yield from failure_lines(one, reason=one.error or "a score is under its pass mark:", width=_width(), rest=rest)
        yield ""
    errors = sum(one.status == "error" for one in results)
    yield f"{len(failed)} of {len(results)} trials failed" + (f", {errors} infrastructure errors" if errors else "")


def _width() -> int:
    return max(get_terminal_size().columns - 1, _NARROWEST)
