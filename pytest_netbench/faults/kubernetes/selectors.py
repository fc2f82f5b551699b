"""NetworkPolicies whose selectors have a wrong value, and pods with a wrong label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench.faults.kubernetes.builders import Edit, OfObject, cluster_fault
from pytest_netbench.faults.kubernetes.patches import Object, pointer, replace
from pytest_netbench.faults.kubernetes.policies import DIRECTIONS, END, OfPolicy, pods_in, policies_in, rules_in

_DEPLOYMENT: Final = "Deployment"
_LABELS: Final = ("spec", "template", "metadata", "labels")


class WrongValue(OfPolicy):
    """A value of a selector: the steps to it below the policy's spec, what is right, and what is there."""

    field: tuple[str | int, ...]
    right: str
    wrong: str


class WrongLabel(OfObject):
    """A label of the pods of a Deployment: its key, what is right, and what is there."""

    deployment: str
    key: str
    right: str
    wrong: str


def _selecting(p: WrongValue) -> Edit:
    path = pointer("spec", *p.field)
    where = ".".join(map(str, p.field))
    return p.edit(
        [replace(path, p.wrong)],
        [replace(path, p.right)],
        field=p.field,
        shown=p.wrong,
        detail=f"{p.words} selects {p.wrong} at {where} where {p.right} is right.",
    )


def _labelled(p: WrongLabel) -> Edit:
    path = pointer(*_LABELS, p.key)
    return Edit(
        kind=_DEPLOYMENT,
        namespace=p.namespace,
        name=p.deployment,
        inject=(replace(path, p.wrong),),
        repair=(replace(path, p.right),),
        field=(*_LABELS, p.key),
        shown=p.wrong,
        detail=f"The pods of the Deployment {p.deployment} in namespace {p.namespace} have the label {p.key}={p.wrong}"
        f" where {p.key}={p.right} is right.",
    )


def _values(selector: Object, *steps: str | int) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each value of a label selector, and the steps to it."""
    for key, value in selector.get("matchLabels", {}).items():
        yield (*steps, "matchLabels", key), value
    for number, one in enumerate(selector.get("matchExpressions", ())):
        for place, value in enumerate(one.get("values", ())):
            yield (*steps, "matchExpressions", number, "values", place), value


def _mistaken(value: str, others: Sequence[str]) -> Iterator[str]:
    """What somebody may write for a value: another one that there is, or the value without its last letter."""
    yield from (one for one in dict.fromkeys(others) if one != value)
    yield value[:-1]


def _wrong_subjects(objects: Sequence[Object]) -> Iterator[WrongValue]:
    for policy in policies_in(objects):
        yield from _at(objects, policy, policy["spec"]["podSelector"], "podSelector")


def _wrong_peers(objects: Sequence[Object]) -> Iterator[WrongValue]:
    for policy, peer, steps in _peers(objects):
        yield from _at(objects, policy, peer.get("podSelector", {}), *steps, "podSelector")


def _wrong_namespaces(objects: Sequence[Object]) -> Iterator[WrongValue]:
    for policy, peer, steps in _peers(objects):
        yield from _at(objects, policy, peer.get("namespaceSelector", {}), *steps, "namespaceSelector")


def _peers(objects: Sequence[Object]) -> Iterator[tuple[Object, Object, tuple[str | int, ...]]]:
    """Each peer of a rule with its policy, and the steps to it."""
    by_name = {(one["metadata"]["namespace"], one["metadata"]["name"]): one for one in policies_in(objects)}
    for rule in rules_in(objects, *DIRECTIONS):
        end = END[rule.direction]
        for place, peer in enumerate(rule.content.get(end, ())):
            yield by_name[rule.namespace, rule.policy], peer, (rule.direction, rule.place, end, place)


def _at(objects: Sequence[Object], policy: Object, selector: Object, *steps: str | int) -> Iterator[WrongValue]:
    others = _known(objects, steps[-1] == "namespaceSelector")
    for field, right in _values(selector, *steps):
        for wrong in _mistaken(right, others):
            yield WrongValue(
                namespace=policy["metadata"]["namespace"],
                policy=policy["metadata"]["name"],
                field=field,
                right=right,
                wrong=wrong,
            )


def _known(objects: Sequence[Object], are_namespaces: bool) -> list[str]:
    if are_namespaces:
        return sorted(one["metadata"]["name"] for one in objects if one["kind"] == "Namespace")
    return sorted(next(iter(labels.values())) for _, labels in pods_in(objects))


def _wrong_labels(objects: Sequence[Object]) -> Iterator[WrongLabel]:
    """Each label by which policies select pods and their Deployment does not: that label cannot be changed."""
    used = {field[-1] for one in _wrong_subjects(objects) for field in [one.field]}
    deployments = [one for one in objects if one["kind"] == _DEPLOYMENT]
    for one in sorted(deployments, key=lambda one: (one["metadata"]["namespace"], one["metadata"]["name"])):
        own: dict[str, Any] = one["spec"]["selector"]["matchLabels"]
        for key, right in one["spec"]["template"]["metadata"]["labels"].items():
            if key in used and key not in own:
                for wrong in _mistaken(right, _known(objects, are_namespaces=False)):
                    yield WrongLabel(
                        namespace=one["metadata"]["namespace"],
                        deployment=one["metadata"]["name"],
                        key=key,
                        right=right,
                        wrong=wrong,
                    )


POD_SELECTOR_WRONG = cluster_fault(
    "k8s-pod-selector-wrong",
    about="A NetworkPolicy selects other pods than those that it is for, or none.",
    label="SEL",
    parameters=WrongValue,
    edit=_selecting,
    at=_wrong_subjects,
)
PEER_SELECTOR_WRONG = cluster_fault(
    "k8s-peer-selector-wrong",
    about="A rule of a NetworkPolicy selects other peers than those that it is for, or none.",
    label="PEER",
    parameters=WrongValue,
    edit=_selecting,
    at=_wrong_peers,
)
NAMESPACE_SELECTOR_WRONG = cluster_fault(
    "k8s-namespace-selector-wrong",
    about="A rule of a NetworkPolicy selects peers of another namespace than the one that it is for, or of none.",
    label="NS",
    parameters=WrongValue,
    edit=_selecting,
    at=_wrong_namespaces,
)
POD_LABEL_WRONG = cluster_fault(
    "k8s-pod-label-wrong",
    about="Pods have a label with a wrong value, so that NetworkPolicies take them for others.",
    label="LABEL",
    parameters=WrongLabel,
    edit=_labelled,
    at=_wrong_labels,
    kinds=(_DEPLOYMENT,),
)
