"""Links that end at a panel: here the nodes and the panel are namespaces, without an engine."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab import networks
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.patches import Panel, PatchedLinks
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.kernel import silence
from pytest_netbench.kernel.processes import started
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology
from pytest_netbench.native import build

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="containers are entered as root"),
    pytest.mark.skipif(not networks.redirects(), reason="this kernel redirects no frames"),
    pytest.mark.skipif(build.wire() is None, reason="there is no C compiler"),
]
PLAIN, SLOW = LinkQuality(), LinkQuality(delay_ms=20)
CARRIER_S = 5


def cable(interface: str, quality: LinkQuality = PLAIN) -> Link:
    return Link(endpoints=tuple(Endpoint(node=node, interface=interface) for node in "ab"), quality=quality)


LAN = Link(endpoints=tuple(Endpoint(node=node, interface="eth3") for node in "abc"), quality=LinkQuality(delay_ms=10))
TOPOLOGY = Topology(nodes=tuple(Node(name=name) for name in "abc"), links=(cable("eth1"), cable("eth2", SLOW), LAN))
PORTS = {
    (end.node, end.interface): f"l{number}p{place}"
    for number, link in enumerate(TOPOLOGY.links)
    for place, end in enumerate(link.endpoints)
}


@pytest.fixture
def places() -> Iterator[dict[str, Place]]:
    processes = {
        name: subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up; echo; exec sleep 600"], stdout=subprocess.PIPE
        )
        for name in (*"abc", "panel")
    }
    try:
        for process in processes.values():
            assert process.stdout is not None
            process.stdout.readline()
        yield {name: Place(name, process.pid, started(process.pid)) for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


@pytest.fixture
def nodes(places: dict[str, Place], tmp_path: Path) -> Iterator[dict[str, ContainerNode]]:
    def inside(*words: str) -> None:
        subprocess.run(["nsenter", "-t", str(places["panel"].pid), "--net", *words], check=True)

    for (node, interface), port in PORTS.items():
        inside(
            *f"ip link add {port} type veth peer name {interface} netns {places[node].pid}".split(),
        )
    found = {
        name: ContainerNode(
            place=places[name], name=name, platform="linux", topology=TOPOLOGY, logs=tmp_path, image_memory={}
        )
        for name in "abc"
    }
    for number, node in enumerate(found.values(), start=1):
        networks.plug_in(node.place.pid, node.interfaces)
        for interface in node.interfaces:
            node.run(["ip", "address", "add", f"10.0.{interface[-1]}.{number}/24", "dev", interface])
    yield found
    for node in found.values():
        node.close()


@pytest.fixture
def panel(places: dict[str, Place], nodes: dict[str, ContainerNode]) -> Iterator[Panel]:
    found = Panel(places["panel"], {name: places[name] for name in "abc"}, TOPOLOGY, PORTS)
    yield found
    found.close()


@pytest.fixture
def links(panel: Panel, places: dict[str, Place], nodes: dict[str, ContainerNode]) -> PatchedLinks:
    return PatchedLinks(
        panel,
        place=places["panel"],
        ports=PORTS,
        topology=TOPOLOGY,
        nodes=nodes,
        kernel_name=lambda _, interface: interface,
    )


def ping(node: ContainerNode, target: str, *words: str) -> float | None:
    """The shortest round trip in milliseconds, or ``None`` if nothing came back."""
    said = node.run(["ping", "-i", "0.05", "-c", "4", "-W", "1", *words, target]).stdout
    found = re.search(r"= ([\d.]+)/", said)
    return float(found[1]) if found else None


def has_carrier(node: ContainerNode, interface: str) -> bool:
    return "LOWER_UP" in node.run(["ip", "link", "show", "dev", interface]).stdout


def eventually(holds: Callable[[], bool]) -> bool:
    ends_at = time.monotonic() + CARRIER_S
    while not (reached := holds()) and time.monotonic() < ends_at:
        time.sleep(0.02)
    return reached


def test_qualities_hold_from_the_start_and_change(links: PatchedLinks, nodes: dict[str, ContainerNode]) -> None:
    plain, slow, lan = (ping(nodes["a"], f"10.0.{number}.2") for number in (1, 2, 3))
    assert plain is not None
    assert slow is not None
    assert lan is not None
    assert plain < 20
    assert slow >= 40
    assert lan >= 20
    assert links.quality("b", "eth2") == SLOW
    links.set_quality("b", "eth1", LinkQuality(delay_ms=15))
    links.set_quality("a", "eth2", LinkQuality())
    links.set_quality("c", "eth3", LinkQuality(loss=1.0))
    changed, fast = ping(nodes["a"], "10.0.1.2"), ping(nodes["a"], "10.0.2.2")
    assert changed is not None
    assert fast is not None
    assert changed >= 30
    assert fast < 20
    assert ping(nodes["a"], "10.0.3.3") is None
    links.set_quality("c", "eth3", LinkQuality())
    assert ping(nodes["a"], "10.0.3.3") is not None


@pytest.mark.parametrize("interface", ["eth1", "eth2"])
def test_a_cut_takes_the_carrier_from_both_ends_and_nothing_else(
    links: PatchedLinks, nodes: dict[str, ContainerNode], interface: str
) -> None:
    target = f"10.0.{interface[-1]}.2"
    nodes["a"].run(["ip", "route", "add", "203.0.113.0/24", "via", target])
    links.cut("a", interface)
    assert eventually(lambda: not any(has_carrier(nodes[name], interface) for name in "ab"))
    assert "NO-CARRIER,BROADCAST,MULTICAST,UP>" in nodes["a"].run(["ip", "link", "show", "dev", interface]).stdout
    assert links.is_cut("b", interface)
    links.restore("a", interface)
    assert eventually(lambda: all(has_carrier(nodes[name], interface) for name in "ab"))
    assert "203.0.113.0/24" in nodes["a"].run(["ip", "route"]).stdout
    assert ping(nodes["a"], target) is not None


@pytest.mark.parametrize("interface", ["eth1", "eth2"])
def test_an_end_that_is_set_down_takes_the_carrier_from_the_other(
    links: PatchedLinks,
    nodes: dict[str, ContainerNode],
    interface: str,
) -> None:
    nodes["a"].run(["ip", "link", "set", "dev", interface, "down"])
    assert eventually(lambda: not has_carrier(nodes["b"], interface))
    nodes["a"].run(["ip", "link", "set", "dev", interface, "up"])
    assert eventually(lambda: has_carrier(nodes["b"], interface))


def test_a_cable_flaps_until_it_is_restored(links: PatchedLinks, nodes: dict[str, ContainerNode]) -> None:
    links.flap("b", "eth1", down_s=0.2, up_s=0.2)
    for state in (False, True, False):
        assert eventually(lambda state=state: has_carrier(nodes["a"], "eth1") is state)  # type: ignore[misc]
    links.restore("b", "eth1")
    assert eventually(lambda: has_carrier(nodes["a"], "eth1"))


def test_an_interface_is_taken_out_and_put_in_again(links: PatchedLinks, nodes: dict[str, ContainerNode]) -> None:
    links.detach("b", "eth1")
    assert nodes["b"].run(["ip", "link", "show", "dev", "eth1"]).returncode
    assert eventually(lambda: not has_carrier(nodes["a"], "eth1"))
    links.attach("b", "eth1")
    nodes["b"].run(["ip", "address", "add", "10.0.1.2/24", "dev", "eth1"])
    assert eventually(lambda: ping(nodes["a"], "10.0.1.2") is not None)


def test_a_defect_loses_long_packets_only(links: PatchedLinks, nodes: dict[str, ContainerNode]) -> None:
    links.set_defect("a", "eth1", Defect(most_bytes=800))
    assert ping(nodes["a"], "10.0.1.2", "-s", "900") is None
    assert ping(nodes["a"], "10.0.1.2") is not None
    with pytest.raises(LabError, match="no cable between two"):
        links.set_defect("a", "eth3", Defect(most_bytes=800))


@pytest.mark.skipif(not silence.is_possible(), reason="this kernel takes no programs for interfaces (XDP)")
def test_a_node_that_crashed_is_silent_on_shaped_links_too(
    links: PatchedLinks, nodes: dict[str, ContainerNode]
) -> None:
    links.set_crashed({"b"})
    assert [ping(nodes["a"], f"10.0.{number}.2") for number in (1, 2, 3)] == [None] * 3
    assert ping(nodes["a"], "10.0.3.3") is not None
    assert has_carrier(nodes["a"], "eth1")
    links.set_crashed(())
    assert None not in [ping(nodes["a"], f"10.0.{number}.2") for number in (1, 2, 3)]


def test_a_node_without_plugs_has_no_carrier_and_what_was_cut_stays_cut(
    links: PatchedLinks, nodes: dict[str, ContainerNode]
) -> None:
    links.cut("a", "eth2")
    with links.unplugged("a"):
        assert eventually(lambda: not any(has_carrier(nodes["a"], name) for name in nodes["a"].interfaces))
    assert eventually(lambda: has_carrier(nodes["a"], "eth1") and has_carrier(nodes["a"], "eth3"))
    assert not has_carrier(nodes["a"], "eth2")


def test_a_panel_that_is_gone_is_a_dead_lab_and_leaves_no_program(
    panel: Panel, links: PatchedLinks, places: dict[str, Place]
) -> None:
    def programs() -> list[str]:
        return subprocess.run(
            ["pgrep", "--ns", str(places["panel"].pid), "--nslist", "net", "-x", "wire"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()

    assert len(programs()) == 4
    panel.close()
    assert eventually(lambda: not programs())
    with pytest.raises(LabDied, match="links of the lab is gone"):
        links.cut("a", "eth1")


def test_kept_links_stay_as_they_are_until_the_panel_is_gone(
    panel: Panel, places: dict[str, Place], nodes: dict[str, ContainerNode]
) -> None:
    panel.keep()
    time.sleep(0.5)  # the end of the connection is seen by now
    slow = ping(nodes["a"], "10.0.2.2")
    assert slow is not None
    assert slow > 35
    assert panel.process.poll() is None
    os.kill(places["panel"].pid, 9)
    assert panel.process.wait(CARRIER_S) == 0


def test_a_shaping_program_that_ends_is_noticed(links: PatchedLinks, places: dict[str, Place]) -> None:
    inside = ["pgrep", "--ns", str(places["panel"].pid), "--nslist", "net", "-x", "wire"]
    (first, *_) = subprocess.run(inside, capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(first), 9)

    def refused() -> bool:
        try:
            links.cut("a", "eth1")
            links.restore("a", "eth1")
        except LabDied:
            return True
        return False

    assert eventually(refused)
