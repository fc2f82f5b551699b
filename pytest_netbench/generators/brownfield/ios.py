"""Leftovers in configurations of IOS."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from ipaddress import IPv4Network

from pytest_netbench.generators.brownfield.common import Grow, Lines, as_number, prefix_list, route_map, summary_route
from pytest_netbench.generators.brownfield.ground import Ground

_PORTS = (22, 23, 25, 53, 69, 80, 123, 161, 389, 443, 445, 514, 1433, 3306, 3389, 8080)


def kinds(config: str) -> Iterator[Grow]:
    """What may be left over on a router or switch with this configuration."""
    of_bgp = "router bgp " in config
    yield from (_extended, _extended, _extended, _standard, _numbered, prefix_list, _objects, _static_routes)
    yield from (partial(route_map, of_bgp=of_bgp), _policy, _hosts, _time_range)
    if of_bgp:
        yield from (_community_list, _as_path_list)


def once(config: str, ground: Ground) -> Iterator[Lines]:
    """What a device has once: how it is managed, and ports without a cable."""
    yield _managed(ground)
    names = [line.split()[1] for line in config.splitlines() if line.startswith("interface GigabitEthernet")]
    stem = (
        "GigabitEthernet1/0/" if any(name.startswith("GigabitEthernet1/0/") for name in names) else "GigabitEthernet0/"
    )
    first = 1 + max((int(name.rpartition("/")[2]) for name in names), default=0)
    for number in range(first, first + ground.source.randint(2, 6)):
        yield [f"interface {stem}{number}", f" description {_spare(ground)}", " shutdown"]


def session(number: int, ground: Ground) -> tuple[str, Lines]:
    """A session of BGP that is shut down: the neighbor's address, and the lines. ``number``: of the own system."""
    address = str(ground.address())
    return address, [
        f"router bgp {number}",
        f" neighbor {address} remote-as {as_number(ground)}",
        f" neighbor {address} description {ground.note()}",
        f" neighbor {address} shutdown",
    ]


def described(interface: str, text: str) -> Lines:
    """Another description of an interface, and what has no effect beside it."""
    return [f"interface {interface}", f" description {text}"]


def filtering(name: str, interface: str, direction: str, ports: tuple[int, ...], note: str) -> Lines:
    """An access list for an interface that denies UDP to ports, and permits the rest."""
    return [
        f"ip access-list extended {name}",
        f" remark {note}",
        *(f" deny udp any any eq {port}" for port in ports),
        " permit ip any any",
        f"interface {interface}",
        f" ip access-group {name} {direction}",
    ]


def limiting(name: str, interface: str, ports: tuple[int, ...], note: str) -> Lines:
    """A policy for what comes in at an interface that limits UDP to ports."""
    return [
        f"ip access-list extended {name}",
        f" remark {note}",
        *(f" permit udp any any eq {port}" for port in ports),
        f"class-map match-any {name}",
        f" match access-group name {name}",
        f"policy-map {name}",
        f" class {name}",
        "  police 64000",
        f"interface {interface}",
        f" service-policy input {name}",
    ]


def _spare(ground: Ground) -> str:
    return ground.source.choice(
        ("spare", "*** unused ***", "SPARE", f"was {ground.note()}", f"reserved, {ground.note()}")
    )


def _managed(ground: Ground) -> Lines:
    some = ground.source
    lines = [
        *(f"ntp server {ground.address()}" for _ in range(some.randint(1, 3))),
        *(f"snmp-server community {ground.name()} {some.choice(('RO', 'RW'))}" for _ in range(some.randint(1, 3))),
        f"snmp-server location {ground.note()}",
        f"snmp-server contact {ground.note()}",
        *(f"snmp-server host {ground.address()} version 2c {ground.name()}" for _ in range(some.randint(0, 2))),
        *(f"ip name-server {ground.address()}" for _ in range(some.randint(1, 2))),
        f"ip domain-name {some.choice(('corp', 'net', 'lan', 'old'))}.example",
        f"clock timezone {some.choice(('CET 1', 'UTC 0', 'EET 2'))}",
        *some.sample(
            (
                "no ip http server",
                "no ip http secure-server",
                "ip tcp path-mtu-discovery",
                "service tcp-keepalives-in",
                "service tcp-keepalives-out",
                "login on-failure log",
                "login on-success log",
                "ip ssh version 2",
                "ip ssh time-out 60",
                "ip tcp synwait-time 10",
                "alias exec sib show ip interface brief",
                "alias exec srs show running-config | section",
                "snmp-server enable traps",
                "snmp-server ifindex persist",
                "ip flow-top-talkers",
                "scheduler allocate 20000 1000",
            ),
            some.randint(6, 14),
        ),
    ]
    return some.sample(lines, len(lines))


