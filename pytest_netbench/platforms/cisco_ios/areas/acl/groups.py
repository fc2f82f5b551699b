"""Object groups: networks as nftables sets, services as alternative match conditions."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.acl import names
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ports
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import group_set, icmp, port_conditions
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

NETWORK = "object-group network"
SERVICE = "object-group service"
_MODES = {NETWORK: "group-network", SERVICE: "group-service"}


def compile_groups(context: Context) -> None:
    """Add a set for every network group."""
    for entry, _ in context.config.sections(NETWORK):
        found = sorted(set(_networks(context.config, entry["group"], set())))
        elements = f" elements = {{ {', '.join(found)} }};" if found else ""
        context.state.nft.object(
            "inet", f"set {group_set(entry['group'])} {{ type ipv4_addr; flags interval; auto-merge;{elements} }}"
        )


def _networks(config: Section, name: str, seen: set[str]) -> Iterator[str]:
    seen.add(name)
    entry = config.get(NETWORK, group=name)
    for one in entry.body if entry is not None else ():
        if one.name == "host":
            yield one["address"]
        elif one.name == "network":
            yield str(IPv4Network(f"{one['network']}/{one['mask']}", strict=False))
        elif one.name == "range":
            yield f"{one['first']}-{one['last']}" if one["first"] != one["last"] else one["first"]
        elif one.name == "any":
            yield "0.0.0.0/0"
        elif one.name == "group-object" and one["group"] not in seen:
            yield from _networks(config, one["group"], seen)


def service_conditions(context: Context, name: str) -> list[str]:
    """Return alternative conditions that match the services of a group."""
    return list(dict.fromkeys(_services(context.config, name, set())))


def _services(config: Section, name: str, seen: set[str]) -> Iterator[str]:
    seen.add(name)
    entry = config.get(SERVICE, group=name)
    for one in entry.body if entry is not None else ():
        if one.name == "group-object":
            if one["group"] not in seen:
                yield from _services(config, one["group"], seen)
        elif one.name == "icmp":
            pair = one.get("icmp")
            yield "meta l4proto icmp" if pair is None else icmp(pair)
        elif one.name == "protocol":
            yield _plain(one)
        else:
            yield from _with_ports(one)


def _plain(one: Entry) -> str:
    word = one.get("protocol")
    if word is None:
        word = next(word for word in ("ip", *names.PROTOCOLS) if one.has(word))
    return "" if word == "ip" else f"meta l4proto {names.PROTOCOLS.get(str(word), word)}"


def _with_ports(one: Entry) -> Iterator[str]:
    ends = [(field, ports) for field, side in (("sport", "src"), ("dport", "dst")) if (ports := _ports(one, side))]
    for protocol in ("tcp", "udp") if one.name == "tcp-udp" else (one.name,):
        found = [""]
        for field, ports in ends:
            found = [f"{a} {b}".strip() for a in found for b in port_conditions(f"{protocol} {field}", ports)]
        yield from found if ends else [f"meta l4proto {protocol}"]


def _ports(one: Entry, side: str) -> Ports | None:
    if f"{side}_from" in one.match.args:
        low, high = sorted((one[f"{side}_from"], one[f"{side}_to"]))
        return Ports(operator="range", values=(low, high))
    for operator in ("eq", "lt", "gt"):
        if f"{side}_{operator}" in one.match.args:
            return Ports(operator=operator, values=(one[f"{side}_{operator}"],))
    return None


def _check_group(edit: Edit, match: Match) -> str | None:
    parent = edit.section.parent
    # a saved config may use a group before it defines the group
    if not edit.booting and parent is not None and edit.config.get(parent.name, group=match["group"]) is None:
        return f"% object-group {match['group']} does not exist"
    return None


def _check_type(edit: Edit, match: Match) -> str | None:
    other = SERVICE if match.name == NETWORK else NETWORK
    if edit.config.has(other, group=match["group"]):
        return f"% object-group {match['group']} already exists with another type"
    return None


def _check_range(_edit: Edit, match: Match) -> str | None:
    return "% Invalid range" if IPv4Address(match["first"]) > IPv4Address(match["last"]) else None


def _port_words(side: str, kind: str) -> str:
    return (
        f"eq {{{side}_eq!:{kind}}} | lt {{{side}_lt!:{kind}}} | gt {{{side}_gt!:{kind}}} "
        f"| range {{{side}_from!:{kind}}} {{{side}_to!:{kind}}}"
    )


def _with_port_pattern(word: str, kind: str) -> str:
    target = f"{_port_words('dst', kind)} | {{dst_eq!:{kind}}}"
    return f"{word} [ source ( {_port_words('src', kind)} ) ] [ {target} ]"


MODES = (
    Mode(name="group-network", prompt="config-network-group", help="network object group"),
    Mode(name="group-service", prompt="config-service-group", help="service object group"),
)
COMMANDS = table(
    setting("object-group network {group!:name}", "network group", opens="group-network", check=_check_type),
    setting("object-group service {group!:name}", "service group", opens="group-service", check=_check_type),
    setting("description {text:line}", mode=("group-network", "group-service")),
    setting(
        "group-object {group!:name}", "Nested object group", check=_check_group, mode=("group-network", "group-service")
    ),
    setting("host {address!:ipv4}", "Host address of the group members", mode="group-network"),
    setting("{network!:ipv4} {mask!:mask}", name="network", mode="group-network"),
    setting(
        "range {first!:ipv4} {last!:ipv4}", "Match only packets in the range", check=_check_range, mode="group-network"
    ),
    setting("any", "Any host", mode="group-network"),
    setting(_with_port_pattern("tcp", "tcpport"), "TCP protocol", mode="group-service"),
    setting(_with_port_pattern("udp", "udpport"), "UDP protocol", mode="group-service"),
    setting(_with_port_pattern("tcp-udp", "tcpport"), "TCP or UDP protocol", mode="group-service"),
    setting("icmp [ {icmp!:icmptype} ]", "Internet Control Message Protocol", mode="group-service"),
    setting(
        "( ip | ahp | eigrp | esp | gre | igmp | ipinip | nos | ospf | pcp | pim | {protocol!:0-255} )",
        name="protocol",
        mode="group-service",
    ),
)
