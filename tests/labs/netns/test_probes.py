"""Probes: what is delivered, what is not and why, and what the listener saw."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from pytest_netbench.lab.probing import Hop, Probe
from tests.labs.netns.conftest import Deploy
from tests.support.netns_networks import network, routed

V4, V6 = "10.2.0.10", "2001:db8:2::10"
PROTOCOLS: tuple[Literal["icmp", "tcp", "udp"], ...] = ("icmp", "tcp", "udp")
FILTER = "add table inet f; add chain inet f c {{ type filter hook forward priority 0; }}; add rule inet f c {rule}"


@pytest.fixture(scope="module")
def routed_lab(deploy: Deploy) -> Any:
    return deploy(routed())


@pytest.fixture
def net(routed_lab: Any) -> Any:
    yield routed_lab
    routed_lab.nodes["r"].run(["nft", "flush", "ruleset"])
    routed_lab.nodes["h2"].run(["nft", "flush", "ruleset"])


def rule(net: Any, text: str, *, node: str = "r") -> None:
    done = net.nodes[node].run(["nft", FILTER.format(rule=text)])
    assert done.returncode == 0, done.stderr


def probe(net: Any, protocol: Any, target: str = V4, **fields: Any) -> Any:
    port = None if protocol == "icmp" else 80
    wanted = {"source": "h1", "listen_on": "h2", "port": port, "timeout_s": 0.3, **fields}
    return net.prober.probe([Probe(target=target, protocol=protocol, **wanted)])[0]


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_open_way_delivers(net: Any, protocol: Any, target: str) -> None:
    result = probe(net, protocol, target)
    assert result.delivered
    assert result.seen_source in ("10.1.0.10", "2001:db8:1::10")
    assert result.received_dscp == 0


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_silent_filter_leaves_no_answer(net: Any, protocol: Any, target: str) -> None:
    rule(net, f"meta l4proto {{ {'icmp, icmpv6' if protocol == 'icmp' else protocol} }} iif eth0 drop")
    result = probe(net, protocol, target)
    assert not result.delivered
    assert result.detail == "no answer in 0.6 s (2 tries)"
    assert result.seen_source is None


def test_a_probe_may_say_itself_how_often_it_is_sent_again(net: Any) -> None:
    rule(net, "meta l4proto udp iif eth0 drop")
    probes = [
        Probe(source="h1", target=V4, protocol="udp", port=80, listen_on="h2", timeout_s=0.1, repetitions=number)
        for number in (0, 2, None)
    ]
    found = net.prober.probe(probes, repetitions=1)
    assert [one.detail for one in found] == [
        "no answer in 0.1 s (1 tries)",
        "no answer in 0.3 s (3 tries)",
        "no answer in 0.2 s (2 tries)",
    ]


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_filter_that_says_so_is_called_administratively_prohibited(net: Any, protocol: Any, target: str) -> None:
    rule(net, "iif eth0 reject with icmpx admin-prohibited")
    result = probe(net, protocol, target)
    assert not result.delivered
    # the kernel tells sockets the reason as an error number: over IPv4 there is none for this one,
    # and a TCP connection over IPv6 that is being opened is told nothing
    if (protocol, target) != ("tcp", V6):
        assert "administratively prohibited" in result.detail or (target, result.detail) == (V4, "host unreachable")


def test_a_filter_of_the_answers_alone_is_no_delivery_but_seen(net: Any) -> None:
    rule(net, "iif eth1 drop")
    result = probe(net, "udp")
    assert not result.delivered
    assert result.seen_source == "10.1.0.10"


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_port_where_nobody_listens_refuses(net: Any, protocol: Any) -> None:
    result = probe(net, protocol, listen_on=None, port=81)
    assert not result.delivered
    assert result.detail == "refused"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_destination_without_a_route_is_unreachable(deploy: Deploy, protocol: Any) -> None:
    # a lab of its own: the kernel answers each neighbor only so many of them a second
    assert "unreachable" in probe(deploy(routed()), protocol, "10.77.0.1", listen_on=None).detail


def test_a_host_that_is_not_there_does_not_answer(net: Any) -> None:
    assert not probe(net, "icmp", "10.2.0.99", listen_on=None).delivered


def test_a_filter_lets_one_port_through_and_not_another_in_one_batch(net: Any) -> None:
    rule(net, "tcp dport 23 drop")
    probes = [
        Probe(source="h1", target=V4, protocol="tcp", port=port, listen_on="h2", timeout_s=0.3) for port in (22, 23, 24)
    ]
    assert [result.delivered for result in net.prober.probe(probes)] == [True, False, True]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_listener_sees_the_translated_source(net: Any, protocol: Any) -> None:
    done = net.nodes["r"].run(
        [
            "nft",
            (
                "add table ip n; add chain ip n p { type nat hook postrouting priority 100; }; "
                "add rule ip n p oif eth1 snat to 10.2.0.1"
            ),
        ]
    )
    assert done.returncode == 0
    result = probe(net, protocol)
    assert result.delivered
    assert result.seen_source == "10.2.0.1"


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_listener_sees_the_marking(net: Any, protocol: Any, target: str) -> None:
    assert probe(net, protocol, target, dscp=46).received_dscp == 46


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_listener_sees_a_marking_made_on_the_way(net: Any, protocol: Any) -> None:
    rule(net, "iif eth0 ip dscp set af41")
    assert probe(net, protocol, dscp=46).received_dscp == 34


def test_two_flows_to_one_port_are_told_apart(net: Any) -> None:
    probes = [Probe(source="h1", target=V4, protocol="udp", port=90, listen_on="h2", dscp=dscp) for dscp in (10, 46, 0)]
    assert [result.received_dscp for result in net.prober.probe(probes)] == [10, 46, 0]


def test_a_source_address_of_ones_own_is_used(net: Any) -> None:
    net.nodes["h1"].run(["ip", "address", "add", "10.1.0.77/24", "dev", "eth0"])
    assert probe(net, "udp", source_address="10.1.0.77").seen_source == "10.1.0.77"


@pytest.mark.parametrize(("target", "through"), [(V4, "10.1.0.1"), (V6, "2001:db8:1::1")])
def test_a_path_names_its_hops(net: Any, target: str, through: str) -> None:
    assert net.prober.path("h1", target) == [Hop(address=through), Hop(address=target)]


def test_a_hop_that_says_nothing_has_no_address(net: Any) -> None:
    done = net.nodes["r"].run(
        [
            "nft",
            (
                "add table ip o; add chain ip o c { type filter hook output priority 0; }; "
                "add rule ip o c icmp type time-exceeded drop"
            ),
        ]
    )
    assert done.returncode == 0
    assert net.prober.path("h1", V4) == [Hop(address=None), Hop(address=V4)]


def test_the_addresses_of_a_node_are_those_that_others_can_be_told(net: Any) -> None:
    assert net.prober.addresses("r") == ("10.1.0.1", "10.2.0.1", "2001:db8:1::1", "2001:db8:2::1")


def test_all_nodes_of_a_segment_reach_each_other(deploy: Deploy) -> None:
    names = ("a", "b", "c")
    configs = {name: f"ip address add 10.0.0.{n}/24 dev eth0\n" for n, name in enumerate(names, start=1)}
    lan = deploy(network(dict.fromkeys(names, "linux"), ["a eth0 - b eth0 - c eth0"], configs))
    probes = [Probe(source=one, target=f"10.0.0.{n}") for one in names for n in (1, 2, 3)]
    assert all(result.delivered for result in lan.prober.probe(probes))


def tunnelled(net: Any, protocol: Any, target: str = V4, **fields: Any) -> Any:
    wanted = {"source": "h1", "arrives_at": ("h2",), "timeout_s": 0.3, **fields}
    return net.prober.probe([Probe(target=target, protocol=protocol, **wanted)])[0]


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize(("protocol", "number"), [("gre", 47), ("esp", 50)])
def test_a_packet_of_a_tunnel_is_delivered_if_the_target_accepts_it(
    net: Any, protocol: Any, number: int, target: str
) -> None:
    result = tunnelled(net, protocol, target)
    assert (result.delivered, result.arrived_at, result.answered) == (True, "h2", False)
    rule(net, f"meta l4proto {number} drop", node="r")
    lost = tunnelled(net, protocol, target)
    assert (lost.delivered, lost.arrived) == (False, False)
    assert probe(net, "udp", target).delivered


@pytest.mark.parametrize("protocol", ["gre", "esp"])
def test_a_packet_of_a_tunnel_that_the_target_itself_denies_is_not_delivered(net: Any, protocol: Any) -> None:
    done = net.nodes["h2"].run(["nft", FILTER.format(rule="drop").replace("forward", "input")])
    assert done.returncode == 0, done.stderr
    result = tunnelled(net, protocol)
    assert (result.delivered, result.arrived) == (False, True)


def test_a_filter_of_a_tunnel_that_says_so_is_told(net: Any) -> None:
    rule(net, "meta l4proto 47 reject with icmp type admin-prohibited")
    assert "administratively prohibited" in tunnelled(net, "gre").detail


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_probe_is_sent_from_the_port_that_is_asked_for(net: Any, protocol: Any, target: str) -> None:
    rule(net, f"meta l4proto {protocol} th dport 80 th sport != 53 drop")
    assert probe(net, protocol, target, source_port=53).delivered
    assert not probe(net, protocol, target, source_port=54).delivered
    assert not probe(net, protocol, target).delivered


def test_a_probe_from_an_address_of_nobody_is_sent_from_the_port_that_is_asked_for(net: Any) -> None:
    rule(net, "meta l4proto tcp th dport 80 th sport != 53 drop")
    source = {"source_address": "10.1.0.77", "listen_on": "h2"}
    assert probe(net, "tcp", source_port=53, **source).delivered
    assert not probe(net, "tcp", source_port=54, **source).delivered


ALONE: tuple[Literal["segment", "unreachable"], ...] = ("segment", "unreachable")
ERROR = {V4: "icmp type 3 icmp code 1", V6: "icmpv6 type 1 icmpv6 code 3"}


def alone(net: Any, protocol: Any, target: str = V4, **fields: Any) -> Any:
    """A packet of no session; the port of a segment is one where nobody listens."""
    return tunnelled(net, protocol, target, **({"port": 4444} if protocol == "segment" else {}), **fields)


def alone_matches(protocol: str, target: str) -> str:
    return ERROR[target] if protocol == "unreachable" else "tcp flags == psh | ack tcp dport 4444"


def counters(net: Any, node: str, target: str) -> dict[str, int]:
    """What the kernel of a node has counted of TCP (both versions of IP together) and of ICMP."""
    lines = net.nodes[node].run(["cat", "/proc/net/snmp"]).stdout.splitlines()
    found: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        kind = names.partition(":")[0]
        found.update(
            (kind + name, int(value)) for name, value in zip(names.split()[1:], values.split()[1:], strict=True)
        )
    if target == V6:
        for line in net.nodes[node].run(["cat", "/proc/net/snmp6"]).stdout.splitlines():
            name, value = line.split()
            found[name.replace("Icmp6", "Icmp")] = int(value)
    return found


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", ALONE)
def test_a_packet_of_no_session_is_delivered_if_the_target_accepts_it(net: Any, protocol: Any, target: str) -> None:
    result = alone(net, protocol, target, follow=("r", "h2"))
    assert (result.delivered, result.arrived_at, result.answered) == (True, "h2", False)
    assert result.came_by == ("r", "h2")
    assert result.seen_source == {V4: "10.1.0.10", V6: "2001:db8:1::10"}[target]
    assert result.detail.startswith("accepted by h2 after ")
    rule(net, f"{alone_matches(protocol, target)} drop")
    lost = alone(net, protocol, target, follow=("r", "h2"))
    assert (lost.delivered, lost.arrived, lost.came_by) == (False, False, ("r",))
    assert probe(net, "udp", target).delivered
    assert probe(net, "tcp", target).delivered


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", ALONE)
def test_a_packet_of_no_session_that_the_target_itself_denies_arrives(net: Any, protocol: Any, target: str) -> None:
    text = f"{alone_matches(protocol, target)} drop"
    done = net.nodes["h2"].run(["nft", FILTER.format(rule=text).replace("forward", "input")])
    assert done.returncode == 0, done.stderr
    result = alone(net, protocol, target, follow=("h2",))
    assert (result.delivered, result.arrived, result.came_by) == (False, True, ("h2",))


@pytest.mark.parametrize("target", [V4, V6])
@pytest.mark.parametrize("protocol", ALONE)
@pytest.mark.parametrize("own", [True, False])
def test_a_packet_of_no_session_has_the_marking_and_the_source_asked_for(
    net: Any, protocol: Any, target: str, own: bool
) -> None:
    source = {V4: "10.1.0.78", V6: "2001:db8:1::78"}[target]
    device = ["address", "add" if own else "del", f"{source}/64", "dev", "eth0", *(["nodad"] if target == V6 else [])]
    net.nodes["h1"].run(["ip", *device])
    before = counters(net, "h2", target)
    result = alone(net, protocol, target, dscp=46, source_address=source)
    assert (result.delivered, result.received_dscp, result.seen_source) == (True, 46, source)
    after = counters(net, "h2", target)
    assert after["TcpInCsumErrors"] == before["TcpInCsumErrors"]
    assert after["IcmpInCsumErrors"] == before["IcmpInCsumErrors"]
    net.nodes["h1"].run(["ip", "address", "del", f"{source}/64", "dev", "eth0"])


@pytest.mark.parametrize("target", [V4, V6])
def test_the_checksum_of_a_packet_of_no_session_is_right(net: Any, target: str) -> None:
    before = counters(net, "h2", target)
    assert alone(net, "segment", target).delivered
    assert alone(net, "unreachable", target).delivered
    after = counters(net, "h2", target)
    grown = {name: after[name] - before[name] for name in before}
    assert (grown["TcpInCsumErrors"], grown["IcmpInCsumErrors"]) == (0, 0)
    # the stack itself took them: it resets the session, and counts the error
    assert (grown["TcpOutRsts"], grown["IcmpInDestUnreachs"]) == (1, 1)


@pytest.mark.parametrize("target", [V4, V6])
def test_a_filter_that_permits_only_first_segments_drops_a_segment(net: Any, target: str) -> None:
    rule(net, "meta l4proto tcp iif eth0 tcp flags & (syn | ack) != syn drop")
    assert not alone(net, "segment", target).delivered
    net.nodes["r"].run(["nft", "flush", "ruleset"])
    rule(net, "meta l4proto tcp iif eth0 tcp flags & (ack | rst) == 0 drop")
    assert alone(net, "segment", target).delivered
    assert not probe(net, "tcp", target).delivered


@pytest.mark.parametrize("target", [V4, V6])
def test_a_stateful_filter_picks_a_segment_up_and_calls_an_error_invalid(net: Any, target: str) -> None:
    rule(net, "iif eth0 ct state new,established accept")
    rule(net, "iif eth0 meta l4proto tcp drop")
    rule(net, f"iif eth0 {ERROR[target]} drop")
    assert alone(net, "segment", target).delivered
    assert not alone(net, "unreachable", target).delivered
    net.nodes["r"].run(["nft", "flush", "ruleset"])
    rule(net, f"iif eth0 ct state invalid {ERROR[target]} drop")
    assert alone(net, "segment", target).delivered
    assert not alone(net, "unreachable", target).delivered


@pytest.mark.parametrize("target", [V4, V6])
def test_a_stateful_filter_that_picks_nothing_up_drops_a_segment(net: Any, target: str) -> None:
    rule(net, "iif eth0 ct state invalid drop")
    assert net.nodes["r"].run(["sysctl", "-w", "net.netfilter.nf_conntrack_tcp_loose=0"]).returncode == 0
    try:
        assert not alone(net, "segment", target).delivered
    finally:
        net.nodes["r"].run(["sysctl", "-w", "net.netfilter.nf_conntrack_tcp_loose=1"])
    assert alone(net, "segment", target).delivered


@pytest.mark.parametrize("target", [V4, V6])
def test_a_segment_has_the_ports_that_are_asked_for_or_draws_them(net: Any, target: str) -> None:
    rule(net, "meta l4proto tcp iif eth0 th sport != 443 drop")
    assert alone(net, "segment", target, source_port=443).delivered
    assert not alone(net, "segment", target, source_port=80).delivered
    assert tunnelled(net, "segment", target, source_port=443).delivered
    assert not tunnelled(net, "segment", target).delivered


def test_a_filter_of_a_segment_that_says_so_is_told(net: Any) -> None:
    rule(net, "meta l4proto tcp reject with icmp type admin-prohibited")
    assert "administratively prohibited" in alone(net, "segment").detail


def test_a_segment_does_not_disturb_a_port_that_is_listened_on(net: Any) -> None:
    both = [
        Probe(source="h1", target=V4, protocol="tcp", port=80, listen_on="h2", timeout_s=0.3),
        Probe(source="h1", target=V4, protocol="segment", port=80, arrives_at=("h2",), timeout_s=0.3),
    ]
    assert [one.delivered for one in net.prober.probe(both * 5)] == [True] * 10


@pytest.mark.parametrize("protocol", ALONE)
def test_a_packet_of_no_session_arrives_at_a_node_that_stands_in(net: Any, protocol: Any) -> None:
    port = {"port": 80} if protocol == "segment" else {}
    result = net.prober.probe([Probe(source="h1", target="10.2.0.99", protocol=protocol, stand_in="h2", **port)])[0]
    assert (result.delivered, result.arrived_at) == (True, "h2")


def test_many_packets_of_no_session_side_by_side_are_told_apart(net: Any) -> None:
    rule(net, "ip dscp 10 drop")
    rule(net, "ip6 dscp 10 drop")
    kinds = [(protocol, target, dscp) for protocol in ALONE for target in (V4, V6) for dscp in (0, 10)]
    probes = [
        Probe(source="h1", target=target, protocol=protocol, dscp=dscp, arrives_at=("h2",), timeout_s=0.3)
        for protocol, target, dscp in kinds * 25
    ]
    assert len(probes) == 200
    found = net.prober.probe(probes)
    assert [one.delivered for one in found] == [dscp == 0 for _, _, dscp in kinds * 25]
