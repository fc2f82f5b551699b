"""Faults of API objects: what they change, that their repair takes it back, and what shows them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.kubernetes.builders import ClusterValue
from pytest_netbench.faults.kubernetes.catalogue import drawn_at
from pytest_netbench.faults.kubernetes.patches import add, patched, pointer, remove, replace
from pytest_netbench.kubernetes.applications.boutique import boutique
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.drawing import drawn
from pytest_netbench.kubernetes.applications.flows import flow_groups
from pytest_netbench.kubernetes.applications.graph import Application
from pytest_netbench.kubernetes.applications.manifests import manifests
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.watch import WatchedFlow
from tests.support.clusters import MemoryCluster
from tests.support.json_patch import as_stored, type_line

NAMES = [name for name in parts.names("faults") if isinstance(fault_of(name), ClusterValue)]
TABLE_6 = {
    "remove_ingress": "RI",
    "add_ingress": "AI",
    "change_port": "CP",
    "change_protocol": "CPR",
    "add_egress": "AE",
}


def test_each_fault_says_at_which_kinds_of_objects_it_can_be() -> None:
    found: dict[str, set[str]] = {name: set() for name in NAMES}
    for application in applications():
        for name in NAMES:
            fault = fault_of(name)
            found[name] |= {fault.edit(one).kind for one in fault.choices(manifests(application))}
    assert found == {name: set(fault_of(name).kinds) for name in NAMES}


def test_what_is_created_anew_does_not_depend_on_the_fault_of_a_draw() -> None:
    def at(labels: list[str] | None) -> object:
        parameters = {} if labels is None else {"labels": labels}
        return drawn_at(
            Drawn(generator="repair-kubernetes", parameters=parameters, seed=1, index=0, label="RI", level=1)
        )

    assert at([*TABLE_6.values()]) == {"NetworkPolicy"}
    assert at(["RI", "LABEL"]) == {"NetworkPolicy", "Deployment"}
    assert at(["RI", "CUT"]) is None
    assert at(None) is None
    assert drawn_at(None) is None


@cache
def applications() -> tuple[Application, ...]:
    return (boutique(), *(drawn(seed, services=14) for seed in range(12)))


def flows(application: Application) -> list[WatchedFlow]:
    return [flow for group in flow_groups(application) for flow in group.flows()]


def some_choices(name: str, application: Application, *, count: int = 40) -> list[Any]:
    """Choices of a fault that are spread over all that there are."""
    found = list(fault_of(name).choices(manifests(application)))
    return found[:: max(1, len(found) // count)]


def stored(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Objects by their names in answers, as the API server gives them back."""
    return {
        f"k8s/{one['metadata'].get('namespace')}/{one['kind']}/{one['metadata']['name']}": as_stored(one)
        for one in objects
        if "spec" in one
    }


def effect(name: str, parameters: Any, application: Application) -> list[WatchedFlow]:
    wanted = flows(application)
    objects = fault_of(name).edit(parameters).applied(manifests(application))
    return [wanted[one] for one in Connectivity(objects).wrong(wanted)]


def test_the_labels_of_table_6_are_those_of_netarena() -> None:
    others = {name: fault_of(name).called.get("netarena") for name in NAMES}
    called = {other: fault_of(name).label for name, other in others.items() if other is not None}
    assert called == TABLE_6


def test_each_fault_has_a_label_of_its_own() -> None:
    labels = [fault_of(name).label for name in NAMES]
    assert len(set(labels)) == len(labels) == 13


@pytest.mark.parametrize("name", NAMES)
def test_the_repair_gives_back_the_objects_as_they_were(name: str) -> None:
    fault, tried = fault_of(name), 0
    for application in applications():
        objects = manifests(application)
        for one in some_choices(name, application):
            changed = fault.edit(one).applied(objects)
            assert stored(changed) != stored(objects), one
            lab: Any = MemoryCluster(objects)
            fault.inject(one, lab)
            fault.observe(one, lab)
            there = list(lab.stored.values())
            assert stored(there) == stored(changed)
            ((node, lines),) = fault.recover(one).items()
            assert node == "workstation"
            for line in lines:
                assert "\n" not in line
                there = type_line(there, line)
            assert stored(there) == stored(objects), one
            tried += 1
    assert tried > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_that_is_not_there_is_not_observed(name: str) -> None:
    for application in applications():
        for one in some_choices(name, application, count=5):
            lab: Any = MemoryCluster(manifests(application))
            with pytest.raises(Exception, match=r"expected|no NetworkPolicy") as caught:
                fault_of(name).observe(one, lab)
            assert isinstance(caught.value, FaultHasNoEffect) or "no NetworkPolicy" in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_choices_survive_a_task_file_and_change_one_object(name: str) -> None:
    fault = fault_of(name)
    for application in applications()[:4]:
        objects = manifests(application)
        for one in some_choices(name, application):
            again = fault.parameters.model_validate_json(one.model_dump_json())
            assert again == one
            before, after = stored(objects), stored(fault.edit(again).applied(objects))
            (different,) = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
            assert fault.touches(one) == {different}


