"""netbench unseal: write the tasks of a sealed bundle, or the results of sealed tasks, in plain text."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli.seal import add_key_argument, needed_key, warn
from pytest_netbench.errors import ResultsError, SealedFileError, UsageError

if TYPE_CHECKING:
    from pytest_netbench.sealing.keys import SealingKey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is unsealed, with what, and where to."""
    parser.add_argument("path", type=Path, metavar="PATH", help="NAME.sealed, or a results directory")
    parser.add_argument("--output", "-o", type=Path, metavar="DIR", required=True, help="a new or an empty folder")
    add_key_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the files; return 1 if some details of results could not be unsealed."""
    path, folder = arguments.path, arguments.output
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty: give a new folder")
    key = needed_key(arguments.key)
    return _results(path, folder, key) if path.is_dir() else _bundle(path, folder, key)


def _bundle(path: Path, folder: Path, key: SealingKey) -> int:
    from pytest_netbench.sealing.bundle import placed, read_bundle  # imports pydantic
    from pytest_netbench.taskfile.frozen import changed_sets

    bundle = read_bundle(path)
    written: dict[Path, str] = {}
    for name in bundle.manifest.names:
        written |= dict(placed(folder, bundle.open(name, key)))
    for target, text in written.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    for warning in changed_sets([folder]):
        warn(warning)
    print(f"{folder}: {len(bundle.manifest.names)} tasks unsealed, {len(written)} files")
    return 0


def _results(path: Path, folder: Path, key: SealingKey) -> int:
    from pytest_netbench.results.sealed import opened  # imports pydantic
    from pytest_netbench.results.store import ResultsDir

    store = ResultsDir(path)
    results = store.read().results
    if not any(one.sealed is not None for one in results):
        raise UsageError("no results of sealed tasks here", path=path)
    target = ResultsDir.create(folder)
    if (path / "run.json").is_file():
        shutil.copyfile(path / "run.json", folder / "run.json")
    bad = 0
    for result in results:
        try:
            whole, record = (result, store.record_of(result)) if result.sealed is None else opened(store, result, key)
        except (ResultsError, SealedFileError) as error:
            bad += 1
            print(error, file=sys.stderr)
            whole, record = result, None
        target.append(whole, record, worker="unsealed")
    target.merge()
    print(f"{folder}: {len(results)} results, {len(results) - bad} of them whole")
    return 1 if bad else 0
