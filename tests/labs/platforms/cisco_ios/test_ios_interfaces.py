"""``show interfaces`` tells of the traffic that passes, and of ports without a cable; ``ip mtu`` is not the port's MTU.

The lines are as in public captures of IOSv 15.6 and of ISR 4000 ("Auto Duplex, Auto Speed" on ports that are shut).
"""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from tests.support.ios import ios_task, settle, show, type_lines

CONFIG = """
interface Gi0/0
 ip address 10.0.12.{own} 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.{own}.0.1 255.255.255.0
 shutdown
router ospf 1
 network 10.0.12.0 0.0.0.255 area 0
"""
PING = "ping 10.0.12.2 repeat 500 size 1000 timeout 1"


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    configs = {"R1": CONFIG.format(own=1), "R2": CONFIG.format(own=2)}
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))


def port(lab: Any, node: str, name: str) -> dict[str, Any]:
    text = show(lab.nodes[node], f"show interfaces {name}")
    (found,) = parse_output(platform="cisco_ios", command="show interfaces", data=text)
    return found


def seconds(text: str) -> int:
    hours, minutes, rest = (int(part) for part in text.split(":"))
    return hours * 3600 + minutes * 60 + rest


def test_last_input_and_output_are_when_packets_passed_in_lab_time(lab: Any) -> None:
    show(lab.nodes["R1"], "ping 10.0.12.2")
    found = port(lab, "R2", "Gi0/0")
    # OSPF says hello every ten seconds
    assert seconds(found["last_input"]) <= 10
    assert seconds(found["last_output"]) <= 10
    type_lines(lab.nodes["R1"], "interface Gi0/0", "shutdown")
    wall_s = 2.0
    time.sleep(wall_s)
    try:
        later = port(lab, "R1", "Gi0/0")
        assert seconds(later["last_output"]) >= wall_s * lab.time_scale - 1
        assert seconds(later["last_output"]) <= wall_s * lab.time_scale * 3 + 20
    finally:
        type_lines(lab.nodes["R1"], "interface Gi0/0", "no shutdown")
        settle(lab)


def test_rates_follow_the_traffic_and_decay(lab: Any) -> None:
    idle = port(lab, "R2", "Gi0/0")
    show(lab.nodes["R1"], PING)
    busy = port(lab, "R2", "Gi0/0")
    assert int(busy["input_rate"]) > int(idle["input_rate"]) >= 0
    assert int(busy["output_rate"]) > 0
    assert int(busy["input_packets"]) - int(idle["input_packets"]) >= 500
    time.sleep(3.0)
    calm = port(lab, "R2", "Gi0/0")
    assert int(calm["input_rate"]) < int(busy["input_rate"])


def test_ports_that_are_shut_have_not_agreed_on_anything(lab: Any) -> None:
    text = show(lab.nodes["R2"], "show interfaces Gi0/1")
    assert "  Auto Duplex, Auto Speed, link type is auto, media type is RJ45\n" in text
    assert "Last input never, output never, output hang never" in text
    assert "Full Duplex, 1000Mbps" in show(lab.nodes["R2"], "show interfaces Gi0/0")


def test_cleared_counters_say_how_long_ago(lab: Any) -> None:
    show(lab.nodes["R2"], "clear counters")
    time.sleep(0.5)
    found = re.search(
        r'Last clearing of "show interface" counters (\S+)', show(lab.nodes["R2"], "show interfaces Gi0/0")
    )
    assert found is not None
    assert seconds(found[1]) >= 0.5 * lab.time_scale - 1


def test_the_ip_mtu_is_of_packets_and_not_of_the_port(lab: Any) -> None:
    type_lines(lab.nodes["R2"], "interface Gi0/0", "ip mtu 1400")
    try:
        assert port(lab, "R2", "Gi0/0")["mtu"] == "1500"
        assert "  MTU is 1400 bytes\n" in show(lab.nodes["R2"], "show ip interface Gi0/0")
        refused = show(lab.nodes["R2"], "ping 10.0.12.1 size 1450 df-bit")
        assert "Success rate is 0 percent" in refused
        # in fragments, and the answer comes in one piece that the port takes: it is shorter than its own MTU
        assert "Success rate is 100 percent" in show(lab.nodes["R2"], "ping 10.0.12.1 size 1400 df-bit")
        type_lines(lab.nodes["R2"], "interface Gi0/0", "mtu 1300")
        assert port(lab, "R2", "Gi0/0")["mtu"] == "1300"
        assert "  MTU is 1300 bytes\n" in show(lab.nodes["R2"], "show ip interface Gi0/0")
    finally:
        type_lines(lab.nodes["R2"], "interface Gi0/0", "no ip mtu", "no mtu")
        settle(lab)
