"""Events on real networks: what happens, what testcases see meanwhile, and that everything is brought back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.evaluation.event_run import happening
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.platforms.capabilities import DAEMONS
from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import await_that, ios_task, type_lines
from tests.support.netns_networks import network, pair


@pytest.fixture
def deploy(deploy_task: Any) -> Iterator[Any]:
    """Deploy a task's network and destroy it after the test, as labs side by side take time from each other."""
    labs = []

    def _deploy(task: Any) -> Any:
        labs.append(deploy_task(task))
        return labs[-1]

    yield _deploy
    for lab in labs:
        lab.destroy()


def evaluated(lab: Any, task: Any, **options: Any) -> dict[str, Any]:
    """Results of the task's testcases by name; configs must be equal before and after, and no cable is cut."""
    evaluation = TaskEvaluation(lab, events=task.payload.events)
    configs = evaluation.final_configs()
    results = evaluation.run_testcases(task.payload.testcases, **options)
    assert evaluation.final_configs() == configs
    links = lab.capability(LINKS)
    assert not any(links.is_cut(end.node, end.interface) for link in lab.topology.links for end in link.endpoints)
    return {result.name: result for result in results}


def statuses(results: dict[str, Any]) -> dict[str, str]:
    return {name: result.status for name, result in results.items()}


def ring(*, backup: bool = True, **fields: Any) -> Any:
    """r1 - r2 - r3 - r1 with OSPF, where the direct link of r1 and r3 is dear, and hosts at r1 and r3."""
    links = {"r1": {"eth1": "10.0.12.1", "eth2": "10.0.13.1"}, "r2": {"eth1": "10.0.12.2", "eth2": "10.0.23.1"}}
    links["r3"] = {"eth2": "10.0.23.2", "eth1": "10.0.13.2"}
    configs = {}
    for number, (name, interfaces) in enumerate(links.items(), start=1):
        text = ""
        for interface, address in interfaces.items():
            dear = address.startswith("10.0.13.")
            text += f"interface {interface}\n ip address {address}/30\n ip ospf network point-to-point\n"
            text += (" ip ospf cost 100\n" if dear else "") + ("" if dear and not backup else " ip ospf area 0\n")
            text += "exit\n"
        text += f"interface eth3\n ip address 10.{number}.0.1/24\n ip ospf area 0\n ip ospf passive\nexit\n"
        text += "router ospf\nexit\n"
        configs[name] = text
    for number in (1, 3):
        configs[f"h{number}"] = (
            f"ip address add 10.{number}.0.10/24 dev eth0\nip route add default via 10.{number}.0.1\n"
        )
    nodes = {**dict.fromkeys(("r1", "r2", "r3"), "frr"), "h1": "linux", "h3": "linux"}
    cables = ["r1 eth1 - r2 eth1", "r2 eth2 - r3 eth2", "r1 eth2 - r3 eth1", "r1 eth3 - h1 eth0", "r3 eth3 - h3 eth0"]
    return network(nodes, [*cables, "r2 eth3"], configs, **fields)


FAILOVER: dict[str, Any] = {
    "events": {
        "cut": [{"cut": {"node": "r1", "interface": "eth1"}}],
        "back": [
            {"fail": "r2"},
            {"recover": "r2"},
        ],
    },
    "testcases": [
        {"name": "short way", "kind": "path", "from": "h1", "to": "h3", "hops": ["r1", "r2", "r3", "h3"]},
        {"name": "detour", "kind": "path", "from": "h1", "to": "h3", "hops": ["r1", "r3", "h3"], "under": "cut"},
        {"name": "gap", "kind": "loss", "from": "h1", "to": "h3", "at_most_s": 5, "under": "cut"},
        {"name": "again", "kind": "path", "from": "h1", "to": "h3", "hops": ["r1", "r2", "r3", "h3"], "under": "back"},
    ],
}


def test_ospf_fails_over_and_returns_and_the_lab_is_as_before(deploy) -> None:
    task = ring(**FAILOVER)
    lab = deploy(task)
    before = Settling(lab).look()
    results = evaluated(lab, task)
    assert set(statuses(results).values()) == {"pass"}, results
    assert [result.under for result in results.values()] == [None, "cut", "cut", "back"]
    assert "delivered at the end" in results["gap"].actual
    assert Settling(lab).look().is_as(before)


