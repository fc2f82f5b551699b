"""Files for people who contribute: hooks before a commit do what the gate does, and forms ask for what is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def test_hooks_before_a_commit_are_stages_of_the_gate():
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    gate = (ROOT / "scripts/gate").read_text()
    programs = {" ".join(word for word in hook["entry"].split() if not word.startswith("-")) for hook in local["hooks"]}
    stages = set(re.findall(r"^stage \w+ \$bin/(ruff \w+|lint-imports)", gate, re.MULTILINE))
    assert programs == {f".venv/bin/{stage}" for stage in stages}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_asks_for_something_and_every_question_has_a_label(form):
    asked = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= asked.keys()
    assert all(one["attributes"]["label"] for one in asked["body"])
    assert any(one["validations"]["required"] for one in asked["body"])


def test_all_targets_of_make_are_explained_to_contributors_or_users():
    targets = set(re.findall(r"^# make ([\w-]+)", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = "".join(
        page.read_text() for page in (ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), ROOT / "README.md")
    )
    assert not {one for one in targets if f"make {one}" not in pages}
