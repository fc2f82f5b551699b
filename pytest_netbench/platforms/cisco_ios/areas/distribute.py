"""``distribute-list`` of OSPF and RIP: filters for received and advertised routes.

OSPF floods the same LSAs to all routers of an area, so its inbound list filters routes on their way into the routing
table, as in IOS.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.areas import rip
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_OSPF, _RIP = "router-ospf", "router-rip"

_SOURCES = "connected | static | rip | bgp {number!:asn} | eigrp {number!:1-65535} | isis"


def _command(words: str, tail: str, mode: str | tuple[str, ...]) -> Command:
    """Return a command whose list argument cannot be read as one of the keywords that may precede it."""
    name = f"distribute-list {words}".strip()
    return setting(
        f"distribute-list {words} {{list:name}} {tail}", "Filter networks in routing updates", name=name, mode=mode
    )


_IN = "{way!:onlyin} [ {interface!:interface} ]"

_COMMANDS = (
    *(_command(words, _IN, _OSPF) for words in ("", "prefix")),
    _command("route-map", "{way!:onlyin}", _OSPF),
    _command("", f"{{way!:onlyout}} [ {_SOURCES.join(('( ', ' )'))} ]", _OSPF),
    *(_command(words, "{way!:inout} [ {interface!:interface} ]", _RIP) for words in ("", "prefix")),
)

TYPES = {"onlyin": matching("in", "in"), "onlyout": matching("out", "out"), "inout": matching("in|out", "in|out")}

_DAEMON = "ripd"
_DEFAULT = "netbench-default-route"

_KINDS = ("distribute-list", "distribute-list prefix", "distribute-list route-map")


def compile_distribute(context: Context) -> None:
    """Add the filters of ``distribute-list`` lines."""
    for entry, body in context.config.sections("router ospf"):
        _ospf(context, str(entry.get("vrf") or ""), body)
    for _, body in context.config.sections("router rip"):
        for line in body.all(*_KINDS):
            prefix, name = _list(context, line)
            for where in _where(context, body, line):
                context.state.frr.add(_DAEMON, "router rip", f"distribute-list {prefix}{name} {line['way']}{where}")


def _where(context: Context, body: Section, entry: Entry) -> list[str]:
    """Return the interfaces of a line; "" stands for all, which ripd behind mgmtd accepts but ignores."""
    if "interface" in entry.match.args:
        return [f" {interfaces.kernel_name(entry['interface'])}"]
    if speaker_of(_DAEMON) == _DAEMON:
        return [""]
    alike = [one for one in body.all(entry.name) if one["way"] == entry["way"] and "interface" in one.match.args]
    own = {interfaces.kernel_name(one["interface"]) for one in alike}
    return [f" {one.kernel}" for one in rip.members(context, body) if one.kernel not in own]


def _list(context: Context, entry: Entry) -> tuple[str, str]:
    """Return FRR's keyword and name for the list of a line."""
    if entry.name == "distribute-list prefix":
        return "prefix ", frrnames.prefix_list(context, entry["list"])
    return "", frrnames.access_list(context, entry["list"])


def _ospf(context: Context, vrf: str, body: Section) -> None:
    head = f"router ospf vrf {vrf}" if vrf else "router ospf"
    inbound = [line for line in body.all(*_KINDS) if line["way"] == "in"]
    for line in [line for line in body.all("distribute-list") if line["way"] == "out"]:
        named = [igp.source_named(line.text.split(" out ", 1)[1])] if " out " in line.text else []
        # connected networks may come with another source (area ``connected``)
        sources = [*(one for one, _ in igp.redistributions(body) if one != "ospf"), "connected"]
        for source in named or dict.fromkeys(sources):
            context.state.frr.add("ospfd", head, f"distribute-list {_list(context, line)[1]} out {source}")
    # IOS takes no default route from OSPF while it always originates one
    own = any(one.has("always") for one in body.all("default-information originate"))
    if not inbound and not own:
        return
    name = _whole(inbound) or f"netbench-ospf-in{'-' if vrf else ''}{vrf}"
    path = (f"vrf {vrf}",) if vrf else ()
    refused = _no_default(context) if own else []
    entries = () if _whole(inbound) else (*refused, *_entries(context, inbound))
    for number, (action, matches) in enumerate(entries, start=1):
        opening = f"route-map {name} {action} {number}"
        context.state.frr.add("zebra", opening)
        for words in matches:
            context.state.frr.add("zebra", opening, f"match {words}")
    context.state.frr.add(
        "zebra", *path, f"ip protocol ospf route-map {name}", key="ip protocol ospf", undo="no ip protocol ospf"
    )


def _no_default(context: Context) -> list[tuple[str, list[str]]]:
    line = f"ip prefix-list {_DEFAULT} seq 5 permit 0.0.0.0/0"
    context.state.frr.add("zebra", line, undo=f"no {line}")
    return [("deny", [f"ip address prefix-list {_DEFAULT}"])]


def _whole(lines: list[Entry]) -> str | None:
    """Return the name of the route map that filters all routes, if there is one."""
    return next((str(line["list"]) for line in lines if line.name == "distribute-list route-map"), None)


def _entries(context: Context, lines: list[Entry]) -> Iterator[tuple[str, list[str]]]:
    """Return (action, match) entries: lists of single interfaces first, then the list for all interfaces."""
    for line in sorted(lines, key=lambda one: "interface" not in one.match.args):
        prefix, name = _list(context, line)
        judged = f"ip address {'prefix-list ' if prefix else ''}{name}"
        if "interface" in line.match.args:
            through = f"interface {interfaces.kernel_name(line['interface'])}"
            yield "permit", [through, judged]
            yield "deny", [through]
        else:
            yield "permit", [judged]
            return
    yield "permit", []


AREA = Area(
    name="distribute lists",
    commands=_COMMANDS,
    types=TYPES,
    compile=compile_distribute,
    scope=(("distribute-list of OSPF (in: lists, prefix lists, route maps; out: lists) and RIP", "yes"),),
)
