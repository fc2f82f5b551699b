"""Every row of the prober's decision table (docs/explanation/probes.md), against networks that try to deceive it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from tests.labs.netns.conftest import Deploy
from tests.support.netns_networks import routed

V4, V6 = "10.2.0.10", "2001:db8:2::10"
BOTH = pytest.mark.parametrize("target", [V4, V6])
PROTOCOLS = pytest.mark.parametrize("protocol", ["icmp", "tcp", "udp"])
CHAIN = "add table inet f; add chain inet f c {{ type filter hook {hook} priority 0; }}; add rule inet f c {rule}"
NAT = "add table inet n; add chain inet n c {{ type nat hook prerouting priority -100; }}; add rule inet n c {rule}"
OF = {"icmp": "meta l4proto { icmp, icmpv6 } icmp type echo-request", "tcp": "tcp dport 80", "udp": "udp dport 80"}


@pytest.fixture(scope="module")
def routed_lab(deploy: Deploy) -> Any:
    return deploy(routed())


@pytest.fixture
def net(routed_lab: Any) -> Any:
    yield routed_lab
    for node in routed_lab.nodes.values():
        node.run(["nft", "flush", "ruleset"])


def filtered(net: Any, node: str, hook: str, rule: str) -> None:
    done = net.nodes[node].run(["nft", CHAIN.format(hook=hook, rule=rule)])
    assert done.returncode == 0, done.stderr


def echoes(target: str) -> str:
    return "icmp type echo-request" if target == V4 else "icmpv6 type echo-request"


def of(protocol: str, target: str) -> str:
    return echoes(target) if protocol == "icmp" else OF[protocol]


def probe(net: Any, protocol: Any, target: str = V4, **fields: Any) -> Any:
    listens = None if protocol == "icmp" else "h2"
    port = None if protocol == "icmp" else 80
    wanted = {"source": "h1", "listen_on": listens, "arrives_at": ("h2",), "port": port, "timeout_s": 0.15, **fields}
    return net.prober.probe([Probe(target=target, protocol=protocol, **wanted)])[0]


@BOTH
@PROTOCOLS
def test_delivered_is_sent_and_arrived_and_answered(net: Any, protocol: str, target: str) -> None:
    result = probe(net, protocol, target)
    assert (result.delivered, result.sent, result.arrived, result.answered) == (True, True, True, True)
    assert result.arrived_at == "h2"
    assert 0 < result.one_way_ms < 1000
    assert 0 < result.round_trip_ms < 1000


@BOTH
@PROTOCOLS
def test_what_the_source_itself_drops_was_not_sent(net: Any, protocol: str, target: str) -> None:
    filtered(net, "h1", "output", f"{of(protocol, target)} drop")
    result = probe(net, protocol, target)
    assert not result.delivered
    assert result.arrived is False
    if protocol != "tcp":  # the kernel keeps this from a connection that is being opened
        assert not result.sent
        assert result.detail == "blocked by the sender's own filter"


@BOTH
@PROTOCOLS
def test_what_is_dropped_on_the_way_was_sent_and_did_not_arrive(net: Any, protocol: str, target: str) -> None:
    filtered(net, "r", "forward", f"{of(protocol, target)} drop")
    result = probe(net, protocol, target)
    assert (result.delivered, result.sent, result.arrived, result.answered) == (False, True, False, False)


@BOTH
@PROTOCOLS
def test_what_the_target_s_own_filter_drops_arrived_and_is_denied(net: Any, protocol: str, target: str) -> None:
    filtered(net, "h2", "input", f"{of(protocol, target)} drop")
    result = probe(net, protocol, target, dscp=10)
    assert (result.delivered, result.sent, result.arrived, result.answered) == (False, True, True, False)
    assert result.received_dscp == 10
    assert result.detail == "no answer in 0.3 s (2 tries), but it arrived at h2"


@BOTH
@PROTOCOLS
def test_an_answer_that_is_dropped_on_its_way_back_is_no_delivery(net: Any, protocol: str, target: str) -> None:
    filtered(net, "r", "forward", "iif eth1 drop")
    result = probe(net, protocol, target)
    assert (result.delivered, result.arrived, result.answered) == (False, True, False)


@BOTH
@PROTOCOLS
def test_an_answer_that_the_source_s_own_filter_drops_is_no_delivery(net: Any, protocol: str, target: str) -> None:
    rule = {"icmp": echoes(target).replace("request", "reply"), "tcp": "tcp sport 80", "udp": "udp sport 80"}[protocol]
    filtered(net, "h1", "input", f"{rule} drop")
    result = probe(net, protocol, target)
    assert (result.delivered, result.arrived, result.answered) == (False, True, False)


@BOTH
@PROTOCOLS
def test_an_answer_that_the_target_may_not_send_is_no_delivery(net: Any, protocol: str, target: str) -> None:
    rule = {"icmp": echoes(target).replace("request", "reply"), "tcp": "tcp sport 80", "udp": "udp sport 80"}[protocol]
    filtered(net, "h2", "output", f"{rule} drop")
    result = probe(net, protocol, target)
    assert (result.delivered, result.arrived) == (False, True)


@BOTH
@PROTOCOLS
def test_a_router_that_has_the_target_s_address_does_not_answer_in_its_place(
    net: Any, protocol: str, target: str
) -> None:
    net.nodes["r"].run(["ip", "address", "add", target, "dev", "lo"])
    try:
        result = probe(net, protocol, target)
    finally:
        net.nodes["r"].run(["ip", "address", "del", target, "dev", "lo"])
    assert not result.delivered
    assert result.arrived is False
    if protocol == "icmp":
        assert result.answered
        assert result.detail == "answered in place of h2, which did not accept it"


@PROTOCOLS
def test_a_redirect_on_the_way_does_not_answer_in_the_target_s_place(net: Any, protocol: str) -> None:
    rule = {"icmp": "ip protocol icmp dnat ip to 10.1.0.1", "tcp": "tcp dport 80 redirect to :81"}
    done = net.nodes["r"].run(["nft", NAT.format(rule=rule.get(protocol, "udp dport 80 redirect to :81"))])
    assert done.returncode == 0, done.stderr
    # a service of the router itself takes the connection
    helper = Probe(source="h2", target="10.2.0.1", protocol="tcp", port=81, listen_on="r", timeout_s=0.15)
    wanted = Probe(
        source="h1",
        target=V4,
        protocol=protocol,
        port=None if protocol == "icmp" else 80,
        listen_on=None if protocol == "icmp" else "h2",
        arrives_at=("h2",),
        timeout_s=0.15,
    )
    assert [result.delivered for result in net.prober.probe([helper, wanted])] == [True, False]


@BOTH
def test_an_occupied_udp_port_changes_no_verdict(net: Any, target: str) -> None:
    occupied = ["ip", "link", "add", "v0", "type", "vxlan", "id", "7", "dstport", "80", "dev", "eth0"]
    occupied += ["local", target, "remote", "10.2.0.1" if target == V4 else "2001:db8:2::1"]
    done = net.nodes["h2"].run(occupied)
    assert done.returncode == 0, done.stderr
    net.nodes["h2"].run(["ip", "link", "set", "v0", "up"])
    try:
        result = probe(net, "udp", target)
        filtered(net, "r", "forward", "udp dport 80 drop")
        denied = probe(net, "udp", target)
    finally:
        net.nodes["h2"].run(["ip", "link", "del", "v0"])
    assert (result.delivered, result.arrived, result.answered) == (True, True, True)
    assert (denied.delivered, denied.arrived, denied.answered) == (False, False, False)


SERVER = """
import socket
server = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
server.bind(("::", {port}))
{listen}
open("/tmp/ready-{port}", "w").close()
while True:
    server.accept() if {listens} else __import__("time").sleep(60)
