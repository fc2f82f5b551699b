"""Faults that only together lose long packets, on paper: they are drawn together, and each is a cause of its own."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.faults.builders import NetworkValue
from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.diagnose import DiagnoseGenerator, offered
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.faulty import fault_of

DENIED, FRAGMENTS, LOW = "icmp-frag-needed-denied", "fragments-denied", "link-mtu-configured-low"


def fault(name: str) -> Any:
    return fault_of(name)


def drawn(index: int, **parameters: Any) -> Diagnose:
    given = {"faults": (DENIED,), "shapes": ("line", "tree"), "healthy": 0.0, "level": "1", **parameters}
    return diagnose_of(DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=1, index=index))


@pytest.mark.parametrize("name", [DENIED, FRAGMENTS])
def test_one_brings_the_other(name: str) -> None:
    assert isinstance(fault(name), NetworkValue)
    assert fault(name).company == LOW
    assert fault(LOW).company is None
    assert fault(name).company == LOW
    assert LOW not in DIAGNOSED, "alone it breaks nothing"


@pytest.mark.parametrize("index", range(6))
def test_both_are_injected_and_both_are_causes(index: int) -> None:
    payload = drawn(index)
    assert [one.fault for one in payload.faults] == [DENIED, LOW]
    denied, low = payload.faults
    ends = [
        (low.parameters[node], low.parameters[port])
        for node, port in (("node", "interface"), ("peer", "peer_interface"))
    ]
    first, second = payload.causes
    assert first == (DENIED, (f"node/{denied.parameters['node']}",), ())
    assert second.resources[0] == "link/" + "--".join(sorted(f"{node}:{port}" for node, port in ends))
    assert set(second.resources[1:]) == {f"interface/{node}/{port}" for node, port in ends}
    assert payload.fault_types == (DENIED, LOW)
    near = {end.node for link in payload.topology.links for end in link.endpoints}
    assert {node for node, _ in ends} <= near


def test_together_they_count_as_one() -> None:
    tasks = [drawn(index, faults=(DENIED, "link-down"), level="2") for index in range(8)]
    found = {" ".join(one.fault for one in task.faults) for task in tasks}
    both = f"{DENIED} {LOW}"
    assert found <= {f"{both} link-down", f"{both} {both}", "link-down link-down"}
    assert f"{both} link-down" in found


def test_all_that_may_come_with_a_fault_can_be_chosen() -> None:
    assert offered(("link-down", DENIED)) == ("link-down", DENIED, LOW)
    assert offered(("link-down",)) == ("link-down",)


@pytest.mark.parametrize("platform", ["frr", "cisco_ios"])
def test_it_is_at_hosts_whose_router_can_have_a_low_mtu(platform: str) -> None:
    given = {"shape": "line", "routing": "ospf", "platform": platform, "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(given))
    found = list(fault(DENIED).places(network))
    assert {one.node for one in found} == (set(network.hosts) if platform == "cisco_ios" else set())
    for one in found:
        routers = {end.node for end in network.lan_of(one.node).attachments if end.node in network.routers}
        links = list(fault(DENIED).accompanied(one, network))
        assert links
        assert {link.node for link in links} <= routers


def test_a_list_that_denies_fragments_is_at_an_end_of_the_link_with_the_low_mtu() -> None:
    given = {"shape": "line", "routing": "ospf", "platform": "cisco_ios", "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(given))
    found = list(fault(FRAGMENTS).places(network))
    assert {one.node for one in found} == set(network.routers)
    for one in found:
        links = list(fault(FRAGMENTS).accompanied(one, network))
        assert links
        assert {(link.node, link.interface, link.peer) for link in links} == {(one.node, one.interface, one.peer)}


def test_no_list_denies_fragments_where_addresses_are_translated() -> None:
    # the filter of Linux joins fragments there before it looks at them
    given = {"shape": "dual-homed-isp", "platform": "cisco_ios", "services": ("nat",)}
    network = draw_network(NetworkParameters.model_validate(given))
    translating = {node for node, text in network.startup_configs.items() if "ip nat " in text}
    assert translating
    assert not translating & {one.node for one in fault(FRAGMENTS).places(network)}


def test_both_ends_of_a_link_are_changed_and_repaired() -> None:
    given = {"shape": "line", "routing": "ospf", "platform": "cisco_ios", "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(given))
    one = next(iter(fault(LOW).places(network)))
    commands = fault(LOW).recover(one)
    assert commands == {
        one.node: (f"interface {one.interface}", " no ip mtu"),
        one.peer: (f"interface {one.peer_interface}", " no ip mtu"),
    }
