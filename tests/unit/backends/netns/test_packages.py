"""Archives of packages for the interpreter of nodes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pytest_netbench.backends.netns import packages, sandboxes
from pytest_netbench.errors import RequirementMissing


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "site" / "netbench_sample"
    (folder / "tests").mkdir(parents=True)
    (folder / "__init__.py").write_text("from netbench_sample.inner import VALUE\n")
    (folder / "inner.py").write_text("VALUE = 42\n")
    (folder / "tests" / "test_x.py").write_text("raise SystemExit\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return "netbench_sample"


@pytest.mark.skipif(not packages.INTERPRETER.exists(), reason=f"there is no {packages.INTERPRETER}")
def test_the_interpreter_of_nodes_imports_the_archive_without_its_sources(package):
    made = packages.archive(package)
    code = f"import sys; sys.path.insert(0, {str(made)!r}); import {package}; print({package}.VALUE)"
    done = subprocess.run([packages.INTERPRETER, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "42\n"
    assert packages.archive(package) == made
    assert [path.name for path in made.parent.iterdir()] == [made.name]  # no draft is left


def test_a_package_that_is_not_installed_is_named_with_the_remedy():
    with pytest.raises(RequirementMissing, match=r"netbench_absent is not installed \(fix: pip install"):
        packages.archive("netbench_absent")


def test_a_machine_without_the_interpreter_is_told_so(monkeypatch):
    monkeypatch.setattr(packages, "INTERPRETER", Path("/nowhere/python3"))
    lack = sandboxes.NetnsSandboxes().lacks()
    assert lack is not None
    assert lack[0] == "/nowhere/python3 is not there, and programs of agents run with it"


def test_an_interpreter_that_is_too_old_is_told_so(monkeypatch, tmp_path):
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\n")
    old.chmod(0o755)
    monkeypatch.setattr(packages, "INTERPRETER", old)
    lack = sandboxes.NetnsSandboxes().lacks()
    assert lack is not None
    assert lack[0].endswith("is Python 3.10, and programs of agents need 3.11")
