"""The NetworkPolicies of an application, written in its style. They let through what its graph permits, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pytest_netbench.kubernetes.applications.addresses import DNS_LABELS, DNS_NAMESPACE, DNS_PORT
from pytest_netbench.kubernetes.applications.graph import NAMESPACE_LABEL, Application, Workload

Object = dict[str, Any]
"""An API object as JSON has it, or a part of one."""


def policies(application: Application) -> list[Object]:
    """Return all NetworkPolicies, namespace by namespace."""
    return [
        *(one for namespace in application.namespaces for one in _of_namespace(application, namespace)),
        *(one for workload in application.workloads for one in _of_workload(application, workload)),
    ]


def network_policy(name: str, namespace: str, spec: Object) -> Object:
    """Return a NetworkPolicy."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def _of_namespace(application: Application, namespace: str) -> Iterator[Object]:
    if application.default != "deny":
        return
    yield network_policy("deny-all", namespace, {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]})
    here = [one for one in application.workloads if one.namespace == namespace]
    if application.style.shared and any(one.sends == "calls" for one in here):
        spec = {"podSelector": {}, "policyTypes": ["Egress"], "egress": [_to_dns()]}
        yield network_policy("allow-dns", namespace, spec)
    if application.style.shared and (rule := _from_monitors(application, namespace)):
        spec = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [rule]}
        yield network_policy("allow-monitoring", namespace, spec)


def _of_workload(application: Application, workload: Workload) -> Iterator[Object]:
    is_denied = application.default == "deny"
    ingress, egress = _ingress(application, workload), _egress(application, workload)
    types = [
        *(["Ingress"] if (ingress if is_denied else workload.admits != "anyone") else []),
        *(["Egress"] if (egress if is_denied else workload.sends != "anywhere") else []),
    ]
    if types:
        spec: Object = {
            "podSelector": {"matchLabels": {application.style.key: workload.name}},
            "policyTypes": types,
        }
        if "Ingress" in types and ingress:
            spec["ingress"] = ingress
        if "Egress" in types and egress:
            spec["egress"] = egress
        for name, part in zip(_names(workload), _parts(workload, spec), strict=False):
            yield network_policy(name, workload.namespace, part)


def _names(workload: Workload) -> tuple[str, str]:
    return workload.name, f"{workload.name}-{workload.second}"


def _parts(workload: Workload, spec: Object) -> list[Object]:
    """What one policy says, shared out among two if the workload has two and there is enough of it."""
    types = spec["policyTypes"]
    if workload.second is None:
        return [spec]
    if len(types) > 1:
        other = {"Ingress": "egress", "Egress": "ingress"}
        return [
            {**{key: value for key, value in spec.items() if key != other[one]}, "policyTypes": [one]} for one in types
        ]
    key = types[0].lower()
    first, second = _halves(spec.get(key, []), "from" if key == "ingress" else "to")
    return [{**spec, key: first}, {**spec, key: second}] if first else [spec]


def _halves(rules: list[Object], direction: str) -> tuple[list[Object], list[Object]]:
    """Rules in two parts, or the peers of the only one; the first part is empty if there is only one peer."""
    if len(rules) == 1 and len(peers := rules[0].get(direction, [])) > 1:
        rules = [{**rules[0], direction: several} for several in (peers[:1], peers[1:])]
    half = len(rules) // 2
    return rules[:half], rules[half:]


def _ingress(application: Application, workload: Workload) -> list[Object]:
    if workload.admits == "anyone":
        return [{}]
    rules = list(_rules(application, "from", _admitted(application, workload), workload))
    if not _are_shared(application) and (rule := _from_monitors(application, workload.namespace)):
        rules.append(rule)
    return rules


def _admitted(application: Application, workload: Workload) -> list[Object]:
    """The peers that a workload lets in at its port."""
    if workload.admits == "cluster":
        return [{"namespaceSelector": {}}]
    callers = [one for one in application.callers(workload.name) if not one.reaches_all]
    if workload.admits == "namespace":
        outside = [one for one in callers if one.namespace != workload.namespace]
        return [{"podSelector": {}}, *_peers(application, outside, workload.namespace)]
    return _peers(application, callers, workload.namespace)


def _egress(application: Application, workload: Workload) -> list[Object]:
    if workload.sends == "anywhere":
        return [{}]
    called = [application.by_name[name] for name in workload.calls]
    rules = [
        rule
        for one in called
        for rule in _rules(application, "to", _peers(application, [one], workload.namespace), one)
    ]
    return rules if _are_shared(application) else [*rules, _to_dns()]


def _rules(application: Application, direction: str, peers: list[Object], served: Workload) -> Iterator[Object]:
    """Rules between peers and the port of a workload; none if there are no peers, or it serves nothing."""
    if served.port is None or not peers:
        return
    port: int | str = str(served.serves) if application.style.named else served.port
    for several in [[one] for one in peers] if application.style.split else [peers]:
        yield {direction: several, "ports": [{"port": port, "protocol": "TCP"}]}


def _peers(application: Application, workloads: Iterable[Workload], namespace: str) -> list[Object]:
    """Peers that are workloads, as a policy of a namespace writes them."""
    names: dict[str, list[str]] = {}
    for one in workloads:
        names.setdefault(one.namespace, []).append(one.name)
    return [
        _peer(home, namespace, _selector(application.style.key, several))
        for home, all_names in names.items()
        for several in ([all_names] if application.style.peers == "expressions" else [[one] for one in all_names])
    ]


def _selector(key: str, names: list[str]) -> Object:
    if len(names) == 1:
        return {"matchLabels": {key: names[0]}}
    return {"matchExpressions": [{"key": key, "operator": "In", "values": sorted(names)}]}


def _peer(home: str, namespace: str, selector: Object) -> Object:
    if home == namespace:
        return {"podSelector": selector}
    return {"namespaceSelector": {"matchLabels": {NAMESPACE_LABEL: home}}, "podSelector": selector}


def _from_monitors(application: Application, namespace: str) -> Object | None:
    monitors = [one for one in application.workloads if one.reaches_all]
    return {"from": _peers(application, monitors, namespace)} if monitors else None


def _to_dns() -> Object:
    """The rule that lets names be resolved."""
    return {
        "to": [
            {
                "namespaceSelector": {"matchLabels": {NAMESPACE_LABEL: DNS_NAMESPACE}},
                "podSelector": {"matchLabels": dict(DNS_LABELS)},
            }
        ],
        "ports": [{"port": DNS_PORT, "protocol": transport} for transport in ("UDP", "TCP")],
    }


def _are_shared(application: Application) -> bool:
    return application.style.shared and application.default == "deny"
