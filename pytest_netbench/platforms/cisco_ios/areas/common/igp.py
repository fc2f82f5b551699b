"""Features shared by the interior protocols: passive interfaces, router IDs, redistribution as in IOS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.pattern import AnyOrder, elements
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_MOST_DENIED = 999
_UP_TO_CLASS = ("0.0.0.0/1 le 8", "128.0.0.0/2 le 16", "192.0.0.0/3 le 24", "128.0.0.0/1", "192.0.0.0/2")
CLASSFUL = "netbench-classful"
"""The prefix list of routes that IOS redistributes into OSPF without the word ``subnets``."""


def passive_commands(mode: str | tuple[str, ...]) -> tuple[Command, ...]:
    """Return the ``passive-interface`` commands, which all protocols have."""
    return table(
        setting("passive-interface default", "Suppress routing updates on all interfaces", edit=_passive_default),
        setting("passive-interface {interface!:interface}", "Suppress routing updates on an interface", edit=_passive),
        mode=mode,
    )


def _passive_default(edit: Edit, match: Match) -> str | None:
    edit.section.remove(*(entry for entry in edit.section if entry.name == "passive-interface"))
    words = edit.keep(match)
    _settle_families(edit.section)
    return words


def _passive(edit: Edit, match: Match) -> str | None:
    """Store ``passive-interface``.

    Under ``passive-interface default`` the exceptions are stored as ``no`` lines, otherwise the passive
    interfaces.
    """
    section, name = edit.section, match["interface"]
    section.remove(*(e for e in section if e.name == "passive-interface" and e["interface"] == name))
    excepted = is_passive(section, name) if match.negated else not section.has("passive-interface default")
    if not match.reset and excepted:
        edit.put(f"no {match.text}" if match.negated else match.text)
    _settle_families(section)
    return None


def _settle_families(section: Section) -> None:
    """Remove ``no passive-interface`` lines of address families that the process's lines have made obsolete."""
    for _, body in section.sections("address-family"):
        for entry in [e for e in body if e.name == "passive-interface" and e.negated]:
            if not body.has("passive-interface default") and not is_passive(section, entry["interface"]):
                body.remove(entry)


def is_passive(section: Section, name: str) -> bool:
    """Whether an interface is passive. An address family inherits this from its process unless it has its own line."""
    line = next((e for e in section if e.name == "passive-interface" and e["interface"] == name), None)
    if line is not None:
        return not line.negated
    if section.has("passive-interface default"):
        return True
    within = section.parent if section.parent is not None and section.parent.name == "address-family" else None
    return within is not None and is_passive(within.section, name)


def leave(edit: Edit, process: int | str | None, *names: str, argument: str = "process") -> None:
    """Remove the interface lines called ``names`` when their process is removed.

    Otherwise these lines would create the process again when the config is read.
    """
    for _, body in edit.config.sections("interface"):
        body.remove(*(line for line in body.all(*names) if line.get(argument) == process))


def addresses(context: Context, one: Interface) -> tuple[str, ...]:
    """Return the IPv4 addresses of an interface for protocols: its own, or those of its ``ip unnumbered`` interface."""
    lender = one.section.get("ip unnumbered")
    if one.addresses or lender is None:
        return one.addresses
    other = context.interface(str(lender["lender"]))
    return tuple(f"{address.split('/')[0]}/32" for address in other.addresses[:1]) if other else ()


def router_id(context: Context, process: str, configured: str | None, vrf: str = "") -> str | None:
    """Return the router ID of a process.

    It is the configured one, else the one chosen at its start, else the highest address of a loopback, else the
    highest address.
    """
    if configured is not None:
        return configured
    kept = context.facts.live.get("chosen", {}).get(process)
    found = kept or _highest(context, vrf)
    if found is not None:
        context.state.chosen[process] = found
    return found


def _highest(context: Context, vrf: str) -> str | None:
    usable = [one for one in context.interfaces if one.enabled and one.addresses and one.vrf == vrf]
    loopbacks = [one for one in usable if one.parsed.kind == "Loopback"]
    found = [IPv4Interface(text).ip for one in loopbacks or usable for text in one.addresses]
    return str(max(found)) if found else None


def classful(address: str) -> IPv4Network:
    """Return the class A, B or C network of an address; all addresses for 0.0.0.0, a host network for others."""
    if address == UNSPECIFIED:
        return IPv4Network("0.0.0.0/0")
    first = int(address.split(".", 1)[0])
    length = 8 if first < 128 else 16 if first < 192 else 24 if first < 224 else 32
    return IPv4Network(f"{address}/{length}", strict=False)


def frr_interface(one: Interface) -> str:
    """Return the line that opens an interface in FRR."""
    return f"interface {one.kernel}" + (f" vrf {one.vrf}" if one.vrf else "")


