"""Brownfield configurations: equal for healthy and faulty networks, long, and judged by a design document."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.generators.brownfield.growth import FEWEST_LINES, MOST_LINES
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.repair_network import RepairNetwork, RepairNetworkParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.faulty import Faulty

COUNT = 20


def drawn(count: int = COUNT, **parameters: Any) -> list[Diagnose]:
    chosen = DiagnoseParameters.model_validate(
        {"config": "brown", "platforms": ("mixed", "frr", "cisco_ios")} | parameters
    )
    return [diagnose_of(DiagnoseGenerator().draw(chosen, seed=4, index=index)) for index in range(count)]


def grown(payload: Faulty) -> dict[str, str]:
    """The configurations of the managed routers and switches."""
    nodes = payload.topology.nodes
    own = [one.name for one in nodes if payload.platform_of(one.name) in ("frr", "cisco_ios")]
    return {name: payload.startup_configs[name] for name in own if payload.topology.controls[name] != "foreign"}


def test_each_device_has_so_many_lines_as_real_ones_have() -> None:
    lengths = [len(text.splitlines()) for payload in drawn() for text in grown(payload).values()]
    assert min(lengths) >= FEWEST_LINES
    assert max(lengths) <= MOST_LINES + 50
    assert max(lengths) > 2 * min(lengths)


def test_what_the_lean_network_had_is_still_there() -> None:
    for brown, lean in zip(drawn(), drawn(config="lean"), strict=True):
        assert brown.faults == lean.faults
        assert lean.design is None
        for name, text in grown(brown).items():
            before = {path for path in config_paths(lean.startup_configs[name]) if "description" not in path[-1]}
            assert before <= {*config_paths(text)}


def test_a_healthy_network_has_the_configurations_of_the_faulty_one() -> None:
    for healthy, faulty in zip(drawn(healthy=1.0), drawn(healthy=0.0), strict=True):
        assert faulty.faults
        assert not healthy.faults
        assert healthy.startup_configs == faulty.startup_configs
        assert healthy.design == faulty.design


def test_equal_seeds_draw_equal_configurations() -> None:
    assert [one.startup_configs for one in drawn(5)] == [one.startup_configs for one in drawn(5)]


def test_what_is_on_purpose_stands_in_the_design_document() -> None:
    count = 0
    for payload in drawn():
        assert payload.design is not None
        for name, text in grown(payload).items():
            for session in re.findall(r"^ neighbor (\S+) shutdown$", text, re.MULTILINE):
                assert f"{name}: the BGP neighbor {session} is shut down" in payload.design
            for used, way in re.findall(r"^ ip access-group (\S+) (in|out)$", text, re.MULTILINE):
                assert re.search(rf"{name}: the access list {used} of \S+ \({way}\)", payload.design)
                count += 1
    assert count > 5


def test_no_leftover_has_a_name_that_a_fault_needs() -> None:
    faults = ("icmp-denied", "ospf-denied", "bgp-denied")
    for payload in drawn(40, faults=faults, platforms=("cisco_ios",), healthy=0.0, services=()):
        for one in payload.faults:
            node, used, port = (one.parameters[key] for key in ("node", "list_name", "interface"))
            paths = list(config_paths(payload.startup_configs[node]))
            assert not any(path[-1].endswith(f" {used}") for path in paths)
            assert not any(path[0] == f"interface {port}" and " access-group" in path[-1] for path in paths)


@pytest.mark.parametrize("shape", ["campus", "dual-homed-isp", "isp", "leaf-spine"])
def test_leftover_routes_lead_to_addresses_that_nothing_in_the_network_has(shape: str) -> None:
    (payload,) = drawn(1, shapes=(shape,), size="1")
    assert payload.design is not None
    (gone,) = (line for line in payload.design.splitlines() if "sites that are gone" in line)
    blocks = [block.split(".")[:2] for block in re.findall(r"\S+/12", gone)]
    for text in grown(payload).values():
        for address in re.findall(r"^ip route 10\.(\d+)\.\S+ .*(?:Null0|blackhole) 25\d", text, re.MULTILINE):
            assert any(int(block[1]) <= int(address) < int(block[1]) + 16 for block in blocks)


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
def test_discarding_routes_are_left_over_in_the_spelling_of_the_fault(platform: str) -> None:
    network = drawn(4, platforms=(platform,), healthy=1)
    texts = [text for one in network for text in grown(one).values()]
    assert sum(len(re.findall(r"^ip route 10\.\S+ (?:\S+ )?Null0$", text, re.MULTILINE)) for text in texts) >= 3


def test_a_repair_has_them_too() -> None:
    chosen = RepairNetworkParameters.model_validate({"config": "brown"})
    payload: Any = RepairNetwork().draw(chosen, seed=4, index=0).payload
    assert payload.design is not None
    assert all(len(text.splitlines()) >= FEWEST_LINES for text in grown(payload).values())
