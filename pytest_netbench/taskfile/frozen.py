"""Frozen sets: drawn tasks as files, with a manifest that tells each change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.model.base import Model

MANIFEST: Final = "frozen.json"
SUFFIXES: Final = (".task.yaml", ".task.yml", ".task.json")


class FrozenSet(Model):
    """The manifest of a frozen set.

    Attributes:
        series: What was drawn, as it was written.
        parameters: All parameters of the generator, those that were not written too.
        count: How many draws the series has. Draws that were dropped have no file.
        version: Of pytest-netbench.
        files: By file name: the SHA-256 digest of its bytes, in hex.
        digest: Of the whole set: the SHA-256 digest of the lines ``DIGEST  NAME`` in the order of names, each with a
            newline, as ``sha256sum`` prints them.
    """

    format: Literal[1] = 1
    series: str
    generator: str
    parameters: dict[str, Any]
    seed: int
    count: int
    version: str
    files: dict[str, str] = Field(min_length=1)
    digest: str


def file_digests(folder: Path) -> dict[str, str]:
    """The digests of the task files in a folder and below it, by path in the folder, in the order of paths."""
    paths = sorted(one for one in folder.rglob("*.task.*") if one.name.endswith(SUFFIXES) and one.is_file())
    return {one.relative_to(folder).as_posix(): hashlib.sha256(one.read_bytes()).hexdigest() for one in paths}


def set_digest(files: dict[str, str]) -> str:
    """The digest of a set with these files."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def read_manifest(folder: Path) -> FrozenSet:
    """Return the manifest in a folder.

    Raises:
        UsageError: It is no manifest, or one of another format.
    """
    path = folder / MANIFEST
    try:
        return FrozenSet.model_validate_json(path.read_text(encoding="utf-8"))
    except (ValidationError, UnicodeDecodeError) as error:
        first = str(error).splitlines()
        raise UsageError(f"{path}: not the manifest of a frozen set: {' '.join(first[:3])}") from None


def sets_of(paths: Iterable[Path]) -> list[Path]:
    """The folders of frozen sets that are in some folders, or that some files are in."""
    found = set()
    for path in map(Path.absolute, paths):
        if path.is_dir():
            found |= {one.parent for one in path.rglob(MANIFEST)}
        found |= {one for one in path.parents if (one / MANIFEST).is_file()}
    return sorted(one.relative_to(Path.cwd()) if one.is_relative_to(Path.cwd()) else one for one in found)


def changed_sets(paths: Iterable[Path]) -> Iterator[str]:
    """Warn of each frozen set in some paths that is not as it was released: one line with the names of its files."""
    for folder in sets_of(paths):
        try:
            found = list(changes(folder, read_manifest(folder)))
        except UsageError as error:
            found = [str(error)]
        if found:
            yield f"warning: {folder} is not the set that was frozen: {'; '.join(found)}"


def changes(folder: Path, manifest: FrozenSet) -> Iterator[str]:
    """Say what in a folder is not as its manifest has it."""
    found = file_digests(folder)
    if set_digest(manifest.files) != manifest.digest:
        yield "the digest of the set is not that of its files: the manifest was changed"
    for name in sorted(manifest.files.keys() | found.keys()):
        if name not in found:
            yield f"{name} is missing"
        elif name not in manifest.files:
            yield f"{name} is not in the set"
        elif found[name] != manifest.files[name]:
            yield f"{name} was changed"
