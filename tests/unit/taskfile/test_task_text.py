"""A task written as a file loads as the same task."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.schema import task_schema
from pytest_netbench.taskfile.writing import task_text
from tests.support.task_list import files


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_shipped_task_loads_as_the_same_task_from_another_folder(path, tmp_path):
    task = load_task(path)
    copy = tmp_path / "other-name.task.yaml"
    text = task_text(task)
    copy.write_text(text)
    assert load_task(copy) == task
    assert load_task(copy).digest == task.digest
    assert len(text) < 2 * len(path.read_text())  # defaults are left out
    jsonschema.Draft202012Validator(task_schema(task.family)).validate(yaml.safe_load(text))


def test_texts_that_yaml_could_misread_stay_as_they_are(tmp_path):
    texts = [
        "no",
        "1.0",
        "- a",
        "a: b",
        " x",
        "x ",
        "tab\there",
        "ä\u2028b",
        "a\n\n b\n",
        "\n",
        "'",
        '"',
        "# c",
    ]
    task = Task.model_validate(
        {
            "task_name": "no",
            "slug": "x",
            "tags": texts,
            "intents": [{"text": "one"}],
            "topology": {"nodes": [{"name": "R1"}], "links": []},
            "startup_configs": {"R1": "\n".join(texts[:5])},
        }
    )
    path = tmp_path / "x.task.yaml"
    path.write_text(task_text(task), encoding="utf-8")
    assert json.dumps(load_task(path).model_dump(mode="json")) == json.dumps(task.model_dump(mode="json"))