@pytest.mark.parametrize("name", NAMES)
def test_choices_do_not_depend_on_the_order_in_which_objects_are_created(name: str) -> None:
    for application in applications()[:3]:
        objects = manifests(application)
        assert list(fault_of(name).choices(objects)) == list(fault_of(name).choices(objects[::-1]))


@pytest.mark.parametrize("name", NAMES)
def test_each_fault_makes_flows_wrong_somewhere(name: str) -> None:
    assert any(
        effect(name, one, application) for application in applications() for one in some_choices(name, application)
    )


def find(name: str, application: Application, **fields: Any) -> Any:
    """The first choice of a fault with these fields."""
    return next(
        one
        for one in fault_of(name).choices(manifests(application))
        if all(getattr(one, key) == value for key, value in fields.items())
    )


def test_without_its_ingress_rule_nobody_reaches_a_service_of_online_boutique() -> None:
    lost = effect("k8s-ingress-removed", find("k8s-ingress-removed", boutique(), policy="cartservice"), boutique())
    assert {(one.source, one.target, one.port, one.allowed) for one in lost} == {
        ("frontend", "cartservice", 7070, True),
        ("checkoutservice", "cartservice", 7070, True),
    }


def test_an_added_ingress_rule_opens_all_ports_to_its_peer() -> None:
    rule = {"from": [{"podSelector": {"matchLabels": {"app": "emailservice"}}}]}
    one = find("k8s-ingress-added", boutique(), policy="adservice", rule=rule)
    opened = effect("k8s-ingress-added", one, boutique())
    assert {(flow.source, flow.target) for flow in opened} == {("emailservice", "adservice")}
    assert len(opened) == 3, "the Service, another TCP port and a UDP port"
    assert not any(flow.allowed for flow in opened)


def test_an_added_egress_rule_closes_an_open_egress_also_for_names() -> None:
    rule = {"to": [{"podSelector": {"matchLabels": {"app": "emailservice"}}}]}
    one = find("k8s-egress-added", boutique(), policy="checkoutservice", rule=rule)
    lost = effect("k8s-egress-added", one, boutique())
    assert {one.source for one in lost} == {"checkoutservice"}
    assert all(one.allowed for one in lost)
    assert {one.target for one in lost} == {
        "cartservice",
        "coredns",
        "currencyservice",
        "frontend",
        "paymentservice",
        "productcatalogservice",
        "shippingservice",
    }


def test_another_protocol_is_another_port() -> None:
    one = find("k8s-protocol-wrong", boutique(), policy="adservice", wrong="UDP")
    changed = effect("k8s-protocol-wrong", one, boutique())
    assert {(flow.protocol, flow.allowed, flow.source) for flow in changed} == {
        ("tcp", True, "frontend"),
        ("udp", False, "frontend"),
    }
    sctp = find("k8s-protocol-wrong", boutique(), policy="adservice", wrong="SCTP")
    assert [flow.protocol for flow in effect("k8s-protocol-wrong", sctp, boutique())] == ["tcp"]


def test_a_label_by_which_a_deployment_selects_its_pods_is_left_alone() -> None:
    for application in applications():
        for one in some_choices("k8s-pod-label-wrong", application):
            assert one.key != "app"


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_explained_with_its_object_and_its_namespace(name: str) -> None:
    fault = fault_of(name)
    for application in applications()[:6]:
        for one in some_choices(name, application, count=5):
            words = fault.explain(one)
            assert words.startswith(fault.about)
            assert one.namespace in words
            assert words.endswith(".")


def test_a_pointer_escapes_what_json_pointers_escape() -> None:
    assert pointer("spec", 0, "a/b~c") == "/spec/0/a~1b~0c"


def test_a_patch_leaves_the_object_alone_and_says_if_a_path_leads_nowhere() -> None:
    whole = {"a": [1, 2], "b": {"c/d": 3}}
    changed = patched(whole, [add("/a/1", 9), remove("/a/0"), replace("/b/c~1d", 4)])
    assert changed == {"a": [9, 2], "b": {"c/d": 4}}
    assert whole == {"a": [1, 2], "b": {"c/d": 3}}
    for wrong in (remove("/x"), replace("/x", 1), add("/a/7", 1), remove("/a/5"), add("/x/0", 1)):
        with pytest.raises(LookupError):
            patched(whole, [wrong])
