"""Drawings of networks: interfaces, addresses, platforms, and the places of faults."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import Submission, TrialRecord
from pytest_netbench.reporting.page.details import Detail, detail
from pytest_netbench.reporting.page.geometry import MOST_ARRANGED, Drawing, drawing
from pytest_netbench.reporting.page.labels import CHARACTER, LINE, Box
from pytest_netbench.reporting.page.wiring import ends_of, faults, in_words, interfaces, labels, short
from pytest_netbench.reporting.page.writing import write_page
from tests.support.networks import CONFIGS, DOWN, NODES, UNPLUGGED, faulty
from tests.support.pages import Read
from tests.support.records import record, result


def shown(of: TrialRecord) -> Detail:
    return detail(result(), of)


def drawn(of: Detail) -> Drawing:
    assert of.drawing is not None
    return of.drawing


def test_interfaces_have_their_addresses():
    made = faulty()
    known = {(one.node, one.name): one for one in interfaces(made, made.task.network)}
    assert known["R1", "GigabitEthernet0/0"].before == ("10.0.0.1/30", "10.0.1.1/24", "2001:db8::1/64")
    assert known["R2", "eth0"].before == ("10.0.0.2/30",)
    assert known["pc", "eth0"].before == ("10.2.0.10/24",)
    assert known["R1", "Loopback0"].peers == ()
    assert known["R2", "eth1"].peers == ("pc eth0",)
    assert known["R2", "eth1"].before == ()


def test_the_drawing_has_interfaces_addresses_and_platforms():
    found = drawn(shown(faulty()))
    texts = {one.lines for one in found.labels}
    assert ("Gi0/0", "10.0.0.1/30", "10.0.1.1/24", "2001:db8::1/64") in texts
    assert ("eth1",) in texts
    assert found.names == {"R1": ("R1", "cisco_ios"), "R2": ("R2", "frr"), "pc": ("pc", "linux, foreign")}


def test_an_address_that_the_agent_sets_is_shown_and_one_that_it_changes_stands_beside_the_old_one():
    before = {**CONFIGS, "R2": "interface eth1\n"}
    made = faulty().model_copy(update={"initial_configs": before})
    known = {(one.node, one.name): one for one in interfaces(made, made.task.network)}
    assert (known["R2", "eth0"].before, known["R2", "eth0"].after) == ((), ("10.0.0.2/30",))
    assert labels(list(known.values()))["R2", "eth0"] == ("eth0", "10.0.0.2/30")


def test_an_interface_without_an_address_shows_those_of_its_subinterfaces():
    text = "interface GigabitEthernet0/0.10\n ip address 10.1.0.1 255.255.255.0\n!\n"
    made = faulty().model_copy(update={"initial_configs": {"R1": text}, "final_configs": {"R1": text}})
    assert labels(interfaces(made, made.task.network))["R1", "GigabitEthernet0/0"] == ("Gi0/0", ".10 10.1.0.1/24")


def test_addresses_of_a_healthy_network_are_those_before_the_faults():
    made = faulty(healthy_configs={"R2": "interface eth0\n ip address 10.9.0.2/30\n"})
    known = {(one.node, one.name): one for one in interfaces(made, made.task.network)}
    assert known["R2", "eth0"].before == ("10.9.0.2/30",)
    assert known["R2", "eth0"].after == ("10.0.0.2/30",)


def test_the_place_of_a_fault_is_marked_and_named(tmp_path):
    made = faulty(DOWN, UNPLUGGED)
    found = shown(made)
    assert [(one.name, one.place) for one in found.faults or ()] == [
        ("interface-down", "node R2 (interface eth1)"),
        ("link-down", "link R1 GigabitEthernet0/0 to R2 eth0"),
    ]
    beside_r2, middle = drawn(found).marks
    places = drawn(found).places
    assert abs(beside_r2.x - places["R2"].x) + abs(beside_r2.y - places["R2"].y) < 40
    assert middle.x == pytest.approx((places["R1"].x + places["R2"].x) / 2, abs=0.1)
    write_page(tmp_path / "page.html", [result(status="failed")], lambda _: made)
    read = Read((tmp_path / "page.html").read_text())
    assert len([one for one in read.all("g") if one.get("class") == "fault"]) == 2
    assert "interface-down: node R2 (interface eth1)" in read.text


def test_faults_at_one_place_have_a_mark_each():
    one, other = drawn(shown(faulty(DOWN, DOWN))).marks
    assert abs(one.x - other.x) > 15


def test_a_healthy_network_has_no_mark_and_says_so(tmp_path):
    write_page(tmp_path / "page.html", [result(status="failed")], lambda _: faulty())
    assert "No fault was in this network." in Read((tmp_path / "page.html").read_text()).text
    assert shown(record(submission=Submission())).faults is None


def test_resources_of_lans_nodes_and_unknown_ones_have_ends():
    lan = {"endpoints": [{"node": name, "interface": "e0"} for name in ("R1", "R2", "pc")]}
    topology = Topology.model_validate({"nodes": NODES, "links": [lan]})
    assert ends_of("link/R1:e0--R2:e0--pc:e0", topology) == (("R1", "e0"), ("R2", "e0"), ("pc", "e0"))
    assert ends_of("node/R1", topology) == (("R1", ""),)
    assert in_words("node/R1") == "node R1"
    found = drawing(topology, {}, {}, [ends_of("link/R1:e0--R2:e0--pc:e0", topology), ends_of("node/R1", topology)])
    assert len(found.marks) == 2
    assert faults(None) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GigabitEthernet0/1", "Gi0/1"),
        ("Port-channel1", "Po1"),
        ("TenGigabitEthernet1/0/1", "Te1/0/1"),
        ("eth0", "eth0"),
    ],
)
def test_interfaces_are_abbreviated_as_on_devices(name, expected):
    assert short(name) == expected


def star(count: int) -> Topology:
    nodes = [{"name": f"n{number}"} for number in range(count)]
    links = [
        {"endpoints": [{"node": "n0", "interface": f"e{number}"}, {"node": f"n{number}", "interface": "e0"}]}
        for number in range(1, count)
    ]
    return Topology.model_validate({"nodes": nodes, "links": links})


def ring(count: int) -> Topology:
    nodes = [{"name": f"n{number}"} for number in range(count)]
    links = [
        {"endpoints": [{"node": f"n{at}", "interface": "e1"}, {"node": f"n{(at + 1) % count}", "interface": "e0"}]}
        for at in range(count)
    ]
    return Topology.model_validate({"nodes": nodes, "links": links})


def boxes(found: Drawing) -> Sequence[Box]:
    return [
        Box(one.at.x, one.at.y, CHARACTER * max(map(len, one.lines)) / 2, LINE * len(one.lines) / 2)
        for one in found.labels
    ]


@pytest.mark.parametrize(
    "topology", [star(5), star(8), ring(6), ring(12), ring(24)], ids=lambda one: str(len(one.nodes))
)
def test_labels_cover_neither_each_other_nor_nodes(topology):
    texts = {
        (end.node, end.interface): (end.interface, "10.100.200.1/30") for one in topology.links for end in one.endpoints
    }
    found = drawing(topology, {node.name: (node.name, "cisco_ios") for node in topology.nodes}, texts)
    labeled = boxes(found)
    assert len(labeled) == len(texts)
    for at, one in enumerate(labeled):
        assert all(one.overlap(other) < 20 for other in labeled[:at])
        assert all(one.overlap(Box(place.x, place.y, 12, 12)) < 20 for place in found.places.values())
        assert 0 <= one.x - one.half_width <= one.x + one.half_width <= found.width
        assert 0 <= one.y - one.half_height <= one.y + one.half_height <= found.height


def test_a_network_of_many_nodes_has_no_labels():
    topology = ring(MOST_ARRANGED + 1)
    texts = {(end.node, end.interface): ("x",) for one in topology.links for end in one.endpoints}
    assert not drawing(topology, {}, texts).labels
