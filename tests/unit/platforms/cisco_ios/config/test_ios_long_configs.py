"""Long configs: finding and storing a line takes the same work however many lines exist."""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Iterable

import pytest

from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from tests.support.ios import PaperDevice, Session, paper

_MANY, _SOME = 1500, 50


def address(number: int) -> str:
    return f"10.{number // 250}.{number % 250}"


LONG: dict[str, tuple[tuple[str, ...], Callable[[int], str]]] = {
    "static routes": ((), lambda n: f"ip route {address(n)}.0 255.255.255.0 192.0.2.1"),
    "loopbacks": ((), lambda n: f"interface Loopback{n}"),
    "host names": ((), lambda n: f"ip host h{n} {address(n)}.1"),
    "BGP's networks": (("router bgp 1",), lambda n: f"network {address(n)}.0 mask 255.255.255.0"),
    "routes taken back": ((), lambda n: f"no ip route {address(n)}.0 255.255.255.0 192.0.2.1"),
}


@pytest.mark.parametrize("what", LONG)
def test_a_line_behind_many_is_no_more_work_than_the_first(what: str) -> None:
    head, line = LONG[what]
    stored = [LONG["static routes"][1](n) for n in range(_MANY)] if line(0).startswith("no ") else []
    few, many = typing(*head, *stored[:_SOME]), typing(*head, *stored)
    first = calls(few, (line(n) for n in range(_SOME)))
    for n in range(_SOME, 0 if stored else _MANY):
        many.enter(line(n))
    assert calls(many, (line(n) for n in range(_MANY - _SOME, _MANY))) < 1.2 * first


def typing(*lines: str) -> Session:
    session = Session(paper())
    for line in ("configure terminal", *lines):
        assert session.enter(line) == ""
    return session


def calls(session: Session, lines: Iterable[str]) -> int:
    """Count the calls of a function while ``lines`` are typed: a measure of work that does not depend on load."""
    profile = cProfile.Profile()
    with profile:
        for line in lines:
            assert session.enter(line) == ""
    return sum(entry.callcount for entry in profile.getstats())


OF_MANY_KINDS = (
    "ip routing",
    "no ip routing",
    "ip cef",
    "no ip cef",
    "hostname A",
    "hostname B",
    "ip route 10.0.0.0 255.0.0.0 1.1.1.1",
    "ip route 10.0.0.0 255.0.0.0 1.1.1.1 200",
    "ip route 10.0.0.0 255.0.0.0 2.2.2.2 name x",
    "ip route 11.0.0.0 255.0.0.0 gi0/0 1.1.1.1",
    "ip route 12.0.0.0 255.0.0.0 null0",
    "no ip route 10.0.0.0 255.0.0.0 2.2.2.2",
    "ip prefix-list P seq 20 permit 10.0.0.0/8",
    "ip prefix-list Q permit 10.0.0.0/8",
    "ip prefix-list P seq 10 deny 11.0.0.0/8 le 24",
    "ip prefix-list P description first",
    "ip community-list 1 permit 1:1 2:2",
    "ip community-list 1 permit 1:1",
    "ip community-list 2 deny 3:3",
    "route-map R permit 20",
    "match ip address prefix-list P Q",
    "set metric 5",
    "route-map R deny 10",
    "route-map R permit 10",
    "route-map S",
    "ip access-list extended X",
    "20 permit tcp any any eq 80 443",
    "10 deny ip host 1.1.1.1 any",
    "remark a",
    "remark a",
    "30 permit udp any any",
    "no 20",
    "access-list 5 permit 10.0.0.0 0.255.255.255",
    "access-list 5 deny any",
    "ip access-list standard 7",
    "permit any",
    "interface gi0/0",
    "ip address 10.0.0.1 255.255.255.0",
    "ip address 10.0.1.1 255.255.255.0 secondary",
    "no ip redirects",
    "ip ospf cost 5",
    "standby 2 ip 10.0.0.9",
    "standby 1 priority 90",
    "no standby 1 preempt",
    "ip helper-address 1.1.1.1",
    "ip helper-address 2.2.2.2",
    "interface loopback 5",
    "interface loopback 3",
    "interface gi0/1",
    "no ip address",
    "shutdown",
    "no shutdown",
    "router ospf 1",
    "network 10.0.0.0 0.255.255.255 area 0",
    "passive-interface default",
    "no passive-interface gi0/0",
    "area 1 stub",
    "router bgp 1",
    "neighbor 10.0.0.2 remote-as 2",
    "neighbor 10.0.0.2 send-community both",
    "neighbor 9.0.0.2 remote-as 3",
    "network 10.0.0.0",
    "address-family ipv6",
    "neighbor 10.0.0.2 activate",
    "class-map match-any C",
    "match dscp ef",
    "policy-map M",
    "class C",
    "class class-default",
)