def wildcard_matches(address: str, network: str, wildcard: str) -> bool:
    """Whether a network statement matches ``address``."""
    care = ~int(IPv4Address(wildcard))
    return int(IPv4Address(address)) & care == int(IPv4Address(network)) & care


# -- redistribution --------------------------------------------------------------------------------------------------

SOURCES = (
    "connected",
    "static",
    "rip",
    "eigrp {number!:1-65535}",
    "bgp {number!:asn}",
    (
        "ospf {number!:1-65535} [ match < internal | external | external 1 | external 2 | nssa-external | nssa-external"
        " 1 | nssa-external 2 > ]"
    ),
    "isis [ {tag:word} ] [ ( level-1 | level-2 | level-1-2 ) ]",
)
"""Sources that can be redistributed, as patterns."""


def redistribute_commands(
    mode: str | tuple[str, ...], options: str, *, sources: Sequence[str] = SOURCES, but: Sequence[str] = ()
) -> tuple[Command, ...]:
    """Return ``redistribute`` commands for every source except the protocol itself; ``options`` is a pattern."""
    return tuple(
        setting(
            f"redistribute {source} {options}",
            "Redistribute information from another routing protocol",
            name="redistribute",
            edit=_redistribute,
            mode=mode,
        )
        for source in sources
        if source.split()[0] not in but
    )


def _redistribute(edit: Edit, match: Match) -> str | None:
    """Store ``redistribute``. ``no redistribute X OPTION`` removes only the option, as in IOS."""
    typed = [part for part in match.parts if not _is_source(match, part)]
    found = next((e for e in edit.section.all("redistribute") if e.same_line(match)), None)
    if not match.negated or not typed or found is None:
        return edit.keep(match)
    options = _options(match)
    gone = {options.get(part[0].position) for part in typed}
    left = tuple(part for part in found.match.parts if options.get(part[0].position, -1) not in gone)
    edit.section.remove(found)
    edit.put(replace(found.match, parts=left).text)
    return None


def _options(match: Match) -> dict[int, int]:
    """Map positions in the pattern to the index of the free-order option that they belong to."""
    groups = [node for node in match.known.pattern.root.items if isinstance(node, AnyOrder)]
    options = [option for group in groups for option in group.options]
    return {element.position: at for at, option in enumerate(options) for element in elements(option)}


def _is_source(match: Match, part: tuple[object, object, str]) -> bool:
    # the word itself, the protocol's name and its number
    return part in match.parts[: 3 if match.keys else 2]


def source_of(entry: Entry) -> str:
    """Return FRR's word for the source of a ``redistribute`` line."""
    return source_named(entry.text.split(maxsplit=1)[1])


def source_named(words: str) -> str:
    """Return FRR's word for a source of routes, e.g. ``bgp 65001``. FRR gets EIGRP's routes from the kernel."""
    source = words.split(maxsplit=1)[0]
    return "kernel" if source == "eigrp" else source


def redistributions(section: Section) -> Iterator[tuple[str, Entry]]:
    """Return the ``redistribute`` lines of a process, each with FRR's word for its source."""
    for entry in section.all("redistribute"):
        yield source_of(entry), entry


def report_kinds(context: Context, section: Section) -> None:
    """Report ``redistribute ospf … match``, where the daemon takes OSPF routes of all kinds."""
    for source, entry in redistributions(section):
        if source == "ospf" and entry.has("match"):
            context.unsupported(entry, "internal and external OSPF routes are not distinguished")


def wrapped_map(
    context: Context,
    daemon: str,
    name: str,
    *,
    match: Iterable[str] = (),
    deny: Iterable[str] = (),
    set_: Iterable[str] = (),
    call: str | None,
) -> str | None:
    """Return a route map that adds to ``call`` what FRR's ``redistribute`` lacks; ``call`` if nothing is added."""
    matches, sets, denied = list(match), list(set_), list(deny)
    if not matches and not sets and not denied:
        return call
    for number, words in enumerate(denied[:_MOST_DENIED], start=1):
        refusing = f"route-map {name} deny {number}"
        context.state.frr.add(daemon, refusing)
        context.state.frr.add(daemon, refusing, f"match {words}")
    opening = f"route-map {name} permit 1000"
    context.state.frr.add(daemon, opening)
    for words in matches:
        context.state.frr.add(daemon, opening, f"match {words}")
    for words in sets:
        context.state.frr.add(daemon, opening, f"set {words}")
    if call:
        context.state.frr.add(daemon, opening, f"call {call}", key="call", undo="no call")
    return name


def classful_list(context: Context, daemon: str) -> str:
    """Add the prefix list of class A, B and C networks and of networks that contain several; return its name."""
    for number, words in enumerate(_UP_TO_CLASS, start=1):
        context.state.frr.add(daemon, f"ip prefix-list {CLASSFUL} seq {number} permit {words}")
    return CLASSFUL
