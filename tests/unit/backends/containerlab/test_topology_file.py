"""What containerlab is told to deploy."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab.kinds import VARIABLE, Kind, table
from pytest_netbench.backends.containerlab.topology import PANEL, bridges, is_patched, node_names, ports, topology_file
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a user's own table."""
    path = tmp_path / "kinds.yaml"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


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
    assert {one["network-mode"] for one in found["topology"]["nodes"].values()} == {"none"}
    assert {one["privileged"] for one in found["topology"]["nodes"].values()} == {False}
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
    assert ports(asked.topology, patched=False)["h1", "eth0"] == "l0p2"


@pytest.mark.parametrize(
    ("quality", "requirements", "patched"),
    [
        ({}, (), False),
        ({"delay_ms": 5}, (), True),
        ({}, ("links",), True),
        ({}, ("nodes",), True),
        ({}, ("probes",), False),
    ],
)
def test_all_links_end_at_the_panel_if_they_may_be_cut_or_shaped(
    quality: dict, requirements: tuple[str, ...], patched: bool
) -> None:
    cables = (link("r1 eth1", "r2 eth1"), link("r2 eth2", "h1 eth0"))
    shaped = cables[1].model_copy(update={"quality": LinkQuality(**quality)})
    asked = dataclasses.replace(request(cables[0], shaped), requirements=requirements)
    found = written(asked)["topology"]
    assert is_patched(asked) is patched
    ends = [one["endpoints"] for one in found["links"]]
    if patched:
        assert ends == [
            ["r1:eth1", f"{PANEL}:l0p0"],
            ["r2:eth1", f"{PANEL}:l0p1"],
            ["r2:eth2", f"{PANEL}:l1p0"],
            ["h1:eth0", f"{PANEL}:l1p1"],
        ]
    else:
        assert ends == [["r1:eth1", "r2:eth1"], ["r2:eth2", "h1:eth0"]]


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
    assert (found["frr"].kind.image, found["frr"].driver, found["frr"].device) == ("my/frr", "frr", None)
    assert found["frr"].kind.cap_add
    assert found["cisco_ios"].kind == Kind(kind="cisco_iol", image="vrnetlab/iol", driver="cisco_ios_ssh")


@pytest.mark.parametrize(
    ("kind", "dialect", "driver", "names"),
    [
        ("cisco_iol", "cisco_ios", "cisco_ios_ssh", {"Ethernet0/1": "eth1", "e1/0": "eth4", "Ethernet0/0": None}),
        ("cisco_csr1000v", "cisco_ios", "cisco_ios_ssh", {"GigabitEthernet2": "eth1", "Gi10": "eth9", "Gi1": None}),
        ("cisco_c8000v", "cisco_ios", "cisco_ios_ssh", {"GigabitEthernet3": "eth2", "GigabitEthernet0/0": None}),
        ("arista_ceos", "arista_eos", "arista_eos", {"Ethernet1": "eth1", "Management0": None, "Ethernet0": None}),
        ("juniper_crpd", "juniper_junos", "juniper_junos", {"eth1": "eth1", "eth0": None}),
        (
            "juniper_vjunosrouter",
            "juniper_junos",
            "juniper_junos",
            {"ge-0/0/0": "eth1", "ge-0/0/9": "eth10"},
        ),
    ],
)
def test_kinds_of_vendors_are_known_with_their_login_and_their_interfaces(
    own: Path, kind: str, dialect: str, driver: str, names: dict[str, str | None]
) -> None:
    own.write_text(f"{dialect}: {{kind: {kind}, image: mine}}\n")
    node = table()[dialect]
    assert node.device is not None
    assert (node.driver, node.device.dialect) == (driver, dialect)
    assert node.device.credentials().password
    interfaces = node.device.interfaces
    assert {name: interfaces.kernel_name(name) if interfaces.has(name) else None for name in names} == names
    assert not interfaces.has(node.device.management)


def test_a_device_has_the_management_network_and_what_its_kind_needs() -> None:
    asked = LabRequest(
        name="two",
        topology=Topology(nodes=(Node(name="r1"), Node(name="h1")), links=(link("r1 e0/1", "h1 eth0"),)),
        dialects={"r1": "cisco_ios", "h1": "linux"},
    )
    found = written(asked)["topology"]
    nodes = found["nodes"]
    assert [one["endpoints"] for one in found["links"]] == [["r1:eth1", "h1:eth0"]]
    assert nodes["r1"] == {"kind": "cisco_iol", "image": "vrnetlab/cisco_iol:17.12.01"}
    assert nodes["h1"]["network-mode"] == "none"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("frr: [", "while parsing"),
        ("- frr", "expected a mapping of dialects to entries"),
        ("frr: {images: x}", "frr.images: Extra inputs are not permitted (known: kind, image,"),
        ("eos: {driver: eos}", "eos.image: Field required"),
        ("eos: {image: eos}", "eos.driver: Field required"),
        ("eos: {image: eos, device: ceos}", "eos.device: no device 'ceos' (known: cisco_iol,"),
        ("devices: {cisco_iol: {boot-s: -1}}", "devices.cisco_iol.boot-s: Input should be greater than 0"),
        ("devices: {mine: {driver: frr}}", "devices.mine.dialect: Field required"),
        ("devices: {mine: 1}", "devices.mine: expected a mapping"),
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
