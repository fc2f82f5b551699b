"""Read a file from disk as a tree; refuse what cannot be read, whatever the file is about."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_netbench.documents.json_reader import read_json
from pytest_netbench.documents.problems import SyntaxProblem
from pytest_netbench.documents.tree import Tree
from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.errors import InputError

MAX_BYTES: Final = 16 * 2**20
"""A drawn network of 120 routers with leftovers has half of it. What bounds the work is ``tree.MAX_VALUES``."""
YAML_SUFFIXES: Final = (".yaml", ".yml")
SUFFIXES: Final = (*YAML_SUFFIXES, ".json")


def read(path: Path, *, error: type[InputError], example: str, data: bytes | None = None) -> Tree:
    """The mapping that a YAML or JSON file holds, with the line and column of everything in it.

    Args:
        path: Its suffix decides how it is read.
        error: What is raised.
        example: A field that such a file may have, for the message about a file that is no mapping.
        data: Its content, if it is not on the disk.

    Raises:
        InputError: Of class ``error``, if it cannot be read, is too large, is no text, no YAML or JSON, or no mapping.
    """
    try:
        return _mapping(path, example, data)
    except SyntaxProblem as problem:
        raise error(problem.message, path=path, line=problem.line, column=problem.column) from None


def _mapping(path: Path, example: str, data: bytes | None) -> Tree:
    text = _text(path, data)
    tree = read_json(text) if path.suffix.lower() == ".json" else read_yaml(text)
    if tree is None:
        raise SyntaxProblem("the file is empty")
    if not isinstance(tree.value, dict):
        raise SyntaxProblem(f"expected a mapping of fields ({example}) at the top", tree.line, tree.column)
    tree.source = text
    return tree


def _text(path: Path, data: bytes | None) -> str:
    if path.suffix.lower() not in SUFFIXES:
        raise SyntaxProblem(f"unknown kind of file {path.suffix!r} (known: {', '.join(SUFFIXES)})")
    if data is None:
        data = _bytes(path)
    if len(data) > MAX_BYTES:
        raise SyntaxProblem(f"larger than {MAX_BYTES // 2**20} MiB: not supported")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SyntaxProblem(f"not UTF-8 text (byte 0x{data[error.start]:02x}): save it as UTF-8", line) from None
    if "\0" in text:
        raise SyntaxProblem("holds NUL bytes: this is a binary file", text.count("\n", 0, text.index("\0")) + 1)
    return text


def _bytes(path: Path) -> bytes:
    """At most one byte more than a file may have."""
    try:
        if path.exists() and not path.is_file():
            raise SyntaxProblem(f"cannot be read: {'Is a directory' if path.is_dir() else 'not a regular file'}")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise SyntaxProblem(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
