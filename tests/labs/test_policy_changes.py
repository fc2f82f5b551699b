"""Network policies with packets: a change while a flow of UDP runs, and the cases of Kubernetes' own tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from pytest_netbench import parts
from pytest_netbench.kubernetes.policies import World
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import LOGS, PROCESSES
from tests.support.policy_cases import CASES, objects
from tests.support.policy_labs import enforce, policy_lab, request, unlike, world_of
from tests.support.policy_sets import node_of

ECHO = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('', 7))
while True:
    s.sendto(*s.recvfrom(64))
"""
TALK = """
import socket, sys, time
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
c.connect((sys.argv[1], 7))
c.settimeout(0.5)
while True:
    try:
        c.send(b'x')
        c.recv(64)
        print('answered', flush=True)
    except OSError:
        print('silent', flush=True)
    time.sleep(0.02)
"""


def until(condition: Callable[[], bool], *, within_s: float = 20.0) -> None:
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    lack = parts.load("backends", "netns")().lacks(request())
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    with policy_lab() as running:
        yield running


@pytest.mark.parametrize("name", [*CASES][::5])
def test_packets_pass_as_a_case_of_kubernetes_says(lab: Lab, name: str) -> None:
    world = World.of([*objects(), *CASES[name][0]])
    enforce(lab, world)
    assert unlike(lab, world) == []


def test_a_flow_of_udp_ends_while_it_is_not_allowed_and_goes_on_after_that(lab: Lab) -> None:
    closed = {
        "kind": "NetworkPolicy",
        "metadata": {"name": "closed", "namespace": "x"},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"]},
    }
    empty = world_of([])
    pods = {(pod.namespace, pod.name): str(pod.address) for pod in empty.pods}
    server, client = node_of(pods["x", "a"]), node_of(pods["y", "b"])
    enforce(lab, empty)
    lab.nodes[server].capability(PROCESSES).start(["python3", "-c", ECHO], name="echo", lab_time=False)
    talk = ["python3", "-c", TALK, pods["x", "a"]]
    lab.nodes[client].capability(PROCESSES).start(talk, name="talk", lab_time=False)
    log = lab.nodes[client].capability(LOGS)
    until(lambda: log.log("talk").count("answered") > 5)
    enforce(lab, world_of([closed]))
    until(lambda: "silent\nsilent" in log.log("talk"))
    answered = log.log("talk").count("answered")
    time.sleep(1)
    assert log.log("talk").count("answered") == answered
    enforce(lab, empty)
    until(lambda: log.log("talk").count("answered") > answered)
