"""``show access-lists`` and similar commands, with match counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.areas.acl import reflexive, times
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace
from pytest_netbench.platforms.cisco_ios.areas.acl.groups import NETWORK, SERVICE
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import AccessList, every
from pytest_netbench.platforms.cisco_ios.areas.acl.match import counter_name
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

Counts = Mapping[tuple[str, str], tuple[int, int]]


def told(config: Section, lists: list[AccessList], counts: Counts, now: datetime) -> Iterator[str]:
    """Return the output lines that show access lists at a date of the device."""
    for one in lists:
        kind = "IPv6 access list" if one.family == 6 else f"{'Standard' if one.standard else 'Extended'} IP access list"
        yield f"{kind} {one.name}"
        for line in one.lines:
            packets, _ = counts.get(("inet", counter_name(one, line.ace)), (0, 0))
            words = shown(config, line.ace, now)
            matches = f" ({packets} match{'' if packets == 1 else 'es'})" if packets else ""
            if one.family == 6:
                yield f"    {words}{matches} sequence {line.number}"
            else:
                yield f"    {line.number} {words}{matches}"


def shown(config: Section, ace: Ace, now: datetime) -> str:
    """Return a line as ``show`` prints it.

    It differs from the running config in wildcards of standard lists and in time ranges.
    """
    words = ace.text
    if ace.standard and ace.source.wildcard:
        words = words.replace(f"{ace.source.value} ", f"{ace.source.value}, wildcard bits ", 1)
    if ace.during:
        state = "active" if times.holds(config, ace.during, now) else "inactive"
        words = words.replace(f"time-range {ace.during}", f"time-range {ace.during} ({state})", 1)
    return words


def _show(at: Exec, match: Match) -> str:
    four = every(at.config)
    lists = four if match.has("ip") else [*four, *every(at.config, family=6)]
    # IOS prints standard lists before extended ones
    lists.sort(
        key=lambda one: (
            one.family,
            not one.standard,
            not one.name.isdigit(),
            int(one.name) if one.name.isdigit() else 0,
        )
    )
    return _told(at, lists, match)


def _show_six(at: Exec, match: Match) -> str:
    return _told(at, every(at.config, family=6), match)


def _told(at: Exec, lists: list[AccessList], match: Match) -> str:
    wanted = match.get("list")
    chosen = [one for one in lists if wanted is None or one.name == wanted]
    now = datetime.fromtimestamp(at.device.now, UTC)
    lines = list(told(at.config, chosen, nft.counters(at.node) if chosen else {}, now))
    return "\n".join([*lines, *(reflexive.told(at) if wanted is None and chosen else ())])


def _clear(at: Exec, match: Match) -> str:
    family = 6 if match.has("ipv6") else 4
    wanted = match.get("list")
    for one in every(at.config, family=family):
        if wanted is None or one.name == wanted:
            for line in one.lines:
                name = counter_name(one, line.ace)
                if name in at.device.applied.nft.counters.get("inet", ()):
                    nft.reset(at.node, "inet", name)
    return ""


def _show_times(at: Exec, match: Match) -> str:
    now = datetime.fromtimestamp(at.device.now, UTC)
    chosen = [entry for entry in at.config.all("time-range") if match.get("range") in {None, entry["range"]}]
    return "\n".join(line for entry in chosen for line in times.show_lines(at.config, entry, now))


def _show_groups(at: Exec, match: Match) -> str:
    lines: list[str] = []
    for entry, body in at.config.sections(NETWORK, SERVICE):
        if match.get("group") in {None, entry["group"]}:
            kind = "Network" if entry.name == NETWORK else "Service"
            lines += [f"{kind} object group {entry['group']}", *(f" {_member(one)}" for one in body)]
    return "\n".join(lines)


def _member(entry: Entry) -> str:
    """Return a line of an object group as ``show`` prints it."""
    return f"Description {entry['text']}" if entry.name == "description" else entry.text


COMMANDS = (
    show("access-lists [ {list:word} ]", _show, "List access lists"),
    show("ip access-lists [ {list:word} ]", _show, "List IP access lists"),
    show("ipv6 access-list [ {list:word} ]", _show_six, "Summary of access lists"),
    show("time-range [ {range:word} ]", _show_times, "Time range"),
    show("object-group [ name {group:word} | {group:word} ]", _show_groups, "List object groups"),
    action("clear access-list counters [ {list:word} ]", _clear, "Clear access list statistical information"),
    action("clear ip access-list counters [ {list:word} ]", _clear, "Clear access list statistical information"),
    action("clear ipv6 access-list [ {list:word} ]", _clear, "Clear access list statistical information"),
)
