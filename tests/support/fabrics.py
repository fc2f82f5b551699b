"""Packets through the flows of a fabric, on paper."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.dialects.openflow_controller.fabric import Place, Rule
from pytest_netbench.dialects.openflow_controller.intents import Host, Intents

IP, ARP = 0x0800, 0x0806
Tables = dict[str, list[Rule]]


def routed(intents: Intents, tables: Tables, source: Host, target: Host) -> tuple[list[Place], str]:
    """The places at which a packet to the source's gateway leaves switches, and what becomes of it."""
    gateway = next(one.mac for one in intents.networks if one.switch == source.switch)
    return _walk(intents, tables, (source.switch, source.port), {"eth_type": IP, "eth_dst": gateway}, target)


def switched(intents: Intents, tables: Tables, source: Host, target: Host) -> tuple[list[Place], str]:
    """The same for a packet that is sent to the hardware address of the target."""
    return _walk(intents, tables, (source.switch, source.port), {"eth_type": IP, "eth_dst": target.mac}, target)


def _walk(
    intents: Intents, tables: Tables, place: Place, fields: dict[str, object], target: Host
) -> tuple[list[Place], str]:
    far = {one: other for link in intents.links for one, other in (link.ends, link.ends[::-1])}
    hosts = {(one.switch, one.port): one for one in intents.hosts}
    packet: dict[str, object] = {**fields, "ipv4_dst": target.address}
    passed: list[Place] = []
    ttl = 64
    while ttl:
        switch, came_by = place
        fitting = [rule for rule in tables[switch] if _fits(rule, packet)]
        if not fitting:
            return passed, "no rule"
        port = None
        for action in max(fitting, key=lambda rule: rule.priority).actions:
            if action[0] == "set":
                packet[str(action[1])] = action[2]
            elif action[0] == "ttl":
                ttl -= 1
            elif action[0] == "output":
                port = int(action[1])
        if port is None or port == came_by:
            return passed, "dropped"
        passed.append((switch, port))
        if (switch, port) in hosts:
            host = hosts[switch, port]
            return passed, "delivered" if (host, packet["eth_dst"]) == (target, target.mac) else "misdelivered"
        place = far[switch, port]
    return passed, "too old"


def _fits(rule: Rule, packet: dict[str, object]) -> bool:
    for name, value in rule.match:
        if isinstance(value, tuple):
            if IPv4Address(str(packet[name])) not in IPv4Network("/".join(value)):
                return False
        elif packet.get(name) != value:
            return False
    return True
