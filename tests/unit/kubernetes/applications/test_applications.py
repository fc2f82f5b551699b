"""Applications on paper: facts of Online Boutique, what is drawn, and policies that let through what graphs permit."""

from __future__ import annotations

from collections import Counter
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from itertools import permutations

import pytest
import yaml

from pytest_netbench.errors import UsageError
from pytest_netbench.kubernetes.applications.boutique import boutique
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.kubernetes.applications.drawing import drawn
from pytest_netbench.kubernetes.applications.flows import flow_groups
from pytest_netbench.kubernetes.applications.graph import Application
from pytest_netbench.kubernetes.applications.manifests import IMAGE, manifests
from pytest_netbench.kubernetes.applications.policies import policies
from pytest_netbench.kubernetes.applications.writing import as_yaml
from pytest_netbench.model.objects import POD, deployments_of, objects_of
from pytest_netbench.model.watch import WatchedFlow

SIZES = (6, 7, 9, 12, 20, 40)
# port of the Service, port of the pods, who is let in by the published policy
BOUTIQUE = {
    "frontend": (80, 8080, "anyone"),
    "adservice": (9555, 9555, "frontend"),
    "cartservice": (7070, 7070, "frontend checkoutservice"),
    "checkoutservice": (5050, 5050, "frontend"),
    "currencyservice": (7000, 7000, "frontend checkoutservice"),
    "emailservice": (5000, 8080, "checkoutservice"),
    "paymentservice": (50051, 50051, "checkoutservice"),
    "productcatalogservice": (3550, 3550, "frontend checkoutservice recommendationservice"),
    "recommendationservice": (8080, 8080, "frontend"),
    "shippingservice": (50051, 50051, "frontend checkoutservice"),
    "redis-cart": (6379, 6379, "cartservice"),
}


@cache
def applications() -> tuple[Application, ...]:
    return (boutique(), *(drawn(seed, services=SIZES[seed % len(SIZES)]) for seed in range(60)))


def flows(application: Application) -> list[WatchedFlow]:
    return [flow for group in flow_groups(application) for flow in group.flows()]


