"""Rules of NetworkPolicies with a wrong port or protocol: NetArena's ``change_port`` and ``change_protocol``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench.faults.kubernetes.builders import ClusterValue, Edit, cluster_fault
from pytest_netbench.faults.kubernetes.patches import Object, pointer, replace
from pytest_netbench.faults.kubernetes.policies import DIRECTIONS, Direction, OfPolicy, rules_in
from pytest_netbench.faults.kubernetes.rules import in_words

_PROTOCOLS: Final = ("UDP", "SCTP", "TCP")
_NEAR: Final = (1, 10, 1000)
"""How far wrong ports are from the right one, beside those of other services."""


class OfPort(OfPolicy):
    """One port of a rule: the places of both, and what is right."""

    direction: Direction
    rule: int
    place: int
    right: dict[str, Any]

    def changed(self, field: str, wrong: int | str) -> Edit:
        """What a fault does that puts something else into a field of the port."""
        steps = (self.direction, self.rule, "ports", self.place, field)
        path = pointer("spec", *steps)
        was = in_words({"ports": [self.right]}, self.direction).rpartition(f" {_side(self.direction)}")[0]
        return self.edit(
            [replace(path, wrong)],
            [replace(path, self.right[field])],
            field=steps,
            shown=wrong,
            detail=f"{self.words} has the {field} {wrong} in its {self.direction} rule {self.rule}; right is {was}.",
        )


class WrongPort(OfPort):
    """A port with another number."""

    wrong: int


class WrongProtocol(OfPort):
    """A port of another protocol."""

    wrong: str


def _side(direction: Direction) -> str:
    return "from" if direction == "ingress" else "to"


def _ports(objects: Sequence[Object]) -> Iterator[tuple[Object, dict[str, Any]]]:
    """Each port of a rule, and the parameters that say where it is."""
    for rule in rules_in(objects, *DIRECTIONS):
        for place, port in enumerate(rule.content.get("ports", ())):
            yield (
                port,
                {
                    "namespace": rule.namespace,
                    "policy": rule.policy,
                    "direction": rule.direction,
                    "rule": rule.place,
                    "place": place,
                    "right": port,
                },
            )


def _wrong_ports(objects: Sequence[Object]) -> Iterator[WrongPort]:
    containers = [
        container
        for one in objects
        if one["kind"] == "Deployment"
        for container in one["spec"]["template"]["spec"]["containers"]
    ]
    served = sorted({port["containerPort"] for one in containers for port in one.get("ports", ())})
    for port, where in _ports(objects):
        number = port["port"]
        near = [number + step for step in _NEAR] if isinstance(number, int) else []
        for wrong in dict.fromkeys((*served, *near)):
            if wrong != number:
                yield WrongPort(**where, wrong=wrong)


def _wrong_protocols(objects: Sequence[Object]) -> Iterator[WrongProtocol]:
    for port, where in _ports(objects):
        for wrong in _PROTOCOLS:
            if wrong != port["protocol"]:
                yield WrongProtocol(**where, wrong=wrong)


PORT_WRONG: ClusterValue[WrongPort] = cluster_fault(
    "k8s-port-wrong",
    about="A rule of a NetworkPolicy has a wrong port.",
    label="CP",
    called={"netarena": "change_port"},
    parameters=WrongPort,
    edit=lambda p: p.changed("port", p.wrong),
    at=_wrong_ports,
)
PROTOCOL_WRONG: ClusterValue[WrongProtocol] = cluster_fault(
    "k8s-protocol-wrong",
    about="A rule of a NetworkPolicy has a wrong protocol.",
    label="CPR",
    called={"netarena": "change_protocol"},
    parameters=WrongProtocol,
    edit=lambda p: p.changed("protocol", p.wrong),
    at=_wrong_protocols,
)
