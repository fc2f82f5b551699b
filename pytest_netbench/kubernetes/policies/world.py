"""What network policies are about: pods, namespaces, and the policies, read from objects of the API. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, collapse_addresses
from typing import Any, Final, Literal, Self

from pytest_netbench.kubernetes.policies.selectors import Labels, Selector

Object = Mapping[str, Any]
Protocol = Literal["TCP", "UDP", "SCTP"]
Direction = Literal["ingress", "egress"]
_ENDED: Final = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Pod:
    """A pod with an address of its own.

    Attributes:
        machine: The name of the node that it runs on.
        ports: By name and protocol: ports that its containers name.
    """

    namespace: str
    name: str
    labels: Labels = field(hash=False)
    address: IPv4Address
    machine: str
    ports: Mapping[tuple[str, Protocol], int] = field(hash=False)


@dataclass(frozen=True)
class Port:
    """Ports that a rule admits. ``port`` is a number, a name, or ``None`` for all of the protocol.

    ``last`` is the end of a range that begins with ``port``.
    """

    protocol: Protocol
    port: int | str | None = None
    last: int | None = None

    def number(self, pod: Pod | None) -> int | None:
        """The first port, at a pod if it has a name; ``None`` if the pod has no port of that name, or any port fits."""
        if isinstance(self.port, str):
            return None if pod is None else pod.ports.get((self.port, self.protocol))
        return self.port

    def fits(self, protocol: Protocol, port: int, target: Pod | None) -> bool:
        """Whether a packet to this port of a target is meant."""
        if protocol != self.protocol or self.port is None:
            return protocol == self.protocol
        first = self.number(target)
        return first is not None and first <= port <= (self.last or first)


@dataclass(frozen=True)
class Block:
    """Addresses of a block, but for those of other blocks."""

    block: IPv4Network
    excepted: tuple[IPv4Network, ...] = ()

    def has(self, address: IPv4Address) -> bool:
        """Whether an address is meant."""
        return address in self.block and not any(address in one for one in self.excepted)


@dataclass(frozen=True)
class Peers:
    """Pods of namespaces. Without a selector of namespaces those of the policy's own are meant."""

    namespaces: Selector | None
    pods: Selector


@dataclass(frozen=True)
class Rule:
    """What a policy admits: traffic with any of the peers at any of the ports. ``None`` is all of them."""

    peers: tuple[Block | Peers, ...] | None
    ports: tuple[Port, ...] | None


@dataclass(frozen=True)
class Policy:
    """A network policy. ``rules`` has the directions in which it isolates the pods that it selects."""

    namespace: str
    name: str
    selector: Selector
    rules: Mapping[Direction, tuple[Rule, ...]] = field(hash=False)

    def selects(self, pod: Pod) -> bool:
        """Whether it is a policy of a pod."""
        return pod.namespace == self.namespace and self.selector.selects(pod.labels)


@dataclass(frozen=True)
class World:
    """Pods, labels of namespaces, and policies, in an order that does not depend on that of the objects."""

    pods: tuple[Pod, ...]
    namespaces: Mapping[str, Labels]
    policies: tuple[Policy, ...]

    @classmethod
    def of(cls, objects: Iterable[Object]) -> Self:
        """The world of these objects. Those of other kinds are left out.

        Pods that have ended, have no address yet or use the network of their machine are left out, too.
        """
        of_kind: dict[str, list[Object]] = {}
        for one in objects:
            of_kind.setdefault(one["kind"], []).append(one)
        pods = filter(None, map(_pod, of_kind.get("Pod", ())))
        return cls(
            tuple(sorted(pods, key=lambda pod: (pod.namespace, pod.name))),
            {one["metadata"]["name"]: _labels(one) for one in of_kind.get("Namespace", ())},
            tuple(sorted(map(_policy, of_kind.get("NetworkPolicy", ())), key=lambda one: (one.namespace, one.name))),
        )

    def policies_of(self, pod: Pod, direction: Direction) -> tuple[Policy, ...]:
        """The policies that isolate a pod in a direction; none if it is not isolated."""
        return tuple(one for one in self.policies if direction in one.rules and one.selects(pod))

    def peers(self, found: Peers, policy: Policy) -> list[Pod]:
        """The pods that a rule of a policy names."""
        return [pod for pod in self.pods if self.names(found, policy, pod)]

    def names(self, found: Peers, policy: Policy, pod: Pod) -> bool:
        """Whether a rule of a policy names a pod."""
        if found.namespaces is None:
            return pod.namespace == policy.namespace and found.pods.selects(pod.labels)
        labels = self.namespaces.get(pod.namespace)
        return labels is not None and found.namespaces.selects(labels) and found.pods.selects(pod.labels)


def _labels(one: Object) -> Labels:
    return dict(one["metadata"].get("labels") or {})


def _pod(one: Object) -> Pod | None:
    status, spec, metadata = one.get("status") or {}, one["spec"], one["metadata"]
    address = status.get("podIP")
    if not address or ":" in address or spec.get("hostNetwork") or status.get("phase") in _ENDED:
        return None
    ports = {
        (port["name"], port.get("protocol", "TCP")): int(port["containerPort"])
        for container in spec.get("containers") or ()
        for port in container.get("ports") or ()
        if port.get("name")
    }
    return Pod(
        metadata.get("namespace", "default"),
        metadata["name"],
        _labels(one),
        IPv4Address(address),
        spec.get("nodeName", ""),
        ports,
    )


def _policy(one: Object) -> Policy:
    spec, metadata = one.get("spec") or {}, one["metadata"]
    types = spec.get("policyTypes") or ["Ingress", *(["Egress"] if spec.get("egress") else ())]
    rules: dict[Direction, tuple[Rule, ...]] = {}
    if "Ingress" in types:
        rules["ingress"] = tuple(_rule(rule, "from") for rule in spec.get("ingress") or ())
    if "Egress" in types:
        rules["egress"] = tuple(_rule(rule, "to") for rule in spec.get("egress") or ())
    selector = Selector.of(spec.get("podSelector") or {})
    return Policy(metadata.get("namespace", "default"), metadata["name"], selector, rules)


def _rule(rule: Object, peers: str) -> Rule:
    return Rule(
        tuple(_peer(one) for one in rule[peers]) if rule.get(peers) else None,
        tuple(_port(one) for one in rule["ports"]) if rule.get("ports") else None,
    )


def _peer(one: Object) -> Block | Peers:
    if (block := one.get("ipBlock")) is not None:
        excepted = [IPv4Network(other, strict=False) for other in block.get("except") or () if ":" not in other]
        cidr = block["cidr"] if ":" not in block["cidr"] else "255.255.255.255/32"
        return Block(IPv4Network(cidr, strict=False), tuple(collapse_addresses(excepted)))
    namespaces = one.get("namespaceSelector")
    return Peers(
        None if namespaces is None else Selector.of(namespaces),
        Selector.of(one.get("podSelector") or {}),
    )


def _port(one: Object) -> Port:
    return Port(one.get("protocol") or "TCP", one.get("port"), one.get("endPort"))
