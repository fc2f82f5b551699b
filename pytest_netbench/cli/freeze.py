"""netbench freeze: draw tasks and release them as a set of files with a digest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import generate
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.generators.series import Series
    from pytest_netbench.taskfile.frozen import FrozenSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is drawn, and where to."""
    parser.add_argument(
        "series", metavar="NAME:PARAMETER=VALUE,…", help="what to draw, as --netbench-generate of pytest"
    )
    parser.add_argument(
        "--output", "-o", type=Path, metavar="DIR", required=True, help="the folder of the set: a new or an empty one"
    )
    generate.add_proof_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the files and the manifest; return 1 if nothing was written."""
    from pytest_netbench.generators.series import read_series  # imports pydantic
    from pytest_netbench.taskfile.frozen import MANIFEST

    series, folder = read_series(arguments.series), arguments.output
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty: a set is frozen in a folder of its own")
    if not generate.write(series, arguments):
        return 1
    frozen = _manifest(series, folder)
    # the last file: a set that was cut off has none
    (folder / MANIFEST).write_text(frozen.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"frozen: {len(frozen.files)} tasks, sha256 {frozen.digest}")
    return 0


def _manifest(series: Series, folder: Path) -> FrozenSet:
    from pytest_netbench import __version__
    from pytest_netbench.taskfile.frozen import FrozenSet, file_digests, set_digest

    files = file_digests(folder)
    return FrozenSet(
        series=series.written,
        generator=series.generator,
        parameters=series.parameters.model_dump(mode="json"),
        seed=series.seed,
        count=series.count,
        version=__version__,
        files=files,
        digest=set_digest(files),
    )