def test_lines_are_found_by_their_arguments_as_if_one_had_looked_through_all_of_them() -> None:
    device = paper()
    session = Session(device)
    session.enter("configure terminal")
    for line in OF_MANY_KINDS:
        session.enter(line)
    assert sum(found_as_by_looking(section) for section in sections(device.config)) > 60


def sections(section: Section) -> list[Section]:
    return [section, *(below for entry in section for below in sections(entry.body))]


def found_as_by_looking(section: Section) -> int:
    """Check that the index finds each line of a section; return the number of lines."""
    for entry in section:
        assert entry in section.entries
        assert set(section.all(entry.name)) == {one for one in section if one.name == entry.name and not one.negated}
        same = {one for one in section if one.same_line(entry.match)}
        assert {one for one in section if one.covers(entry.match)} | same <= set(section.like(entry.match))
        agreeing = {one for one in section if one.name == entry.name and one.match.args == entry.match.args}
        assert agreeing <= set(section.entries.among(entry.name, entry.match.args.items()))
        assert bool(entry.match.keys) != (entry in section.entries.without_keys(entry.name))
    return len(section.entries)


def routes(*hops: str) -> tuple[PaperDevice, list[Entry]]:
    device = paper(*(f"ip route 10.0.0.0 255.0.0.0 {hop}" for hop in hops))
    return device, device.config.all("ip route")


def by_hop(device: PaperDevice, hop: str) -> list[Entry]:
    return list(device.config.entries.among("ip route", [("via", hop)]))


def test_lines_that_change_places_one_after_the_other_are_still_found() -> None:
    device, (one, two) = routes("1.1.1.1", "2.2.2.2")
    at = device.config.entries.index(one)
    device.config.entries[at] = two
    device.config.entries[at + 1] = one
    assert device.config.all("ip route") == [two, one]
    assert (by_hop(device, "1.1.1.1"), by_hop(device, "2.2.2.2")) == ([one], [two])


def test_a_line_that_is_put_in_the_place_of_another_is_found_and_the_other_is_not() -> None:
    device, (one, two) = routes("1.1.1.1", "2.2.2.2")
    device.config.remove(two)
    device.config.entries.replace(one, two)
    assert device.config.all("ip route") == [two]
    assert by_hop(device, "1.1.1.1") == []
    assert one not in device.config.entries


def test_a_line_that_comes_to_say_something_else_is_found_by_that_at_its_place() -> None:
    device, (one, two) = routes("1.1.1.1", "2.2.2.2")
    _, (other,) = routes("3.3.3.3")
    one.match = other.match
    assert device.config.all("ip route") == [one, two]
    assert (by_hop(device, "1.1.1.1"), by_hop(device, "3.3.3.3")) == ([], [one])


def test_sections_whose_lines_are_given_anew_or_cleared_know_that() -> None:
    device, (one, two) = routes("1.1.1.1", "2.2.2.2")
    device.config.entries = [two, one]
    assert device.config.all("ip route") == [two, one]
    device.config.entries[:1] = []
    del device.config.entries[-1:]
    assert by_hop(device, "1.1.1.1") == []
    device.config.entries = [one, two]
    device.config.entries[-1] = one
    assert list(device.config.entries) == [one, one]
    device.config.entries.clear()
    assert (len(device.config.entries), device.config.get("ip route")) == (0, None)
