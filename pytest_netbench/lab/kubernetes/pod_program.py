"""The program of pods as one file, which nodes and ConfigMaps have."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from pytest_netbench.lab.kubernetes.pod import caller, common, program, protocols, server

PARTS: Final = (common, protocols, server, caller, program)
"""In an order in which each part has what it imports from others before it."""
_FUTURE: Final = "__future__"
_FOLDER: Final = program.__name__.rpartition(".")[0]


@cache
def text() -> str:
    """The program: all parts, one after the other."""
    head = ast.get_docstring(ast.parse(_source(program)), clean=False)
    lines = (line for part in PARTS for line in _body(_source(part)))
    return "\n".join([f'"""{head}"""', f"from {_FUTURE} import annotations", *lines, ""])


def path() -> Path:
    """The same as a file of this process, that ends with it."""
    return Path(f"/proc/{os.getpid()}/fd/{_descriptor(os.getpid())}")


@cache
def _descriptor(_process: int) -> int:
    descriptor = os.memfd_create("pod-program")
    os.write(descriptor, text().encode())
    return descriptor


def _source(part: ModuleType) -> str:
    return Path(str(part.__file__)).read_text(encoding="utf-8")


def _body(source: str) -> Iterator[str]:
    """The lines of a part without its docstring, and without imports of other parts."""
    statements = ast.parse(source).body
    dropped = {
        number
        for place, one in enumerate(statements)
        if place == 0 or _is_of_parts(one)
        for number in range(one.lineno, (one.end_lineno or one.lineno) + 1)
    }
    yield from (line for number, line in enumerate(source.splitlines(), 1) if number not in dropped)


def _is_of_parts(one: ast.stmt) -> bool:
    return isinstance(one, ast.ImportFrom) and (one.module == _FUTURE or str(one.module).startswith(_FOLDER))
