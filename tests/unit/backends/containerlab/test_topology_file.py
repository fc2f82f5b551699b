"""What containerlab is told to deploy."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab.kinds import VARIABLE, Kind, table
from pytest_netbench.backends.containerlab.topology import PANEL, bridges, node_names, ports, topology_file
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology


def link(*ends: str) -> Link:
    return Link(endpoints=tuple(Endpoint(node=end.split()[0], interface=end.split()[1]) for end in ends))


def request(*links: Link, names: tuple[str, ...] = ("r1", "r2", "h1")) -> LabRequest:
    topology = Topology(nodes=tuple(Node(name=name) for name in names), links=links)
    dialects = {name: "linux" if name.startswith("h") else "frr" for name in names}
    return LabRequest(name="two", topology=topology, dialects=dialects)


def written(asked: LabRequest) -> dict:
    return topology_file("netbench-two-1-1", asked, table())


def test_a_cable_is_a_link_between_its_ends_with_the_mtu_of_tasks() -> None:
    found = written(request(link("r1 eth1", "r2 eth1"), link("r2 eth2", "h1 eth0")))["topology"]
    assert [one["endpoints"] for one in found["links"]] == [["r1:eth1", "r2:eth1"], ["r2:eth2", "h1:eth0"]]
    assert {one["mtu"] for one in found["links"]} == {1500}
    assert list(found["nodes"]) == ["r1", "r2", "h1"]


def test_nodes_have_no_interface_beside_those_of_the_task_and_few_rights() -> None:
    found = written(request())
    assert found["topology"]["defaults"]["network-mode"] == "none"
    assert found["topology"]["defaults"]["privileged"] is False
    assert found["mgmt"]["network"] == "netbench-two-1-1-mgmt"
    assert "SYS_ADMIN" not in found["topology"]["nodes"]["h1"]["cap-add"]
    assert found["topology"]["nodes"]["h1"]["memory"] == "512MB"


def test_a_lan_and_a_stub_end_at_a_panel_that_has_a_bridge_for_each_lan() -> None:
    asked = request(link("r1 eth1", "r2 eth1", "h1 eth0"), link("r1 eth2"))
    found = written(asked)["topology"]
    assert [one["endpoints"] for one in found["links"]] == [
        ["r1:eth1", f"{PANEL}:l0p0"],
        ["r2:eth1", f"{PANEL}:l0p1"],
        ["h1:eth0", f"{PANEL}:l0p2"],
        ["r1:eth2", f"{PANEL}:l1p0"],
    ]
    assert PANEL in found["nodes"]
    masters = [command[3:] for command in bridges(asked.topology) if "master" in command]
    assert masters == [[f"l0p{number}", "master", "lan0"] for number in range(3)]
    assert ports(asked.topology)["h1", "eth0"] == "l0p2"


def test_a_name_that_no_container_can_have_is_replaced_and_no_name_is_given_twice() -> None:
    names = node_names(request(names=("node1", "r 1", "netbench-lans", "x" * 60)))
    assert names["node1"] == "node1"
    assert len(set(names.values())) == 4
    assert PANEL not in names.values()
    assert all(len(name) < 32 and " " not in name for name in names.values())


def test_an_own_table_replaces_entries_key_by_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "kinds.yaml"
    own.write_text("frr: {image: my/frr}\ncisco_ios: {kind: cisco_iol, image: vrnetlab/iol, driver: cisco_ios_ssh}\n")
    monkeypatch.setenv(VARIABLE, str(own))
    found = table()
    assert (found["frr"].image, found["frr"].driver) == ("my/frr", "frr")
    assert found["frr"].cap_add
    assert found["cisco_ios"] == Kind(kind="cisco_iol", image="vrnetlab/iol", driver="cisco_ios_ssh")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("frr: [", "while parsing"),
        ("- frr", "expected a mapping of dialects to entries"),
        ("frr: {images: x}", "frr.images: Extra inputs are not permitted (known: kind, image,"),
        ("eos: {driver: eos}", "eos.image: Field required"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_table_that_is_nonsense_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: str
) -> None:
    own = tmp_path / "kinds.yaml"
    if text is not None:
        own.write_text(text)
    monkeypatch.setenv(VARIABLE, str(own))
    with pytest.raises(UsageError, match=f"{VARIABLE}=.*kinds.yaml") as caught:
        table()
    assert said in str(caught.value)
