"""Root causes: what is wrong in a network with faults, and the resources where it may be said to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pytest_netbench.model.decoys import Decoy
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.objects import K8S
from pytest_netbench.model.topology import Endpoint, Topology


class Cause(NamedTuple):
    """What is wrong, and the resources where it may be said to be: the first is where it was injected.

    ``others`` are resources with other fault types that explain the same.
    """

    fault_type: str
    resources: tuple[str, ...]
    others: tuple[tuple[str, str], ...] = ()

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes of these resources; of a link both ends."""
        return frozenset(name for one in self.resources for name in _nodes_named(one))


def causes_of(faults: Iterable[InjectedFault], topology: Topology) -> tuple[Cause, ...]:
    """Return what is wrong in a network with faults, and where."""
    return tuple(Cause(one.fault, _places(one, topology)) for one in faults)


def _nodes_named(resource: str) -> Iterator[str]:
    kind, _, rest = resource.partition("/")
    if kind == "link":
        yield from (end.partition(":")[0] for end in rest.split("--"))
    elif kind != K8S:
        yield rest.partition("/")[0]


def link_resource(ends: Iterable[Endpoint]) -> str:
    """A link as a resource."""
    return "link/" + "--".join(sorted(f"{end.node}:{end.interface}" for end in ends))


def decoy_resources(decoy: Decoy, topology: Topology) -> frozenset[str]:
    """Return the resources where a decoy may be said to be: its cable and the ends of it, or its node."""
    ports = [decoy.interface] if decoy.interface else topology.interfaces(decoy.node) if decoy.kind == "off" else []
    found = set() if decoy.interface else {f"node/{decoy.node}"}
    for port in ports:
        end = Endpoint(node=decoy.node, interface=port)
        ends = (end, *topology.peers(decoy.node).get(port, ()))
        found |= {link_resource(ends), *map(_interface, ends)}
    return frozenset(found)


def _places(one: InjectedFault, topology: Topology) -> tuple[str, ...]:
    """Where a fault is; of one that is as well seen from the other end of its link, or elsewhere, there too.

    A fault of a link may be named at the link or at one of its ends, and one that two nodes have together at either.

    A fault of another package that does not say where it is, is on its node.
    """
    fault = fault_of(one.fault)
    parameters = fault.parameters.model_validate(one.parameters)
    if fault.found_at == K8S:
        return (fault.resource(parameters),)
    node, interface = parameters.node, getattr(parameters, "interface", None)
    if fault.found_at == "node" or interface is None:
        return tuple(f"node/{name}" for name in (node, *fault.also_on(parameters)))
    end, others = Endpoint(node=node, interface=interface), topology.peers(node).get(interface, ())
    if fault.found_at == "link":
        return (link_resource((end, *others)), *map(_interface, (end, *others)))
    elsewhere = (Endpoint(node=name, interface=port) for name, port in fault.also_at(parameters))
    return tuple(map(_interface, (end, *(others if fault.is_mutual(parameters) else ()), *elsewhere)))


def _interface(end: Endpoint) -> str:
    return f"interface/{end.node}/{end.interface}"
