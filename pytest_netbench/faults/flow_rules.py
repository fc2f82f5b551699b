"""Faults of flows: rules of OpenFlow switches that their controller did not ask for, and which have precedence."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv4Network
from itertools import pairwise
from typing import Any, Final

from pytest_netbench.dialects.openflow_controller import fabric
from pytest_netbench.dialects.openflow_controller.intents import Host, Intents
from pytest_netbench.dialects.openvswitch.flows import flow
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, Symptom, given, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.southbound import BRIDGE, SWITCH, intents_of
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


def _rule(p: FlowRule, actions: str, **others: Any) -> Change:
    """A change by which a switch has a rule."""
    return Change(
        inject=(f"ovs-ofctl add-flow {BRIDGE} 'priority={PRIORITY},{p.match},actions={actions}'",),
        repair=(f"ovs-ofctl --strict del-flows {BRIDGE} 'priority={PRIORITY},{p.match}'",),
        shown=(f"bridge {BRIDGE}", f" flow {_shown(p, actions)}"),
        **others,
    )


def _shown(p: FlowRule, actions: str) -> str:
    return str(flow(f"priority={PRIORITY},{p.match} actions={actions}"))


def _has_rule(p: FlowRule) -> Symptom:
    because = f"{p.node} has a flow of priority {PRIORITY} for packets to {p.address}."
    return shows(p.node, "flow", because, priority=PRIORITY, match=p.match, actions=p.actions)


def _unreached(network: Observable, p: FlowRule) -> Iterator[Observation]:
    """A ping to the host of a rule that gets no answer: of its source, or else of any."""
    host = next((name for name, address in network.addresses.items() if address == p.address), None)
    if isinstance(p, LoopingRules):
        yield from asking.unreached(network, p.source, host)
    elif host is not None and not p.match.startswith("tcp"):
        yield from asking.missed(network, host)


_rule_fault = partial(config_fault, domain="forwarding", platforms=(SWITCH,))

FLOW_RULE_SHADOWING = _rule_fault(
    "flow-rule-shadowing",
    about="A rule of an OpenFlow switch drops packets to a host, and has precedence over the rule that forwards them.",
    label="FLOW_SHADOW",
    parameters=FlowRule,
    called={"nika": "flow_rule_shadowing"},
    at=lambda network: (
        FlowRule.of(network, switch, address=host.address, match=kind.format(host.address), actions="drop")
        for _, intents in intents_of(network)
        for host in intents.hosts
        for switch in _carriers(intents, host)
        for kind in _KINDS
    ),
    touches=lambda p: frozenset({f"flows to {p.address}"}),
    change=lambda p: _rule(p, p.actions, symptoms=(_has_rule(p), given(_unreached, p))),
)


def _does_not_circle(lab: Lab, p: LoopingRules) -> Iterator[str]:
    if not circles(_watched(lab, p)):
        yield f"no packet to {p.address} is seen {_TIMES} times at {p.interface}"


def _looping(p: LoopingRules) -> Change:
    there = _rule(p, p.peer_actions)
    rules = (f"on {node} {_shown(p, actions)}" for node, actions in ((p.node, p.actions), (p.peer, p.peer_actions)))
    return _rule(
        p,
        p.actions,
        checks=(given(_does_not_circle, p),),
        symptoms=(_has_rule(p), given(_unreached, p)),
        detail=f"The rules are {' and '.join(rules)}.",
        elsewhere={p.peer: there},
    )


FLOW_RULE_LOOP = _rule_fault(
    "flow-rule-loop",
    about="Rules of two OpenFlow switches send packets to a host around in a circle until their time to live ends.",
    label="FLOW_LOOP",
    parameters=LoopingRules,
    also_on=lambda p: (p.peer,),
    called={"nika": "flow_rule_loop"},
    requires=("captures", "probes"),
    at=lambda network: (
        one for _, intents in intents_of(network) for host in intents.hosts for one in _loops(network, intents, host)
    ),
    # without one of the cables the controller finds other ways, on which nothing circles
    touches=lambda p: frozenset({f"flows to {p.address}", *p.ways, f"{p.source} {p.source_interface}"}),
    change=_looping,
)


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


def _watched(lab: Lab, p: LoopingRules) -> bytes:
    """A capture at the first switch, while the source sends."""
    node = lab.nodes[p.node]
    echo = Probe(source=p.source, target=p.address, timeout_s=_WATCHED_S / 2, repetitions=0)
    with ThreadPoolExecutor(max_workers=1) as pool:
        capturing = pool.submit(
            node.capability(CAPTURES).capture, p.interface, program=_EVERYTHING, packets=10_000, duration_s=_WATCHED_S
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
            yield LoopingRules.of(
                network,
                host.switch,
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
