"""The P4 programs of this package: source, compiled program, and what compiled it."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pytest_netbench.platforms.p4.program import Program, read

DEFAULT: Final = "ipv4_fabric"
_FOLDER: Final = "programs"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a compiled program was made from. ``source_sha256`` is the digest of the source in hexadecimal digits."""

    compiler: str
    source_sha256: str


def names() -> list[str]:
    """Names of the programs, sorted."""
    files = (resources.files(__package__) / _FOLDER).iterdir()
    return sorted(file.name.removesuffix(".p4") for file in files if file.name.endswith(".p4"))


def source(name: str) -> str:
    """The P4_16 source of a program."""
    return _text(f"{name}.p4")


def compiled(name: str) -> str:
    """The JSON that the compiler made of it."""
    return _text(f"{name}.json")


def origin(name: str) -> Origin:
    """What the JSON was made from, and by which compiler."""
    said = tomllib.loads(_text(f"{name}.toml"))
    return Origin(compiler=said["compiler"], source_sha256=said["source_sha256"])


def digest(text: str) -> str:
    """The digest of a source, as ``origin`` has it."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def program(name: str) -> Program:
    """What the compiled program says of itself."""
    return read(compiled(name))


def _text(file: str) -> str:
    return (resources.files(__package__) / _FOLDER / file).read_text(encoding="utf-8")