def test_a_network_is_as_before_once_its_event_cancels_itself_out(deploy) -> None:
    """An OSPF virtual link returns later than the neighbors that are watched."""
    links = ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0"]
    addresses = {"R1": ["10.0.0.1"], "R2": ["10.0.0.2", "10.1.0.2"], "R3": ["10.1.0.3", "10.2.0.3"]}
    routing = {
        "R1": " router-id 10.9.0.1\n network 10.0.0.0 0.0.0.255 area 0\n",
        "R2": " router-id 10.9.0.2\n area 1 virtual-link 10.9.0.3\n network 10.0.0.0 0.0.0.255 area 0\n"
        " network 10.1.0.0 0.0.0.255 area 1\n",
        "R3": " router-id 10.9.0.3\n area 1 virtual-link 10.9.0.2\n network 10.1.0.0 0.0.0.255 area 1\n"
        " network 10.2.0.0 0.0.0.255 area 2\n",
    }
    configs = {
        name: "".join(
            f"interface Gi0/{number}\n ip address {address} 255.255.255.0\n no shutdown\n"
            for number, address in enumerate(addresses[name])
        )
        + f"router ospf 1\n{routing[name]}"
        for name in addresses
    }
    event = [{"fail": "R2"}, {"recover": "R2"}]
    task = ios_task(configs, [*links, "R3 Gi0/1 - H1 eth0"], hosts={"H1": ""}, events={"e": event})
    lab = deploy(task)
    settling = Settling(lab)
    ends_at = time.monotonic() + 10
    while not lab.driver("R1").routes(lab.nodes["R1"], "10.2.0.0/24"):
        assert time.monotonic() < ends_at, "the virtual link does not come up"
        time.sleep(0.1)
    before = settling.look()
    with happening(lab, task.payload.events["e"]):
        assert settling.look().is_as(before)


def test_without_a_backup_only_the_testcases_under_the_event_fail(deploy) -> None:
    task = ring(backup=False, **FAILOVER)
    results = evaluated(deploy(task), task)
    assert statuses(results) == {"short way": "pass", "detour": "fail", "gap": "fail", "again": "pass"}
    assert "not delivered at the end" in results["gap"].actual


def test_an_event_that_began_is_undone_although_the_run_stops_at_the_first_failure(deploy) -> None:
    task = ring(backup=False, **FAILOVER)
    results = evaluated(deploy(task), task, stop_at_first_failure=True)
    assert "again" not in results
    assert "fail" in statuses(results).values()


def test_a_cut_cable_is_noticed_at_once_although_another_node_has_a_port_of_that_name_in_a_lan(deploy) -> None:
    rip = "router rip\n version 2\n network 10.0.0.0\n"
    addresses = {"R1": ("10.0.0.1", "10.0.1.1"), "R2": ("10.0.0.2", "10.0.2.2"), "R3": ("10.0.3.3", "10.0.2.3")}
    configs = {
        name: "".join(
            f"interface Gi0/{number}\n ip address {address} 255.255.255.0\n no shutdown\n"
            for number, address in enumerate(both)
        )
        + rip
        for name, both in addresses.items()
    }
    lan = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - H1 eth0", "R2 Gi0/1 - R3 Gi0/1 - H2 eth0"]
    cut = {"cut": {"node": "R1", "interface": "Gi0/1"}}
    task = ios_task(configs, lan, hosts={"H1": "", "H2": ""}, events={"e": [cut]})
    lab = deploy(task)
    began = time.monotonic()
    with happening(lab, task.payload.events["e"]):
        assert (time.monotonic() - began) * lab.time_scale < 60


def test_a_port_that_an_agent_shut_is_cut_and_restored_and_stays_shut(deploy) -> None:
    events = {"e": [{"cut": {"node": "r1", "interface": "eth2"}}]}
    testcases = [{"name": "t", "kind": "reachability", "from": "h1", "to": "h3", "under": "e"}]
    task = ring(events=events, testcases=testcases)
    lab = deploy(task)
    lab.driver("r1").apply(lab.nodes["r1"], ["interface eth2", "shutdown"])
    assert statuses(evaluated(lab, task)) == {"t": "pass"}
    assert "shutdown" in lab.driver("r1").running_config(lab.nodes["r1"])


