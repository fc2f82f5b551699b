"""Faults of whole P4 switches: one that forwards nothing and answers nobody. No command of a device repairs it."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.p4.fabric import ROUTES, lines_of
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Change, given
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.p4_fabrics import SWITCH, SeenByPing, unreached, uses_of
from pytest_netbench.lab.capabilities import NODES
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork


class P4Down(SeenByPing):
    """A switch, the address of the target of the ping, and what else could be wrong at the switch."""

    address: str
    depending: tuple[str, ...]


def _switches(network: DrawnNetwork) -> Iterator[P4Down]:
    done: set[str] = set()
    for use in uses_of(network):
        if use.node not in done and network.is_managed(use.node):
            done.add(use.node)
            seen = {"source": use.source, "target": use.target, "address": network.addresses[use.target]}
            yield P4Down.of(network, use.node, depending=tuple(_all_of(network, use.node)), **seen)


def _all_of(network: DrawnNetwork, node: str) -> Iterator[str]:
    """What other faults touch that are at a switch, or at the other ends of its cables."""
    for line in lines_of(network.startup_configs[node], ROUTES):
        yield f"{node} {ROUTES} {line.match[0] if line.match else 'default'}"
    for interface, ends in network.topology.peers(node).items():
        yield f"{node} {interface}"
        yield from (f"{end.node} {end.interface}" for end in ends)


def _forwards(lab: Lab, p: P4Down) -> Iterator[str]:
    echo = Probe(source=p.source, target=p.address, timeout_s=0.3, repetitions=0)
    if any(one.answered for one in lab.prober.probe([echo])):
        yield f"{p.target} answers {p.source} through {p.node}"


def _silent(network: Observable, p: P4Down) -> Iterator[Observation]:
    yield asking.silent(p.node)
    yield from unreached(network, p)


P4_SWITCH_DOWN = OutsideValue(
    "p4-switch-down",
    about="A P4 switch (no other node) has stopped: it forwards nothing and answers nobody, although its cables have"
    " carrier.",
    label="P4_DOWN",
    parameters=P4Down,
    domain="node",
    platforms=(SWITCH,),
    requires=("nodes", "probes"),
    called={"nika": "bmv2_switch_down"},
    at=_switches,
    touches=lambda p: frozenset({*p.depending, f"all of {p.node}"}),
    change=lambda p: Change(
        act=lambda lab: lab.capability(NODES).crash(p.node),
        undo=lambda lab: lab.capability(NODES).revive(p.node),
        checks=(given(_forwards, p),),
        symptoms=(given(_silent, p),),
        detail=f"It is {p.node}.",
    ),
)
