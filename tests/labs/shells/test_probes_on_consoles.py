"""Probes that are typed on consoles, held against the prober that enters namespaces, on the same networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import Probe, Prober, Samples
from pytest_netbench.lab.shells.linux_console import LinuxConsole
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.lab.shells.prober import ConsoleProber
from pytest_netbench.model.topology import Node, Topology
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber


class Network(NamedTuple):
    typed: ConsoleProber
    entered: NamespaceProber
    run: Callable[[str, str], str]
    """Runs words on a host."""


@pytest.fixture
def network(new_host: Any, cable: Any) -> Iterator[Network]:
    """A host on each side of a router: a - r - b."""
    hosts = {name: new_host() for name in "arb"}
    cable(hosts["a"], "eth1", hosts["r"], "eth1")
    cable(hosts["r"], "eth2", hosts["b"], "eth1")

    def run(name: str, words: str) -> str:
        return str(hosts[name].run(*words.split()))

    for name, interface, address in (
        ("a", "eth1", "10.0.1.2/24"),
        ("r", "eth1", "10.0.1.1/24"),
        ("r", "eth2", "10.0.2.1/24"),
        ("b", "eth1", "10.0.2.2/24"),
    ):
        run(name, f"ip address add {address} dev {interface}")
        # who tries out its own link's address asks for no neighbor
        run(name, f"sysctl -qw net.ipv6.conf.{interface}.accept_dad=0")
        run(name, f"ip link set {interface} up")
    run("a", "ip address add 10.0.1.3/24 dev eth1")
    run("b", "ip address add 10.0.2.3/24 dev eth1")
    for name, interface, address in (
        ("a", "eth1", "2001:db8:1::2/64"),
        ("r", "eth1", "2001:db8:1::1/64"),
        ("r", "eth2", "2001:db8:2::1/64"),
        ("b", "eth1", "2001:db8:2::2/64"),
        ("b", "eth1", "2001:db8:2::3/64"),
    ):
        run(name, f"ip address add {address} dev {interface} nodad")
    run("r", "sysctl -qw net.ipv6.conf.all.forwarding=1")
    run("a", "ip -6 route add default via 2001:db8:1::1")
    run("b", "ip -6 route add default via 2001:db8:2::1")
    run("r", "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0")
    run("a", "ip route add default via 10.0.1.1")
    run("b", "ip route add default via 10.0.2.1")
    topology = Topology(nodes=tuple(Node(name=name) for name in hosts))
    nodes = [
        ShellNode(name=name, platform="linux", topology=topology, connect=host.line) for name, host in hosts.items()
    ]
    with NamespaceProber({name: Namespace(pid=host.pid) for name, host in hosts.items()}) as entered:
        yield Network(ConsoleProber({node.name: LinuxConsole(node) for node in nodes}), entered, run)
    for node in nodes:
        node.close()


ECHO = Probe(source="a", target="10.0.2.2")
PROBES = (
    ECHO,
    replace(ECHO, arrives_at=("b",)),
    replace(ECHO, source_address="10.0.1.3"),
    Probe(source="a", target="10.0.2.2", protocol="tcp", port=8080, listen_on="b"),
    Probe(source="a", target="10.0.2.2", protocol="udp", port=8080, listen_on="b", dscp=46),
    Probe(source="a", target="10.0.2.2", protocol="tcp", listen_on="b", source_port=4000, source_address="10.0.1.3"),
    Probe(source="a", target="10.0.2.2", protocol="tcp", port=81),
    Probe(source="a", target="10.0.2.2", protocol="udp", port=81),
    Probe(source="b", target="10.0.1.2", protocol="udp", listen_on="a"),
)
CHANGES = {
    "up": (),
    "cut": ("r: ip link set eth2 down",),
    "no route": ("a: ip route delete default",),
    "no route at the router": ("r: ip address delete 10.0.2.1/24 dev eth2",),
    "drop": ("r: nft add table f", "r: nft add chain f c {type filter hook forward priority 0;policy drop;}"),
    "reject": (
        "r: nft add table f",
        "r: nft add chain f c {type filter hook forward priority 0;}",
        "r: nft add rule f c reject with icmp type admin-prohibited",
    ),
    "reset": (
        "b: nft add table f",
        "b: nft add chain f c {type filter hook input priority 0;}",
        "b: nft add rule f c meta l4proto tcp reject with tcp reset",
        "b: nft add rule f c meta l4proto udp reject",
    ),
    "no way back": ("b: ip route delete default",),
    "own filter": ("a: nft add table f", "a: nft add chain f c {type filter hook output priority 0;policy drop;}"),
}


def verdicts(prober: Prober, probes: Sequence[Probe]) -> list[tuple[object, ...]]:
    """Delivered, answered, the marking if it was delivered, and the detail without times."""
    return [
        (one.delivered, one.answered, one.received_dscp if one.delivered and probe.dscp else 0, detail(one.detail))
        for probe, one in zip(probes, prober.probe(probes, repetitions=1), strict=True)
    ]


def detail(words: str) -> str:
    return words.partition(" after ")[0]


@pytest.mark.parametrize("change", CHANGES)
def test_verdicts_are_those_of_the_prober_that_enters_namespaces(network: Network, change: str) -> None:
    for line in CHANGES[change]:
        host, _, words = line.partition(": ")
        network.run(host, words)
    typed, entered = verdicts(network.typed, PROBES), verdicts(network.entered, PROBES)
    for probe, ours, theirs in zip(PROBES, typed, entered, strict=True):
        assert ours[:3] == theirs[:3], (probe, ours, theirs)
        # the kernel tells a program of a connection less than it hears
        if change in ("up", "reset") or (change == "reject" and probe.protocol == "icmp"):
            assert ours[3] == theirs[3], (probe, ours, theirs)


@pytest.mark.parametrize("target", ["10.0.2.2", "10.0.2.3", "2001:db8:2::2", "2001:db8:2::3"])
def test_a_datagram_is_answered_from_the_address_that_it_was_sent_to(network: Network, target: str) -> None:
    probe = Probe(source="a", target=target, protocol="udp", port=8081, listen_on="b", dscp=46)
    (typed,), (entered,) = network.typed.probe([probe]), network.entered.probe([probe])
    assert (typed.delivered, typed.arrived, typed.received_dscp) == (True, True, 46)
    assert (entered.delivered, entered.received_dscp) == (True, 46)


def test_what_a_console_cannot_measure_is_said(network: Network) -> None:
    typed = network.typed
    assert isinstance(typed, Samples)
    for probe, words in (
        (replace(ECHO, source="x"), "x has no console"),
        (replace(ECHO, protocol="gre"), "packets of gre"),
        (replace(ECHO, stand_in="b"), "an address that nobody has"),
        (replace(ECHO, follow=("r",)), "does not see what passes"),
        (replace(ECHO, dscp=10), "the marking is seen on arrival only"),
        (replace(ECHO, source_address="192.0.2.7"), "does not have the source address 192.0.2.7"),
        (replace(ECHO, arrives_at=("r",)), "no console of r has 10.0.2.2"),
    ):
        assert words in (typed.beyond(probe) or "")
        with pytest.raises(RequirementMissing, match="cannot be measured"):
            typed.probe([probe])
    assert all(typed.beyond(probe) is None for probe in PROBES)


def test_paths_and_addresses_are_the_same(network: Network) -> None:
    assert network.typed.path("a", "10.0.2.2", timeout_s=1) == network.entered.path("a", "10.0.2.2", timeout_s=1)
    for name in "arb":
        assert network.typed.addresses(name) == network.entered.addresses(name)


def test_no_listener_is_left(network: Network) -> None:
    network.typed.probe([PROBES[3], PROBES[4]])
    assert "8080" not in network.run("b", "ss -Hlntu")
