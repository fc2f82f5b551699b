"""Events of pods, as clients show them: what happened, in few objects, and nothing once a cluster is reset."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from pytest_netbench.backends.kube.binaries import Binaries, find
from pytest_netbench.backends.kube.machine.recorder import EVERY_S, MOST_OF_A_POD
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.platforms.capabilities import CLUSTER
from tests.integration import clusters
from tests.integration.clusters import WORKLOADS, Kubectl, wait_until
from tests.integration.kube import dump

TOOLBOX = "busybox:1.36"
OF_A_START = ["Pulled", "Created", "Started"]


def events(kubectl: Kubectl, pod: str) -> list[dict[str, Any]]:
    """Those that a kubelet wrote of a pod whose name begins so, the oldest first."""
    found = json.loads(kubectl("get", "events", "-o", "json", "--field-selector", "involvedObject.kind=Pod"))["items"]
    mine = [one for one in found if one["involvedObject"]["name"].startswith(pod)]
    return sorted(
        (one for one in mine if one["source"].get("component") == "kubelet"),
        key=lambda one: str(one["metadata"]["creationTimestamp"]),
    )


def reasons(kubectl: Kubectl, pod: str) -> dict[str, int]:
    """How often what happened to a pod."""
    found: dict[str, int] = {}
    for one in events(kubectl, pod):
        found[one["reason"]] = found.get(one["reason"], 0) + one["count"]
    return found


def test_a_reset_cluster_has_no_event_and_none_comes_back(binaries: Binaries, tmp_path: Path) -> None:
    plane = shared(binaries)
    fresh = dump(plane)
    with clusters.running() as lab, clusters.logged_in(lab, tmp_path) as path:
        kubectl = Kubectl(find().kubectl, path)
        wait_until(lambda: all(reasons(kubectl, one).get("Started") for one in WORKLOADS))
        kubectl("delete", "pods", "--all", "--wait=false")
    assert dump(plane) == fresh
    time.sleep(1)
    assert dump(plane) == fresh


def test_a_pod_is_described_with_what_happened_to_it(kubectl: Kubectl) -> None:
    wait_until(lambda: len(events(kubectl, "front")) == len(OF_A_START))
    name = kubectl("get", "pods", "-l", "app=front", "-o", "name").split()[0]
    text = kubectl("describe", name)
    shown = text[text.index("Events:") :]
    # before there were machines, the scheduler may have found none
    lines = [line.split() for line in shown.splitlines()[3:] if "FailedScheduling" not in line]
    assert [line[1] for line in lines] == ["Scheduled", *OF_A_START]
    assert {line[0] for line in lines} == {"Normal"}
    assert [line[3] for line in lines[1:]] == ["kubelet"] * len(OF_A_START)
    assert 'Container image "netbench/service:1" already present on machine' in shown


def test_each_pod_of_the_application_was_started_once(kubectl: Kubectl) -> None:
    for workload in WORKLOADS:
        wait_until(lambda workload=workload: reasons(kubectl, workload) == dict.fromkeys(OF_A_START, 1))


def test_an_image_that_cannot_be_had_and_a_pod_that_ends_are_told(kubectl: Kubectl) -> None:
    kubectl("run", "none", "--image=none.example/nothing:1")
    wait_until(lambda: {"Failed", "BackOff"} <= reasons(kubectl, "none").keys())
    assert 'Failed to pull image "none.example/nothing:1"' in kubectl("describe", "pod", "none")
    kubectl("delete", "pod", "none")
    kubectl("run", "short", f"--image={TOOLBOX}", "--", "sleep", "3600")
    kubectl("wait", "--for=condition=Ready", "pod/short", "--timeout=30s")
    kubectl("delete", "pod", "short")
    wait_until(lambda: "Killing" in reasons(kubectl, "short"))


def test_a_container_that_ends_again_and_again_is_counted_in_one_event(kubectl: Kubectl) -> None:
    kubectl("run", "crash", f"--image={TOOLBOX}", "--", "false")
    try:
        wait_until(lambda: reasons(kubectl, "crash").get("Started", 0) > 1, within_s=3 * EVERY_S)
        started = [one for one in events(kubectl, "crash") if one["reason"] == "Started"]
        assert len(started) == 1
        (back_off,) = (one for one in events(kubectl, "crash") if one["reason"] == "BackOff")
        assert back_off["type"] == "Warning"
        assert back_off["message"].startswith("Back-off restarting failed container crash in pod crash_")
    finally:
        kubectl("delete", "pod", "crash")


def test_a_program_that_does_not_serve_is_not_ready_and_the_probe_is_told(kubectl: Kubectl) -> None:
    probe = {"tcpSocket": {"port": 4444}}
    container = {"name": "deaf", "image": "netbench/service:1", "readinessProbe": probe}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "deaf"}, "spec": {"containers": [container]}}
    kubectl("apply", "-f", "-", input=json.dumps(pod).encode())
    try:
        wait_until(lambda: "Unhealthy" in reasons(kubectl, "deaf"))
        (one,) = (one for one in events(kubectl, "deaf") if one["reason"] == "Unhealthy")
        assert one["message"].startswith("Readiness probe failed: dial tcp 10.244.")
        assert one["message"].endswith(":4444: connect: connection refused")
    finally:
        kubectl("delete", "pod", "deaf")


def test_pods_that_cannot_start_make_few_events(kubectl: Kubectl) -> None:
    names = [f"c{number}" for number in range(60)]
    containers = [{"name": one, "image": f"none.example/{one}"} for one in names]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "many"}, "spec": {"containers": containers}}
    kubectl("apply", "-f", "-", input=json.dumps(pod).encode())
    try:
        wait_until(lambda: len(events(kubectl, "many")) >= MOST_OF_A_POD)
        time.sleep(4)
        assert len(events(kubectl, "many")) == MOST_OF_A_POD
    finally:
        kubectl("delete", "pod", "many")


def test_what_is_deployed_anew_tells_nothing_of_the_pods_of_before(shop: Any, kubectl: Kubectl) -> None:
    before = {one["metadata"]["name"] for one in json.loads(kubectl("get", "pods", "-o", "json"))["items"]}
    shop.capability(CLUSTER).renew()
    for workload in WORKLOADS:
        wait_until(lambda workload=workload: reasons(kubectl, workload) == dict.fromkeys(OF_A_START, 1))
    told = {one["involvedObject"]["name"] for workload in WORKLOADS for one in events(kubectl, workload)}
    assert not told & before
