"""docs/reference/options.md, fixtures.md and hooks.md name what there is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import yaml

from pytest_netbench.plugin import hookspecs
from pytest_netbench.plugin.options import LIMITS, pytest_addoption
from pytest_netbench.plugin.trials import fixtures

FOLDER = Path(__file__).parents[2] / "docs/reference"


class Options:
    """Takes options as a parser does."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def getgroup(self, name: str, description: str) -> Options:
        return self

    def addini(self, name: str, help: str, **settings: object) -> None:
        assert f"`{name}`" in (FOLDER / "options.md").read_text()

    def addoption(self, name: str, **settings: object) -> None:
        assert len(str(settings["help"])) > 20, name
        self.names.append(name)


def options() -> list[str]:
    parser = Options()
    pytest_addoption(parser)  # type: ignore[arg-type]
    return parser.names


def hooks() -> list[str]:
    return [name for name in vars(hookspecs) if name.startswith("pytest_netbench_")]


@pytest.mark.parametrize("name", options())
def test_every_option_is_documented(name):
    assert re.search(rf"^\| `{name}[=`]", (FOLDER / "options.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", LIMITS)
def test_every_limit_of_a_budget_is_documented(name):
    assert f"`{name}`" in (FOLDER / "options.md").read_text()


def test_no_option_is_documented_that_is_not_there():
    rows = re.findall(r"^\| `(--[\w-]+)", (FOLDER / "options.md").read_text(), re.MULTILINE)
    assert rows == options()


def test_every_fixture_is_documented_and_no_other():
    rows = re.findall(r"^\| `(\w+)`", (FOLDER / "fixtures.md").read_text(), re.MULTILINE)
    found = [name for name, value in vars(fixtures).items() if type(value).__name__ == "FixtureFunctionDefinition"]
    assert sorted(rows) == sorted(found)


@pytest.mark.parametrize("name", hooks())
def test_every_hook_is_documented_with_its_arguments(name):
    arguments = ", ".join(inspect.signature(getattr(hookspecs, name)).parameters)
    assert f"| `{name}({arguments})` |" in (FOLDER / "hooks.md").read_text()


@pytest.mark.parametrize("page", ["fixtures.md", "hooks.md"])
def test_every_example_compiles(page):
    for code in re.findall(r"```python\n(.*?)```", (FOLDER / page).read_text(), re.DOTALL):
        compile(code, page, "exec")


def test_the_example_of_accepted_survivors_is_what_a_task_takes():
    from pytest_netbench.model.configure import Configure

    (text,) = re.findall(r"```yaml\n(.*?)```", (FOLDER / "options.md").read_text(), re.DOTALL)
    assert set(yaml.safe_load(text)) <= set(Configure.model_fields)
