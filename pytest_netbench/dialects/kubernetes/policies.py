"""What NetworkPolicies say, as leaf rules: one peer, one port and one direction each. Pure.

Policies add up. So their names, and how rules are shared out among them, say nothing, and neither does an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from pytest_netbench.dialects.kubernetes.selectors import homes, pods
from pytest_netbench.model.objects import Object

_DIRECTIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "Ingress": ("ingress", "from", "anyone"),
    "Egress": ("egress", "to", "anywhere"),
}


def rules(policy: Object) -> Iterator[tuple[str, str]]:
    """Yield the leaf rules of a policy, each below the pods that it selects."""
    namespace = policy["metadata"].get("namespace", "default")
    spec = policy.get("spec") or {}
    leaves = list(_leaves(spec, namespace))
    for selected in pods(namespace, spec.get("podSelector") or {}):
        yield from ((selected, leaf) for leaf in leaves)


def _leaves(spec: Object, namespace: str) -> Iterator[str]:
    for kind in spec.get("policyTypes") or _default_types(spec):
        field, end, all_peers = _DIRECTIONS[kind]
        yield f"isolate {field}"
        for rule in spec.get(field) or ():
            peers = [one for peer in rule.get(end) or () for one in _peers(peer, namespace)] or [all_peers]
            ports = [_port(one) for one in rule.get("ports") or ()] or ["every port"]
            yield from (f"allow {field} {end} {peer} at {port}" for peer, port in product(peers, ports))


def _default_types(spec: Object) -> list[str]:
    """What the API server takes if a policy does not say it."""
    return ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _peers(peer: Object, namespace: str) -> Iterator[str]:
    block = peer.get("ipBlock")
    if block is not None:
        left_out = ", ".join(sorted(block.get("except") or ()))
        yield f"{block.get('cidr')} except {left_out}" if left_out else f"{block.get('cidr')}"
        return
    selector = peer.get("namespaceSelector")
    for home in [namespace] if selector is None else homes(selector):
        yield from pods(home, peer.get("podSelector") or {})


def _port(one: Mapping[str, Any]) -> str:
    protocol, first, last = one.get("protocol", "TCP"), one.get("port"), one.get("endPort")
    if first is None:
        return f"{protocol}"
    return f"{protocol}/{first}" if last in (None, first) else f"{protocol}/{first}-{last}"
