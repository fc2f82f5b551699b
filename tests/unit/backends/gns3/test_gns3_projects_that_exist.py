"""What is read of a project that exists: what nodes are, and which cables and LANs join them. A stand-in answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_netbench.backends.gns3 import kinds
from pytest_netbench.backends.gns3.attached import project
from pytest_netbench.backends.gns3.attached.project import Found
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology
from tests.unit.backends.gns3.test_gns3_server import StandIn

TEMPLATES = [{"template_id": "t1", "name": "Cisco IOSv"}, {"template_id": "t2", "name": "Firefox"}]
REQUEST = LabRequest(
    name="x",
    topology=Topology(
        nodes=(Node(name="R1"), Node(name="pc", platform="linux")),
        links=(Link(endpoints=(Endpoint(node="R1", interface="Gi0/0"), Endpoint(node="pc", interface="ens3"))),),
    ),
    dialects={"R1": "cisco_ios", "pc": "linux"},
)


def node(name: str, kind: str, ports: list[str], **more: Any) -> dict[str, Any]:
    shown = [{"name": one, "short_name": one, "adapter_number": n, "port_number": 0} for n, one in enumerate(ports)]
    return {"node_id": f"id-{name}", "name": name, "node_type": kind, "status": "started", "ports": shown, **more}


def switch(name: str, **types: tuple[str, int]) -> dict[str, Any]:
    mapping = [{"port_number": int(at[1:]), "type": kind, "vlan": vlan} for at, (kind, vlan) in types.items()]
    return node(name, "ethernet_switch", [], properties={"ports_mapping": mapping})


def link(*ends: tuple[str, int, int]) -> dict[str, Any]:
    return {
        "link_id": "-".join(name for name, *_ in ends),
        "nodes": [{"node_id": f"id-{name}", "adapter_number": at, "port_number": port} for name, at, port in ends],
    }


NODES = [
    node("R1", "qemu", ["Gi0/0", "Gi0/1"], template_id="t1"),
    node("pc", "vpcs", ["Ethernet0"]),
    *(node(name, "vpcs", ["Ethernet0"]) for name in ("a", "b", "c", "d")),
    node("web", "docker", ["eth0"], template_id="t2"),
    switch("S", p0=("access", 1), p1=("access", 1), p2=("access", 20), p3=("dot1q", 1)),
    node("H", "ethernet_hub", []),
]
LINKS = [
    link(("R1", 0, 0), ("pc", 0, 0)),
    link(("a", 0, 0), ("S", 0, 0)),
    link(("b", 0, 0), ("S", 0, 1)),
    link(("c", 0, 0), ("S", 0, 2)),
    link(("S", 0, 3), ("H", 0, 0)),
    link(("web", 0, 0), ("H", 0, 1)),
    link(("d", 0, 0), ("H", 0, 2)),
]


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    one = StandIn()
    projects = [
        {"project_id": "p1", "name": "office", "status": "opened"},
        {"project_id": "p2", "name": "shut", "status": "closed"},
        {
            "project_id": "p3",
            "name": "ours",
            "status": "opened",
            "variables": [{"name": "netbench-kept", "value": "yes"}],
        },
    ]
    answers = {"/projects": projects, "/templates": TEMPLATES, "/projects/p1/nodes": NODES, "/projects/p1/links": LINKS}
    for path, answer in answers.items():
        one.answers["GET", f"/v3{path}"] = lambda _, answer=answer: (200, answer)  # type: ignore[misc]
    yield one
    one.close()


def found(stand_in: StandIn, name: str = "office") -> Found:
    return project.find(Server(stand_in.place), name, REQUEST, kinds.table())


def test_a_vpcs_is_a_host_and_templates_say_what_others_are(stand_in: StandIn) -> None:
    one = found(stand_in)
    dialects = {name: device.dialect for name, device in one.site.devices.items()}
    assert dialects == {"R1": "cisco_ios", **dict.fromkeys(["pc", "a", "b", "c", "d"], "linux")}
    assert one.beyond() == "; not used: web (docker: no template that stands for a dialect)"
    assert one.nodes["pc"].kind.driver == "vpcs"
    assert found(stand_in, "p1").project == one.project


def test_interfaces_of_named_nodes_are_those_of_the_task(stand_in: StandIn) -> None:
    devices = found(stand_in).site.devices
    assert devices["R1"].interfaces == ("Gi0/0", "Gi0/1")
    assert devices["pc"].interfaces == ("ens3",)
    assert devices["a"].interfaces == ("eth0",)


def test_ports_of_one_vlan_are_a_lan_and_what_leads_elsewhere_is_none(stand_in: StandIn) -> None:
    cables = {str(one) for one in found(stand_in).site.cables or ()}
    # c is alone in its VLAN; d shares a hub with a node that is nothing known
    assert cables == {"R1 Gi0/0 <-> pc ens3", "a eth0 <-> b eth0", "c eth0"}


def test_projects_that_are_closed_ours_or_not_there_are_refused(stand_in: StandIn) -> None:
    with pytest.raises(LabError, match="project shut is closed"):
        found(stand_in, "shut")
    with pytest.raises(UsageError, match="project 'ours' was made by pytest-netbench"):
        found(stand_in, "ours")
    with pytest.raises(UsageError, match=r"has no project 'x' \(open there: office\)"):
        found(stand_in, "x")
