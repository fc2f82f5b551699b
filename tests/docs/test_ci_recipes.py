"""The recipes for CI in the documentation are those that `netbench init --ci` writes, which a test executes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.cli.recipes import EVERY, PLACES, recipe
from pytest_netbench.plugin.results.gate import GATE_FAILED, NOT_JUDGED
from pytest_netbench.regression_gate.policy import load_policy

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?:yaml|yml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def is_recipe(content: Any) -> bool:
    """Whether a document is for a CI service or a Job: it has steps, a script or completions."""
    if isinstance(content, dict):
        return bool({"runs-on", "steps", "script", "completions"} & set(content)) or any(
            map(is_recipe, content.values())
        )
    return False


def recipes_of(text: str) -> list[str]:
    return [block for block in FENCE.findall(text) if is_recipe(yaml.safe_load(block))]


def test_each_recipe_in_the_documentation_is_one_that_init_writes():
    written = {recipe(service): service for service in EVERY}
    shown = [(page.name, block) for page in PAGES for block in recipes_of(page.read_text(encoding="utf-8"))]
    assert [page for page, block in shown if block not in written] == []
    assert {written[block] for _, block in shown} == set(EVERY), "run-in-ci.md or run-on-many-machines.md shows each"


@pytest.mark.parametrize("service", sorted(PLACES))
def test_each_status_that_a_gate_may_have_is_explained_in_each_recipe(service):
    assert re.findall(r"^# +(\d+)  ", recipe(service), re.MULTILINE) == ["0", "1", str(GATE_FAILED), str(NOT_JUDGED)]


@pytest.mark.parametrize("service", sorted(PLACES))
def test_the_policy_that_a_recipe_names_lets_an_inconclusive_comparison_fail(service, tmp_path):
    line = re.search(r"the line  (.*)", recipe(service))
    assert line is not None
    (tmp_path / "policy.yaml").write_text(line[1])
    assert [rule.inconclusive for rule in load_policy(tmp_path / "policy.yaml").rules] == ["fail"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("jobs: {a: {steps: [{run: make}]}}", 1), ("job:\n  script: [make]", 1), ("rules: [{level: 1}]", 0)],
)
def test_a_recipe_is_told_from_other_files(text, found):
    assert len(recipes_of(f"```yaml\n{text}\n```\n")) == found