def test_a_stopped_daemon_is_observed_and_runs_again_afterwards(deploy) -> None:
    ends = {"R1": (65001, "10.0.0.1", "10.0.0.2", 65002), "R2": (65002, "10.0.0.2", "10.0.0.1", 65001)}
    configs = {
        name: (
            f"interface eth0\n ip address {own}/30\nexit\ninterface lo\n ip address 192.0.2.{number}/32\nexit\n"
            f"router bgp {asn}\n no bgp ebgp-requires-policy\n neighbor {peer} remote-as {peer_as}\n"
            f" address-family ipv4 unicast\n  network 192.0.2.{number}/32\n exit-address-family\nexit\n"
        )
        for number, (name, (asn, own, peer, peer_as)) in enumerate(ends.items(), start=1)
    }
    route = {"kind": "route", "device": "R1", "prefix": "192.0.2.2/32", "protocol": "bgp"}
    stop, start = ({word: {"node": "R2", "daemon": "bgpd"}} for word in ("stop", "start"))
    task = network(
        dict.fromkeys(("R1", "R2"), "frr"),
        ["R1 eth0 - R2 eth0"],
        configs,
        events={"down": [stop], "up-again": [stop, start]},
        testcases=[
            {"name": "learned", **route},
            {"name": "gone", **route, "present": False, "under": "down"},
            {"name": "learned again", **route, "under": "up-again", "within_s": 180},
        ],
    )
    lab = deploy(task)
    assert set(statuses(evaluated(lab, task)).values()) == {"pass"}
    assert "bgpd" in lab.nodes["R2"].capability(DAEMONS).running()


def rebooting(**fields: Any) -> Any:
    configs = {f"R{n}": f"interface Gi0/0\n ip address 10.0.0.{n} 255.255.255.0\n no shutdown\n" for n in (1, 2)}
    line = {"kind": "config", "device": "R1", "within_s": 1}
    return ios_task(
        configs,
        ["R1 Gi0/0 - R2 Gi0/0"],
        events={"power-cycle": [{"reboot": "R1"}]},
        testcases=[
            {"name": "reached", "kind": "reachability", "from": "R2", "to": "10.0.0.1", "under": "power-cycle"},
            {"name": "saved", **line, "line": "ip route 192.0.2.0 255.255.255.0 Null0", "under": "power-cycle"},
            {"name": "unsaved", **line, "line": "ip route 198.51.100.0 255.255.255.0 Null0", "under": "power-cycle"},
        ],
        **fields,
    )


def test_a_reboot_shows_what_was_saved_and_gives_back_what_ran(deploy) -> None:
    task = rebooting()
    lab = deploy(task)
    node = lab.nodes["R1"]
    type_lines(node, "ip route 192.0.2.0 255.255.255.0 Null0")
    lab.driver("R1").apply(node, ["write memory"])
    saved = device_of(node).startup_config
    assert "192.0.2.0" in saved
    type_lines(node, "ip route 198.51.100.0 255.255.255.0 Null0")
    assert statuses(evaluated(lab, task)) == {"reached": "pass", "saved": "pass", "unsaved": "fail"}
    assert device_of(node).startup_config == saved


def test_a_router_that_saves_nothing_boots_with_what_it_ran(deploy) -> None:
    route = {"kind": "route", "device": "r1", "prefix": "192.0.2.0/24", "under": "e"}
    task = ring(events={"e": [{"reboot": "r1"}]}, testcases=[{"name": "route", **route}])
    lab = deploy(task)
    lab.driver("r1").apply(lab.nodes["r1"], ["ip route 192.0.2.0/24 blackhole"])
    assert statuses(evaluated(lab, task)) == {"route": "pass"}


def test_a_link_is_changed_and_gets_its_own_quality_back(deploy) -> None:
    at = {"at": {"node": "a", "interface": "eth0"}}
    dead, slow = ({"link": {**at, **change}} for change in ({"loss": 1.0}, {"delay_ms": 30}))
    probe = {"kind": "reachability", "from": "a", "to": "b"}
    task = pair(
        {"jitter_ms": 1},
        events={"dead": [dead], "slow": [slow]},
        testcases=[
            {"name": "dead", **probe, "expected": "denied", "under": "dead"},
            {"name": "gap", "kind": "loss", "from": "a", "to": "b", "at_most_s": 1, "under": "dead", "within_s": 1},
            {"name": "slow", **probe, "under": "slow"},
        ],
    )
    lab = deploy(task)
    assert statuses(evaluated(lab, task)) == {"dead": "pass", "gap": "fail", "slow": "pass"}
    quality = lab.capability(LINKS).quality("b", "eth0")
    assert (quality.loss, quality.delay_ms, quality.jitter_ms) == (0, 0, 1)


