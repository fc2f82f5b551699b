"""Containers of clusters: what they run, what is reported of them, what is kept of what they write."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("aiohttp")

from pytest_netbench.backends.kube.gateway.channels import outcome, size_of
from pytest_netbench.backends.kube.machine import containers, statuses
from pytest_netbench.backends.kube.machine.environment import expanded
from pytest_netbench.backends.kube.machine.logs import MOST_BYTES, Log, moment_of, new_text
from pytest_netbench.backends.kube.machine.requests import refusal
from pytest_netbench.backends.kube.machine.statuses import State

RUNNING = State("running", {"startedAt": "x"}, ready=True)
BACKING_OFF = State("waiting", {"reason": "CrashLoopBackOff"}, restarts=1, last={"exitCode": 2})


def pod(*names: str, policy: str = "Always", **spec: Any) -> dict[str, Any]:
    listed = [{"name": name, "image": "busybox:1"} for name in names or ("c",)]
    metadata = {"name": "p", "namespace": "n", "uid": "u"}
    return {"metadata": metadata, "spec": {"containers": listed, "restartPolicy": policy, **spec}}


def ended(code: int) -> State:
    return State("terminated", {"exitCode": code})


@pytest.mark.parametrize(
    ("policy", "states", "phase"),
    [
        ("Always", [State("waiting", {"reason": "ImagePullBackOff"})], "Pending"),
        ("Always", [RUNNING], "Running"),
        ("Always", [BACKING_OFF], "Running"),
        ("Always", [ended(0)], "Running"),
        ("OnFailure", [ended(1)], "Running"),
        ("OnFailure", [ended(0)], "Succeeded"),
        ("Never", [ended(0)], "Succeeded"),
        ("Never", [ended(0), RUNNING], "Running"),
        ("Never", [ended(0), ended(137)], "Failed"),
    ],
)
def test_the_phase_of_a_pod_follows_its_containers(policy: str, states: list[State], phase: str) -> None:
    names = [f"c{number}" for number in range(len(states))]
    found = statuses.status(
        pod(*names, policy=policy), dict(zip(names, states, strict=True)), address="10.0.0.1", host="h", started="t"
    )
    assert found["phase"] == phase
    ready = next(one["status"] for one in found["conditions"] if one["type"] == "Ready")
    assert ready == ("True" if states == [RUNNING] else "False")


def test_restarts_are_ever_later() -> None:
    assert [statuses.delay_s(count) for count in (0, 1, 2, 3, 6, 60)] == [0, 10, 20, 40, 300, 300]


def test_a_signal_is_an_exit_status_above_128() -> None:
    assert statuses.ended(-9, started="s", finished="f", identity="i")["exitCode"] == 137
    assert outcome(-15)["details"]["causes"][0]["message"] == "143"
    assert outcome(0)["status"] == "Success"


@pytest.mark.parametrize(
    ("container", "words"),
    [
        ({"image": "busybox"}, ["sh"]),
        ({"image": "busybox", "args": ["echo", "$(A) $(B) $$(A)"]}, ["echo", "1 $(B) $(A)"]),
        ({"image": "busybox", "command": ["sh"], "args": ["-c", "x"]}, ["sh", "-c", "x"]),
        ({"image": "docker.io/curlimages/curl:8", "args": ["-s", "http://x"]}, ["curl", "-s", "http://x"]),
        ({"image": "curlimages/curl", "args": ["sleep", "1"]}, ["sleep", "1"]),
    ],
)
def test_a_container_runs_what_its_image_would(container: dict[str, Any], words: list[str]) -> None:
    assert containers.command({"name": "c", **container}, {"A": "1"})[4:] == words


def test_nginx_serves_unless_it_is_told_otherwise() -> None:
    assert containers.serves({"image": "library/nginx:1.27"}) == "http:80"
    assert containers.serves({"image": "nginx", "args": ["sleep", "1"]}) is None


def test_variables_that_are_not_known_stay() -> None:
    assert expanded("$(A)-$(NONE)-$HOME-$$(A)", {"A": "x"}) == "x-$(NONE)-$HOME-$(A)"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"hostNetwork": True}, "hostNetwork is not available"),
        ({"hostIPC": True}, "hostIPC is not available"),
        ({"initContainers": [{}]}, "init containers"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, "of the kind hostPath"),
        ({"volumes": [{"name": "v", "nfs": {}}]}, "of the kind nfs"),
    ],
)
def test_what_no_pod_has_is_refused_with_a_sentence(spec: dict[str, Any], words: str) -> None:
    assert words in (refusal(pod(**spec), own=False) or "")


def test_an_application_of_the_framework_may_ask_for_files_that_it_does_not_use() -> None:
    asked = pod(volumes=[{"name": "v", "emptyDir": {}}])
    asked["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/data"}]
    assert refusal(asked, own=True) is None
    assert "nothing is mounted at /data" in (refusal(asked, own=False) or "")


def test_at_most_five_containers_run_in_a_pod() -> None:
    assert refusal(pod(*"abcde"), own=False) is None
    assert "at most 5" in (refusal(pod(*"abcdef"), own=False) or "")


def test_a_log_keeps_its_last_lines() -> None:
    log = Log()
    for number in range(300_000):
        log.feed(f"line {number}\n".encode(), number)
    kept = log.after(0)
    assert sum(len(line.text) for line in kept) <= MOST_BYTES
    assert (kept[-1].text, log.end) == (b"line 299999\n", 300_000)
    assert [line.text for line in log.after(299_998)] == [b"line 299998\n", b"line 299999\n"]


def test_a_log_has_a_part_of_a_line_only_at_the_end() -> None:
    log = Log()
    log.feed(b"whole\npa", 0)
    log.feed(b"rt", 1)
    assert [line.text for line in log.after(0)] == [b"whole\n"]
    log.finish()
    assert [line.text for line in log.after(0)] == [b"whole\n", b"part"]


def test_a_line_without_an_end_does_not_grow_for_ever() -> None:
    log = Log()
    for _ in range(64):
        log.feed(b"x" * 65_536, 0)
    assert sum(len(line.text) for line in log.after(0)) <= MOST_BYTES


def test_a_line_has_its_time_as_the_api_writes_it() -> None:
    log = Log()
    log.feed(b"said\n", 1.5)
    assert log.after(0)[0].stamped() == b"1970-01-01T00:00:01.500000000Z said\n"


def test_what_is_new_is_found_in_a_text_whose_older_part_was_dropped() -> None:
    before = "".join(f"line {number}\n" for number in range(1000))
    assert new_text(before, before + "new\n") == "new\n"
    assert new_text(before, before[3000:] + "new\n") == "new\n"
    assert new_text(before, "other\n") == "other\n"


def test_the_time_of_a_line_is_read() -> None:
    assert moment_of("1970-01-01T00:01:00Z said") == 60
    assert moment_of("said") is None


@pytest.mark.parametrize(
    ("data", "size"), [(b'{"Width":80,"Height":24}', (80, 24)), (b"", None), (b"[]", None), (b'{"Width":"x"}', None)]
)
def test_the_size_of_a_terminal_is_read(data: bytes, size: tuple[int, int] | None) -> None:
    assert size_of(data) == size
