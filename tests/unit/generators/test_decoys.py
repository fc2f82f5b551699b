"""Decoys: no rarer in healthy networks, and never where a fault has a part."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_netbench.families.diagnose.briefing import assignment
from pytest_netbench.families.diagnose.decoys import excluding
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of

COUNT = 40


def drawn(**parameters: Any) -> list[Diagnose]:
    usual = {"decoys": "drawn", "level": "1", "size": "2", "hosts": "2"}
    chosen = DiagnoseParameters.model_validate(usual | parameters)
    return [diagnose_of(DiagnoseGenerator().draw(chosen, seed=8, index=index)) for index in range(COUNT)]


def test_each_kind_is_drawn_and_some_networks_have_none() -> None:
    counts = Counter(one.kind for payload in drawn() for one in payload.decoys)
    assert {kind for kind, count in counts.items() if count >= 5} == {"change", "flap", "off"}
    assert any(not payload.decoys for payload in drawn())


def test_a_healthy_network_has_the_decoys_of_the_faulty_one() -> None:
    for healthy, faulty in zip(drawn(healthy=1.0), drawn(healthy=0.0), strict=True):
        assert healthy.decoys == faulty.decoys
        assert healthy.flows == faulty.flows


def test_no_fault_has_a_part_in_what_flapped_or_is_off() -> None:
    for payload in drawn(healthy=0.0):
        part = {node for cause in payload.causes for node in cause.nodes}
        for one in payload.decoys:
            assert one.kind == "change" or not {one.node, one.peer} & part


def test_a_host_that_is_off_has_no_traffic_and_is_known_to_be_off() -> None:
    seen = 0
    for payload in drawn(access="managed"):
        for one in payload.decoys:
            if one.kind != "off":
                continue
            seen += 1
            assert payload.startup_configs[one.node].endswith(" down\n")
            assert not any(one.node in (*group.sources, *group.targets) for group in payload.flows if group.allowed)
            assert not any(one.node in (demand.source, demand.target) for demand in payload.demands)
            assert one.node not in payload.test_hosts
            assert payload.topology.controls[one.node] == "foreign"
            assert f"{one.node} is switched off, as planned." in assignment(payload)
    assert seen


def test_a_flap_is_not_told() -> None:
    for payload in drawn():
        if [one.kind for one in payload.decoys] == ["flap"]:
            assert "as planned" not in assignment(payload)


@pytest.mark.parametrize("monitoring", ["samples", "averages"])
@pytest.mark.parametrize("routings", [("ospf",), ("bgp",)])
def test_a_flap_is_excluded_by_its_own_session_whatever_telemetry_has(
    monitoring: str, routings: tuple[str, ...]
) -> None:
    seen = 0
    for payload in drawn(access="managed", monitoring=monitoring, routings=routings):
        for one in payload.decoys:
            if one.kind == "flap":
                seen += 1
                found = list(excluding(one, observable_of(payload), payload.test_hosts[0]))
                assert {each.params["device"] for each in found} == {one.node, one.peer}
                assert {each.shows.pattern.count("address") for each in found} == {0}
    assert seen


def test_without_a_login_a_flap_is_excluded_by_telemetry_and_a_change_is_no_decoy() -> None:
    kinds: Counter[str] = Counter()
    for payload in drawn(access="reports"):
        kinds.update(one.kind for one in payload.decoys)
        for one in payload.decoys:
            assert list(excluding(one, observable_of(payload), payload.test_hosts[0]))
    assert set(kinds) == {"flap", "off"}
