"""Which flows get through in a cluster, from its objects alone: what policies decide, on paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_netbench.kubernetes.applications.addresses import (
    DNS_ADDRESS,
    DNS_LABELS,
    DNS_NAMESPACE,
    DNS_NODE,
    DNS_PORT,
)
from pytest_netbench.kubernetes.applications.graph import NAMESPACE_LABEL
from pytest_netbench.kubernetes.applications.policies import Object
from pytest_netbench.model.objects import POD
from pytest_netbench.model.watch import WatchedFlow


class _Pod(NamedTuple):
    """A pod, called like its Deployment. Its ports are by name and transport."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    ports: Mapping[tuple[str, str], int]


class _Rule(NamedTuple):
    """Names of pods (``None``: whoever), and ports (``None``: all)."""

    peers: frozenset[str] | None
    ports: Sequence[Object] | None


class _Service(NamedTuple):
    """The pods behind an address, and the ports there by port and transport."""

    pods: frozenset[str]
    ports: Mapping[tuple[int, str], int]


class Connectivity:
    """Answers which flows get through between the Deployments of a cluster, each of which is a pod.

    What NetworkPolicies can say beyond what applications are written with, such as blocks of addresses, is not known.

    Args:
        objects: Namespaces, Deployments, Services and NetworkPolicies.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        kinds: dict[str, list[Object]] = {}
        for one in objects:
            kinds.setdefault(one["kind"], []).append(one)
        self._namespaces = {DNS_NAMESPACE: {NAMESPACE_LABEL: DNS_NAMESPACE}}
        for one in kinds.get("Namespace", ()):
            name = one["metadata"]["name"]
            self._namespaces[name] = {**one["metadata"].get("labels", {}), NAMESPACE_LABEL: name}
        self._pods = {one.name: one for one in (_dns_pod(), *map(_pod, kinds.get("Deployment", ())))}
        self._homes: dict[str, set[str]] = {}
        self._labelled: dict[tuple[str, str], set[str]] = {}
        for pod in self._pods.values():
            self._homes.setdefault(pod.namespace, set()).add(pod.name)
            for label in pod.labels.items():
                self._labelled.setdefault(label, set()).add(pod.name)
        self._services = {DNS_ADDRESS: _Service(frozenset({DNS_NODE}), {(DNS_PORT, "UDP"): DNS_PORT})}
        for one in kinds.get("Service", ()):
            self._services[one["spec"]["clusterIP"]] = self._service(one)
        self._rules: dict[str, dict[str, list[_Rule]]] = {"Ingress": {}, "Egress": {}}
        for one in kinds.get("NetworkPolicy", ()):
            self._add(one)

    def wrong(self, flows: Sequence[WatchedFlow], *, right: Connectivity | None = None) -> tuple[int, ...]:
        """Return the indices of the flows that get through and must not, or must and do not.

        Args:
            flows: Which ones.
            right: Where each of them is right: those that cannot differ from there are not looked at, which takes less
                time.
        """
        asked = enumerate(flows) if right is None else self._different(flows, right)
        return tuple(number for number, flow in asked if self.delivers(flow) is not flow.allowed)

    def _different(self, flows: Sequence[WatchedFlow], other: Connectivity) -> Iterator[tuple[int, WatchedFlow]]:
        sources, targets = (
            {pod for pod in self._pods if self._rules[one].get(pod) != other._rules[one].get(pod)}
            for one in ("Egress", "Ingress")
        )
        targets |= {name for name, pod in self._pods.items() if pod.ports != other._pods[name].ports}
        addresses = {
            one
            for one in self._services.keys() | other._services.keys()
            if self._services.get(one) != other._services.get(one)
        }
        for number, flow in enumerate(flows):
            if flow.source in sources or flow.target in targets or flow.address in addresses:
                yield number, flow

    def delivers(self, flow: WatchedFlow) -> bool:
        """Whether a flow gets through to its target."""
        assert flow.port is not None
        transport, port = flow.protocol.upper(), flow.port
        if flow.address != POD:
            service = self._services.get(flow.address)
            if service is None or flow.target not in service.pods or (port, transport) not in service.ports:
                return False
            port = service.ports[port, transport]
        asked = (self._pods[flow.target], transport, port)
        return self._passes("Egress", flow.source, flow.target, asked) and self._passes(
            "Ingress", flow.target, flow.source, asked
        )

    def _passes(self, direction: str, pod: str, peer: str, asked: tuple[_Pod, str, int]) -> bool:
        rules = self._rules[direction].get(pod)
        return rules is None or any(
            (rule.peers is None or peer in rule.peers)
            and (rule.ports is None or any(_has(one, *asked) for one in rule.ports))
            for rule in rules
        )

    def _add(self, policy: Object) -> None:
        namespace, spec = policy["metadata"]["namespace"], policy["spec"]
        selected = self._selected({"podSelector": spec.get("podSelector", {})}, namespace)
        for direction, field, end in (("Ingress", "ingress", "from"), ("Egress", "egress", "to")):
            if direction in spec["policyTypes"]:
                rules = [self._rule(rule, end, namespace) for rule in spec.get(field) or ()]
                for name in selected:
                    self._rules[direction].setdefault(name, []).extend(rules)

    def _rule(self, rule: Object, end: str, namespace: str) -> _Rule:
        peers = rule.get(end)
        names = frozenset().union(*(self._selected(peer, namespace) for peer in peers)) if peers else None
        return _Rule(names, rule.get("ports") or None)

    def _selected(self, peer: Object, namespace: str) -> set[str]:
        """The names of the pods that a peer of a policy in a namespace is."""
        homes = [namespace]
        if "namespaceSelector" in peer:
            selector = peer["namespaceSelector"]
            homes = [name for name, labels in self._namespaces.items() if selects(selector, labels)]
        found = set().union(*(self._homes.get(home, ()) for home in homes))
        selector = peer.get("podSelector", {})
        for label in (selector.get("matchLabels") or {}).items():
            found &= self._labelled.get(label, set())
        if selector.get("matchExpressions"):
            return {name for name in found if selects(selector, self._pods[name].labels)}
        return found

    def _service(self, service: Object) -> _Service:
        spec, namespace = service["spec"], service["metadata"]["namespace"]
        pods = self._selected({"podSelector": {"matchLabels": spec["selector"]}}, namespace)
        return _Service(frozenset(pods), {(one["port"], one["protocol"]): one["targetPort"] for one in spec["ports"]})


def selects(selector: Object, labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects what has these labels."""
    matches = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return matches and all(_fits(one, labels) for one in selector.get("matchExpressions") or ())


def _fits(expression: Object, labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values") or ()
    fits = {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }
    return fits[expression["operator"]]


def _has(one: Object, target: _Pod, transport: str, port: int) -> bool:
    """Whether a port of a rule is one of a target, by number or by the name that the target gives it."""
    if one.get("protocol", "TCP") != transport:
        return False
    first: int | str | None = one.get("port")
    if first is None:
        return True
    if isinstance(first, str):
        return target.ports.get((first, transport)) == port
    last: int = one.get("endPort", first)
    return first <= port <= last


def _pod(deployment: Object) -> _Pod:
    template = deployment["spec"]["template"]
    ports = (port for one in template["spec"]["containers"] for port in one.get("ports", ()))
    return _Pod(
        deployment["metadata"]["name"],
        deployment["metadata"]["namespace"],
        template["metadata"]["labels"],
        {(one["name"], one["protocol"]): one["containerPort"] for one in ports},
    )


def _dns_pod() -> _Pod:
    return _Pod(DNS_NODE, DNS_NAMESPACE, DNS_LABELS, {("dns", "UDP"): DNS_PORT, ("dns-tcp", "TCP"): DNS_PORT})
