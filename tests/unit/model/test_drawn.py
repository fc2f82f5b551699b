"""The draw that made a task: its id, its slug, and its place in a task file."""

from __future__ import annotations

import pytest
import yaml
from pydantic import ValidationError

from pytest_netbench.model.drawn import Drawn
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.schema import task_schema

TASK = """\
task_name: One router
intents: A name is set.
topology: {nodes: [R1]}
"""
DRAWN = {
    "generator": "repair-routing",
    "parameters": {"level": "1-3"},
    "seed": 7,
    "index": 42,
    "label": "DR+WR",
    "level": 2,
}


def test_id_and_slug_name_generator_seed_index_and_label():
    drawn = Drawn.model_validate(DRAWN)
    assert drawn.id == "repair-routing[s7-0042-DR+WR]"
    assert drawn.slug == "repair-routing-s7-0042-dr-wr"


@pytest.mark.parametrize(
    "wrong",
    [{"label": "DR-WR"}, {"label": "+DR"}, {"label": ""}, {"level": 0}, {"index": -1}, {"generator": "Repair[x]"}],
)
def test_values_that_would_make_an_ambiguous_id_are_refused(wrong):
    with pytest.raises(ValidationError):
        Drawn.model_validate(DRAWN | wrong)


def test_a_task_file_may_contain_it_and_its_digest_is_the_same(tmp_path):
    path = tmp_path / "one.task.yaml"
    path.write_text(TASK)
    plain = load_task(path)
    path.write_text(TASK + yaml.safe_dump({"drawn": DRAWN}))
    drawn = load_task(path)
    assert plain.drawn is None
    assert drawn.drawn == Drawn.model_validate(DRAWN)
    assert drawn.digest == plain.digest


def test_the_schema_describes_it():
    schema = task_schema()
    assert set(schema["$defs"]["Drawn"]["properties"]) == {*DRAWN, "packages", "scenario"}
