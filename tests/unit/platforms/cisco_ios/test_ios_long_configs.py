"""Long configs: what is typed is found, and stored, however many lines there are already."""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Iterable

import pytest

from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.book import book
from tests.support.ios import PaperDevice, Session, paper
from tests.support.ios_fuzz import Fuzz

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
    """How often a function is called while ``lines`` are typed: a measure of work that is the same on a busy machine."""
    profile = cProfile.Profile()
    with profile:
        for line in lines:
            assert session.enter(line) == ""
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("role", ["router", "switch"])
def test_lines_are_found_by_their_arguments_as_if_one_had_looked_through_all_of_them(role: str) -> None:
    device = paper(interfaces=("Gi0/0", "Gi0/1"), role=role)
    session = Session(device)
    session.enter("configure terminal")
    for line in Fuzz(book(), seed=7, role=role).lines(2000, lambda: session.mode):
        if session.mode == "exec":
            session.enter("configure terminal")
        if not line.startswith("do "):
            session.enter(line)
    checked = sum(found_as_by_looking(section) for section in sections(device.config))
    assert checked > 300


def sections(section: Section) -> list[Section]:
    return [section, *(below for entry in section for below in sections(entry.body))]


def found_as_by_looking(section: Section) -> int:
    """Checks each line of a section; how many they were."""
    for entry in section:
        assert entry in section.entries
        assert set(section.all(entry.name)) == {one for one in section if one.name == entry.name and not one.negated}
        same = {one for one in section if one.same_line(entry.match)}
        assert same <= set(section.like(entry.match))
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
