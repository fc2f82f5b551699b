"""docs/reference/python.md lists what is public: all of it exists, is typed, and no page imports anything else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import pytest_netbench
from tests.support.doc_examples import PAGES, ROOT

PAGE = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
FIELDS = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE.partition("\n## A trial as plain data\n")[2], re.MULTILINE)
NAMES = re.findall(
    r"^\| `(?!pytest_netbench)(\w+)[^`]*` \|", PAGE.partition("\n## A trial as plain data\n")[0], re.MULTILINE
)
MODULES = re.findall(r"^\| `(pytest_netbench\.[\w.]+)` \|", PAGE, re.MULTILINE)
IMPORT = re.compile(r"^ *(?:>>> )?from (pytest_netbench[\w.]*) import (.+)$", re.MULTILINE)
BEFORE = (
    ("pytest_netbench.agents.resolve", "resolve_agent"),
    ("pytest_netbench.episodes", "Turn"),
    ("pytest_netbench.model.trial", "AgentInfo"),
    ("pytest_netbench.model.trial", "Submission"),
    ("pytest_netbench.scorers.apply", "apply_scorers"),
    ("pytest_netbench.taskfile", "load_task"),
    ("pytest_netbench.trial", "Settings"),
    ("pytest_netbench.trial", "Stage"),
    ("pytest_netbench.trial", "run_trial"),
    ("pytest_netbench.trial", "selftest"),
)
"""What pages imported before there were names of the package."""

OF_EXTRAS = ("pytest_netbench.inspect",)


def imports() -> list[tuple[Path, str, str]]:
    return [
        (page, module, name.split(" as ")[0].strip())
        for page in PAGES
        for module, names in IMPORT.findall(page.read_text(encoding="utf-8"))
        for name in names.split(",")
    ]


def test_the_page_lists_the_public_names_and_no_others():
    assert sorted(NAMES) == sorted(pytest_netbench.__all__)
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("name", pytest_netbench.__all__)
def test_every_public_name_exists_and_says_what_it_is(name):
    value = getattr(pytest_netbench, name)
    assert name == "__version__" or value.__doc__
    assert name in dir(pytest_netbench)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_module_exists(module):
    assert find_spec(module) is not None


def defined(module: str) -> set[str]:
    """The names that a package defines or imports, read without running it."""
    source = Path(pytest_netbench.__file__).parent.joinpath(*module.split(".")[1:], "__init__.py")
    body = ast.parse(source.read_text(encoding="utf-8")).body
    imported = {alias.asname or alias.name for one in body if isinstance(one, ast.ImportFrom) for alias in one.names}
    return imported | {one.name for one in body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize(("page", "module", "name"), imports(), ids=lambda value: str(value).rpartition("/")[2])
def test_pages_import_only_what_is_public(page, module, name):
    assert module == "pytest_netbench" or module in MODULES, page
    if module in OF_EXTRAS:
        # what an extra brings that is installed elsewhere only: `make integration` imports it
        assert name in defined(module), page
    else:
        assert hasattr(import_module(module), name), page


@pytest.mark.parametrize(("module", "name"), BEFORE)
def test_what_pages_imported_before_is_the_same_object(module, name):
    assert getattr(import_module(module), name) is getattr(pytest_netbench, name)


def test_type_checkers_see_the_same_names_from_the_same_modules():
    (block,) = [
        node
        for node in ast.parse(Path(pytest_netbench.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    ]
    seen = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    lazy = {name: f"pytest_netbench.{module}" for name, module in pytest_netbench._PLACES.items()}
    assert seen == lazy


def test_importing_the_package_imports_nothing_of_it():
    code = "import sys, pytest_netbench; print(sorted(m for m in sys.modules if m.startswith('pytest_netbench.')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[]\n"


def test_the_page_has_all_fields_of_a_spec():
    assert re.findall(r"`(\w+)`", " ".join(FIELDS)) == list(pytest_netbench.TrialSpec.model_fields)


def test_an_unknown_name_is_refused_as_usual():
    with pytest.raises(AttributeError, match="module 'pytest_netbench' has no attribute 'Stge'"):
        _ = pytest_netbench.Stge
    with pytest.raises(ImportError, match="cannot import name 'Stge'"):
        exec("from pytest_netbench import Stge")