GATEWAY = """interface GigabitEthernet0/0
 ip address 10.1.0.{host} 255.255.255.0
 standby 1 ip 10.1.0.1
 standby 1 priority {priority}
 standby 1 preempt
{track} no shutdown
!
interface GigabitEthernet0/1
 ip address 10.0.{host}.1 255.255.255.252
 no shutdown
!
ip route 0.0.0.0 0.0.0.0 10.0.{host}.2
"""


@pytest.mark.parametrize("tracked", [True, False])
def test_hsrp_hands_over_when_the_tracked_line_is_cut_and_takes_back(deploy, tracked) -> None:
    track = " standby 1 track GigabitEthernet0/1 20\n" if tracked else ""
    configs = {
        "A": GATEWAY.format(host=2, priority=110, track=track),
        "B": GATEWAY.format(host=3, priority=100, track=""),
        "Core": "".join(
            f"interface GigabitEthernet0/{n}\n ip address {address}\n no shutdown\n!\n"
            for n, address in enumerate(
                ("10.0.2.2 255.255.255.252", "10.0.3.2 255.255.255.252", "10.9.0.1 255.255.255.0")
            )
        )
        + "ip route 10.1.0.0 255.255.255.0 10.0.2.1\nip route 10.1.0.0 255.255.255.0 10.0.3.1 10\n",
    }
    hosts = {
        "pc": "ip address add 10.1.0.10/24 dev eth0\nip route add default via 10.1.0.1\n",
        "web": "ip address add 10.9.0.10/24 dev eth0\nip route add default via 10.9.0.1\n",
    }
    line = {"node": "A", "interface": "GigabitEthernet0/1"}
    by = {"kind": "path", "from": "pc", "to": "web", "within_s": 60}
    task = ios_task(
        configs,
        ["pc eth0 - A Gi0/0 - B Gi0/0", "A Gi0/1 - Core Gi0/0", "B Gi0/1 - Core Gi0/1", "Core Gi0/2 - web eth0"],
        hosts=hosts,
        events={"line-cut": [{"cut": line}], "line-back": [{"cut": line}, {"restore": line}], "dead": [{"fail": "A"}]},
        testcases=[
            {"name": "first", **by, "hops": ["A", "Core", "web"]},
            {"name": "cut", **by, "hops": ["B", "Core", "web"], "under": "line-cut"},
            {"name": "back", **by, "hops": ["A", "Core", "web"], "under": "line-back"},
            {"name": "dead", **by, "hops": ["B", "Core", "web"], "under": "dead"},
            {"name": "gap", "kind": "loss", "from": "pc", "to": "web", "at_most_s": 14, "under": "dead"},
        ],
    )
    lab = deploy(task)
    before = Settling(lab).look()
    results = evaluated(lab, task)
    failed = {name for name, result in results.items() if result.status == "fail"}
    assert failed == (set() if tracked else {"cut"}), results
    assert float(results["gap"].actual.split()[0]) > 3, "the hold time of HSRP was not waited for"
    assert Settling(lab).look().is_as(before)


