"""Policy-based routing: route maps that override the routing by destination."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, show

LOCAL = "ip local policy route-map"
IN = Chain("inet", "pbr_in", hook="prerouting", priority=-140)
"""After the input service policies, before destination NAT."""
OUT = Chain("inet", "pbr_out", hook="output", type="route", priority=-140)
"""For the router's own packets: the kernel routes them again only after this type of chain."""
_MASK = 0xFFFF
_FIRST_TABLE = 2001
_PRIORITY = 200
_STATIC = "staticd"
_ON_ENTRY = ("ip nat", "ip access-group", "ip policy", "service-policy")
"""Lines of an interface that act on packets that enter by it."""


@dataclass(frozen=True)
class _Ways:
    """The routes that an entry sets, in order of preference, and those for packets without a route of their own."""

    table: int
    first: tuple[str, ...]
    last: tuple[str, ...]
    tracked: tuple[tuple[int, str], ...] = ()


def compile_pbr(context: Context) -> None:
    """Add every route map that an interface, or the router itself, uses for policy routing."""
    used: dict[str, str] = {}
    for one in context.interfaces:
        entry = one.section.get("ip policy route-map")
        if entry is not None:
            _use(context, used, entry["map"])
            context.state.nft.rule(IN, f'iifname "{one.kernel}" jump {used[entry["map"]]}')
    local = context.config.get(LOCAL)
    if local is not None:
        _use(context, used, local["map"])
        context.state.nft.rule(OUT, "ip daddr 224.0.0.0/4 return")
        context.state.nft.rule(OUT, f"jump {used[local['map']]}")


def _use(context: Context, used: dict[str, str], name: str) -> None:
    if name not in used:
        entries = [entry for entry in context.config.all("route-map") if entry["map"] == name]
        used[name] = f"pbr_{slug(name)}"
        _compile_map(context, used[name], entries, base=_FIRST_TABLE + 100 * (len(used) - 1))


def _compile_map(context: Context, chain: str, entries: Sequence[Entry], *, base: int) -> None:
    """Compile each entry to two chains: one that matches or continues with the next entry, and one of its actions."""
    starts = [chain, *(f"{chain}_{entry['seq']}" for entry in entries[1:])]
    add = context.state.nft.rule
    if not entries:
        context.state.nft.chain(Chain("inet", chain))
    for at, entry in enumerate(entries):
        onward = f"goto {starts[at + 1]}" if at + 1 < len(entries) else "return"
        done = Chain("inet", f"{chain}_{entry['seq']}_do")
        for words in _actions(context, entry, name=counter_name(entry), table=base + at):
            add(done, words)
        here = starts[at]
        for words in _matching(context, entry, here, f"goto {done.name}", onward):
            add(Chain("inet", here), words)


def counter_name(entry: Entry) -> str:
    """Return the name of the counter of packets that an entry routed."""
    return f"pbr_{slug(entry['map'])}_{entry['seq']}"


def _matching(context: Context, entry: Entry, here: str, permit: str, deny: str) -> Iterator[str]:
    """Return rules that leave a chain by ``permit`` or ``deny``."""
    yield f"meta nfproto != ipv4 {deny}"
    body = entry.body
    length = body.get("match length")
    if length is not None:
        yield f"meta length != {length['least']}-{length['most']} {deny}"
    others = [
        one for one in body if one.name.startswith("match ") and one.name not in {"match length", "match ip address"}
    ]
    if others:
        context.unsupported(others[0], "policy routing matches only access lists and packet lengths")
        yield deny
        return
    lists = body.get("match ip address")
    names = lists.many("list") if lists is not None else []
    if not names:
        yield permit
    for at, name in enumerate(names):
        last = at + 1 == len(names)
        # denied by one list: the next list decides
        after = f"{here}_or{at + 1}"
        judged = acl.chain(context, name, permit=permit, deny=deny if last else f"goto {after}", missing=permit)
        if at == 0:
            yield f"goto {judged}"
        else:
            context.state.nft.rule(Chain("inet", f"{here}_or{at}"), f"goto {judged}")


def _actions(context: Context, entry: Entry, *, name: str, table: int) -> Iterator[str]:
    if entry.has("deny"):
        yield "return"
        return
    yield context.state.nft.counter("inet", name)
    for word, argument, factor in (("set ip precedence", "precedence", 8), ("set ip dscp", "dscp", 1)):
        found = entry.body.get(word)
        if found is not None:
            yield f"ip dscp set {int(found[argument]) * factor}"
    ways = _ways(context, entry.body, table)
    if not ways.first and not ways.last and not ways.tracked:
        yield "return"
        return
    _routes(context, ways)
    yield f"meta mark set meta mark & {0xFFFFFFFF ^ _MASK:#x} | {table:#x}"
    yield "return"


