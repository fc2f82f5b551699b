"""docs/reference/task-format.md and cli.md: every field is documented, every example loads and fits the schema."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_netbench.cli import main as cli
from pytest_netbench.documents.json_reader import read_json
from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import Budget, flat_model
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import LinkQuality, Node
from pytest_netbench.taskfile.fields import documented
from pytest_netbench.taskfile.schema import task_schema
from pytest_netbench.taskfile.testcases import KINDS
from pytest_netbench.taskfile.units import QUANTITIES

DOCS = Path(__file__).parents[3] / "docs" / "reference"
REFERENCE = (DOCS / "task-format.md").read_text(encoding="utf-8")
WRITTEN = re.findall(r"```(yaml|json)\n(.*?)```", REFERENCE, re.DOTALL)
BLOCKS = [block for block in WRITTEN if not block[1].startswith("right:")]
SOLUTIONS = [text for _, text in WRITTEN if text.startswith("right:")]
SHARED = set(documented(KINDS["show"])) & set(documented(KINDS["path"]))
VALIDATOR = jsonschema.Draft202012Validator(task_schema())


def base() -> dict[str, Any]:
    topology = next(text for _, text in BLOCKS if text.startswith("topology:"))
    return {"task_name": "T", "intents": ["a", "b"]} | read_yaml(topology).plain()


@pytest.mark.parametrize(("language", "text"), BLOCKS, ids=[text.split("\n", 2)[1].strip()[:40] for _, text in BLOCKS])
def test_every_example_loads_and_fits_the_schema(load, language, text):
    import json

    data = (read_json if language == "json" else read_yaml)(text).plain()
    whole = data if "task_name" in data else base() | data
    VALIDATOR.validate(whole)
    load(text if "task_name" in data else json.dumps(whole), "example.json" if language == "json" else "example.yaml")


def test_the_example_of_recorded_solutions_is_one():
    (example,) = SOLUTIONS
    assert Solutions.model_validate(read_yaml(example).plain()).wrong[-1].tampers


@pytest.mark.parametrize("name", documented(flat_model(Configure)))
def test_every_field_of_a_task_is_documented(name):
    assert re.search(rf"^\| `{name}` \|", REFERENCE, re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_testcase_is_documented_under_its_kind(kind):
    section = REFERENCE.partition(f"### `{kind}`\n")[2].partition("\n##")[0]
    table = "\n".join(line.partition(" | ")[0] for line in section.splitlines() if line.startswith("|"))
    for name in set(documented(KINDS[kind])) - SHARED:
        assert f"`{name}`" in table, name


@pytest.mark.parametrize("name", sorted(SHARED))
def test_every_field_that_testcases_share_is_documented(name):
    assert re.search(rf"^\| `{name}` \|", REFERENCE.partition("## Testcases")[2], re.MULTILINE)


@pytest.mark.parametrize("model", [Budget, Flow, LinkQuality, Node], ids=lambda model: model.__name__)
def test_every_field_of_the_smaller_mappings_is_documented(model):
    for name in documented(model):
        assert f"`{name}`" in REFERENCE, name


def test_every_spelling_for_programs_is_documented():
    for name, quantity in QUANTITIES.items():
        assert f"`{name}`" in REFERENCE
        assert f"`{quantity.name}`" in REFERENCE.partition("## Quantities")[2].partition("\n## ")[0]


def test_every_command_option_and_exit_status_is_documented():
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    (commands,) = [action for action in cli.parser()._actions if action.dest == "command"]
    assert commands.choices is not None
    for name, parser in commands.choices.items():  # type: ignore[attr-defined]
        # a command with commands of its own has a row for each
        begins = (f"| `netbench {name} ", f"| `netbench {name}`")
        row = " ".join(line for line in text.splitlines() if line.startswith(begins))
        assert row, name
        for action in parser._actions:
            if action.option_strings and action.dest != "help":
                assert action.option_strings[0] in row
    for status in (cli.OK, cli.NOT_IN_ORDER, cli.WRONG_INPUT, cli.MACHINE, cli.INTERRUPTED):
        assert f"| {status} | " in text
