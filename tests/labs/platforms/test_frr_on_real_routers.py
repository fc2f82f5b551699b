"""The frr platform against FRR itself."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import pytest

from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.frr import FrrDriver, boot, config

PLATFORM = FrrDriver()
ROUTER = """! a comment
configure terminal
hostname R{number}
interface eth0
 ip address 10.0.0.{number}/24
 ip ospf area 0
 ip ospf network point-to-point
exit
interface lo
 ip address {number}.{number}.{number}.{number}/32
 ip ospf area 0
exit
exit
router ospf
exit
router bgp 65000
 neighbor {other}.{other}.{other}.{other} remote-as 65000
 neighbor {other}.{other}.{other}.{other} update-source lo
exit
end
write memory
"""


def router(number: int) -> str:
    return ROUTER.format(number=number, other=3 - number)


@pytest.fixture(scope="module")
def lab(deploy):
    return deploy("frr", {"R1": router(1).replace("\n", "\r\n"), "R2": router(2)})


@pytest.fixture(scope="module")
def fresh(deploy):
    """A router that runs no routing protocol."""
    return deploy("frr", {"A": "", "B": ""}).nodes["A"]


def applied(node, *commands: str) -> list[tuple[str, str]]:
    return [(status.status, status.message) for status in PLATFORM.apply(node, commands)]


def test_a_lab_that_is_ready_has_its_adjacency_session_and_routes(lab):
    node = lab.nodes["R1"]
    assert "Full/" in PLATFORM.execute(node, "show ip ospf neighbor")
    assert '"state":"Established"' in PLATFORM.execute(node, "show bgp summary json").replace(" ", "")
    [route] = PLATFORM.routes(node, "2.2.2.2/32")
    assert (route.protocol, route.next_hops, route.interfaces, route.distance) == (
        "ospf",
        ("10.0.0.2",),
        ("eth0",),
        110,
    )
    assert PLATFORM.routes(node, "99.0.0.0/8") == []


def test_the_running_config_is_the_same_each_time_and_has_no_preamble(lab):
    text = PLATFORM.running_config(lab.nodes["R1"])
    assert text == PLATFORM.running_config(lab.nodes["R1"])
    assert "nexthop kernel" not in text + PLATFORM.execute(lab.nodes["R1"], "show running-config")
    assert "nexthop kernel" in lab.nodes["R1"].vty([("zebra", "enable"), ("zebra", "show running-config")])[-1][0]
    assert text.startswith("frr version")
    assert "\ninterface eth0\n ip address 10.0.0.1/24\n" in text
    assert "hostname R1\n" in text


def test_a_show_costs_less_than_half_of_starting_vtysh_for_it(lab):
    command = "show ip ospf neighbor"
    node = lab.nodes["R1"]

    def median(show: Callable[[], object]) -> float:
        times = []
        for _ in range(30):
            started = time.perf_counter()
            show()
            times.append(time.perf_counter() - started)
        return statistics.median(times)

    def ratio() -> float:
        return median(lambda: PLATFORM.execute(node, command)) / median(lambda: node.run(["vtysh", "-c", command]))

    assert "Full/" in node.run(["vtysh", "-c", command]).stdout
    # the tests beside this one take the cores for themselves now and then
    assert min(ratio() for _ in range(3)) <= 0.5


def test_each_command_is_answered_and_an_error_does_not_stop_the_rest(fresh):
    assert applied(
        fresh, "interface eth0", "description link to Zürich?", "foo bar", "ip address 10.1.0.1/24", "exit"
    ) == [
        ("success", ""),
        ("success", ""),
        ("error", "% Unknown command: foo bar"),
        ("success", ""),
        ("success", ""),
    ]
    assert "interface eth0\n description link to Zürich?\n ip address 10.1.0.1/24\n" in PLATFORM.running_config(fresh)


def test_a_session_may_go_through_the_modes_by_itself(fresh):
    commands = ["configure terminal", "ip route 192.0.2.0/24 Null0", "do show ip route", "end", "show version", "exit"]
    assert {status for status, _ in applied(fresh, *commands, "write memory")} == {"success"}
    assert [route.protocol for route in PLATFORM.routes(fresh, "192.0.2.0/24")] == ["static"]
    # the next batch starts anew
    assert applied(fresh, "no ip route 192.0.2.0/24 Null0") == [("success", "")]


def test_a_command_of_several_lines_fails_if_one_of_them_does(fresh):
    [(status, message)] = applied(fresh, "interface eth0\n ip address 10.1.0.300/24\n description x")
    assert (status, message) == ("error", "% Unknown command:  ip address 10.1.0.300/24")


def test_a_command_that_never_ends_is_ended_and_the_rest_goes_on_where_it_was(fresh):
    statuses = config.apply(fresh, ["interface eth0", "do ping 127.0.0.1", "description went on"], timeout_s=0.5)
    assert [status.status for status in statuses] == ["success", "error", "success"]
    assert statuses[1].message == "% No prompt came back within 0.5 s; the command was ended."
    assert "interface eth0\n description went on\n" in PLATFORM.running_config(fresh)


@pytest.mark.parametrize(
    "command", ["show version | sh", "show running-config > /tmp/x", "show ip route | redirect /x"]
)
def test_a_show_cannot_be_led_to_a_shell_or_a_file(lab, command):
    assert PLATFORM.execute(lab.nodes["R1"], command).startswith("% Unknown ")


def test_control_characters_are_not_typed(fresh):
    assert applied(fresh, "description a\x15b") == [("error", "% Only printable characters can be typed.")]


def test_a_daemon_started_late_knows_the_lists_written_before_it(fresh):
    statuses = applied(
        fresh,
        "ip prefix-list OUT seq 5 permit 10.0.0.0/8",
        "route-map OUT permit 10",
        " match ip address prefix-list OUT",
        "exit",
        "router bgp 65001",
        " neighbor 10.1.0.2 remote-as 65002",
        "interface eth0",
        " ip rip send version 2",
        " description after the daemon",
    )
    assert {status for status, _ in statuses} == {"success"}
    bgpd = fresh.vty([("bgpd", "enable"), ("bgpd", "show running-config")])[-1][0]
    assert "ip prefix-list OUT seq 5 permit 10.0.0.0/8" in bgpd
    assert "route-map OUT permit 10\n match ip address prefix-list OUT" in bgpd
    text = PLATFORM.running_config(fresh)
    assert " neighbor 10.1.0.2 remote-as 65002" in text
    assert "interface eth0\n description after the daemon\n" in text
    assert " ip rip send version 2" in text


def test_a_changed_host_name_holds_for_every_session(fresh):
    assert applied(fresh, "hostname Renamed") == [("success", "")]
    assert "hostname Renamed\n" in PLATFORM.running_config(fresh)
    assert applied(fresh, "hostname A") == [("success", "")]


@pytest.mark.parametrize(
    "command",
    [
        "configure terminal",
        "conf t",
        "clear ip ospf process",
        "write",
        "write memory",
        "debug ospf event",
        "start-shell",
        "start-shell bash",
        "copy running-config startup-config",
        "enable",
        "do show version",
        "hostname X",
        "ip route 1.0.0.0/8 Null0",
        "output file /tmp/x",
        "no router ospf",
    ],
)
def test_execute_cannot_change_a_router(lab, command):
    node = lab.nodes["R1"]
    before = PLATFORM.running_config(node)
    assert PLATFORM.execute(node, command).startswith("% ")
    assert PLATFORM.running_config(node) == before


@pytest.mark.parametrize("command", ["show version\nconfigure terminal", "show x\x15configure terminal", "show \x1b[A"])
def test_execute_takes_one_line_of_printable_characters(lab, command):
    assert PLATFORM.execute(lab.nodes["R1"], command).startswith("% One line of printable characters")


def test_execute_answers_reads_of_every_kind(lab):
    node = lab.nodes["R1"]
    assert PLATFORM.execute(node, "sh run | include hostname") == "hostname R1"
    assert "router ospf" in PLATFORM.execute(node, "show running-config")
    assert "2 packets transmitted, 2 received" in PLATFORM.execute(node, "ping 2.2.2.2 count 2")
    assert "2.2.2.2" in PLATFORM.execute(node, "traceroute 2.2.2.2").splitlines()[-1]
    assert PLATFORM.execute(node, "show bogus") == "% Unknown command: show bogus"
    assert PLATFORM.execute(node, "exit") == ""
    assert "FRRouting" in PLATFORM.execute(node, "show version")


def test_execute_is_bounded(lab):
    node = lab.nodes["R1"]
    answer = PLATFORM.execute(node, "show running-config", limits=SandboxLimits(output_bytes=64))
    assert answer.splitlines()[-1].startswith("% Output was cut at 64 bytes of ")
    assert "no prompt back within 0.2 s" in PLATFORM.execute(
        node, "mtrace 203.0.113.1 203.0.113.2", limits=SandboxLimits(timeout_s=0.2)
    ) or PLATFORM.execute(node, "show version")


# versions of FRR word the one of BGP differently
REJECTED = [
    ("interface eth0\n ip address 10.0.0.1/33\n", 2, "ip address 10.0.0.1/33", "% Unknown command"),
    ("!\nrouter ospf\n area 0 stub\nexit\n", 3, "area 0 stub", "% You can't configure stub to backbone"),
    ("ip prefix-list X seq 5 permit 10.0.0.0/8 ge 4\n", 1, "ip prefix-list X", "% Configuration failed."),
    ("router bgp 1\nexit\nrouter bgp 2\n", 3, "router bgp 2", "BGP "),
    (
        "router bgp 1\nexit\nroute-map X permit 10\n set local-preference foo\n",
        4,
        "set local-preference foo",
        "% [BGP]",
    ),
]


@pytest.mark.parametrize(("startup", "number", "line", "words"), REJECTED)
def test_a_startup_config_that_is_refused_names_line_and_words(deploy, startup, number, line, words):
    (refused,) = deploy("frr", {"A": startup, "B": ""}).refused_startup_lines
    assert refused.node == "A"
    assert refused.line_number == number
    assert line in refused.line
    assert refused.message.startswith(words)


MESSY = """\
service integrated-vtysh-config
hostname foo
router-id 9.9.9.9
interface eth0
 ip address 10.0.0.1/24
 ip adress 10.0.0.9/24
 ip ospf area 0
