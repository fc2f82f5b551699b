"""Reference diagnoses on paper: which faults have evidence, that an agent can ask for it, and what an answer shows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.methods import PARAMS, validated
from pytest_netbench.dialects.state_checks import state_check_of
from pytest_netbench.families.diagnose import measuring, requesting
from pytest_netbench.faults.evidence.network import Observable, observable_of
from pytest_netbench.faults.evidence.observation import Answer, Configured, Matches, Observation, Refused, answer_of
from pytest_netbench.faults.reasoning import MOST, evidence_of, in_words
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from tests.support.evidence import drawn_with, evidence_in, on_a_site

MODELS = {
    **PARAMS,
    measuring.CAPTURE_PACKETS: measuring.CapturePacketsParams,
    measuring.CHECK_REACHABILITY: measuring.CheckReachabilityParams,
    measuring.MEASURE_RATE: measuring.MeasureRateParams,
    measuring.QUERY_TELEMETRY: measuring.QueryTelemetryParams,
    requesting.HTTP_GET: requesting.HttpGetParams,
    requesting.LOOKUP_NAME: requesting.LookupNameParams,
}
WITHOUT: dict[str, str] = {}
"""Faults that have no evidence, and why."""


@cache
def evidence(name: str) -> tuple[Observation, ...]:
    """The evidence of a fault at a place of a drawn network or a site; that with the most observations."""
    found = [evidence_in(task, name) for task in drawn_with(name)]
    return max([*found, on_a_site(name)], key=len)


@pytest.mark.parametrize("name", parts.names("faults"))
def test_every_fault_has_evidence_or_a_reason_for_none(name: str) -> None:
    assert bool(evidence(name)) is (name not in WITHOUT)
    assert len(evidence(name)) <= MOST


@pytest.mark.parametrize("name", parts.names("faults"))
def test_an_agent_can_make_each_observation(name: str) -> None:
    for one in evidence(name):
        assert one.method in MODELS
        validated(one.method, MODELS[one.method], one.params)
        assert one.because.endswith(".")
        assert Observation.model_validate_json(one.model_dump_json()) == one


def test_a_node_that_nobody_can_look_at_is_not_asked() -> None:
    (task,) = list(drawn_with("link-down"))[:1]
    payload = diagnose_of(task)
    fault = payload.faults[0]
    whole = observable_of(payload)
    (asked,) = {one.params["device"] for one in evidence_of(fault, whole)[:1]}
    blind = Observable(platforms={}, addresses=whole.addresses, pairs=whole.pairs)
    assert asked in whole.platforms
    assert evidence_of(fault, blind) == ()


def test_no_brief_has_a_word_of_the_reference_diagnosis() -> None:
    for task in _tasks("link-down", "ospf-area-wrong", "host-gateway-wrong"):
        brief = parts.load("families", "diagnose")().brief(task).model_dump_json()
        for one, *_ in [evidence_of(diagnose_of(task).faults[0], observable_of(diagnose_of(task)))]:
            assert one.because not in brief
            assert str(one.params.get("command")) not in brief


def _tasks(*names: str) -> Iterator[Task]:
    for name in names:
        yield next(iter(drawn_with(name)))


def test_the_reference_diagnosis_is_told_in_words() -> None:
    (task,) = _tasks("link-down")
    first, *lines = in_words(diagnose_of(task))
    node, interface = (diagnose_of(task).faults[0].parameters[name] for name in ("node", "interface"))
    assert first == f"link-down on {node}:"
    assert lines[0].startswith(f"  1. {interface} of {node} has no carrier, and is not shut down. `execute-cmd {node} ")


CONFIG = "router ospf 1\n network 10.0.0.0/30 area 0\n"


@pytest.mark.parametrize(
    ("shows", "answer", "holds"),
    [
        (Matches(pattern="^b"), Answer("a\nb"), True),
        (Matches(pattern="^c"), Answer("a\nb"), False),
        (Matches(pattern="^c", is_absent=True), Answer("a\nb"), True),
        (Matches(pattern="^b", is_absent=True), Answer("a\nb"), False),
        (Matches(pattern="c", is_absent=True), Answer("it broke", is_error=True), False),
        (Configured(dialect="cisco_ios", lines=("router ospf 1", " network 10.0.0.0/30 area 0")), Answer(CONFIG), True),
        (
            Configured(dialect="cisco_ios", lines=("router ospf 1", " no network 10.0.0.0/30 area 0")),
            Answer(CONFIG),
            False,
        ),
        (Configured(dialect="cisco_ios", lines=("no router bgp",)), Answer(CONFIG, is_error=True), False),
        (Refused(pattern="not answer"), Answer("r1 did not answer", is_error=True), True),
        (Refused(pattern="not answer"), Answer("r1 did not answer"), False),
    ],
)
def test_what_an_answer_shows(shows: Any, answer: Answer, holds: bool) -> None:
    assert shows.is_in(answer) is holds


def test_an_answer_is_its_config_its_output_or_its_fields() -> None:
    assert answer_of({"running_config": CONFIG}) == Answer(CONFIG)
    assert answer_of({"output": "a"}) == Answer("a")
    assert answer_of({"rows": [[0]]}) == Answer('{"rows": [[0]]}')


def test_words_of_a_sign_stand_for_themselves_in_its_pattern() -> None:
    sign = state_check_of("frr", "no OSPF neighbor", address="10.0.0.1")
    assert sign is not None
    lost = Matches(pattern=sign.pattern, is_absent=sign.is_absent)
    assert not lost.is_in(Answer("10.64.2.37  1 Full/-  1m08s  33.6s 10.0.0.1  eth0:10.0.0.2"))
    assert lost.is_in(Answer("10.64.2.37  1 Full/-  1m08s  33.6s 10.0.011  eth0:10.0.0.2"))
    assert state_check_of("linux", "no OSPF neighbor", address="10.0.0.1") is None


def test_two_hosts_across_a_link_have_no_other_way_that_is_as_short() -> None:
    pairs = (("a", "b"), ("b", "a"))
    line = Observable(platforms={}, addresses={}, pairs=pairs, links=(("a", "r"), ("r", "s"), ("s", "b")))
    assert line.across("s", "r") == ("a", "b")
    ring = Observable(platforms={}, addresses={}, pairs=pairs, links=(*line.links, ("r", "t"), ("t", "s")))
    assert ring.across("r", "s") == ("a", "b")
    equal = Observable(platforms={}, addresses={}, pairs=pairs, links=(*line.links, ("r", "s")))
    assert equal.across("r", "t") is None


def test_two_hosts_along_a_link_send_over_it_from_the_first_node() -> None:
    links = (("a", "r"), ("r", "s"), ("s", "b"))
    line = Observable(platforms={}, addresses={}, pairs=(("a", "b"), ("b", "a")), links=links)
    assert line.along("r", "s") == ("a", "b")
    assert line.along("s", "r") == ("b", "a")
    assert Observable(platforms={}, addresses={}, pairs=(("a", "b"),), links=links).along("s", "r") is None
