"""docs/reference/agents.md and the how-to name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from pytest_netbench import parts
from pytest_netbench.agents.agentfile import DURATIONS, AgentFile, load_agent_file
from pytest_netbench.documents.durations import spelling

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs/reference/agents.md").read_text()
HOW_TO = (ROOT / "docs/how-to/evaluate-your-own-agent.md").read_text()
PROMPTS = sorted(path.name for path in (ROOT / "pytest_netbench/agents/prompts").glob("*.md"))


def fields() -> list[str]:
    words = spelling(DURATIONS)
    names = []
    for name, field in AgentFile.model_fields.items():
        kinds = [field.annotation, *getattr(field.annotation, "__args__", ())]
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        names += [f"{name}.{words.get(key, key)}" for key in inner[0].model_fields] if inner else [name]
    return names


@pytest.mark.parametrize("field", fields())
def test_every_field_of_an_agent_file_is_documented(field):
    section, _, key = field.partition(".")
    rows = [line for line in REFERENCE.splitlines() if re.match(rf"\| `{section}\b", line)]
    assert any(not key or f"`{field}`" in row or f"`.{key}`" in row for row in rows), field


@pytest.mark.parametrize("name", parts.names("agents"))
def test_every_registered_agent_is_documented(name):
    assert f"`{name}`" in REFERENCE


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_is_documented(name):
    assert f"| `{name}` |" in REFERENCE


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", HOW_TO, re.DOTALL))
def test_every_agent_file_in_the_how_to_is_valid(tmp_path, text):
    path = tmp_path / "example.agent.yaml"
    path.write_text(text)
    assert load_agent_file(path).strategy == yaml.safe_load(text).get("strategy", "react")


def test_the_class_in_the_how_to_runs():
    from tests.support.memory_ani import MemoryAni, brief_of

    (code,) = re.findall(r"```python\n(.*?)```", HOW_TO, re.DOTALL)
    names: dict = {}
    exec(code, names)
    ani = MemoryAni({"r1": []})
    assert names["Mine"](depth=2).run(brief_of(ani), ani).reasoning.startswith("r1 needs a route")
    assert ani.configs["r1"] == ["ip route 192.0.2.0/24 10.0.0.2"]