router ospf
 router-id 1.1.1.1
 passive interface lo
 redistribute static route-map X
router ospf6
 ospf6 router-id 1.1.1.1
interface eth0
 ipv6 ospf6 area 0
router bgp 65000
 bgp router-id 1.1.1.2
 neighbor 10.0.0.2 remote-as 65001
 address-family ipv4 unicast
  neighbor 10.0.0.2 route-map X in
 exit-address-family
 exit-address-family
 neighbor 10.0.0.2 description friend
router bgp 2
 neighbor 10.0.0.3 remote-as 1
ip prefix-list P seq 5 permit 10.0.0.0/8 ge 4
ip prefix-list P seq 6 permit 10.0.0.0/8 ge 16
route-map X permit 10
match ip address prefix-list P
set metric 5
ip route 10.99.0.0/16 Null0
bfd
 peer 10.0.0.2
  echo-mode
"""


def test_every_refused_line_is_named_and_the_others_are_in_effect(deploy):
    lab = deploy("frr", {"A": MESSY, "B": ""})
    assert [one.line for one in lab.refused_startup_lines] == [
        "ip adress 10.0.0.9/24",
        "passive interface lo",
        "exit-address-family",
        "router bgp 2",
        "neighbor 10.0.0.3 remote-as 1",
        "ip prefix-list P seq 5 permit 10.0.0.0/8 ge 4",
    ]
    config = PLATFORM.running_config(lab.nodes["A"])
    for line in (
        "ip router-id 9.9.9.9",
        " ip ospf area 0",
        " ospf router-id 1.1.1.1",
        " ipv6 ospf6 area 0",
        " neighbor 10.0.0.2 description friend",
        "  neighbor 10.0.0.2 route-map X in",
        "ip prefix-list P seq 6 permit 10.0.0.0/8 ge 16",
        " match ip address prefix-list P",
        " set metric 5",
        "ip route 10.99.0.0/16 Null0",
        "  echo-mode",
    ):
        assert line in config.splitlines(), line
    # ospf6d would take commands of OSPF for shortened ones of its own
    assert config.count("redistribute static route-map X") == 1


def test_a_config_that_vtysh_loads_has_its_refused_lines_named_too(deploy):
    node = deploy("frr", {"A": "router ospf\n", "B": ""}).nodes["A"]
    lines = [
        "interface eth0",
        " ip address 10.0.0.1/24",
        " ip adress 10.0.0.9/24",
        "router ospf",
        " area 0 stub",
        " area 1 stub",
    ]
    refused = boot.load_by_vtysh(node, lines)
    assert [(one.line_number, one.line) for one in refused] == [(3, "ip adress 10.0.0.9/24"), (5, "area 0 stub")]
    config = PLATFORM.running_config(node)
    assert " ip address 10.0.0.1/24" in config
    assert " area 1 stub" in config


def test_an_interface_that_the_startup_config_shuts_stays_down_until_told_otherwise(deploy):
    shut = "interface eth0\n ip address 10.0.0.1/24\n shutdown\nexit\n"
    lab = deploy("frr", {"A": shut, "B": "interface eth0\n ip address 10.0.0.2/24\nexit\n"})
    assert " is down" in PLATFORM.execute(lab.nodes["A"], "show interface eth0").splitlines()[0]
    deadline = time.monotonic() + 5
    # the kernel takes up to a second to tell the other end that there is no carrier
    while PLATFORM.routes(lab.nodes["B"], "10.0.0.0/24") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert PLATFORM.routes(lab.nodes["B"], "10.0.0.0/24") == []
    assert applied(lab.nodes["A"], "interface eth0", "no shutdown") == [("success", ""), ("success", "")]
    assert "1 received" in PLATFORM.execute(lab.nodes["A"], "ping 10.0.0.2 count 1")


@pytest.mark.parametrize("network", ["broadcast", "point-to-point"])
def test_a_lab_with_isis_is_ready_once_its_routes_are_there(deploy, network):
    link = " isis network point-to-point\n" if network == "point-to-point" else ""
    one, two = (
        f"interface eth0\n ip address 10.0.0.{n}/24\n ip router isis x\n{link}exit\n"
        f"interface lo\n ip address {n}.{n}.{n}.{n}/32\n ip router isis x\n isis passive\nexit\n"
        f"router isis x\n net 49.0001.0000.0000.000{n}.00\nexit\n"
        for n in (1, 2)
    )
    lab = deploy("frr", {"A": one, "B": two})
    assert [route.protocol for route in PLATFORM.routes(lab.nodes["A"], "2.2.2.2/32")] == ["isis"]
    assert " isis passive" in PLATFORM.running_config(lab.nodes["A"])
