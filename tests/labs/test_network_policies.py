"""Network policies as rules of kernels, tried with packets: drawn sets, planted bugs, ended connections."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.kubernetes.policies import World, ruleset
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import EXEC, LOGS, PROCESSES
from tests.support.policy_labs import enforce, policy_lab, request, unlike, world_of
from tests.support.policy_sets import Draw, Object, node_of, questions

ECHO = "import socket;s=socket.create_server(('',7));c,_=s.accept()\nwhile c.send(c.recv(64)): pass"
TALK = """
import socket, sys, time
c = socket.create_connection((sys.argv[1], 7))
c.settimeout(0.5)
while True:
    c.send(b'x')
    c.recv(64)
    print('answered', flush=True)
    time.sleep(0.02)
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    lack = parts.load("backends", "netns")().lacks(request())
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    with policy_lab() as running:
        yield running


def draws_with(feature: str, *, most: int = 400) -> Iterator[Draw]:
    """Drawn sets that have a feature, and of whose flows some pass and some do not."""
    for seed in range(1, most):
        draw = Draw(seed)
        answers = [allowed for _, allowed in questions(world_of(draw.policies))]
        if feature in draw.features and 0.2 <= sum(answers) / len(answers) <= 0.8:
            yield draw


@pytest.mark.parametrize("seed", [3, 5, 9, 21])
def test_packets_pass_as_it_is_decided(lab: Lab, seed: int) -> None:
    world = world_of(Draw(seed).policies)
    enforce(lab, world)
    assert unlike(lab, world) == []


def rules(policies: list[Object]) -> Iterator[Object]:
    for policy in policies:
        for direction in ("ingress", "egress"):
            yield from policy["spec"].get(direction) or ()


def peers(policies: list[Object]) -> Iterator[Object]:
    for rule in rules(policies):
        for name in ("from", "to"):
            yield from rule.get(name) or ()


def expressions(policies: list[Object]) -> Iterator[Object]:
    for one in (*(policy["spec"] for policy in policies), *peers(policies)):
        for name in ("podSelector", "namespaceSelector"):
            yield from (one.get(name) or {}).get("matchExpressions") or ()


def ports(policies: list[Object]) -> Iterator[Object]:
    for rule in rules(policies):
        yield from rule.get("ports") or ()


def drops(name: str) -> Callable[[list[Object]], None]:
    def bug(policies: list[Object]) -> None:
        for one in (*peers(policies), *(peer.get("ipBlock", {}) for peer in peers(policies)), *ports(policies)):
            one.pop(name, None)

    return bug


def operator(wrong: str, right: str) -> Callable[[list[Object]], None]:
    def bug(policies: list[Object]) -> None:
        for one in expressions(policies):
            if one["operator"] == right:
                one["operator"] = wrong
                one["values"] = one.get("values") or ["nothing"] if wrong in ("In", "NotIn") else []

    return bug


def no_ports_are_tcp(policies: list[Object]) -> None:
    for rule in rules(policies):
        rule.setdefault("ports", [{"protocol": "TCP"}])


def every_port_is_tcp(policies: list[Object]) -> None:
    for port in ports(policies):
        port["protocol"] = "TCP"


def names_mean_80(policies: list[Object]) -> None:
    for port in ports(policies):
        if isinstance(port.get("port"), str):
            port["port"] = 80


def egress_by_default(policies: list[Object]) -> None:
    for policy in policies:
        policy["spec"].setdefault("policyTypes", ["Ingress", "Egress"])


def the_first_counts(policies: list[Object]) -> None:
    del policies[1:]


def no_rules_admit_all(policies: list[Object]) -> None:
    for policy in policies:
        for direction in ("ingress", "egress"):
            if policy["spec"].get(direction) == []:
                policy["spec"][direction] = [{}]


BUGS = {
    "exceptions are left out": ("except", drops("except")),
    "a selector of namespaces is left out": ("namespaceSelector", drops("namespaceSelector")),
    "a selector of pods is left out beside one of namespaces": ("both selectors", drops("podSelector")),
    "the end of a range is left out": ("endPort", drops("endPort")),
    "NotIn is In": ("NotIn", operator("In", "NotIn")),
    "DoesNotExist is Exists": ("DoesNotExist", operator("Exists", "DoesNotExist")),
    "no ports are TCP": ("no ports", no_ports_are_tcp),
    "every port is TCP": ("UDP", every_port_is_tcp),
    "a name is port 80": ("named port", names_mean_80),
    "egress is isolated by default": ("default types", egress_by_default),
    "only the first policy counts": ("several policies", the_first_counts),
    "no rules admit all": ("no rules", no_rules_admit_all),
}


@pytest.mark.parametrize("name", BUGS)
def test_packets_find_a_bug_in_what_is_enforced(lab: Lab, name: str) -> None:
    feature, bug = BUGS[name]
    for draw in draws_with(feature):
        wrong: Any = copy.deepcopy(draw.policies)
        bug(wrong)
        right, mistaken = world_of(draw.policies), world_of(wrong)
        if dict(questions(right, protocols=("TCP", "UDP"))) != dict(questions(mistaken, protocols=("TCP", "UDP"))):
            enforce(lab, mistaken)
            assert unlike(lab, right), "nothing shows it"
            return
    pytest.fail("no drawn set shows it on paper")


def test_without_answers_of_connections_no_packet_passes_an_isolated_pod(lab: Lab) -> None:
    def compiled(world: World, machine: str) -> str:
        return "\n".join(line for line in ruleset(world, machine).splitlines() if "ct direction reply" not in line)

    world = world_of(Draw(3).policies)
    enforce(lab, world, compiled=compiled)
    assert unlike(lab, world)


def test_a_change_ends_a_connection_that_is_no_longer_allowed(lab: Lab) -> None:
    empty = world_of([])
    enforce(lab, empty)
    pods = {(pod.namespace, pod.name): str(pod.address) for pod in empty.pods}
    server, client = node_of(pods["x", "a"]), node_of(pods["y", "b"])
    lab.nodes[server].capability(PROCESSES).start(["python3", "-c", ECHO], name="echo", lab_time=False)
    time.sleep(0.3)
    talk = ["python3", "-c", TALK, pods["x", "a"]]
    lab.nodes[client].capability(PROCESSES).start(talk, name="talk", lab_time=False)
    log = lab.nodes[client].capability(LOGS)
    until(lambda: log.log("talk").count("answered") > 5)
    closed = {
        "kind": "NetworkPolicy",
        "metadata": {"name": "closed", "namespace": "x"},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"]},
    }
    enforce(lab, world_of([closed]))
    until(lambda: "TimeoutError" in log.log("talk"))
    enforce(lab, empty)
    assert lab.nodes[client].capability(EXEC).run(["ping", "-c1", "-W2", pods["x", "a"]]).returncode == 0


def until(condition: Callable[[], bool], *, within_s: float = 10.0) -> None:
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