@contextmanager
def flapping(lab: Any, node: str, interface: str) -> Iterator[None]:
    """An interface that goes down and up again all the time."""
    over = threading.Event()

    def flap() -> None:
        while not over.is_set():
            for state in ("down", "up"):
                lab.nodes[node].run(["ip", "link", "set", interface, state])
                over.wait(0.04)

    thread = threading.Thread(target=flap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_network_that_never_becomes_quiet_does_not_hang_the_evaluation(deploy) -> None:
    task = ring(**FAILOVER)
    lab = deploy(task)
    evaluation = TaskEvaluation(lab, events=task.payload.events)
    began = time.monotonic()
    with flapping(lab, "r3", "eth2"):
        results = evaluation.run_testcases(task.payload.testcases, within_s=60)
    assert time.monotonic() - began < 60
    assert len(results) == len(task.payload.testcases)
    links = lab.capability(LINKS)
    assert not links.is_cut("r1", "eth1")


def test_a_network_that_nobody_looks_at_any_more_is_brought_back_but_not_waited_for(deploy, monkeypatch) -> None:
    """What the network is like then says nothing: on a busy machine it is as before when it is looked at."""
    task = ring(**FAILOVER)
    lab = deploy(task)
    evaluation, settling, links = TaskEvaluation(lab, events=task.payload.events), Settling(lab), lab.capability(LINKS)
    before = settling.look()
    cut = [testcase for testcase in task.payload.testcases if testcase.under != "back"]
    waited_while_cut: list[bool] = []
    wait = Settling.wait

    def noted(self: Settling, **options: Any) -> bool:
        waited_while_cut.append(links.is_cut("r1", "eth1"))
        return wait(self, **options)

    monkeypatch.setattr(Settling, "wait", noted)
    for settles, waits in ((True, [True, False]), (False, [True])):
        waited_while_cut.clear()
        results = evaluation.run_testcases(cut, settle_at_end=settles)
        assert all(result.status == "pass" for result in results), results
        assert not links.is_cut("r1", "eth1")
        assert waited_while_cut == waits
        assert settling.wait(hold_s=40, like=before), "it does not return"


def test_other_code_may_cause_an_event_and_observe_the_network_itself(deploy) -> None:
    task = ring(**FAILOVER)
    lab = deploy(task)
    links = lab.capability(LINKS)
    with happening(lab, task.payload.events["cut"]):
        assert links.is_cut("r2", "eth1")
    assert not links.is_cut("r2", "eth1")
    with pytest.raises(ZeroDivisionError), happening(lab, task.payload.events["cut"]):
        _ = 1 / 0
    await_that(lambda: not links.is_cut("r2", "eth1"), lambda: "the cable is still cut")


def test_routes_over_several_next_hops_return_after_links_flapped(deploy) -> None:
    """FRR lost them where the kernel deletes its objects of next hops with a carrier (FRR's issue 19107)."""
    lab = deploy(ring())
    settling, links, r2 = Settling(lab), lab.capability(LINKS), lab.nodes["r2"]
    before = settling.look()
    for node, interface in (("r1", "eth1"), ("r2", "eth2"), ("r1", "eth2")) * 3:
        links.cut(node, interface)
        settling.wait(hold_s=0, usual=before)
        links.restore(node, interface)
        settling.wait(hold_s=0, like=before)
        table = r2.run(["vtysh", "-c", "show ip route ospf"]).stdout
        assert "via 10.0.12.1, eth1" in table
        assert ">r" not in table, table
    assert settling.look().is_as(before)


GREETING = {"from": "h1", "to": "10.9.0.1", "kind": "reachability", "under": "announced", "within_s": 20}


def test_what_somebody_else_types_is_seen_and_taken_back(deploy):
    typed = {
        "node": "r3",
        "commands": ["interface lo", "ip address 10.9.0.1/32", "ip ospf area 0"],
        "undo": ["interface lo", "no ip ospf area 0", "no ip address 10.9.0.1/32"],
    }
    task = ring(
        events={"announced": [{"enter": typed}]},
        testcases=[
            {"name": "a new network is reached", **GREETING},
            {"name": "not before", **GREETING} | {"under": None, "expected": "denied"},
        ],
    )
    assert set(statuses(evaluated(deploy(task), task)).values()) == {"pass"}


@pytest.mark.parametrize("control", ["foreign", "managed"])
def test_a_line_that_is_refused_is_the_tasks_mistake_unless_the_agent_configures_the_node(deploy, control):
    typed = {"node": "r3", "commands": ["no such line"], "undo": ["exit"]}
    task = ring(
        events={"announced": [{"enter": typed}]}, testcases=[{"name": "x", **GREETING}], control={"r3": control}
    )
    lab = deploy(task)
    if control == "managed":
        (found,) = evaluated(lab, task).values()
        assert found.status == "fail"
        assert "refuses 'no such line'" in found.actual
    else:
        with pytest.raises(LabError, match="refuses 'no such line'"):
            evaluated(lab, task)
