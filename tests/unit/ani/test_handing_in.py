"""What is said of an answer before it is taken, so that an agent can hand in another one."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.ani.submission import misfit
from pytest_netbench.model.base import Model


class Cause(Model):
    """One of several."""

    resource_id: str
    fault_type: str


class Answer(Model):
    """As that of a diagnosis."""

    is_anomaly: bool
    root_causes: tuple[Cause, ...] = ()
    note: Cause | None = None


RIGHT = {"resource_id": "node/r1", "fault_type": "node-crashed"}


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ({"is_anomaly": False}, ""),
        ({"is_anomaly": True, "root_causes": [RIGHT], "note": None}, ""),
        ({}, "the answer lacks 'is_anomaly'"),
        (
            {"is_anomaly": True, "causes": []},
            "the answer has no 'causes' (known: 'is_anomaly', 'root_causes', 'note')",
        ),
        (
            {"is_anomaly": True, "root_causes": [RIGHT, {"resource_id": "node/r2"}]},
            "[1] of 'root_causes' of the answer lacks 'fault_type'",
        ),
        (
            {"is_anomaly": True, "root_causes": [{**RIGHT, "sure": 1}]},
            "[0] of 'root_causes' of the answer has no 'sure' (known: 'resource_id', 'fault_type')",
        ),
    ],
)
def test_members_that_an_answer_lacks_or_does_not_know_are_named(answer: Any, wrong: str) -> None:
    assert misfit(answer, Answer.model_json_schema()) == wrong


def test_a_schema_that_allows_other_members_takes_them() -> None:
    assert misfit({"other": {"x": 1}}, {"type": "object"}) == ""
