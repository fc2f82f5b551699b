"""DHCP with packets: clients, a server on their network, and a relay to a server behind a router."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.netns_networks import network
from tests.support.wiretap import decoded, frames

OPTIONS = {"3": "0a000001", "6": "08080808", "15": b"lab.example".hex()}
LAN = {"name": "LAN", "network": "10.0.0.0/24", "lease_s": 120, "options": OPTIONS}
FAR = {"name": "FAR", "network": "10.5.0.0/24", "lease_s": 86400, "options": {"3": "0a050001"}}
SERVER = {"dhcp": {"pools": [LAN, FAR], "excluded": [["10.0.0.1", "10.0.0.9"], ["10.5.0.1", "10.5.0.1"]]}}
RELAY = {"dhcp": {"relays": {"eth0": ["10.1.0.1"]}}}
CLIENT = {"dhcp_client": {"interfaces": [{"interface": "eth0"}]}}


def networks():
    """Two clients, a server and a host with a static address on one switch; a client behind a relay."""
    configs = {
        "sw": "ip link add br0 type bridge\nip link set br0 up\n"
        + "".join(f"ip link set eth{n} master br0\n" for n in range(4)),
        "c1": "",
        "c2": "",
        "squatter": "ip address add 10.0.0.10/24 dev eth0\n",
        "server": "sysctl -w net.ipv4.ip_forward=1\nip address add 10.0.0.1/24 dev eth0\n"
        "ip address add 10.1.0.1/24 dev eth1\nip route add 10.5.0.0/24 via 10.1.0.2\n",
        "relay": "sysctl -w net.ipv4.ip_forward=1\nip address add 10.5.0.1/24 dev eth0\n"
        "ip address add 10.1.0.2/24 dev eth1\nip route add default via 10.1.0.1\n",
        "far": "",
    }
    links = [
        "sw eth0 - c1 eth0",
        "sw eth1 - c2 eth0",
        "sw eth2 - squatter eth0",
        "sw eth3 - server eth0",
        "server eth1 - relay eth1",
        "relay eth0 - far eth0",
    ]
    return network(dict.fromkeys(configs, "linux"), links, configs)


@pytest.fixture(scope="module")
def lab(deploy_task):
    lab = deploy_task(networks())
    runner.apply(lab.nodes["server"], {}, SERVER)
    runner.apply(lab.nodes["relay"], {}, RELAY)
    runner.apply(lab.nodes["c1"], {}, CLIENT)
    leased(lab.nodes["c1"])
    return lab


def leased(node, *, state="Bound", timeout_s=8.0):
    deadline = time.monotonic() + timeout_s
    while (lease := runner.state(node, "dhcp_client")["interfaces"]["eth0"])["state"] != state:
        assert time.monotonic() < deadline, lease
        time.sleep(0.02)
    return lease


def addresses(node):
    return node.run(["ip", "-4", "-br", "address", "show", "dev", "eth0"]).stdout.split()[2:]


def bindings(lab):
    return {entry["address"]: entry for entry in runner.state(lab.nodes["server"], "dhcp")["bindings"]}


def test_a_client_gets_the_first_free_address_with_the_options_of_its_pool(lab):
    client = lab.nodes["c1"]
    lease = leased(client)
    # 10.0.0.10 answers pings: a host uses it without a lease
    assert (lease["address"], lease["prefix"], lease["router"]) == ("10.0.0.11", 24, "10.0.0.1")
    assert (lease["server"], lease["lease_s"]) == ("10.0.0.1", 120)
    assert {code: lease["options"][code] for code in OPTIONS} == OPTIONS
    assert addresses(client) == ["10.0.0.11/24"]
    assert client.run(["ping", "-c", "1", "-W", "10", "10.1.0.1"]).returncode == 0


def test_an_address_that_answers_is_a_conflict_and_not_given(lab):
    [conflict] = runner.state(lab.nodes["server"], "dhcp")["conflicts"]
    assert (conflict["address"], conflict["how"]) == ("10.0.0.10", "Ping")


def test_the_binding_says_client_and_time_left(lab):
    binding = bindings(lab)["10.0.0.11"]
    mac = lab.nodes["c1"].run(["cat", "/sys/class/net/eth0/address"]).stdout.strip().replace(":", "")
    assert binding["pool"] == "LAN"
    assert binding["client"] == f"01{mac}" or mac == ""
    assert 0 < binding["left_s"] <= 120


def test_a_client_renews_before_its_lease_ends_and_keeps_its_address(lab):
    client, deadline = lab.nodes["c1"], time.monotonic() + 60
    first = leased(client)["left_s"]
    while (lease := leased(client))["left_s"] <= first:
        first = lease["left_s"]
        assert lease["address"] == "10.0.0.11"
        assert time.monotonic() < deadline, "not renewed"
        time.sleep(0.05)
    assert bindings(lab)["10.0.0.11"]["left_s"] > 60


def test_a_host_pool_gives_its_address_to_the_client_it_names(lab):
    server, client = lab.nodes["server"], lab.nodes["c2"]
    host = {
        "name": "PRINTER",
        "network": "10.0.0.200/24",
        "address": "10.0.0.200",
        "client": "01aabbccddeeff",
        "lease_s": None,
    }
    wanted = {"dhcp": {**SERVER["dhcp"], "pools": [LAN, FAR, host]}}
    runner.apply(server, SERVER, wanted)
    chosen = {"dhcp_client": {"interfaces": [{"interface": "eth0", "client_id": "01aabbccddeeff"}]}}
    runner.apply(client, {}, chosen)
    lease = leased(client)
    assert (lease["address"], lease["lease_s"]) == ("10.0.0.200", None)
    assert lease["options"]["6"] == OPTIONS["6"]  # inherited from the network's pool
    assert bindings(lab)["10.0.0.200"]["manual"] is True
    runner.apply(client, chosen, {})
    assert addresses(client) == []
    assert "10.0.0.200" not in bindings(lab)
    runner.apply(server, wanted, SERVER)


def test_a_relay_brings_clients_to_a_server_behind_a_router(lab):
    far = lab.nodes["far"]
    runner.apply(far, {}, CLIENT)
    lease = leased(far)
    assert (lease["address"], lease["router"], lease["server"]) == ("10.5.0.2", "10.5.0.1", "10.1.0.1")
    assert far.run(["ping", "-c", "1", "-W", "10", "10.0.0.11"]).returncode == 0


def test_what_is_on_the_wire_is_dhcp_to_tcpdump(lab):
    client = lab.nodes["c2"]
    runner.apply(client, {}, CLIENT)
    leased(client)
    with ThreadPoolExecutor() as pool:
        caught = pool.submit(frames, lab.nodes["squatter"], "eth0", "ip17", count=4, seconds=8.0)
        deadline = time.monotonic() + 8
        while not caught.done():
            assert time.monotonic() < deadline
            runner.apply(client, CLIENT, {})
            runner.apply(client, {}, CLIENT)
            leased(client)
        seen = decoded(caught.result())
    assert "udp sum ok" in seen
    assert "bad udp cksum" not in seen
    for kind in ("Discover", "Offer", "Request", "ACK"):
        assert f"DHCP-Message (53), length 1: {kind}" in seen


def test_cleared_bindings_are_gone_and_the_client_may_renew(lab):
    server = lab.nodes["server"]
    runner.command(server, "dhcp", "clear binding *")
    runner.command(server, "dhcp", "clear conflict *")
    assert runner.state(server, "dhcp")["bindings"] == []


def test_without_pools_nobody_is_served(lab):
    server, client = lab.nodes["server"], lab.nodes["c2"]
    runner.apply(server, SERVER, {})
    runner.apply(client, {}, CLIENT)
    runner.apply(client, CLIENT, {})
    runner.apply(client, {}, CLIENT)
    leased(client, state="Selecting")
    assert runner.waiting(client, ["dhcp_client"]) == ["c2: eth0 has no address by DHCP yet"]
    runner.apply(server, {}, SERVER)
