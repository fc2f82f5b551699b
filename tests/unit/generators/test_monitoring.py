"""What a monitoring system has of a drawn network: never both ends of a link, with wrong names, whatever is wrong."""

from __future__ import annotations

from typing import Any

from pytest_netbench.families.diagnose.measuring import specs_of
from pytest_netbench.faults.reasoning import reference_diagnosis
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of

LEVEL_5 = {"level": "5", "shapes": ("campus", "leaf-spine", "ring", "tree")}


def drawn(count: int, **parameters: Any) -> list[Diagnose]:
    chosen = DiagnoseParameters.model_validate(parameters)
    return [diagnose_of(DiagnoseGenerator().draw(chosen, seed=5, index=index)) for index in range(count)]


def test_at_most_one_end_of_a_link_is_polled_and_some_names_are_wrong() -> None:
    shares, renamed, swapped = [], 0, 0
    for payload in drawn(40, **LEVEL_5):
        assert payload.monitoring is not None
        ports = {(one.node, one.interface): one for one in payload.monitoring.ports}
        links = [[(end.node, end.interface) for end in link.endpoints] for link in payload.topology.links]
        assert all(sum(end in ports for end in ends) <= 1 for ends in links)
        assert all(payload.topology.controls[node] != "foreign" for node, _ in ports)
        shares.append(len(ports) / len(links))
        old = {one.node_label for one in ports.values()} - {node.name for node in payload.topology.nodes}
        renamed += len(old) == 1
        swapped += sum(one.interface != one.interface_label for one in ports.values()) == 2
    assert 0.4 < sum(shares) / len(shares) < 0.8
    assert renamed == 40
    assert swapped > 30


def test_it_is_the_same_with_and_without_a_fault() -> None:
    faulty, healthy = (drawn(12, **LEVEL_5, healthy=share) for share in (0.0, 1.0))
    for one, other in zip(faulty, healthy, strict=True):
        assert one.monitoring == other.monitoring
        assert specs_of(one) == specs_of(other)


def test_nothing_that_proves_a_fault_is_of_the_monitoring() -> None:
    for payload in drawn(60, **LEVEL_5, healthy=0.0):
        for one, found in reference_diagnosis(payload):
            assert found, one.fault
            assert all(each.method != "query-telemetry" for each in found), one.fault


def test_it_comes_with_levels_of_the_table_or_where_it_is_named() -> None:
    assert all(one.monitoring is None for one in drawn(3, level="3"))
    assert all(one.monitoring is None for one in drawn(3, level="4", monitoring="samples"))
    assert all(one.monitoring is not None for one in drawn(3, level="1", monitoring="averages"))
    assert "monitoring" not in DiagnoseParameters().model_dump()
