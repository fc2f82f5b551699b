"""Faults of flows: rules of OpenFlow switches that their controller did not ask for, and which have precedence."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from typing import Final, TypeVar

from pytest_netbench.dialects.openflow_controller import fabric
from pytest_netbench.dialects.openflow_controller.intents import Host, Intents
from pytest_netbench.dialects.openvswitch.flows import flow
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.southbound import BRIDGE, SWITCH, intents_of
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import CAPTURES

PRIORITY: Final = 200
"""More than that of the controller's own rules."""
_KINDS: Final = ("ip,nw_dst={}", "icmp,nw_dst={}", "tcp,nw_dst={},tp_dst=80")
_EVERYTHING: Final = struct.pack("=HBBI", 0x06, 0, 0, 0xFFFF)
"""A program of one instruction that accepts each frame."""
_WATCHED_S: Final = 0.4
_TIMES: Final = 3
"""How often one packet is seen with another time to live, to say that it circles."""


class FlowRule(OnDevice):
    """A rule of a switch, and the host whose packets it takes."""

    address: str
    match: str
    actions: str


class LoopingRules(FlowRule):
    """Two rules of two switches.

    Attributes:
        interface: Of the first switch, toward the second one.
        peer: The second switch.
        peer_actions: What its rule does.
        source: A host of another switch, by whose packets it is seen.
        source_interface: Of that host.
        ways: Node and interface of each cable on which they circle.
    """

    interface: str
    peer: str
    peer_actions: str
    source: str
    source_interface: str
    ways: tuple[str, ...]


R = TypeVar("R", bound=FlowRule)


class _RuleFault(DeviceFault[R]):
    domain = "forwarding"
    platforms = (SWITCH,)

    def touches(self, parameters: R) -> frozenset[str]:
        return frozenset({f"flows to {parameters.address}"})


