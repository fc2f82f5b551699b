"""Authentication of routing protocols with key chains: only neighbors with the same key become adjacent."""

from __future__ import annotations

import threading

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session.dry_run import replace
from tests.support.ios import Session, eventually, ios_task, settle, type_lines

CHAIN = ("key chain WAN", "key 1", "key-string {}", "accept-lifetime 00:00:00 Jan 1 2020 infinite")


def router(number):
    return f"""
interface Loopback0
 ip address 192.168.{number}.1 255.255.255.0
interface Gi0/0
 ip address 10.0.12.{number} 255.255.255.0
 no shutdown
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": router(1), "R2": router(2)}, ["R1 Gi0/0 - R2 Gi0/0"]))


@pytest.fixture
def enter(lab):
    """Type lines at a router; restore the previous config afterwards."""
    devices = {name: device_of(lab.nodes[name]) for name in ("R1", "R2")}
    before = {name: device.running_config() for name, device in devices.items()}

    def typed(name, *lines):
        type_lines(lab.nodes[name], *lines)

    yield typed
    for name, device in devices.items():
        assert replace(device, before[name]) is None


def routes(lab, protocol):
    return Session(device_of(lab.nodes["R1"])).enter(f"show ip route {protocol}")


@pytest.mark.parametrize("mode", ["md5", "text"])
def test_rip_hears_only_who_has_the_key(lab, enter, mode):
    use = ("interface gi0/0", f"ip rip authentication mode {mode}", "ip rip authentication key-chain WAN")
    for name in ("R1", "R2"):
        enter(
            name,
            "router rip",
            "version 2",
            "no auto-summary",
            "network 10.0.0.0",
            "network 192.168.1.0",
            "network 192.168.2.0",
        )
    enter("R1", *(line.format("secret") for line in CHAIN), *use)
    enter("R2", *(line.format("other") for line in CHAIN), *use)
    settle(lab)
    assert "192.168.2.0" not in routes(lab, "rip")
    enter("R2", *CHAIN[:2], "key-string secret")
    assert eventually(lambda: "192.168.2.0/24 [120/1]" in routes(lab, "rip"))


def test_ospf_meets_only_who_has_the_key(lab, enter):
    use = (
        "router ospf 1",
        "network 0.0.0.0 255.255.255.255 area 0",
        "interface gi0/0",
        "ip ospf authentication key-chain WAN",
    )
    enter("R1", *(line.format("secret") for line in CHAIN), *use)
    enter("R2", *(line.format("other") for line in CHAIN), *use)
    settle(lab)
    assert "192.168.2." not in routes(lab, "ospf")
    enter("R2", *CHAIN[:2], "key-string secret")
    assert eventually(lambda: "192.168.2.1 [110/" in routes(lab, "ospf"))
    shown = Session(device_of(lab.nodes["R1"])).enter("show ip ospf interface gi0/0")
    assert "Sending SA: Key 1, Algorithm MD5 - key chain WAN" in shown


def isis(number, text):
    net = f"net 49.0001.0000.0000.000{number}.00"
    return (
        *(line.format(text) for line in CHAIN),
        "router isis",
        net,
        "metric-style wide",
        "interface gi0/0",
        "ip router isis",
        "interface lo0",
        "ip router isis",
    )


def test_isis_meets_only_who_has_the_key(lab, enter):
    use = ("interface gi0/0", "isis authentication mode md5", "isis authentication key-chain WAN")
    enter("R1", *isis(1, "secret"), *use)
    enter("R2", *isis(2, "secret"), *use)
    assert eventually(lambda: "192.168.2.0/24 [115/" in routes(lab, "isis"))
    enter("R2", *CHAIN[:2], "key-string other")
    assert eventually(lambda: "192.168.2.0" not in routes(lab, "isis"))


def test_isis_believes_only_what_is_signed_with_the_key(lab, enter):
    use = ("router isis", "authentication mode md5", "authentication key-chain WAN")
    enter("R1", *isis(1, "secret"), *use)
    enter("R2", *isis(2, "other"), *use)
    assert eventually(lambda: "UP" in Session(device_of(lab.nodes["R1"])).enter("show isis neighbors"))
    threading.Event().wait(1.0)  # twenty seconds of lab time: messages, if any, arrive at once
    assert "192.168.2.0" not in routes(lab, "isis")
    enter("R2", *CHAIN[:2], "key-string secret")
    assert eventually(lambda: "192.168.2.0/24 [115/" in routes(lab, "isis"))
