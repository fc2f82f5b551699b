"""netbench seal: encrypt tasks into one file that can lie in public."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli.taskpaths import files
from pytest_netbench.errors import UsageError
from pytest_netbench.sealing.keys import VARIABLE, SealingKey, key_of, write_key

if TYPE_CHECKING:
    from pytest_netbench.sealing.bundle import Manifest

SUFFIX = ".sealed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is sealed, with what, and where to."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a task file, or a folder with task files")
    parser.add_argument(
        "--output", "-o", type=Path, metavar="NAME.sealed", required=True, help="the bundle: a new file"
    )
    which = parser.add_mutually_exclusive_group()
    add_key_argument(which)
    which.add_argument("--new-key", type=Path, metavar="FILE", help="make a key, and write it to a new file")


def add_key_argument(parser: argparse._ActionsContainer) -> None:
    """The key of sealed tasks. It is never an argument itself: other users see command lines."""
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help=f"file with the key (default: environment variable {VARIABLE})"
    )


def needed_key(path: Path | None) -> SealingKey:
    """The key in a file or in the environment.

    Raises:
        UsageError: There is none.
    """
    key = key_of(path)
    if key is None:
        raise UsageError(f"no key: give its file with --key FILE, or the key itself in {VARIABLE}")
    return key


def warn(warning: str) -> None:
    """Print what does not keep the command from going on."""
    print(f"netbench: {warning}", file=sys.stderr)


def run(arguments: argparse.Namespace) -> int:
    """Write the bundle, and say what everybody can read of it."""
    from pytest_netbench.results.packing import pack  # imports pydantic
    from pytest_netbench.taskfile.frozen import changed_sets

    output: Path = arguments.output
    if output.suffix != SUFFIX:
        raise UsageError(f"{output}: pytest collects bundles by their suffix; name it {output.with_suffix(SUFFIX)}")
    if output.exists():
        raise UsageError(f"{output} exists: remove it, or give another name")
    new: Path | None = arguments.new_key
    if new is not None and new.exists():
        raise UsageError(f"{new} exists, and its key may be in use: give another name, or use it with --key")
    key = needed_key(arguments.key) if new is None else SealingKey.new()
    packed = pack(files(arguments.paths), root=Path.cwd(), stem=output.stem, warn=warn)
    for warning in changed_sets(arguments.paths):
        warn(warning)
    from pytest_netbench.sealing.bundle import write_bundle  # imports pydantic

    if new is not None:
        write_key(new, key)
        print(f"{new}: a new key. Keep it out of the repository, and keep a copy: without it nothing can be unsealed")
    _tell(output, write_bundle(output, packed, key))
    return 0


def _tell(output: Path, manifest: Manifest) -> None:
    names = ", ".join(manifest.names[:5]) + (", …" if len(manifest.names) > 5 else "")
    print(f"{output}: {len(manifest.names)} tasks sealed with the key {manifest.key}; everybody can read: {names}")
