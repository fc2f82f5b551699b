"""What the wait for readiness does with what drivers report, on a lab in memory."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.errors import NotReady
from pytest_netbench.lab.readiness import Slowdown, wait_until_ready
from pytest_netbench.model.ready import ExpectedDown, Ready
from pytest_netbench.model.topology import Node, Topology
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.ends import End, Exchange, Part, Sight
from pytest_netbench.platforms.sessions import Absence, Session, SessionEnd, none_excused, split
from tests.support.memory_lab import MemoryDriver, MemoryLab

BGP = Session(
    protocol="bgp",
    one=SessionEnd(node="R1", interface="eth0", address="10.0.0.1"),
    other=SessionEnd(node="R2", interface="eth5", address="10.0.0.2"),
)


class Absent(MemoryDriver):
    """A driver whose sessions never come up."""

    def __init__(self, *sessions: Session) -> None:
        super().__init__()
        self._absences = [Absence(session=one, phrase=f"{one.protocol} is down") for one in sessions]

    def pending(self, nodes, *, excused=none_excused):
        phrases, down = split(self._absences, excused)
        return Pending(missing=tuple(phrases), excused=tuple(down), fingerprint="" if phrases else "routes")


def lab_with(driver):
    return MemoryLab(Topology(nodes=(Node(name="R1"), Node(name="R2"))), {}, driver=driver)


def down(node, neighbor, protocol="bgp"):
    return Ready(expected_down=(ExpectedDown(node=node, protocol=protocol, neighbor=neighbor),))


@pytest.mark.parametrize(
    ("node", "neighbor"),
    [("R1", "10.0.0.2"), ("R1", "R2"), ("R1", "eth0"), ("R2", "10.0.0.1"), ("R2", "R1"), ("R2", "eth5")],
)
def test_a_session_is_named_from_either_end_by_address_node_or_interface(node, neighbor):
    readiness = wait_until_ready(lab_with(Absent(BGP)), pace=1000, policy=down(node, neighbor))
    assert (readiness.missing, readiness.unexpectedly_up) == ((), ())


@pytest.mark.parametrize(
    "policy",
    [down("R1", "10.0.0.1"), down("R1", "eth5"), down("R1", "R1"), down("R1", "R2", "ospf")],
    ids=["own address", "other's interface", "itself", "other protocol"],
)
def test_another_session_is_still_waited_for(policy):
    stable = policy.model_copy(update={"until": "stable", "deadline_s": 10})
    readiness = wait_until_ready(lab_with(Absent(BGP)), pace=1000, policy=stable)
    assert readiness.missing == ("bgp is down",)
    assert readiness.unexpectedly_up == (str(policy.expected_down[0]),)


def test_what_is_missing_at_the_deadline_is_named(monkeypatch):
    monkeypatch.setattr("pytest_netbench.lab.readiness._LEAST_DEADLINE_S", 0.05)
    with pytest.raises(NotReady, match="still waiting for: bgp is down"):
        wait_until_ready(lab_with(Absent(BGP)), pace=1000, policy=Ready(deadline_s=1))


def test_boot_asks_no_driver():
    class Unasked(MemoryDriver):
        def pending(self, nodes, *, excused=none_excused):
            raise AssertionError("asked")

    assert wait_until_ready(lab_with(Unasked()), pace=1, policy=Ready(until="boot")).missing == ()


def test_routes_that_never_stand_still_are_what_is_missing():
    class Restless(MemoryDriver):
        turn = 0

        def pending(self, nodes, *, excused=none_excused):
            self.turn += 1
            return Pending(fingerprint=str(self.turn))

    readiness = wait_until_ready(lab_with(Restless()), pace=100, policy=Ready(until="stable", deadline_s=10))
    assert readiness.missing == ("routes to become stable",)


def test_a_network_that_is_not_ready_soon_slows_down_step_by_step():
    class Late(MemoryDriver):
        looks = 0

        def pending(self, nodes, *, excused=none_excused):
            self.looks += 1
            return Pending(missing=() if self.looks > 12 else ("not yet",), fingerprint="routes")

    paces = []
    slowdown = Slowdown([(0.03, 100.0), (0.06, 50.0), (60.0, 1.0)], paces.append)
    readiness = wait_until_ready(lab_with(Late()), pace=1000, slowdown=slowdown)
    assert paces == [100.0, 50.0]
    assert readiness.waited_s >= 0.12  # three lab seconds without a change of routes, at the slower pace


def test_a_network_that_is_ready_soon_is_not_slowed_down():
    paces = []
    slowdown = Slowdown([(10.0, 50.0)], paces.append)
    wait_until_ready(lab_with(MemoryDriver()), pace=1000, slowdown=slowdown)
    assert paces == []


def test_the_deadline_is_that_of_the_slowest_pace():
    slowdown = Slowdown([(0.02, 500.0), (0.04, 100.0)], lambda _: None)
    stable = Ready(until="stable", deadline_s=20)
    readiness = wait_until_ready(lab_with(Absent(BGP)), pace=1000, policy=stable, slowdown=slowdown)
    assert readiness.waited_s >= 0.2


# -- ends that two drivers report --------------------------------------------------------------------------------------


class OneEnd(MemoryDriver):
    """A driver whose node asks ``peer`` for a BGP session. It is itself the observation that it gives."""

    def __init__(self, own: str, peer: str, state: str = "Active", database: object = None) -> None:
        super().__init__()
        self.own, self.peer, self.state, self.told = own, peer, state, database

    def look(self, nodes):
        self.node = next(iter(nodes))
        return self

    def waiting(self):
        return []

    def part(self, protocol):
        seen = {self.peer: Sight(self.state, is_up=self.state == "Established")}
        own = {"eth0": (ip_interface(self.own),)}
        end = End(protocol="bgp", node=self.node, addresses=own, peer=self.peer, seen=seen, database="area 0")
        return Part([end]) if protocol == "bgp" else Part()

    def closely(self, ends):
        return ends

    def exchanged(self, ends):
        return Exchange(databases={(self.node, "", "area 0"): self.told})


def between(one, other):
    drivers = {"R1": one, "R2": other}
    lab = lab_with(MemoryDriver())
    lab.driver = drivers.__getitem__
    return lab


UNTIL_SOON = Ready(until="stable", deadline_s=10)


def test_a_session_between_nodes_of_two_drivers_is_waited_for():
    lab = between(OneEnd("10.0.0.1/24", "10.0.0.2"), OneEnd("10.0.0.2/24", "10.0.0.1"))
    assert wait_until_ready(lab, pace=1000, policy=UNTIL_SOON).missing == (
        "R1: BGP neighbor 10.0.0.2 is Active, expected Established",
        "R2: BGP neighbor 10.0.0.1 is Active, expected Established",
    )
    readiness = wait_until_ready(lab, pace=1000, policy=down("R2", "R1"))
    assert (readiness.missing, readiness.unexpectedly_up) == ((), ())


def test_a_session_between_two_drivers_that_is_up_is_not_found_to_be_down():
    ends = OneEnd("10.0.0.1/24", "10.0.0.2", "Established"), OneEnd("10.0.0.2/24", "10.0.0.1", "Established")
    readiness = wait_until_ready(between(*ends), pace=1000, policy=down("R1", "R2"))
    assert (readiness.missing, readiness.unexpectedly_up) == ((), ("R1 bgp R2",))


def test_databases_that_two_drivers_tell_must_be_equal():
    ends = OneEnd("10.0.0.1/24", "10.0.0.2", "Established", 1), OneEnd("10.0.0.2/24", "10.0.0.1", "Established", 2)
    readiness = wait_until_ready(between(*ends), pace=1000, policy=UNTIL_SOON)
    assert readiness.missing == ("R1: BGP database of area 0 differs from that of R2",)


def test_a_driver_that_reports_no_ends_is_still_asked_what_is_pending():
    lab = between(OneEnd("10.0.0.1/24", "10.0.0.2"), Absent(BGP))
    assert wait_until_ready(lab, pace=1000, policy=UNTIL_SOON).missing == ("bgp is down",)


def test_of_many_things_that_a_large_network_waits_for_the_first_are_named() -> None:
    error = NotReady([f"session {number}" for number in range(200)], waited_s=60)
    assert str(error).endswith("session 8; session 9; and 190 more")
    assert len(error.missing) == 200
    assert str(NotReady(["routes"], waited_s=1)).endswith("still waiting for: routes")
