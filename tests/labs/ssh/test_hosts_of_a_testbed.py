"""An IOS router between two Linux hosts, all reached over SSH as the devices of a testbed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.testbed import journal
from pytest_netbench.backends.testbed.backend import TestbedBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Settings, run_trial
from tests.support.testbeds import Standing, standing

TASK = """\
task_name: Keep the guest from the server
platform: cisco_ios
intents: [{text: The guest 10.1.0.10 does not reach the server 10.2.0.10 by TCP port 80.}]
topology:
  nodes:
  - {name: guest, platform: linux, control: observed}
  - R1
  - {name: server, platform: linux, control: observed}
  links: [guest eth0 <-> R1 Gi0/0, R1 Gi0/1 <-> server eth0]
startup_configs:
  guest: "ip address add 10.1.0.10/24 dev eth0\\nip route add default via 10.1.0.1\\n"
  server: "ip address add 10.2.0.10/24 dev eth0\\nip route add default via 10.2.0.1\\n"
  R1: |
    interface Gi0/0
     ip address 10.1.0.1 255.255.255.0
     no shutdown
    interface Gi0/1
     ip address 10.2.0.1 255.255.255.0
     no shutdown
ground_truth_configs:
  R1:
  - ip access-list extended GUEST
  - deny tcp any host 10.2.0.10 eq 80
  - permit ip any any
  - interface Gi0/0
  - ip access-group GUEST in
health_checks:
- {name: the guest reaches the server, kind: reachability, from: guest, to: server, within: 20s}
testcases:
- {name: no web, kind: reachability, intent: 1, from: guest, to: server, protocol: tcp, port: 80, expected: denied,
   within: 3s}
- {name: other ports, kind: reachability, role: regression, from: guest, to: server, protocol: tcp, port: 81, within: 3s}
- {name: answers, kind: reachability, role: regression, from: server, to: guest, within: 3s}
- {name: datagrams, kind: reachability, role: regression, from: guest, to: server, protocol: udp, port: 53, within: 3s}
"""
VERDICTS = {
    Oracle: {"no web": "pass", "other ports": "pass", "answers": "pass", "datagrams": "pass"},
    Nop: {"no web": "fail", "other ports": "pass", "answers": "pass", "datagrams": "pass"},
}


def task(folder: Path):
    path = folder / "guest.task.yaml"
    path.write_text(TASK)
    return load_task(path)


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    if os.geteuid() != 0:
        pytest.skip("hosts are entered as root")
    folder = tmp_path_factory.mktemp("stand")
    wanted = request_of(task(folder))
    lack = parts.load("backends", "netns")().lacks(wanted)
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    with standing(wanted, folder) as found:
        yield found


@pytest.fixture
def testbed(stand: Standing, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standing]:
    for name, value in stand.env.items():
        monkeypatch.setenv(name, value)
    before, text = stand.seen(), stand.file.read_text()
    yield stand
    stand.file.write_text(text)
    assert stand.seen() == before
    assert list(journal.JOURNALS.names()) == []


def await_devices() -> None:
    for thread in threading.enumerate():
        if thread.name == "netbench-testbed":
            thread.join()


def results(found: TrialResult) -> dict[str, str]:
    assert found.record.outcome == "done", found.record.error
    return {one.name: one.status for one in found.record.testcase_results}


@pytest.mark.parametrize("agent", [Oracle, Nop])
def test_a_trial_with_hosts_has_the_verdicts_of_namespaces(testbed: Standing, tmp_path: Path, agent: type) -> None:
    found = run_trial(task(tmp_path), agent(), settings=Settings(backend=TestbedBackend()))
    await_devices()
    assert results(found) == VERDICTS[agent]
    assert results(run_trial(task(tmp_path), agent(), backend="netns")) == VERDICTS[agent]
