"""``show`` commands of routing policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.areas.policy.lists import AS_PATH, COMMUNITY, PREFIX, PREFIX6, action
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show


def _route_maps(at: Exec, match: Match) -> str:
    wanted = match.get("map")
    entries = [entry for entry in at.config.all("route-map") if wanted in {None, entry["map"]}]
    if not entries:
        return "" if wanted is None else f"route-map {wanted} not found\n"
    counts = nft.counters(at.node)
    lines: list[str] = []
    for entry in entries:
        lines.append(f"route-map {entry['map']}, {action(entry)}, sequence {entry['seq']}")
        lines += ["  Match clauses:", *(f"    {_clause(one)}" for one in entry.body if one.name.startswith("match "))]
        onward = entry.body.get("continue")
        if onward is not None:
            lines.append(f"  Continue: sequence {onward.get('target', 'next')}")
        lines += [
            "  Set clauses:",
            *(f"    {one.text.removeprefix('set ')}" for one in entry.body if one.name.startswith("set ")),
        ]
        packets, size = counts.get(("inet", f"pbr_{slug(entry['map'])}_{entry['seq']}"), (0, 0))
        lines.append(f"  Policy routing matches: {packets} packets, {size} bytes")
    return "\n".join([*lines, ""])


def _clause(entry: Entry) -> str:
    """Return a match line in the words of ``show route-map``."""
    name, listed = entry.name.removeprefix("match "), entry.many("list")
    if name in {"ip address", "ip next-hop", "ip route-source"}:
        return f"{name} (access-lists): {' '.join(str(one) for one in listed)} "
    if name.endswith("prefix-list"):
        return f"{name.removesuffix(' prefix-list')} prefix-lists: {' '.join(listed)} "
    if name == "as-path":
        return f"as-path (as-path filter): {' '.join(str(one) for one in listed)} "
    if name == "community":
        return (
            "community (community-list filter):"
            f" {' '.join(listed)}{' exact-match' if entry.has('exact-match') else ''} "
        )
    return entry.text.removeprefix("match ")


def _prefix_lists(at: Exec, match: Match) -> str:
    name = PREFIX6 if match.has("ipv6") else PREFIX
    entries = [entry for entry in at.config.all(name) if match.get("list") in {None, entry["list"]}]
    if not entries and match.get("list") is not None:
        return (
            f"% Can't find prefix-list {match['list']}\n"
            if name == PREFIX
            else f"% prefix-list {match['list']} not found\n"
        )
    lines: list[str] = []
    for listed in dict.fromkeys(entry["list"] for entry in entries):
        own = [entry for entry in entries if entry["list"] == listed]
        lines += _prefix_list(at, name, listed, own, detail=match.has("detail"), summary=match.has("summary"))
    return "\n".join([*lines, ""]) if lines else ""


def _prefix_list(
    at: Exec, name: str, listed: str, entries: Sequence[Entry], *, detail: bool, summary: bool
) -> Iterator[str]:
    yield f"{name} {listed}:"
    described = at.config.get(f"{name} description", list=listed)
    if described is not None:
        yield f"   Description: {described['text']}"
    numbers = [entry["seq"] for entry in entries]
    if detail or summary:
        ranged = sum("ge" in entry.match.args or "le" in entry.match.args for entry in entries)
        yield (
            f"   count: {len(entries)}, range entries: {ranged}, sequences: {min(numbers)} - {max(numbers)},"
            " refcount: 1"
        )
    if summary:
        return
    for entry in entries:
        words = entry.text.split(f"{name} {listed} ", 1)[1]
        yield f"   {words}" + (" (hit count: 0, refcount: 1)" if detail else "")


def _as_paths(at: Exec, match: Match) -> str:
    lines: list[str] = []
    for number in sorted({entry["list"] for entry in at.config.all(AS_PATH)}):
        if match.get("list") in {None, number}:
            lines.append(f"AS path access list {number}")
            lines += [
                f"    {action(entry)} {entry['regex']}" for entry in at.config.all(AS_PATH) if entry["list"] == number
            ]
    return "\n".join([*lines, ""]) if lines else ""


def _communities(at: Exec, match: Match) -> str:
    entries = at.config.all(COMMUNITY)
    lines: list[str] = []
    for listed in dict.fromkeys(str(entry["list"]) for entry in entries):
        own = [entry for entry in entries if str(entry["list"]) == listed]
        if match.get("list") not in {None, listed}:
            continue
        kind = "standard" if "community" in own[0].match.args else "expanded"
        lines.append(f"{'Community' if listed.isdigit() else 'Named Community'} {kind} list {listed}")
        for entry in own:
            values = [str(one) for one in entry.many("community")] or [entry["regex"]]
            lines.append(f"    {action(entry)} {' '.join(values)}")
    return "\n".join([*lines, ""]) if lines else ""


COMMANDS = (
    show("route-map [ {map:name} ]", _route_maps, "route-map information"),
    show("ip prefix-list [ ( detail | summary ) ] [ {list:listname} ]", _prefix_lists, "List IP prefix lists"),
    show("ipv6 prefix-list [ ( detail | summary ) ] [ {list:listname} ]", _prefix_lists, "List IPv6 prefix lists"),
    show("ip as-path-access-list [ {list:1-500} ]", _as_paths, "List AS path access lists"),
    show("ip community-list [ {list:name} ]", _communities, "List community-list"),
)
