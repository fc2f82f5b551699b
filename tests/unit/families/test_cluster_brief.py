"""What an agent is told of a Kubernetes cluster."""

from __future__ import annotations

import re

from pytest_netbench.families.diagnose import briefing
from pytest_netbench.families.faulty.clusters import wanted
from pytest_netbench.families.repair.briefing import assignment
from pytest_netbench.generators.kubernetes.diagnose import DiagnoseKubernetes, DiagnoseKubernetesParameters
from pytest_netbench.generators.kubernetes.repair import RepairKubernetes, RepairKubernetesParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import FlowGroup
from pytest_netbench.model.repair import Repair, repair_of


def boutique() -> Repair:
    parameters = RepairKubernetesParameters.model_validate({"applications": ("boutique",)})
    return repair_of(RepairKubernetes().draw(parameters, seed=1, index=0))


def with_flows(*groups: FlowGroup) -> Repair:
    return boutique().model_copy(update={"flows": groups})


def lines(*groups: FlowGroup) -> list[str]:
    return list(wanted(with_flows(*groups), allowed=True))


def group(sources: str, targets: dict[str, str], **fields: object) -> FlowGroup:
    return FlowGroup.model_validate(
        {"sources": tuple(sources.split()), "targets": targets, "protocol": "tcp", "port": 80, **fields}
    )


def test_the_brief_of_online_boutique_says_who_must_reach_whom() -> None:
    text = assignment(boutique())
    addresses = re.sub(r"10\.96\.\d+\.\d+", "ADDRESS", text)
    assert "- TCP port 9555 from frontend to adservice (ADDRESS)" in addresses
    assert "- TCP port 9555 from every other pod but frontend to adservice (ADDRESS)" in addresses
    assert "- TCP port 5000 from checkoutservice to emailservice (ADDRESS)" in addresses
    assert "- UDP port 53 from every pod to coredns (ADDRESS)" in addresses
    assert "- UDP port 50051 from every other pod to the pods of paymentservice, shippingservice" in addresses
    assert text.index("must work when") < text.index("must not work when")


def test_the_brief_says_what_the_workstation_is_for_and_where_workloads_are() -> None:
    text = assignment(boutique())
    assert "On the device workstation, `kubectl` lists and changes its objects." in text
    assert "\n- boutique: adservice, cartservice, checkoutservice," in text
    assert "some work that must not" in text


def test_the_brief_of_online_boutique_is_short() -> None:
    assert len(assignment(boutique()).splitlines()) < 45


def test_the_brief_of_a_diagnosis_says_that_telemetry_has_the_calls_of_pods() -> None:
    drawn = DiagnoseKubernetes().draw(DiagnoseKubernetesParameters(), seed=1, index=0)
    assert briefing.CALLED in briefing.assignment(diagnose_of(drawn)).splitlines()


def test_many_names_are_said_in_few_words() -> None:
    everyone = group("a b c d", {"a": "pod", "b": "pod", "c": "pod", "d": "pod"})
    assert lines(everyone) == ["- TCP port 80 from every other pod to every pod"]
    assert lines(everyone, group("a b c d", {"a": "pod", "b": "pod", "c": "pod"}))[1] == (
        "- TCP port 80 from every other pod to every pod but d"
    )
    assert lines(everyone, group("a", {"b": "pod"}))[1] == "- TCP port 80 from a to the pod of b"
    assert lines(everyone, group("a b", {"c": "pod", "d": "pod"}))[1] == "- TCP port 80 from a, b to the pods of c, d"
    assert lines(everyone, group("a b", {"d": "10.96.0.9"}))[1] == (
        "- TCP port 80 from every other pod but c to d (10.96.0.9)"
    )
    assert lines(everyone, group("a b c d", {"x": "10.96.0.9"}))[1] == "- TCP port 80 from every pod to x (10.96.0.9)"