def _ways(context: Context, body: Section, table: int) -> _Ways:
    tracked = [
        (int(entry["track"]), entry["hop"])
        for entry in sorted(body.all("set ip next-hop tracked"), key=lambda one: int(one["order"]))
        if _adjacent(context, entry["hop"])
    ]
    first = _until_loopback(context, body, "set ip next-hop", "set interface")
    last = _until_loopback(context, body, "set ip default next-hop", "set default interface")
    return _Ways(table, first, last, tuple(tracked))


def _until_loopback(context: Context, body: Section, next_hop: str, interface: str) -> tuple[str, ...]:
    """Return the routes of an entry in order of preference, up to the first one by a loopback interface.

    A packet sent to a loopback enters the router again and is routed by its destination, as if it had no policy.
    """
    ways = [(entry, hop, _owner(context, hop)) for entry in body.all(next_hop) for hop in entry.many("hop")]
    ways = [way for way in ways if _adjacent(context, way[1])]
    # zebra finds the way to such a next hop in the routing table, and leaves the route out while there is none
    ways += [(entry, entry["hop"], _owner(context, entry["hop"])) for entry in body.all(f"{next_hop} recursive")]
    for entry in body.all(interface):
        ways += [(entry, _out(name), context.interface(name)) for name in entry.many("out")]
    found: list[str] = []
    for entry, way, owner in ways:
        if owner is not None and owner.parsed.kind == "Loopback":
            if any(line.name.startswith(_ON_ENTRY) for line in owner.section):
                context.unsupported(entry, f"packets that enter again by {owner.name} meet none of its lines")
            break
        found.append(way)
    return tuple(found)


def _owner(context: Context, hop: str) -> Interface | None:
    """Return the interface on whose network a next hop is."""
    return next((one for one in context.interfaces if one.enabled and _is_on(one, hop)), None)


def _out(name: str) -> str:
    return "Null0" if name == "Null0" else interfaces.kernel_name(name)


def _adjacent(context: Context, hop: str) -> bool:
    """Whether a next hop is on a connected network; IOS ignores others."""
    return _owner(context, hop) is not None


def _is_on(one: Interface, hop: str) -> bool:
    return any(ip_address(hop) in ip_interface(address).network for address in one.addresses)


def _routes(context: Context, ways: _Ways) -> None:
    """Add the tables of an entry: one for all its packets, one for packets without a route of their own."""
    rule = f"fwmark {ways.table:#x}/{_MASK:#x}"
    order = ways.table - _FIRST_TABLE
    add = context.state.rules.append
    if ways.first or ways.tracked:
        add(f"priority {_PRIORITY + 3 * order} {rule} lookup {ways.table}")
    if ways.last:
        add(f"priority {_PRIORITY + 3 * order + 1} {rule} lookup main suppress_prefixlength 0")
        add(f"priority {_PRIORITY + 3 * order + 2} {rule} lookup {ways.table + 10_000}")
    distance = 1
    for number, hop in ways.tracked:
        line = f"ip route 0.0.0.0/0 {hop} {distance} table {ways.table}"
        service = context.state.services.get("sla")
        if service is not None:
            service["routes"].append({"track": number, "daemon": speaker_of(_STATIC), "up": line, "down": f"no {line}"})
            context.state.frr.lines.setdefault(_STATIC, {})
        distance += 1
    for table, hops in ((ways.table, ways.first), (ways.table + 10_000, ways.last)):
        for hop in hops:
            context.state.frr.add(_STATIC, f"ip route 0.0.0.0/0 {hop} {distance} table {table}")
            distance += 1


def show_policy(at: Exec, _match: Match) -> str:
    """Show the route map of each interface with policy routing."""
    rows = []
    local = at.config.get("ip local policy route-map")
    if local is not None:
        rows.append(("local", local["map"]))
    for one in at.device.context().interfaces:
        entry = one.section.get("ip policy route-map")
        if entry is not None:
            rows.append((interfaces.parse(one.name).short, entry["map"]))
    lines = [f"{'Interface':<14} Route map", *(f"{name:<14} {used}" for name, used in rows)]
    return "\n".join([*lines, ""])


AREA = Area(
    name="policy routing",
    commands=(
        setting("ip policy route-map {map:name}", "Policy route map", mode=MODE),
        setting(f"{LOCAL} {{map:name}}", "Enable policy routing of the router's own packets"),
        show("ip policy", show_policy, "Show policy of routing on interfaces"),
    ),
    compile=compile_pbr,
    scope=(
        ("ip policy route-map, ip local policy route-map: match ip address, match length", "yes"),
        (
            (
                "set ip next-hop [recursive | verify-availability], set interface, set ip default next-hop, set ip"
                " precedence, set ip dscp"
            ),
            "yes",
        ),
        (
            "set interface LoopbackN, next hops on the network of a loopback (NAT on a stick)",
            "packets follow their destination; NAT, lists and policies of the loopback are not applied",
        ),
    ),
)