"""


def occupy(net: Any, *, port: int, listens: bool) -> None:
    text = SERVER.format(port=port, listens=listens, listen="server.listen(8)" if listens else "")
    net.nodes["h2"].start(["/usr/bin/python3", "-c", text], lab_time=False)
    for _ in range(1000):
        if net.nodes["h2"].run(["test", "-e", f"/tmp/ready-{port}"]).returncode == 0:
            return
    raise AssertionError("the port is not occupied")


@pytest.mark.parametrize("target", [V4, V6])
def test_an_occupied_tcp_port_changes_no_verdict(net: Any, target: str) -> None:
    port = 8000 if target == V4 else 8001
    occupy(net, port=port, listens=True)
    result = probe(net, "tcp", target, port=port)
    assert (result.delivered, result.arrived, result.answered) == (True, True, True)
    assert result.detail.startswith("connected after")
    filtered(net, "h2", "input", f"tcp dport {port} reject with tcp reset")
    denied = probe(net, "tcp", target, port=port)
    assert (denied.delivered, denied.arrived) == (False, True)


@BOTH
def test_a_tcp_port_that_is_held_by_somebody_who_does_not_listen_changes_no_verdict(net: Any, target: str) -> None:
    port = 8010 if target == V4 else 8011
    occupy(net, port=port, listens=False)
    result = probe(net, "tcp", target, port=port)
    assert (result.delivered, result.arrived, result.answered) == (True, True, True)
    filtered(net, "r", "forward", f"tcp dport {port} reject with tcp reset")
    denied = probe(net, "tcp", target, port=port)
    assert (denied.delivered, denied.arrived) == (False, False)


def test_what_is_there_already_answers_where_nobody_is_to_listen(net: Any) -> None:
    occupy(net, port=8002, listens=True)
    assert probe(net, "tcp", port=8002, listen_on=None, arrives_at=()).delivered
    assert probe(net, "tcp", port=8003, listen_on=None, arrives_at=()).detail == "refused"


@BOTH
@PROTOCOLS
def test_any_source_address_of_a_subnet_can_be_used(net: Any, protocol: str, target: str) -> None:
    source = "10.1.0.78" if target == V4 else "2001:db8:1::78"
    result = probe(net, protocol, target, source_address=source, dscp=12)
    assert result.delivered, result.detail
    assert (result.seen_source, result.received_dscp) == (source, 12)
    filtered(net, "r", "forward", f"{'ip' if target == V4 else 'ip6'} saddr {source} drop")
    assert not probe(net, protocol, target, source_address=source).delivered
    assert probe(net, protocol, target).delivered


def test_a_foreign_source_arrives_although_no_answer_finds_back(net: Any) -> None:
    result = probe(net, "udp", source_address="192.0.2.77")
    assert (result.delivered, result.sent, result.arrived, result.seen_source) == (False, True, True, "192.0.2.77")


@BOTH
@PROTOCOLS
def test_a_port_behind_a_translation_is_found(net: Any, protocol: str, target: str) -> None:
    if protocol == "icmp":
        rule = f"iif eth0 {echoes(target)} dnat {'ip' if target == V4 else 'ip6'} to {target}"
    else:
        to = f"{target}:8080" if target == V4 else f"[{target}]:8080"
        rule = f"iif eth0 {protocol} dport 80 dnat {'ip' if target == V4 else 'ip6'} to {to}"
    done = net.nodes["r"].run(["nft", NAT.format(rule=rule)])
    assert done.returncode == 0, done.stderr
    public = "10.1.0.1" if target == V4 else "2001:db8:1::1"
    more = {} if protocol == "icmp" else {"listen_port": 8080}
    result = probe(net, protocol, public, **more)
    assert result.delivered, result.detail
    assert result.arrived_at == "h2"


def received(net: Any, text: str) -> int:
    return int(net.nodes["h2"].run(["nft", "list", "ruleset"]).stdout.split(text)[1].split("packets ")[1].split()[0])


@pytest.mark.parametrize("repetitions", [0, 1, 3])
def test_only_unanswered_probes_are_repeated(net: Any, repetitions: int) -> None:
    filtered(net, "h2", "prerouting", "udp dport 90 counter drop")
    filtered(net, "h2", "prerouting", "udp dport 91 counter")
    fields = {"source": "h1", "target": V4, "protocol": "udp", "listen_on": "h2", "timeout_s": 0.05}
    probes = [Probe(port=90, **fields), Probe(port=91, **fields)]
    results = net.prober.probe(probes, repetitions=repetitions)
    assert [result.delivered for result in results] == [False, True]
    assert received(net, "udp dport 90") == 1 + repetitions
    assert received(net, "udp dport 91") == 1


def test_no_listener_is_left_when_a_call_ends(net: Any) -> None:
    probe(net, "tcp")
    probe(net, "udp")
    for table in ("tcp", "udp", "raw", "icmp", "raw6"):
        lines = net.nodes["h2"].run(["cat", f"/proc/net/{table}"]).stdout.splitlines()[1:]
        assert [line for line in lines if line.split()[3] != "06"] == []  # 06: a connection that waits for its end


def test_an_interface_that_goes_down_is_a_verdict_and_no_error(deploy: Deploy) -> None:
    net = deploy(routed())
    probes = [
        Probe(source="h1", target=V4, protocol="tcp", port=80, listen_on="h2", timeout_s=0.1, source_address=address)
        for address in (None, "10.1.0.78")
    ]
    flapping = "for _ in $(seq 200); do ip link set eth0 down; ip link set eth0 up; done"
    net.nodes["h2"].start(["/bin/sh", "-c", flapping], lab_time=False)
    for _ in range(5):
        assert all(isinstance(result.delivered, bool) for result in net.prober.probe(probes))


@BOTH
@PROTOCOLS
def test_a_node_reaches_itself(net: Any, protocol: str, target: str) -> None:
    own = "10.1.0.10" if target == V4 else "2001:db8:1::10"
    listens = None if protocol == "icmp" else "h1"
    result = probe(net, protocol, own, listen_on=listens, arrives_at=("h1",), dscp=10)
    assert (result.delivered, result.arrived, result.arrived_at, result.received_dscp) == (True, True, "h1", 10)


@pytest.mark.parametrize("dscp", [0, 46])
def test_a_drawn_port_is_listened_on(net: Any, dscp: int) -> None:
    for protocol in ("tcp", "udp"):
        result = probe(net, protocol, port=None, dscp=dscp)
        assert (result.delivered, result.received_dscp) == (True, dscp)
