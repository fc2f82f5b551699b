"""A dataset of Harbor on the disk: a folder for each task, and ``dataset.toml`` with their digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pytest_netbench.errors import UsageError

FILE: Final = "dataset.toml"
SCHEMA: Final = "1.0"


def write(
    folder: Path,
    tasks: Mapping[str, Mapping[str, str]],
    *,
    name: str,
    description: str,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write a new dataset.

    Args:
        folder: Where to; it is made, and must have nothing in it.
        tasks: By the name of its folder, the files of each task.
        name: Of the dataset, with its organisation.
        description: Of the dataset.
        beside: The text of further files, by their names.

    Raises:
        UsageError: There is something in the folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("a dataset is written to a new or an empty folder", path=folder)
    whole = {f"{slug}/{path}": text for slug, files in tasks.items() for path, text in files.items()}
    for path, text in ({**beside, **whole}).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="")
        place.chmod(0o755 if text.startswith("#!") else 0o644)
    organisation = name.partition("/")[0]
    lines = [f"schema_version = {json.dumps(SCHEMA)}", "", "[dataset]", f"name = {json.dumps(name)}"]
    lines += [f"description = {json.dumps(description)}"]
    for slug, files in sorted(tasks.items()):
        lines += [
            "",
            "[[tasks]]",
            f"name = {json.dumps(f'{organisation}/{slug}')}",
            f'digest = "sha256:{digest(files)}"',
        ]
    (folder / FILE).write_text("\n".join([*lines, ""]), encoding="utf-8", newline="")


def digest(files: Mapping[str, str]) -> str:
    """SHA-256 over the paths and contents of a task's files, by path, as Harbor's packager makes it."""
    whole = hashlib.sha256()
    for path, text in sorted(files.items()):
        whole.update(f"{path}\0{hashlib.sha256(text.encode()).hexdigest()}\n".encode())
    return whole.hexdigest()
