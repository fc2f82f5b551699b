from __future__ import annotations

import pytest

from pytest_netbench.families.configure import ConfigureFamily
from tests.support.memory_trial import task_of

pytestmark = pytest.mark.usefixtures("memory_parts")


def test_the_intents_of_the_brief_are_their_texts_alone():
    brief = ConfigureFamily().brief(task_of())
    assert brief.intents == ("port 80", "route")
    assert brief.sub_intents == (("edge: stop dropping",), ())


def test_the_brief_says_that_everything_else_must_stay_as_it_is():
    assert ConfigureFamily().brief(task_of()).rules == ("Whatever the intents do not ask for must stay as it is.",)


def test_the_brief_names_devices_platforms_and_their_versions():
    brief = ConfigureFamily().brief(task_of())
    assert brief.devices == {"branch": "memory", "edge": "memory", "web": "memory"}
    assert brief.hints == ("Devices of platform memory run version 1.",)


def test_the_brief_offers_the_four_methods_by_their_wire_names_with_schemas():
    brief = ConfigureFamily().brief(task_of())
    assert [method.name for method in brief.methods] == ["get-topology", "get-running-cfg", "update-cfg", "execute-cmd"]
    assert all(method.parameters["type"] == "object" for method in brief.methods)


def test_the_brief_gives_nothing_away():
    words = ConfigureFamily().brief(task_of(notes="the answer is 42")).model_dump_json()
    for secret in ("no deny", "10.9.0.0/16", "port 80 is dropped", "42", "web-open"):
        assert secret not in words


def test_only_the_testcase_score_gates():
    family = ConfigureFamily()
    assert family.pass_marks == {"testcase": 1.0}
    assert family.scorers == ("testcase", "command", "reasoning", "netconfbench.command", "netconfbench.reasoning")
