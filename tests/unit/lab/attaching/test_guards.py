"""Lines that would cut the way to a device."""

from __future__ import annotations

import pytest

from pytest_netbench.lab.attaching.guards import Guard
from pytest_netbench.lab.attaching.site import Device

IOS = Guard(Device(name="sw1", dialect="cisco_ios", management="Gi0/9"), "R1")
EOS = Guard(Device(name="sw1", dialect="arista_eos", management="Management1"), "R1")
JUNOS = Guard(Device(name="sw1", dialect="juniper_junos", management="fxp0"), "R1")
LINUX = Guard(Device(name="sw1", dialect="linux", management="mgmt0"), "h1")


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        (
            ["interface Gi0/1", "shutdown", "ip route 10.0.0.0 255.0.0.0 Null0", "hostname x", "logging host 10.0.0.1"],
            [],
        ),
        (["interface Gi0/9", " shutdown", "ip address 10.0.0.1 255.0.0.0"], [0, 1, 2]),
        (["int g0/9", "shutdown", "exit", "router ospf 1", "network 10.0.0.0 0.0.0.255 area 0"], [0, 1, 2]),
        (["int g0/9", "shutdown", "exit", "exit"], [0, 1, 2]),
        (["int g0/9", "shutdown", "end", "exit"], [0, 1]),
        (["int g0/9", "shutdown", "int g0/1", "shutdown"], [0, 1]),
        (["default interface GigabitEthernet 0/9", "ip http server"], [0]),
        (["interface range gi0/1 - 3", "shutdown", "interface range g0/8-9", "shutdown"], [2, 3]),
        (["interface range gi0/1, gi0/9", "shutdown"], [0, 1]),
        (["interface range gi0/1 - 3 , gi0/7 - 10", "shutdown"], [0, 1]),
        (["no username x", "ip route 10.0.0.0 255.0.0.0 Null0"], [0]),
        (["lin vty 0 4", "transport input none", "router rip", "version 2"], [0, 1]),
        (
            ["enable secret x", "crypto key zeroize", "ip ssh version 1", "no aaa new-model", "ena secret y"],
            [0, 1, 2, 3, 4],
        ),
        (["router bgp 1", " neighbor 10.0.0.2 remote-as 2", " login x"], []),
        (["do write erase", "copy flash:x running-config", "configure replace flash:x"], [0, 1, 2]),
        (["do copy running-config startup-config", "write memory"], []),
        (["interface Gi0/1\n shutdown\ninterface Gi0/9\n shutdown", "ip route 10.0.0.0 255.0.0.0 Null0"], [0, 1]),
        (["!", ""], []),
    ],
)
def test_lines_of_ios(lines: list[str], refused: list[int]) -> None:
    assert [at for at, message in enumerate(IOS.refusals(lines)) if message] == refused


def test_messages_say_why() -> None:
    assert IOS.refusals(["interface Gi0/9", "shutdown", "exit", "username x"]) == [
        "% Refused: GigabitEthernet0/9 manages this device, and stays as it is",
        "% Not typed: it follows a line that this testbed refuses",
        "% Not typed: it follows a line that this testbed refuses",
        "% Refused: this testbed keeps its logins as they are",
    ]
    assert LINUX.refusals(["ip link set mgmt0 down", "ip link set mgmt01 down"]) == [
        "refused: mgmt0 manages this host, and stays as it is",
        None,
    ]


def test_lines_of_eos_and_junos() -> None:
    lines = [
        "interface Ma1",
        "shutdown",
        "interface Et1",
        "management ssh",
        "idle-timeout 1",
        "exit",
        "username a nopassword",
    ]
    assert [bool(one) for one in EOS.refusals(lines)] == [True, True, False, True, True, True, True]
    lines = ["set interfaces fxp0 disable", "set interfaces ge-0/0/0 disable", "delete system services ssh"]
    lines += ["delete interfaces", "delete", "set system host-name x", "delete system", "set system login user x"]
    assert [bool(one) for one in JUNOS.refusals(lines)] == [True, False, True, True, True, False, True, True]


def test_agents_are_told_what_stays() -> None:
    (note,) = IOS.notes
    assert note.startswith(
        "R1 keeps interface GigabitEthernet0/9, by which it is managed, and its logins (users, lines"
    )
    assert note.endswith("SSH): commands that would change that are refused.")
    assert LINUX.notes == (
        "h1 keeps interface mgmt0, by which it is managed: commands that would change that are refused.",
    )
    assert Guard(Device(name="x", dialect="linux"), "x").notes == ()
