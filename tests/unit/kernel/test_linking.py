"""Whether a library can be preloaded into a program."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pytest_netbench.kernel.linking import is_dynamic

SHELL = Path("/bin/sh").resolve()


def patched(tmp_path: Path, *, old: bytes, new: bytes) -> str:
    """The shell with bytes replaced."""
    data = SHELL.read_bytes()
    assert data.count(old) >= 1
    made = tmp_path / "program"
    made.write_bytes(data.replace(old, new, 1))
    return str(made)


def test_a_program_of_the_distribution_is_linked_dynamically() -> None:
    assert is_dynamic(str(SHELL))


def test_a_program_without_an_interpreter_is_linked_statically(tmp_path: Path) -> None:
    assert not is_dynamic(patched(tmp_path, old=struct.pack("=II", 3, 4), new=struct.pack("=II", 0, 4)))


def test_a_program_of_another_c_library_is_not_for_this_one(tmp_path: Path) -> None:
    assert not is_dynamic(patched(tmp_path, old=b"/ld-linux", new=b"/ld-musl-"))


def test_what_is_no_program_of_this_machine_takes_no_library(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert not is_dynamic(str(script))
    with pytest.raises(FileNotFoundError):
        is_dynamic(str(tmp_path / "none"))