def _wildcard(net: IPv4Network) -> str:
    return f"{net.network_address} {net.hostmask}"


def _end(ground: Ground) -> str:
    kind = ground.source.randrange(4)
    if kind == 0:
        return "any"
    return (
        f"host {ground.address()}" if kind == 1 else _wildcard(ground.network(*((22, 28) if kind == 2 else (16, 24))))
    )


def _rule(ground: Ground) -> str:
    some = ground.source
    verdict, protocol = some.choice(("permit", "permit", "deny")), some.choice(("tcp", "tcp", "udp", "ip", "icmp"))
    port = f" eq {some.choice(_PORTS)}" if protocol in ("tcp", "udp") else ""
    return f"{verdict} {protocol} {_end(ground)} {_end(ground)}{port}{some.choice(('', '', '', ' log'))}"


def _extended(ground: Ground) -> Lines:
    some = ground.source
    rules = [f" {_rule(ground)}" for _ in range(some.randint(3, 24))]
    remarks = [f" remark {ground.note()}"] if some.random() < 0.5 else []
    last = [f" {some.choice(('permit ip any any', 'deny ip any any', 'deny ip any any log'))}"]
    return [f"ip access-list extended {ground.name()}", *remarks, *rules, *last]


def _standard(ground: Ground) -> Lines:
    some = ground.source
    rules = [
        f" {some.choice(('permit', 'deny'))} {some.choice((f'host {ground.address()}', _wildcard(ground.network())))}"
        for _ in range(some.randint(2, 10))
    ]
    return [f"ip access-list standard {ground.name()}", *rules]


def _numbered(ground: Ground) -> Lines:
    some, number = ground.source, ground.number(100, 199)
    if number is None:
        return []
    remarks = [f"access-list {number} remark {ground.note()}"] if some.random() < 0.5 else []
    return [*remarks, *(f"access-list {number} {_rule(ground)}" for _ in range(some.randint(2, 14)))]


def _objects(ground: Ground) -> Lines:
    some = ground.source
    members = [
        some.choice((f" host {ground.address()}", f" {(net := ground.network()).network_address} {net.netmask}"))
        for _ in range(some.randint(2, 12))
    ]
    return [f"object-group network {ground.name()}", f" description {ground.note()}", *members]


def _static_routes(ground: Ground) -> Lines:
    some, lines = ground.source, []
    for _ in range(some.randint(1, 6)):
        if net := summary_route(ground):
            prefix = IPv4Network(net)
            via = some.choice((f"{ground.address()}", f"{ground.address()} 250", "Null0", "Null0 250"))
            named = some.choice(("", "", f" name {ground.name()}"))
            lines.append(f"ip route {prefix.network_address} {prefix.netmask} {via}{named}")
    return lines


def _policy(ground: Ground) -> Lines:
    some, matched, name = ground.source, ground.name(), ground.name()
    return [
        f"class-map match-any {matched}",
        f" match ip dscp {some.choice(('ef', 'af31', 'af41', 'cs3', 'cs5'))}",
        f"policy-map {name}",
        f" class {matched}",
        f"  {some.choice(('bandwidth percent 20', 'police 8000000', 'set ip precedence 3', 'priority percent 10'))}",
    ]


def _hosts(ground: Ground) -> Lines:
    return [f"ip host {ground.name().lower()} {ground.address()}" for _ in range(ground.source.randint(1, 6))]


def _time_range(ground: Ground) -> Lines:
    some = ground.source
    hours = f"{some.randint(0, 9):02}:00 to {some.randint(12, 23)}:{some.choice(('00', '30', '59'))}"
    return [f"time-range {ground.name()}", f" periodic {some.choice(('daily', 'weekdays', 'weekend'))} {hours}"]


def _community_list(ground: Ground) -> Lines:
    some, name = ground.source, ground.name()
    pairs = [f"{as_number(ground)}:{some.randint(1, 999)}" for _ in range(some.randint(2, 7))]
    return [f"ip community-list standard {name} permit {pair}" for pair in pairs]


def _as_path_list(ground: Ground) -> Lines:
    some, number = ground.source, ground.number(1, 99)
    if number is None:
        return []
    ends = [f"_{as_number(ground)}{some.choice(('_', '$'))}" for _ in range(some.randint(2, 7))]
    return [f"ip as-path access-list {number} {some.choice(('permit', 'deny'))} {end}" for end in ends]