class FlowRuleShadowing(_RuleFault[FlowRule]):
    """A rule of an OpenFlow switch drops packets to a host, and has precedence over the rule that forwards them."""

    name = "flow-rule-shadowing"
    label = "FLOW_SHADOW"
    parameters = FlowRule
    called = {"nika": "flow_rule_shadowing"}

    def _places(self, network: DrawnNetwork) -> Iterator[FlowRule]:
        for _, intents in intents_of(network):
            for host in intents.hosts:
                for switch in _carriers(intents, host):
                    for kind in _KINDS:
                        match = kind.format(host.address)
                        yield FlowRule(node=switch, platform=SWITCH, address=host.address, match=match, actions="drop")

    def injection(self, parameters: FlowRule) -> tuple[str, ...]:
        return (_adding(parameters.match, parameters.actions),)

    def repair(self, parameters: FlowRule) -> tuple[str, ...]:
        return (_removing(parameters.match),)

    def shown(self, parameters: FlowRule) -> tuple[str, ...]:
        return _shown(parameters.match, parameters.actions)

    def symptoms(self, parameters: FlowRule, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has a flow of priority {PRIORITY} for packets to {p.address}."
        words = {"priority": PRIORITY, "match": p.match, "actions": p.actions}
        yield from asking.state(network, p.node, "flow", because, **words)
        host = next((name for name, address in network.addresses.items() if address == p.address), None)
        if host is not None and not p.match.startswith("tcp"):
            yield from asking.missed(network, host)


class FlowRuleLoop(_RuleFault[LoopingRules]):
    """Rules of two OpenFlow switches send packets to a host around in a circle until their time to live ends."""

    name = "flow-rule-loop"
    label = "FLOW_LOOP"
    parameters = LoopingRules
    called = {"nika": "flow_rule_loop"}
    requires = ("captures", "probes")

    def also_on(self, parameters: LoopingRules) -> tuple[str, ...]:
        return (parameters.peer,)

    def _places(self, network: DrawnNetwork) -> Iterator[LoopingRules]:
        for _, intents in intents_of(network):
            for host in intents.hosts:
                yield from _loops(network, intents, host)

    def touches(self, parameters: LoopingRules) -> frozenset[str]:
        # without one of the cables the controller finds other ways, on which nothing circles
        seen_from = f"{parameters.source} {parameters.source_interface}"
        return super().touches(parameters) | frozenset((*parameters.ways, seen_from))

    def inject(self, parameters: LoopingRules, lab: Lab) -> None:
        for node, actions in _rules(parameters).items():
            self._apply([_adding(parameters.match, actions)], node, lab)

    def injection(self, parameters: LoopingRules) -> tuple[str, ...]:
        return (_adding(parameters.match, parameters.actions),)

    def shown(self, parameters: LoopingRules) -> tuple[str, ...]:
        return _shown(parameters.match, parameters.actions)

    def repair(self, parameters: LoopingRules) -> tuple[str, ...]:
        return (_removing(parameters.match),)

    def recover(self, parameters: LoopingRules) -> Commands:
        return dict.fromkeys(_rules(parameters), self.repair(parameters))

    def remains(self, parameters: LoopingRules, lab: Lab) -> Iterator[str]:
        other = lab.driver(parameters.peer).running_config(lab.nodes[parameters.peer])
        (_, wanted) = _shown(parameters.match, parameters.peer_actions)
        if wanted not in other.splitlines():
            yield f"the rule of {parameters.peer} is not in its running config"
        elif not circles(_watched(parameters, lab)):
            yield f"no packet to {parameters.address} is seen {_TIMES} times at {parameters.interface}"

    def explain(self, parameters: LoopingRules) -> str:
        rules = (
            f"on {node} {flow(f'priority={PRIORITY},{parameters.match} actions={actions}')}"
            for node, actions in _rules(parameters).items()
        )
        return f"{about(self)} The rules are {' and '.join(rules)}."

    def symptoms(self, parameters: LoopingRules, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has a flow of priority {PRIORITY} for packets to {p.address}."
        words = {"priority": PRIORITY, "match": p.match, "actions": p.actions}
        yield from asking.state(network, p.node, "flow", because, **words)
        host = next((name for name, address in network.addresses.items() if address == p.address), None)
        if host is not None:
            yield from asking.unreached(network, p.source, host)


def circles(capture: bytes) -> bool:
    """Whether a capture has an IPv4 packet that is seen several times, each time with another time to live."""
    seen: dict[bytes, set[int]] = {}
    position = 24
    while position + 16 <= len(capture):
        (length,) = struct.unpack_from("=I", capture, position + 8)
        frame = capture[position + 16 : position + 16 + length]
        position += 16 + length
        if frame[12:14] == b"\x08\x00" and len(frame) >= 34:
            # without the time to live and the checksum over it
            packet = frame[14:22] + frame[23:24] + frame[26:]
            seen.setdefault(packet, set()).add(frame[22])
    return any(len(times) >= _TIMES for times in seen.values())


def _watched(parameters: LoopingRules, lab: Lab) -> bytes:
    """A capture at the first switch, while the source sends."""
    node = lab.nodes[parameters.node]
    echo = Probe(source=parameters.source, target=parameters.address, timeout_s=_WATCHED_S / 2, repetitions=0)
    with ThreadPoolExecutor(max_workers=1) as pool:
        capturing = pool.submit(
            node.capability(CAPTURES).capture,
            parameters.interface,
            program=_EVERYTHING,
            packets=10_000,
            duration_s=_WATCHED_S,
        )
        lab.prober.probe([echo] * _TIMES)
        return capturing.result()


def _carriers(intents: Intents, host: Host) -> Iterator[str]:
    """The switches that packets to a host pass: those with hosts, and those between them and its own."""
    yield host.switch
    (network,) = (one for one in intents.networks if one.switch == host.switch)
    found: dict[str, None] = {}
    for start in dict.fromkeys(one.switch for one in intents.hosts):
        passed = start
        while passed != host.switch and passed not in found:
            found[passed] = None
            passed = _next(intents, passed, network.prefix)
    yield from found


def _next(intents: Intents, switch: str, prefix: str) -> str:
    """The next switch toward a subnet."""
    address = prefix.partition("/")[0]
    for rule in fabric.tables(intents)[switch]:
        target = dict(rule.match).get("ipv4_dst")
        if isinstance(target, tuple) and target[0] == address:
            (port,) = (action[1] for action in rule.actions if action[0] == "output")
            return _neighbors(intents, switch)[int(port)]
    raise ValueError(f"{switch} has no rule for {prefix}")


def _neighbors(intents: Intents, switch: str) -> dict[int, str]:
    """By port of a switch: the switch behind it."""
    ends = [(one, other) for link in intents.links for one, other in (link.ends, link.ends[::-1])]
    return {one[1]: other[0] for one, other in ends if one[0] == switch}


def _loops(network: DrawnNetwork, intents: Intents, host: Host) -> Iterator[LoopingRules]:
    """From the host's switch to a neighbor that is not on the way to it, on to another switch, and back on that way."""
    (lan,) = (one for one in intents.networks if one.switch == host.switch)
    source = next(
        one
        for lan in network.lans
        for one in lan.attachments
        if IPv4Address(host.address) not in IPv4Network(lan.prefix)
    )
    for port, detour in _neighbors(intents, host.switch).items():
        for onward, third in _neighbors(intents, detour).items():
            if third == host.switch or (last := _next(intents, third, lan.prefix)) in {host.switch, detour}:
                continue
            if _next(intents, last, lan.prefix) != host.switch:
                continue
            ring = (host.switch, detour, third, last, host.switch)
            yield LoopingRules(
                node=host.switch,
                platform=SWITCH,
                address=host.address,
                match=f"ip,nw_dst={host.address}",
                actions=f"dec_ttl,output:{port}",
                interface=f"eth{port}",
                peer=detour,
                peer_actions=f"dec_ttl,output:{onward}",
                source=source.node,
                source_interface=source.interface,
                ways=tuple(_ways(intents, ring)),
            )


def _ways(intents: Intents, ring: tuple[str, ...]) -> Iterator[str]:
    for one, other in pairwise(ring):
        for near, far in ((one, other), (other, one)):
            ports = [port for port, name in _neighbors(intents, near).items() if name == far]
            yield from (f"{near} eth{port}" for port in ports)


def _rules(parameters: LoopingRules) -> Mapping[str, str]:
    """By switch: what its rule does."""
    return {parameters.node: parameters.actions, parameters.peer: parameters.peer_actions}


def _adding(match: str, actions: str) -> str:
    return f"ovs-ofctl add-flow {BRIDGE} 'priority={PRIORITY},{match},actions={actions}'"


def _removing(match: str) -> str:
    return f"ovs-ofctl --strict del-flows {BRIDGE} 'priority={PRIORITY},{match}'"


def _shown(match: str, actions: str) -> tuple[str, str]:
    return f"bridge {BRIDGE}", f" flow {flow(f'priority={PRIORITY},{match} actions={actions}')}"
