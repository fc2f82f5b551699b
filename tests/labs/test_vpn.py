"""A WireGuard tunnel between hosts of a real network: what passes, and what agents see of it."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.families.diagnose.uses import Tunnel, uses_of
from pytest_netbench.faults.injecting import await_effects, inject_all
from pytest_netbench.generators.default_faults import OF_VPN
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.clients import answers
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import VpnEnd
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.capabilities import PROCESSES, PROGRAMS
from pytest_netbench.platforms.linux.vpn import AWAIT, CONF, KEY, config_text
from tests.support.ios import await_that

SOCKET = "/run/wireguard/wg0.sock"


@pytest.fixture(scope="module")
def network() -> DrawnNetwork:
    given = {"shape": "star", "platform": "frr", "services": ("vpn",), "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(given))


@pytest.fixture(scope="module")
def payload(network: DrawnNetwork) -> Diagnose:
    fields = {**network.fields(), "flows": flow_groups(network), "faults": (), "fault_types": OF_VPN}
    return Diagnose.model_validate(fields)


@pytest.fixture(scope="module")
def tunnel(payload: Diagnose) -> Tunnel:
    (one,) = uses_of(payload).tunnels
    return one


@pytest.fixture(scope="module")
def lab(payload: Diagnose, deploy_task: Any) -> Any:
    fields = {name: getattr(payload, name) for name in type(payload).model_fields}
    lab = deploy_task(Task.model_validate({"task_name": "vpn", "slug": "vpn", "family": "diagnose", **fields}))
    Serving(lab, payload).await_healthy()
    return lab


def end_of(network: DrawnNetwork, node: str) -> VpnEnd:
    return next(one for one in network.topology.node(node).services if isinstance(one, VpnEnd))


def looked(lab: Any, node: str, command: str) -> str:
    return str(lab.driver(node).execute(lab.nodes[node], command))


def test_a_look_shows_peers_and_handshakes_and_no_secret(lab: Any, network: DrawnNetwork, tunnel: Tunnel) -> None:
    (node, other), (_, far) = tunnel.nodes, tunnel.addresses
    end = end_of(network, node)
    shown = looked(lab, node, "wg show wg0")
    assert f"peer: {end.peers[other].public_key}\n" in shown
    assert f"allowed ips: {far}/32\n" in shown
    assert "latest handshake: " in shown
    assert f"public key: {end_of(network, other).peers[node].public_key}\n" in shown, "that of its private key"
    for secret in ("wg show wg0 private-key", "wg showconf wg0", "wg show wg0 dump", f"cat {KEY}", f"chmod 600 {KEY}"):
        said = looked(lab, node, secret)
        assert end.private_key not in said, secret
        assert "exit status" in said, secret
    assert looked(lab, node, "ls -A /dev/net /run/wireguard").split() == ["/dev/net:", "/run/wireguard:"]
    assert "0 received" not in looked(lab, node, f"ping -c 1 -W 1 {far}")


def test_packets_pass_encrypted(lab: Any, network: DrawnNetwork, tunnel: Tunnel) -> None:
    (node, _), (_, far) = tunnel.nodes, tunnel.addresses
    before = looked(lab, node, "wg show wg0 transfer").split()
    assert looked(lab, node, f"ping -c 3 -i 0.1 -s 1000 {far}").count("1008 bytes from") == 3
    after = looked(lab, node, "wg show wg0 transfer").split()
    assert all(int(late) - int(early) > 3000 for early, late in zip(before[1:], after[1:], strict=True))
    (port,) = lab.nodes[node].interfaces
    assert f"via {network.lan_of(node).gateway} dev {port}" in looked(
        lab, node, f"ip route get {endpoint(network, node)}"
    )


def endpoint(network: DrawnNetwork, node: str) -> str:
    (peer,) = end_of(network, node).peers.values()
    return peer.endpoint.partition(":")[0]


def test_without_its_program_nothing_passes(lab: Any, network: DrawnNetwork, payload: Diagnose, tunnel: Tunnel) -> None:
    (node, _), (_, far) = tunnel.nodes, tunnel.addresses
    driver = lab.driver(node)
    driver.end_server(lab.nodes[node], "vpn")
    assert not answers(lab.nodes[node], far)
    assert Serving(lab, payload).failures() == tuple(
        f"{one} {address}: no answer in the tunnel"
        for one, address in zip(tunnel.nodes, reversed(tunnel.addresses), strict=True)
    )
    driver.serve(lab.nodes[node], [end_of(network, node)])
    Serving(lab, payload).await_healthy()


LATE = (
    "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('/run/wireguard/wg0.sock');"
    " time.sleep(0.4); s.listen(); time.sleep(30)"
)
"""It has its socket some time before it listens there, as wireguard-go does on a busy machine."""


def test_whoever_awaits_the_program_does_not_take_its_socket_away(
    lab: Any, network: DrawnNetwork, payload: Diagnose, tunnel: Tunnel
) -> None:
    name, _ = tunnel.nodes
    node, driver = lab.nodes[name], lab.driver(name)
    driver.end_server(node, "vpn")
    node.capability(PROCESSES).start(["/usr/bin/python3", "-c", LATE], name="late", lab_time=False)
    await_that(lambda: node.run(["test", "-S", SOCKET]).returncode == 0, lambda: "it has no socket")
    try:
        assert node.run(["/bin/sh", "-c", AWAIT]).returncode == 0
        assert node.run(["test", "-S", SOCKET]).returncode == 0
    finally:
        node.capability(PROGRAMS).signal("late", signal.SIGKILL)
        node.run(["rm", "-f", SOCKET])
        driver.serve(node, [end_of(network, name)])
    Serving(lab, payload).await_healthy()


@pytest.mark.parametrize("name", OF_VPN)
def test_a_fault_cuts_the_tunnel_alone_and_goes_away(
    name: str, lab: Any, network: DrawnNetwork, payload: Diagnose, tunnel: Tunnel
) -> None:
    fault: Any = fault_of(name)
    places = list(fault.places(network))
    place = places[-1]
    with pytest.raises(FaultHasNoEffect, match="has "):
        fault.observe(place, lab)
    before = lab.driver(place.node).running_config(lab.nodes[place.node])
    inject_all([(fault, place)], lab)
    try:
        await_effects([(fault, place)], lab)
        shown = [looked(lab, node, "wg show wg0") for node in tunnel.nodes]
        assert not any("latest handshake" in one for one in shown), "no age tells which end was changed"
        assert not any("transfer" in one for one in shown), "no counter tells who asked for the proof"
        assert answers(lab.nodes[place.node], network.addresses[place.peer])
    finally:
        fault.undo(place, lab)
    Serving(lab, payload).await_healthy()
    assert lab.driver(place.node).running_config(lab.nodes[place.node]) == before
    with pytest.raises(FaultHasNoEffect):
        fault.observe(place, lab)


def test_an_agent_that_may_change_its_host_cannot_change_its_files(lab: Any, tunnel: Tunnel) -> None:
    node, _ = tunnel.nodes
    (status,) = lab.driver(node).apply(lab.nodes[node], [f"echo >> {CONF}"])
    assert status.status == "error"
    assert "Read-only file system" in status.message


def test_its_config_is_shown_and_it_works_after_a_reboot(
    lab: Any, network: DrawnNetwork, payload: Diagnose, tunnel: Tunnel
) -> None:
    node, _ = tunnel.nodes
    before = lab.driver(node).running_config(lab.nodes[node])
    assert f"interface wg0\n type tun\n mtu 1420\n state up\n address {end_of(network, node).address}\n" in before
    assert all(f"\n {line}\n" in before for line in config_text(end_of(network, node)).splitlines() if line)
    assert end_of(network, node).private_key not in before
    lab.capability(NODES).reboot(node)
    Serving(lab, payload).await_healthy()
    assert lab.driver(node).running_config(lab.nodes[node]) == before
