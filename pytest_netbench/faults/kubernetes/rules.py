"""Rules of NetworkPolicies that are missing, or that should not be there.

``remove_ingress``, ``add_ingress`` and ``add_egress`` are NetArena's (RI, AI, AE). As there, a rule that is added has
no ports, and one that is added to an open egress takes the place of the empty rule, which closes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from pytest_netbench.faults.kubernetes.builders import ClusterValue, Edit, cluster_fault
from pytest_netbench.faults.kubernetes.patches import Object, add, pointer, remove, replace
from pytest_netbench.faults.kubernetes.policies import (
    END,
    Direction,
    OfPolicy,
    Rule,
    pods_in,
    policies_in,
    rules_in,
)

_NAMESPACE: Final = "kubernetes.io/metadata.name"
_OPEN: Final[list[Object]] = [{}]
_SIDE: Final[dict[Direction, str]] = {"ingress": "from", "egress": "to"}


class RuleMissing(OfPolicy):
    """A rule that a policy has lost: its place, its content, and whether it was the only one of its direction."""

    direction: Direction
    place: int
    rule: dict[str, Any]
    is_only: bool


class RuleAdded(OfPolicy):
    """A rule that a policy has and must not: its place, its content, and what rules there are beside it.

    ``beside``: ``some`` rules; ``none``; or ``open``: it stands in the place of the one rule that lets everything pass.
    """

    direction: Direction
    place: int
    rule: dict[str, Any]
    beside: str = "some"


def _missing(p: RuleMissing) -> Edit:
    rules, rule = ("spec", p.direction), ("spec", p.direction, p.place)
    # the API server stores no empty list, so that nothing can be put into it
    repair = add(pointer(*rules), [p.rule]) if p.is_only else add(pointer(*rule), p.rule)
    return p.edit(
        [remove(pointer(*rule))],
        [repair],
        field=(p.direction,),
        lacking=p.rule,
        detail=f"{p.words} lacks the {p.direction} rule that lets through {in_words(p.rule, p.direction)}.",
    )


def _added(p: RuleAdded) -> Edit:
    rules, rule = ("spec", p.direction), ("spec", p.direction, p.place)
    ways = {
        "some": (add(pointer(*rule), p.rule), remove(pointer(*rule))),
        "none": (add(pointer(*rules), [p.rule]), remove(pointer(*rules))),
        "open": (replace(pointer(*rules), [p.rule]), replace(pointer(*rules), _OPEN)),
    }
    inject, repair = ways[p.beside]
    instead = " in the place of the rule that lets through everything" if p.beside == "open" else ""
    return p.edit(
        [inject],
        [repair],
        field=(p.direction, p.place),
        shown=p.rule,
        detail=f"{p.words} has an {p.direction} rule{instead} that lets through {in_words(p.rule, p.direction)}.",
    )


def in_words(rule: Object, direction: Direction) -> str:
    """Return what a rule lets through, e.g. ``TCP port 9555 from pods with app=frontend``."""
    ports = [f"{one.get('protocol', 'TCP')} port {one['port']}" for one in rule.get("ports", ()) if "port" in one]
    peers = [_peer_in_words(one) for one in rule.get(END[direction], ())]
    what = " and ".join(ports) or "every port"
    return f"{what} {_SIDE[direction]} {' and '.join(peers) or 'everybody'}"


def _peer_in_words(peer: Object) -> str:
    selectors = [*_matches(peer.get("podSelector", {}))]
    pods = f"pods with {' and '.join(selectors)}" if selectors else "all pods"
    if "namespaceSelector" not in peer:
        return pods
    homes = [*_matches(peer["namespaceSelector"])]
    return f"{pods} of {'namespaces with ' + ' and '.join(homes) if homes else 'all namespaces'}"


def _matches(selector: Object) -> Iterator[str]:
    yield from (f"{key}={value}" for key, value in selector.get("matchLabels", {}).items())
    for one in selector.get("matchExpressions", ()):
        yield f"{one['key']} {one['operator']} {', '.join(one.get('values', ()))}".strip()


def _lost(direction: Direction, fits: Callable[[Rule], bool]) -> Callable[[Sequence[Object]], Iterator[RuleMissing]]:
    """Each rule of a direction that fits, and says anything."""

    def places(objects: Sequence[Object]) -> Iterator[RuleMissing]:
        for one in rules_in(objects, direction):
            if one.content and fits(one):
                yield RuleMissing(
                    namespace=one.namespace,
                    policy=one.policy,
                    direction=direction,
                    place=one.place,
                    rule=one.content,
                    is_only=one.is_only,
                )

    return places


def _added_to(direction: Direction) -> Callable[[Sequence[Object]], Iterator[RuleAdded]]:
    """Before and behind the rules of each policy of a direction: a rule for each pod that none of them names."""

    def places(objects: Sequence[Object]) -> Iterator[RuleAdded]:
        pods = list(pods_in(objects))
        for policy in policies_in(objects):
            if direction.capitalize() not in policy["spec"]["policyTypes"]:
                continue
            rules = policy["spec"].get(direction) or []
            if rules == _OPEN and direction == "ingress":
                continue  # everybody is let in already
            beside = "open" if rules == _OPEN else "some" if rules else "none"
            for peer in _peers(policy, pods, str([*rules])):
                for place in sorted({0, len(rules)}) if beside == "some" else (0,):
                    yield RuleAdded(
                        namespace=policy["metadata"]["namespace"],
                        policy=policy["metadata"]["name"],
                        direction=direction,
                        place=place,
                        rule={END[direction]: [peer]},
                        beside=beside,
                    )

    return places


def _peers(policy: Object, pods: Sequence[tuple[str, Object]], known: str) -> Iterator[Object]:
    """A peer for each pod, by the label that policies use."""
    own = policy["spec"]["podSelector"].get("matchLabels", {})
    for namespace, labels in pods:
        key = next(iter(own), next(iter(labels)))
        value = labels[key]
        if value in own.values() or f"'{value}'" in known:
            continue
        peer: Object = {"podSelector": {"matchLabels": {key: value}}}
        if namespace != policy["metadata"]["namespace"]:
            peer = {"namespaceSelector": {"matchLabels": {_NAMESPACE: namespace}}, **peer}
        yield peer


def _rule_missing(name: str, direction: Direction, fits: Callable[[Rule], bool], **fields: Any) -> ClusterValue[Any]:
    return cluster_fault(name, parameters=RuleMissing, edit=_missing, at=_lost(direction, fits), **fields)


INGRESS_REMOVED = _rule_missing(
    "k8s-ingress-removed",
    "ingress",
    lambda _: True,
    about="A NetworkPolicy lacks an ingress rule, so that callers do not reach the pods.",
    label="RI",
    called={"netarena": "remove_ingress"},
)
INGRESS_ADDED = cluster_fault(
    "k8s-ingress-added",
    about="A NetworkPolicy has an ingress rule that lets pods in which must not be.",
    label="AI",
    called={"netarena": "add_ingress"},
    parameters=RuleAdded,
    edit=_added,
    at=_added_to("ingress"),
)
EGRESS_ADDED = cluster_fault(
    "k8s-egress-added",
    about="A NetworkPolicy has an egress rule that must not be there: it opens what is closed, or closes what is open.",
    label="AE",
    called={"netarena": "add_egress"},
    parameters=RuleAdded,
    edit=_added,
    at=_added_to("egress"),
)
EGRESS_REMOVED = _rule_missing(
    "k8s-egress-removed",
    "egress",
    lambda rule: not rule.is_dns,
    about="A NetworkPolicy lacks an egress rule, so that pods do not reach what they call.",
    label="RE",
)
DNS_EGRESS_REMOVED = _rule_missing(
    "k8s-dns-egress-removed",
    "egress",
    lambda rule: rule.is_dns,
    about="A NetworkPolicy lacks the egress rule for DNS, so that pods cannot resolve names.",
    label="DNS",
)