def test_online_boutique_has_its_published_ports_and_policies() -> None:
    objects = manifests(boutique())
    kinds = Counter(one["kind"] for one in objects)
    assert kinds == {"Namespace": 1, "Deployment": 12, "Service": 11, "NetworkPolicy": 13}
    services = {one["metadata"]["name"]: one["spec"]["ports"][0] for one in objects if one["kind"] == "Service"}
    rules = {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == "NetworkPolicy"}
    assert set(services) == set(BOUTIQUE)
    assert set(rules) == {*BOUTIQUE, "loadgenerator", "deny-all"}
    for name, (port, target, callers) in BOUTIQUE.items():
        assert (services[name]["port"], services[name]["targetPort"]) == (port, target)
        assert rules[name]["egress"] == [{}], "each may send anywhere"
        assert rules[name]["podSelector"] == {"matchLabels": {"app": name}}
        if callers == "anyone":
            assert rules[name]["ingress"] == [{}]
            continue
        (rule,) = rules[name]["ingress"]
        assert rule["ports"] == [{"port": target, "protocol": "TCP"}]
        assert {one["podSelector"]["matchLabels"]["app"] for one in rule["from"]} == set(callers.split())
    assert rules["loadgenerator"]["policyTypes"] == ["Egress"]
    assert rules["deny-all"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize("number", range(61))
def test_policies_let_through_what_the_graph_permits_and_no_more(number: int) -> None:
    application = applications()[number]
    wanted = flows(application)
    wrong = Connectivity(manifests(application)).wrong(wanted)
    assert [str(wanted[one]) for one in wrong] == []


@pytest.mark.parametrize("seed", range(12))
def test_second_policies_of_online_boutique_let_through_what_its_published_ones_do(seed: int) -> None:
    plain, other = manifests(boutique(seed)), manifests(boutique(seed, seconds=True))
    assert Connectivity(other).wrong(flows(boutique(seed)), right=Connectivity(plain)) == ()
    before, after = (
        {(one["kind"], one["metadata"]["name"]): one for one in found if one["kind"] != "NetworkPolicy"}
        for found in (plain, other)
    )
    assert before == after


@pytest.mark.parametrize("seed", range(30))
def test_second_policies_of_drawn_applications_let_through_what_the_graph_permits_and_no_more(seed: int) -> None:
    application = drawn(seed, services=SIZES[seed % len(SIZES)], seconds=True)
    assert not Connectivity(manifests(application)).wrong(flows(application))
    assert any(one.second for one in application.workloads)


def test_an_application_without_one_of_its_policies_does_not_let_through_the_same() -> None:
    noticed = 0
    for application in applications()[:12]:
        objects, wanted = manifests(application), flows(application)
        for number, one in enumerate(objects):
            if one["kind"] == "NetworkPolicy" and one["metadata"]["name"] != "deny-all":
                found = Connectivity([*objects[:number], *objects[number + 1 :]]).wrong(wanted)
                noticed += bool(found)
                assert found or application.default == "allow" or one["spec"]["policyTypes"] == ["Ingress"], one
    assert noticed > 50


def test_each_ordered_pair_has_its_service_one_other_tcp_port_and_one_udp_port() -> None:
    for application in applications()[:15]:
        found = Counter((one.source, one.target, one.protocol, one.address == POD) for one in flows(application))
        names = [one.name for one in application.workloads]
        expected: Counter[tuple[str, str, str, bool]] = Counter()
        for source, target in permutations(names, 2):
            expected[source, target, "tcp", False] += application.by_name[target].has_service
            expected[source, target, "tcp", True] += 1
            expected[source, target, "udp", True] += 1
        for name in names:
            expected[name, "coredns", "udp", False] += 1
        assert found == +expected


def test_the_flows_of_an_application_are_in_few_groups() -> None:
    assert len(flow_groups(boutique())) <= 36
    for application in applications():
        assert len(flow_groups(application)) <= 6 * len(application.workloads)


def test_what_may_be_drawn_is_drawn() -> None:
    found = applications()[1:]
    assert {one.default for one in found} == {"deny", "allow"}
    assert {len(one.namespaces) for one in found} >= {1, 2, 3}
    assert {workload.sends for one in found for workload in one.workloads} == {"anywhere", "calls"}
    admits = {workload.admits for one in found for workload in one.workloads}
    assert admits == {"callers", "namespace", "cluster", "anyone"}
    monitored = [any(workload.reaches_all for workload in one.workloads) for one in found]
    assert 10 < sum(monitored) < 50
    styles = [one.style for one in found]
    assert {one.key for one in styles} == {"app", "app.kubernetes.io/name", "service"}
    for name in ("split", "named", "shared", "tiers"):
        assert {getattr(one, name) for one in styles} == {False, True}


def test_each_service_of_a_drawn_application_is_called_and_calls_do_not_go_round() -> None:
    for application in applications()[1:]:
        for workload in application.served:
            if not workload.reaches_all:
                assert application.callers(workload.name), workload
        reached: dict[str, set[str]] = {}

        def below(name: str, application: Application = application, reached: dict = reached) -> set[str]:
            if name not in reached:
                reached[name] = set()
                calls = application.by_name[name].calls
                reached[name] = {*calls, *(other for one in calls for other in below(one))}
            return reached[name]

        assert not [one.name for one in application.workloads if one.name in below(one.name)]


@pytest.mark.parametrize("services", [5, 41])
def test_an_application_of_another_size_is_refused(services: int) -> None:
    with pytest.raises(UsageError, match=rf"an application of {services} workloads cannot be drawn \(6 to 40\)"):
        drawn(1, services=services)


def test_an_application_has_as_many_workloads_as_asked_for_with_names_of_their_own() -> None:
    for services in range(6, 41):
        names = [one.name for one in drawn(3, services=services).workloads]
        assert len(names) == len(set(names)) == services
        assert not {"workstation", "coredns", "pod"} & set(names)


def test_addresses_of_services_are_in_their_network_and_nobody_elses() -> None:
    for application in applications():
        addresses = [one["spec"]["clusterIP"] for one in manifests(application) if one["kind"] == "Service"]
        assert len(set(addresses)) == len(addresses) == len(application.served)
        assert all(IPv4Address(one) in IPv4Network("10.96.0.0/16") for one in addresses)
        assert not {"10.96.0.1", "10.96.0.10"} & set(addresses)


def test_a_pod_is_told_what_it_serves_and_whom_it_calls() -> None:
    objects = {one["metadata"]["name"]: one for one in manifests(boutique()) if one["kind"] == "Deployment"}
    (cart,) = objects["cartservice"]["spec"]["template"]["spec"]["containers"]
    assert cart["image"] == IMAGE == "netbench/service:1"
    assert cart["env"] == [
        {"name": "NETBENCH_SERVE", "value": "grpc:7070"},
        {"name": "NETBENCH_CALLS", "value": "redis-cart.boutique:6379/redis"},
    ]
    assert cart["ports"] == [{"name": "grpc", "containerPort": 7070, "protocol": "TCP"}]
    assert cart["readinessProbe"]["grpc"] == {"port": 7070}
    (load,) = objects["loadgenerator"]["spec"]["template"]["spec"]["containers"]
    assert load["env"] == [{"name": "NETBENCH_CALLS", "value": "frontend.boutique:80/http"}]
    assert "ports" not in load
    (front,) = objects["frontend"]["spec"]["template"]["spec"]["containers"]
    assert front["readinessProbe"]["httpGet"]["port"] == 8080
    (redis,) = objects["redis-cart"]["spec"]["template"]["spec"]["containers"]
    assert redis["readinessProbe"]["tcpSocket"] == {"port": 6379}


def test_a_deployment_selects_the_pods_of_its_template_and_so_does_its_service() -> None:
    for application in applications()[:20]:
        objects = manifests(application)
        templates = {
            one["metadata"]["name"]: one["spec"]["template"]["metadata"]["labels"]
            for one in objects
            if one["kind"] == "Deployment"
        }
        for one in objects:
            if one["kind"] in {"Deployment", "Service"}:
                selector = one["spec"]["selector"].get("matchLabels", one["spec"]["selector"])
                selected = [name for name, labels in templates.items() if selector.items() <= labels.items()]
                assert selected == [one["metadata"]["name"]]


def test_objects_are_in_a_drawn_order_behind_their_namespaces_and_look_alike() -> None:
    orders = [[one["metadata"]["name"] for one in manifests(boutique(seed))] for seed in (1, 2)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    for application in applications()[:20]:
        kinds = [one["kind"] for one in manifests(application)]
        assert kinds[: len(application.namespaces)] == ["Namespace"] * len(application.namespaces)
        assert "Namespace" not in kinds[len(application.namespaces) :]
        fields = {(one["kind"], *sorted(one["metadata"])) for one in manifests(application)}
        assert len(fields) == len({kind for kind, *_ in fields}), "all of a kind have the same metadata"


def test_the_text_of_objects_is_stable_and_has_all_of_them() -> None:
    for application in applications()[:10]:
        objects = manifests(application)
        text = as_yaml(objects)
        assert list(yaml.safe_load_all(text)) == objects == objects_of(text)
        assert "&id" not in text
        assert text == as_yaml(manifests(application))
        workloads = {name for names in deployments_of(text).values() for name in names}
        assert workloads == {one.name for one in application.workloads}


def test_policies_are_written_in_the_style_of_the_application() -> None:
    for application in applications()[1:]:
        specs = [one["spec"] for one in policies(application)]
        text = str(specs)
        assert ("matchExpressions" in text) <= (application.style.peers == "expressions")
        ports = [
            port["port"]
            for spec in specs
            for rule in [*spec.get("ingress", []), *spec.get("egress", [])]
            for port in rule.get("ports", [])
        ]
        assert any(isinstance(one, str) for one in ports) is application.style.named
        assert any(spec == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} for spec in specs) is (
            application.default == "deny"
        )


def test_a_text_that_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="no API object with 'kind' and 'metadata'"):
        objects_of("a: 1\n")
    with pytest.raises(ValueError, match="no YAML"):
        objects_of("a: [\n")


@pytest.mark.parametrize(
    "text", ["on", "No", "true", "10.96.0.1", "1e3", "a: b", "- a", "", "~", "a b", "0x1f", "#a", "a:1"]
)
def test_texts_stay_texts(text: str) -> None:
    whole = {"kind": "X", "metadata": {"name": text, text or "k": [text, {text or "k": text}, {}, []]}}
    assert objects_of(as_yaml([whole, whole])) == [whole, whole]
