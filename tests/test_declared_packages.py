"""What tests and benchmarks import is installed because it is declared, and not because something else brings it."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "benchmarks")
OWN = {"pytest_netbench", "tests", "benchmarks", "agents"}
# a peer that is measured where the distribution has it, which is not on PyPI; what each virtual environment has; and
# what programs import that tests run in an environment of its own
NOT_BY_PIP = {"inspect_ai", "mininet", "pip", "ray"}
# what set-up leaves out where it is too big: no test may need it to be collected
WITHOUT = "reasoning"


def imported(text: str) -> Iterator[str]:
    """Modules that a text imports, also inside functions, and by name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in {"importorskip", "import_module"} and isinstance(node.args[0].value, str):
                yield node.args[0].value


def foreign(text: str) -> set[str]:
    """Modules of others that a text imports."""
    own = sys.stdlib_module_names | OWN | NOT_BY_PIP
    return {name for name in imported(text) if name.partition(".")[0] not in own}


def normal(requirement: str) -> str:
    """The name of a requirement's distribution, in one spelling."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def declared() -> set[str]:
    """Distributions that the gate's set-up installs by name, whatever torch it can have."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = content["project"]["optional-dependencies"]
    lists = [content["project"]["dependencies"], content["dependency-groups"]["dev"]]
    lists += [listed for extra, listed in extras.items() if extra not in {"all", WITHOUT}]
    return {normal(one) for listed in lists for one in listed}


@functools.cache
def distributions() -> dict[str, list[str]]:
    """Names of distributions by the packages that they have."""
    return {top: sorted(map(normal, names)) for top, names in importlib.metadata.packages_distributions().items()}


@functools.cache
def files(name: str) -> tuple[str, ...]:
    """What a distribution has installed."""
    return tuple(file.as_posix() for file in importlib.metadata.files(name) or [])


def bringing(module: str) -> set[str]:
    """Distributions that have a module, or the package that it is in; several share a namespace."""
    owners = set(distributions().get(module.partition(".")[0], []))
    if len(owners) < 2:
        return owners
    folder = "/".join(module.split(".")[:2])
    having = {name for name in owners if any(file.startswith((f"{folder}/", f"{folder}.")) for file in files(name))}
    return having or owners


def test_what_tests_import_is_declared():
    used: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for module in foreign(path.read_text(encoding="utf-8")):
                used.setdefault(module, []).append(path.relative_to(ROOT).as_posix())
    assert "sklearn.metrics" in used
    names = declared()
    chance = {
        module: f"{sorted(owners)} in {paths[0]}"
        for module, paths in sorted(used.items())
        if (owners := bringing(module)) and not owners & names
    }
    assert not chance, "add these to the dependency group dev in pyproject.toml, by which the gate is set up"
    unknown = {module for module in used if not bringing(module)}
    assert not unknown, "these are not installed, so nobody declares them"


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import os, yaml", {"yaml"}),
        ("from google.protobuf import message", {"google.protobuf.message"}),
        ("def f():\n    import numpy.linalg", {"numpy.linalg"}),
        ("x = pytest.importorskip('sklearn')", {"sklearn"}),
        ("from . import y\nfrom tests.support import z", set()),
    ],
)
def test_imports_are_found_where_they_are(text, modules):
    assert foreign(text) == modules


def test_of_a_namespace_the_package_decides():
    assert bringing("google.protobuf.message") == {"protobuf"}
    assert "opentelemetry-proto" in bringing("opentelemetry.proto.trace")
    assert "opentelemetry-sdk" not in bringing("opentelemetry.proto.trace")
