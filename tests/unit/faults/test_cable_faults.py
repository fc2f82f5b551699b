"""Faults of cables on paper: where they fit, what they are called, and that nobody is asked to repair them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.faults.reasoning import OUTSIDE, reasoning
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.repair import Repair

CABLES = (
    "link-connections-lost",
    "link-corrupting",
    "link-corrupting-one-way",
    "link-dark-at-times",
    "link-data-lost",
    "link-delayed",
    "link-down",
    "link-flapping",
    "link-flow-table-full",
    "link-flows-lost",
    "link-lossy",
    "link-lossy-one-way",
    "link-lossy-when-busy",
    "link-mtu-low",
    "link-multicast-lost",
    "link-policed",
    "link-queue-long",
    "link-queue-short",
    "link-slow",
    "link-udp-lost",
)


def fault(name: str) -> Any:
    return fault_of(name)


def a_network(platform: str = "cisco_ios", shape: str = "campus", routing: str = "ospf") -> Any:
    given = {"platform": platform, "shape": shape, "routing": routing, "services": ()}
    return draw_network(NetworkParameters.model_validate(given))


def injected(name: str, network: Any) -> InjectedFault:
    first = next(iter(fault(name).places(network)))
    return InjectedFault(fault=name, parameters=first.model_dump(mode="json"))


@pytest.mark.parametrize("name", CABLES)
def test_it_is_of_a_network_and_outside_its_nodes(name: str) -> None:
    assert isinstance(fault(name), NetworkValue)
    assert isinstance(fault(name), OutsideValue)


@pytest.mark.parametrize("name", ["link-down", "link-flapping"])
def test_any_cable_can_lose_its_carrier(name: str) -> None:
    network = a_network()
    found = {frozenset(one.ends) for one in fault(name).places(network)}
    assert found == {frozenset((end.node, end.interface) for end in one.endpoints) for one in network.topology.links}


@pytest.mark.parametrize("name", CABLES)
def test_a_cable_whose_ends_nobody_may_look_at_has_no_fault(name: str) -> None:
    network = a_network(shape="dual-homed-isp", routing="bgp")
    foreign = {node for node, control in network.topology.controls.items() if control == "foreign"}
    cables = {frozenset(end.node for end in link.endpoints) for link in network.topology.links}
    assert any(cable <= foreign for cable in cables)
    found = {frozenset((one.node, one.peer_node)) for one in fault(name).places(network)}
    assert not any(cable <= foreign for cable in found)
    if name != "link-multicast-lost":  # OSPF runs between own routers only
        assert any(cable & foreign for cable in found), "one end is enough"


@pytest.mark.parametrize("name", [name for name in CABLES if name not in {"link-down", "link-flapping"}])
def test_a_worse_cable_has_addresses_of_one_subnet_at_its_ends(name: str) -> None:
    network = a_network()
    subnets = [{(one.node, one.interface): one.address for one in net.attachments} for net in network.subnets]
    found = list(fault(name).places(network))
    assert found
    for one in found:
        (subnet,) = [net for net in subnets if one.ends[0] in net]
        assert subnet[one.ends[1]] == one.peer_address


@pytest.mark.parametrize("name", CABLES)
def test_a_cable_has_one_fault_at_most_and_none_beside_one_of_its_interfaces(name: str) -> None:
    network = a_network(shape="line")
    shut = {(one.node, one.interface): one for one in fault("port-shutdown").places(network)}
    cable = next(one for one in fault(name).places(network) if one.ends[0] in shut)
    assert fault(name).touches(cable) & fault("port-shutdown").touches(shut[cable.ends[0]])
    for other in CABLES:
        assert fault(other).touches(cable) == fault(name).touches(cable)


@pytest.mark.parametrize("name", CABLES)
def test_it_is_named_at_its_link_or_at_either_end(name: str) -> None:
    parameters = DiagnoseParameters.model_validate(
        {"faults": (name,), "shapes": ("ring",), "healthy": 0.0, "level": "1"}
    )
    payload = diagnose_of(DiagnoseGenerator().draw(parameters, seed=1, index=0))
    ((kind, places, _),) = payload.causes
    given = payload.faults[0].parameters
    ends = [(given["node"], given["interface"]), (given["peer_node"], given["peer_interface"])]
    assert kind == name
    assert places[0] == "link/" + "--".join(sorted(f"{node}:{interface}" for node, interface in ends))
    assert set(places[1:]) == {f"interface/{node}/{interface}" for node, interface in ends}
    assert set(places) <= set(payload.resources)


def test_a_task_of_repair_cannot_have_it() -> None:
    network = a_network()
    fields = {**network.fields(), "flows": flow_groups(network)}
    with pytest.raises(ValidationError, match="'link-down' is outside the nodes, so that no command repairs it"):
        Repair.model_validate({**fields, "faults": [injected("link-down", network)]})


def test_the_reasoning_says_that_no_command_repairs_it() -> None:
    text = reasoning([injected("port-shutdown", a_network()), injected("link-down", a_network())])
    cable, port = text.splitlines()[1:3]
    assert cable.startswith("A cable is cut")
    assert cable.endswith(OUTSIDE)
    assert "Repair on" in port
