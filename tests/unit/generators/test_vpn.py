"""WireGuard tunnels of drawn networks, on paper."""

from __future__ import annotations

import shutil
import subprocess
from ipaddress import IPv4Interface, IPv4Network
from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.diagnose.uses import uses_of
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.services.curve25519 import private_key, public_key
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.hosting import VpnEnd
from pytest_netbench.model.task import Task

SHAPES_WITH = [name for name, shape in SHAPES.items() if SERVICES["vpn"].fits(name, shape.platforms[0])]


def drawn(*services: str, **parameters: Any) -> DrawnNetwork:
    given = {"services": services, "sizes": {"hosts": 2}, **parameters}
    return draw_network(NetworkParameters.model_validate(given))


def ends_of(network: DrawnNetwork) -> dict[str, VpnEnd]:
    return {node.name: one for node in network.topology.nodes for one in node.services if isinstance(one, VpnEnd)}


# ---- keys ----

PAIR = ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHl8=", "j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8=")
"""Of ``wg pubkey``."""


def test_a_public_key_is_that_of_wireguard() -> None:
    assert private_key(bytes(range(32))) == PAIR[0]
    assert public_key(PAIR[0]) == PAIR[1]
    with pytest.raises(ValueError, match="a key needs 32 bytes, not 31"):
        private_key(bytes(31))


@pytest.mark.skipif(shutil.which("wg") is None, reason="needs wg: apt-get install wireguard-tools")
@pytest.mark.parametrize("byte", [0, 1, 127, 128, 254, 255])
def test_it_is_what_the_program_says_of_keys_at_the_limits(byte: int) -> None:
    private = private_key(bytes([byte]) * 32)
    done = subprocess.run(["wg", "pubkey"], input=private, capture_output=True, text=True, check=True)
    assert public_key(private) == done.stdout.strip()


# ---- networks ----


@pytest.mark.parametrize("shape", SHAPES_WITH)
@pytest.mark.parametrize("names", ["plain", "drawn"])
def test_two_hosts_in_different_lans_are_joined(shape: str, names: str) -> None:
    network = drawn("vpn", shape=shape, names=names)
    ends = ends_of(network)
    one, other = ends
    assert network.lan_of(one) is not network.lan_of(other)
    for name, far in ((one, other), (other, one)):
        assert network.topology.controls[name] != "foreign"
        (peer,) = ends[name].peers.values()
        assert [*ends[name].peers] == [far]
        assert peer.endpoint == f"{network.addresses[far]}:51820"
        assert peer.allowed_ips == (f"{ends[far].ip}/32",)
        assert peer.public_key == public_key(ends[far].private_key)
        inner = IPv4Interface(ends[name].address).network
        assert not any(inner.overlaps(IPv4Network(subnet.prefix)) for subnet in network.subnets)
    assert len({end.private_key for end in ends.values()}) == 2


def test_keys_and_places_come_from_the_seed() -> None:
    first, again, second = (ends_of(drawn("vpn", shape="star", seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert {end.private_key for end in first.values()}.isdisjoint(end.private_key for end in second.values())
    places = {tuple(ends_of(drawn("vpn", shape="star", seed=seed))) for seed in range(60)}
    assert len(places) == 4, "each pair of hosts in different LANs"


def test_with_it_the_rest_of_a_network_stays_as_it_was() -> None:
    without, joined = (drawn("dns", "web", *more, shape="campus") for more in ((), ("vpn",)))
    kept = {node.name: tuple(one for one in node.services if one.kind != "vpn") for node in joined.topology.nodes}
    assert kept == {node.name: node.services for node in without.topology.nodes}
    assert without.startup_configs == joined.startup_configs


def test_a_network_with_one_lan_of_hosts_is_refused() -> None:
    with pytest.raises(UsageError, match="service 'vpn' needs two hosts in different LANs"):
        drawn("vpn", shape="dual-homed-isp", sizes={"edges": 1, "sites": 1, "hosts": 2})


# ---- tasks ----


def task(**parameters: Any) -> Task:
    given = {"shapes": ("line",), "services": ("vpn",), "size": "1", "healthy": 1.0, **parameters}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=1, index=0)


def test_its_tunnel_is_told_and_asked_each_way() -> None:
    one = task()
    uses = uses_of(diagnose_of(one))
    (tunnel,) = uses.tunnels
    (near, far), (here, there) = tunnel.nodes, tunnel.addresses
    assert uses.count == 2
    assert not uses.clients
    said = "\n".join(DiagnoseFamily().brief(one).intents)
    assert f"by WireGuard tunnels, whose interfaces are wg0:\n- {here} on {near} and {there} on {far}." in said
    assert "These services work" not in said
    assert diagnose_of(one).topology.wire()["services"] == {near: ("vpn",), far: ("vpn",)}
    assert uses_of(diagnose_of(task(services=("dns", "web", "vpn")))).count > 2
    assert Task.model_validate(one.model_dump(mode="json")).digest == one.digest


def test_no_private_key_is_told() -> None:
    one = task()
    payload = diagnose_of(one)
    secrets = [end.private_key for node in payload.topology.nodes for end in node.services if isinstance(end, VpnEnd)]
    told = f"{DiagnoseFamily().brief(one)} {payload.topology.wire()}"
    assert len(secrets) == 2
    assert not any(secret in told for secret in secrets)
