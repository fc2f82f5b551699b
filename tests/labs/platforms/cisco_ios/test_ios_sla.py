"""IP SLA and tracking on an IOS router: a floating static route takes over when a probe fails on a link that is up."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios import CiscoIosDriver
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import apply_lines, await_that, ios_task
from tests.support.wiretap import frames

IOS = CiscoIosDriver()
CONFIG = """interface GigabitEthernet0/0
 ip address 10.1.0.1 255.255.255.252
 no shutdown
interface GigabitEthernet0/1
 ip address 10.2.0.1 255.255.255.252
 no shutdown
ip route 0.0.0.0 0.0.0.0 10.1.0.2 track 10
ip route 0.0.0.0 0.0.0.0 10.2.0.2 200
track 10 ip sla 1 reachability
track 20 interface GigabitEthernet0/1 line-protocol
track 30 list boolean and
 object 10
 object 20
ip sla 1
 icmp-echo 10.1.0.2 source-interface GigabitEthernet0/0
 threshold 1000
 timeout 1000
 frequency 5
ip sla schedule 1 life forever start-time now
"""
LINKS = ("R1 Gi0/0 - isp1 eth0", "R1 Gi0/1 - isp2 eth0")
HOSTS = {
    "isp1": "ip address add 10.1.0.2/30 dev eth0\nip address add 198.51.100.1/32 dev lo\n",
    "isp2": "ip address add 10.2.0.2/30 dev eth0\nip address add 198.51.100.1/32 dev lo\n",
}


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": CONFIG}, LINKS, hosts=HOSTS))


def show(lab, command):
    return IOS.execute(lab.nodes["R1"], command)


def default_hops(lab):
    return [route.next_hops for route in IOS.routes(lab.nodes["R1"], "0.0.0.0/0") if route.protocol == "static"]


def test_the_tracked_route_is_there_when_the_lab_is_ready(lab):
    assert default_hops(lab) == [("10.1.0.2",)]


def test_the_shows_say_that_the_operation_is_well(lab):
    statistics = show(lab, "show ip sla statistics")
    assert "IPSLA operation id: 1\n        Latest RTT: " in statistics
    assert "Latest operation return code: OK\n" in statistics
    assert "Operation time to live: Forever\n" in statistics
    summary = show(lab, "show ip sla summary")
    assert "*1           icmp-echo   10.1.0.2          RTT=" in summary
    track = show(lab, "show track 10")
    assert track.startswith("Track 10\n  IP SLA 1 reachability\n  Reachability is Up\n")
    assert track.endswith("  Tracked by:\n    Static IP Routing 0\n    Track-list 30\n")
    brief = show(lab, "show track brief").splitlines()
    assert brief[1].startswith("10    ip sla      1                          reachability     Up    ")
    assert brief[3].startswith("30    list                                   boolean          Up    ")
    assert "Target address/Source interface: 10.1.0.2/GigabitEthernet0/0\n" in show(lab, "show ip sla configuration 1")


def test_the_floating_route_takes_over_when_the_probe_fails_and_gives_way_when_it_succeeds(lab):
    isp = lab.nodes["isp1"]
    isp.run(
        ["nft", "-f", "-"],
        input="table ip t {\nchain c {\ntype filter hook input priority 0\nicmp type echo-request drop\n}\n}\n",
    )
    started = time.monotonic()
    await_that(lambda: default_hops(lab) == [("10.2.0.2",)], lambda: f"{default_hops(lab)}")
    # the next probe starts within its frequency, and fails after its timeout
    assert (time.monotonic() - started) * lab.time_scale <= 5 + 1 + 0.3 * lab.time_scale
    assert "Latest RTT: NoConnection/Busy/Timeout\n" in show(lab, "show ip sla statistics 1")
    assert "  Reachability is Down\n" in show(lab, "show track 10")
    isp.run(["nft", "delete", "table", "ip", "t"])
    await_that(lambda: default_hops(lab) == [("10.1.0.2",)], lambda: f"{default_hops(lab)}")


def test_a_route_with_an_object_that_is_not_there_is_not_used(lab):
    apply_lines(lab.nodes["R1"], "ip route 10.77.0.0 255.255.0.0 10.2.0.2 track 99")
    assert IOS.routes(lab.nodes["R1"], "10.77.0.0/16") == []
    apply_lines(lab.nodes["R1"], "track 99 interface gi0/1 line-protocol", "exit")
    await_that(lambda: IOS.routes(lab.nodes["R1"], "10.77.0.0/16") != [], lambda: "no route")
    apply_lines(lab.nodes["R1"], "no track 99")
    await_that(lambda: IOS.routes(lab.nodes["R1"], "10.77.0.0/16") == [], lambda: "the route is still there")
    apply_lines(lab.nodes["R1"], "no ip route 10.77.0.0 255.255.0.0 10.2.0.2 track 99")


def test_an_entry_that_runs_cannot_be_changed_only_deleted(lab):
    [status] = IOS.apply(lab.nodes["R1"], ["ip sla 1"])
    assert "Entry already running and cannot be modified" in status.message
    before = IOS.running_config(lab.nodes["R1"])
    apply_lines(lab.nodes["R1"], "no ip sla 1")
    assert "ip sla" not in IOS.running_config(lab.nodes["R1"]).replace("track 10 ip sla", "")
    await_that(lambda: default_hops(lab) == [("10.2.0.2",)], lambda: f"{default_hops(lab)}")
    apply_lines(
        lab.nodes["R1"],
        "ip sla 1",
        "icmp-echo 10.1.0.2 source-interface g0/0",
        "threshold 1000",
        "timeout 1000",
        "frequency 5",
        "ip sla schedule 1 start-time now life forever",
    )
    assert IOS.running_config(lab.nodes["R1"]) == before
    await_that(lambda: default_hops(lab) == [("10.1.0.2",)], lambda: f"{default_hops(lab)}")


def test_a_reload_probes_anew(lab):
    node = lab.nodes["R1"]
    IOS.apply(node, ["do write memory"])
    startup.reload(node.memory["cisco_ios"])
    assert node.memory["cisco_ios"].problems == []
    await_that(lambda: default_hops(lab) == [("10.1.0.2",)], lambda: f"{default_hops(lab)}")


def test_what_happens_is_logged_and_sent_to_the_logging_hosts(lab):
    apply_lines(
        lab.nodes["R1"],
        "logging host 10.2.0.2",
        "logging source-interface GigabitEthernet0/0",
        "logging facility local3",
    )
    with ThreadPoolExecutor() as pool:
        caught = pool.submit(frames, lab.nodes["isp2"], "eth0", "ip17", count=1, seconds=8)
        while not caught.done():
            apply_lines(lab.nodes["R1"], "interface gi0/1", "description seen")
    [frame] = caught.result()
    assert re.search(
        rb"<157>\d+: \*\w{3} [ \d]\d [\d:.]{12}: %SYS-5-CONFIG_I: Configured from console by console$", frame
    )
    assert frame[26:30] == bytes((10, 1, 0, 1))
    lab.nodes["isp2"].run(["ip", "link", "set", "eth0", "down"])
    await_that(lambda: "Line protocol is Down" in show(lab, "show track 20"), lambda: show(lab, "show track 20"))
    lab.nodes["isp2"].run(["ip", "link", "set", "eth0", "up"])
    log = parse_output(platform="cisco_ios", command="show logging", data=show(lab, "show logging"))
    assert ("TRACK", "6", "STATE") in [(entry["facility"], entry["severity"], entry["mnemonic"]) for entry in log]
    assert ("SYS", "5", "CONFIG_I") in [(entry["facility"], entry["severity"], entry["mnemonic"]) for entry in log]
