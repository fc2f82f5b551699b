"""What a model is told first: its prompts, and worked examples of its family that are not its own task."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.agentfile import load_agent_file
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.errors import AgentFileError
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import Brief

EXAMPLES = (
    "Ignored words.\n\n## Example 1\n\nPlay A on  the\npiano.\n\nRight: a\n\n## Example 2\n\nPlay B.\n\nRight: b\n"
)


def brief(intent: str = "Play C.", *, family: str = "configure", **fields: object) -> Brief:
    return Brief(task_name="t", family=family, intents=(intent,), budget=Budget(), **fields)


@pytest.fixture
def opening(tmp_path):
    def make(text: str) -> Opening:
        path = tmp_path / "a.agent.yaml"
        path.write_text(f"model: openai/x\n{text}")
        return Opening.of(load_agent_file(path), system="react", question="react-question")

    (tmp_path / "examples.md").write_text(EXAMPLES)
    (tmp_path / "think.md").write_text("Think step by step.")
    (tmp_path / "empty.md").write_text("\n")
    return make


def test_instructions_follow_the_system_prompt(opening):
    plain, added = opening(""), opening("instructions: think.md\n")
    assert added.system_text(brief()) == f"{plain.system_text(brief()).rstrip()}\n\nThink step by step."
    assert {prompt.name for prompt in added.prompts} - {prompt.name for prompt in plain.prompts} == {"instructions"}


def test_a_task_without_devices_has_a_system_prompt_of_its_own(opening):
    with_devices = brief(devices={"R1": "frr"})
    assert "running network" in opening("").system_text(with_devices)
    assert "running network" not in opening("").system_text(brief())
    assert "update_cfg" not in opening("").system_text(brief())
    assert "Devices" not in opening("").task_text(brief(), how="")


def test_examples_of_the_family_come_before_the_task(opening):
    text = opening("examples: {configure: examples.md}\n").task_text(brief(), how="")
    assert text.index("Right: a") < text.index("Right: b") < text.index("# Task: t")
    assert "Ignored" not in text


def test_other_families_see_no_examples(opening):
    assert "Example" not in opening("examples: {configure: examples.md}\n").task_text(brief(family="plan"), how="")


def test_an_example_that_is_the_task_itself_is_left_out(opening):
    text = opening("examples: {configure: examples.md}\n").task_text(brief("Play A on the piano."), how="")
    assert "Right: a" not in text
    assert "Right: b" in text


@pytest.mark.parametrize("field", ["instructions: {}", "examples: {{plan: {}}}", "prompt: {}"])
def test_a_file_that_is_missing_or_empty_is_refused(opening, field):
    with pytest.raises(AgentFileError, match="cannot be read"):
        opening(field.format("nowhere.md") + "\n")
    with pytest.raises(AgentFileError, match="is empty"):
        opening(field.format("empty.md") + "\n")


def test_reports_are_offered_the_method_that_they_need(tmp_path):
    path = tmp_path / "a.agent.yaml"
    path.write_text("model: openai/x\nreport_reachability: true\nextras: [search-manual]\n")
    file = load_agent_file(path)
    assert file.overrides().extras == ("search-manual", "get-reachability")
    assert file.info().settings["extras"] == ["search-manual", "get-reachability"]
    assert file.info().settings["report_reachability"] is True
    path.write_text("model: openai/x\n")
    assert load_agent_file(path).overrides().extras == ()
