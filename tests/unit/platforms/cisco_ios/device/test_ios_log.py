"""Daemons' log lines become messages of IOS; the buffer holds what its size, level and the config say."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.device import events
from pytest_netbench.platforms.cisco_ios.device.events import DeviceNames, Line, Message
from pytest_netbench.platforms.cisco_ios.device.log import Log, of_service
from tests.support.ios import Session, paper

HEAD = "2026/11/22 11:55:47.777 BGP: [QAZ2C-BZRW5] "


def told(text, *, shut=False):
    known = DeviceNames(
        is_shut=lambda _name, _time: shut,
        is_change=lambda _name, _up: True,
        ospf_process={"default": 7, "RED": 8}.__getitem__,
        vrf_of=lambda name: "RED" if name == "GigabitEthernet0/1" else "default",
    )
    found = events.messages([Line(time=0.0, text=text)], known)
    return [f"%{one.facility}-{one.severity}-{one.mnemonic}: {one.text}" for one in found]


def message(text="x", *, time=0.0, severity=5, facility="SYS", mnemonic="CONFIG_I"):
    return Message(time=time, facility=facility, severity=severity, mnemonic=mnemonic, text=text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "AdjChg: Nbr 2.2.2.2, NbrIP 10.0.12.2 (default) on gi0-0:10.0.12.1: Loading -> Full (LoadingDone)",
            "%OSPF-5-ADJCHG: Process 7, Nbr 2.2.2.2 on GigabitEthernet0/0 from LOADING to FULL, Loading Done",
        ),
        (
            "AdjChg: Nbr 2.2.2.2(default) on gi0-0:10.0.12.1: Full -> Deleted (InactivityTimer)",
            (
                "%OSPF-5-ADJCHG: Process 7, Nbr 2.2.2.2 on GigabitEthernet0/0 from FULL to DOWN, Neighbor Down: Dead"
                " timer expired"
            ),
        ),
        (
            "AdjChg: Nbr 2.2.2.2(RED) on gi0-1:10.0.12.1: ExStart -> Deleted (LLDown)",
            (
                "%OSPF-5-ADJCHG: Process 8, Nbr 2.2.2.2 on GigabitEthernet0/1 from EXSTART to DOWN, Neighbor Down: Too"
                " many retransmissions"
            ),
        ),
        (
            "netbench: ignored long enough: router 2.2.2.2, address 10.0.12.2, interface gi0-1",
            (
                "%OSPF-5-ADJCHG: Process 8, Nbr 2.2.2.2 on GigabitEthernet0/1 from DOWN to DOWN, Neighbor Down: Ignore"
                " timer expired"
            ),
        ),
        (
            "netbench: hello of the backbone: router 2.2.2.2, address 10.0.12.2, interface gi0-0",
            (
                "%OSPF-4-ERRRCV: Received invalid packet: mismatched area ID, from backbone area must be virtual-link"
                " but not found from 10.0.12.2, GigabitEthernet0/0"
            ),
        ),
        (
            "%ADJCHANGE: neighbor 10.0.12.2(R2) in vrf default Down Interface down",
            "%BGP-5-ADJCHANGE: neighbor 10.0.12.2 Down Interface flap",
        ),
        (
            "%ADJCHANGE: neighbor 2001:db8::2(R2) in vrf RED Up",
            "%BGP-5-ADJCHANGE: neighbor 2001:DB8::2 vpn vrf RED Up ",
        ),
        (
            "%NOTIFICATION(Hard Reset): sent to neighbor 10.0.12.2 6/1 (Cease/Maximum Number of Prefixes) 7 bytes 00",
            "%BGP-3-NOTIFICATION: sent to neighbor 10.0.12.2 6/1 (Maximum Number of Prefixes Reached) 7 bytes",
        ),
        (
            "%MAXPFX: No. of IPv4 Unicast prefix received from 10.0.12.2(R2) reaches 2, max 2",
            "%BGP-4-MAXPFX: Number of prefixes received from 10.0.12.2 (afi 0) reaches 2, max 2",
        ),
        (
            "%MAXPFXEXCEED: No. of IPv4 Unicast prefix received from 10.0.12.2(R2) 3 exceed, limit 2",
            "%BGP-3-MAXPFXEXCEED: Number of prefixes received from 10.0.12.2 (afi 0): 3 exceeds limit 2",
        ),
        (
            "MESSAGE: ZEBRA_INTERFACE_UP lo1 vrf default(0)",
            "%LINEPROTO-5-UPDOWN: Line protocol on Interface Loopback1, changed state to up",
        ),
    ],
)
def test_a_daemons_event_is_ioss_message(line, expected):
    assert told(line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "AdjChg: Nbr 2.2.2.2(default) on gi0-0:10.0.12.1: Init -> Deleted (KillNbr)",
        "%NOTIFICATION: sent to neighbor 10.0.12.2 6/7 (Cease/Connection Collision Resolution) 0 bytes",
        "MESSAGE: ZEBRA_INTERFACE_UP hidden0 vrf default(0)",
        "MESSAGE: ZEBRA_INTERFACE_UP gi0-0.10 vrf default(0)",
    ],
)
def test_what_ios_does_not_report_is_not_a_message(line):
    assert told(line) == []


def test_a_port_that_was_shut_is_administratively_down_and_one_that_lost_its_cable_is_down():
    line = "MESSAGE: ZEBRA_INTERFACE_DOWN gi0-1 vrf default(0)"
    protocol = "%LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/1, changed state to down"
    assert told(line) == ["%LINK-3-UPDOWN: Interface GigabitEthernet0/1, changed state to down", protocol]
    assert told(line, shut=True) == [
        "%LINK-5-CHANGED: Interface GigabitEthernet0/1, changed state to administratively down",
        protocol,
    ]


def test_lines_are_read_once_and_none_is_lost_when_the_log_was_shortened():
    text = f"{HEAD}one\n{HEAD}two\n{HEAD}three\n"
    assert [line.text for line in events.lines(text)] == ["one", "two", "three"]
    assert [line.text for line in events.lines(text, after=f"{HEAD}two")] == ["three"]
    assert [line.text for line in events.lines(text, after=f"{HEAD}gone")] == ["one", "two", "three"]
    assert next(events.lines(text)).time == 1795348547.777


def test_the_buffer_is_a_ring_of_its_size_in_bytes_and_of_its_level():
    log, config = Log(), paper("logging buffered 4096 warnings").config
    log.add([message(f"{number:3}", time=number, severity=4) for number in range(200)], config)
    log.add([message("too fine", time=300, severity=5)], config)
    lines = log.lines(config)
    assert lines[-1].endswith("%SYS-4-CONFIG_I: 199")
    assert 4000 < sum(len(line) + 1 for line in lines) <= 4096
    assert log.count == 200


def test_messages_are_in_the_order_of_their_times_wherever_they_come_from():
    log, config = Log(), paper().config
    log.add([message("later", time=2)], config)
    log.add([message("sooner", time=1)], config)
    assert [line.rsplit(" ", 1)[1] for line in log.lines(config)] == ["sooner", "later"]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("interface Gi0/0", "no logging event link-status"), {"LINK": "Interface GigabitEthernet0/0, changed"}),
        (("router ospf 1", "no log-adjacency-changes"), {"OSPF": "Process 1, Nbr"}),
        (("router bgp 1", "no bgp log-neighbor-changes"), {"BGP": "neighbor 10.0.0.1 Up "}),
        (("no logging on",), {"SYS": "any"}),
        (("no logging buffered",), {"SYS": "any"}),
    ],
)
def test_the_config_switches_messages_off(lines, found):
    mnemonics = {"LINK": "UPDOWN", "OSPF": "ADJCHG", "BGP": "ADJCHANGE", "SYS": "CONFIG_I"}
    all_of_them = [message(text, facility=word, mnemonic=mnemonics[word]) for word, text in found.items()]
    log = Log()
    log.add(all_of_them, paper(*lines).config)
    assert log.count == 0
    log.add(all_of_them, paper().config)
    assert log.count == 1


def test_messages_of_services_have_the_names_of_interfaces_that_ios_prints():
    entry = {"time": 0.0, "facility": "PM", "severity": 4, "mnemonic": "ERR_DISABLE", "text": "error on gi0-1, x"}
    assert of_service(entry).text == "error on Gi0/1, x"
    assert of_service({**entry, "facility": "PORT_SECURITY"}).text == "error on GigabitEthernet0/1, x"


def test_show_logging_says_where_messages_go():
    text = Session(paper("logging buffered 16384 warnings", "no logging console", "logging trap errors")).enter(
        "show logging"
    )
    assert "    Console logging: disabled\n" in text
    assert "    Buffer logging:  level warnings, 0 messages logged, xml disabled,\n" in text
    assert "    Trap logging: level errors, 0 message lines logged\n" in text
    assert "Log Buffer (16384 bytes):\n" in text
