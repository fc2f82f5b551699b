"""An IOS router between two Linux hosts, all reached over SSH as the devices of a testbed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from pytest_netbench import parts
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.testbed import journal
from pytest_netbench.backends.testbed.backend import TestbedBackend
from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.request import request_of
from pytest_netbench.lab.ssh_line import SshLine, SshTarget
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.portability.running import Comparer
from pytest_netbench.portability.working import Work
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Settings, run_trial
from tests.support.console_server import ConsoleServer
from tests.support.ssh_hosts import SshHosts
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
- {name: other ports, kind: reachability, role: regression, from: guest, to: server, protocol: tcp, port: 81,
   within: 3s}
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
        if thread.name == "netbench-cleanup":
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


def test_a_host_lets_a_key_in_and_a_changed_host_key_is_refused(testbed: Standing, tmp_path: Path) -> None:
    text = testbed.file.read_text()
    testbed.file.write_text(text.replace("password: {env: PW_HOSTS}", f"key: {testbed.key}"))
    assert [check.ok for check in TestbedBackend().report()] == [True] * 4
    other = tmp_path / "known_hosts"
    known = (testbed.file.parent / "known_hosts").read_text().splitlines()
    changed = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()
    other.write_text("".join(f"{line.split()[0]} {changed}\n" for line in known))
    testbed.file.write_text(text.replace(str(testbed.file.parent / "known_hosts"), str(other)))
    details = [check.detail for check in TestbedBackend().report()[1:]]
    assert all("its host key is another one than the known one; nobody logged in" in one for one in details), details
    with pytest.raises(LabError, match="its host key is another one than the known one; nobody logged in"):
        TestbedBackend().deploy(request_of(task(tmp_path)))


def test_a_device_that_lets_in_and_says_nothing_is_named_in_time(testbed: Standing, tmp_path: Path) -> None:
    silent = SshHosts(
        {"guest": ["sleep", "600"]}, key=asyncssh.read_private_key(testbed.key).export_public_key().decode()
    )
    try:
        text = testbed.file.read_text()
        changed = text.replace(
            f"port: {testbed.logins['guest'][1]}", f"port: {silent.ports['guest']}, host-key: ignore"
        )
        keys = changed.replace("password: {env: PW_HOSTS}", f"key: {testbed.key}")
        testbed.file.write_text(f"prompt: 3s\n{keys}")
        began = time.monotonic()
        with pytest.raises(LabError, match=r"guest: no prompt at 127\.0\.0\.1 port \d+ within 3 s; it shows nothing"):
            TestbedBackend().deploy(request_of(task(tmp_path)))
        assert time.monotonic() - began < 20
    finally:
        silent.close()


def test_a_host_that_is_gone_in_the_end_is_put_back_later_and_the_others_at_once(
    testbed: Standing, tmp_path: Path
) -> None:
    before = testbed.seen()
    lab = TestbedBackend().deploy(request_of(task(tmp_path)))
    lab.nodes["guest"].let_go()
    lab.destroy()
    with pytest.raises(
        LabError, match=r"a device is not as it was \(fix: netbench clean\):\nguest: the node is closed"
    ):
        lab.await_cleanup()
    after = testbed.seen()
    assert [name for name in before if after[name] != before[name]] == ["guest"]
    assert TestbedBackend().clean().removed == ()  # the run that has changed it goes on
    again = TestbedBackend().deploy(request_of(task(tmp_path)))
    again.destroy()
    again.await_cleanup()


def vty_lines(testbed: Standing) -> str:
    config = testbed.seen()["R1"]
    return config[config.index("line vty") :]


def test_lines_that_would_cut_the_way_to_a_device_are_refused(testbed: Standing, tmp_path: Path) -> None:
    before = vty_lines(testbed)
    lab = TestbedBackend().deploy(request_of(task(tmp_path)))
    try:
        assert [note.partition(":")[0] for note in lab.notes] == [
            "guest keeps interface mgmt0, by which it is managed",
            "R1 keeps its logins (users, lines, SSH)",
            "server keeps interface mgmt0, by which it is managed",
        ]
        commands = ["ip link set mgmt0 down", "ip address add 10.77.0.1/24 dev eth0"]
        found = lab.driver("guest").apply(lab.nodes["guest"], commands)
        assert [one.status for one in found] == ["error", "success"]
        assert found[0].message == "refused: mgmt0 manages this host, and stays as it is"
        lines = ["line vty 0 4", "transport input ssh", "exit", "hostname Other", "interface Gi0/0", "mtu 1400"]
        found = lab.driver("R1").apply(lab.nodes["R1"], lines)
        assert [one.status for one in found][:5] == ["error", "error", "error", "success", "success"]
        assert vty_lines(testbed) == before
        assert "10.77.0.1" in testbed.lab.nodes["guest"].run(["ip", "address"]).stdout
    finally:
        lab.destroy()
        lab.await_cleanup()


def test_a_console_of_a_device_serves_as_its_ssh_does(testbed: Standing, tmp_path: Path) -> None:
    host, port = testbed.logins["R1"]
    text = testbed.file.read_text()
    (line,) = [one for one in text.splitlines() if one.startswith("  R1:")]
    user, variable = re.search(r"user: (\w+), password: \{env: (\w+)\}", line).groups()
    target = SshTarget(host=host, port=port, user=user, password=os.environ[variable], host_key="ignore")
    server = ConsoleServer(SshLine("R1", target))
    try:
        console = re.sub(r"port: \d+", f"port: {server.port}, connection: telnet", line)
        testbed.file.write_text(text.replace(line, console))
        found = run_trial(task(tmp_path), Oracle(), settings=Settings(backend=TestbedBackend()))
        await_devices()
        assert results(found) == VERDICTS[Oracle]
        assert server.connections == 1
    finally:
        server.close()


def test_a_testbed_differs_from_namespaces_in_what_stays_on_its_devices_alone(
    testbed: Standing, tmp_path: Path
) -> None:
    comparer = Comparer(first=Settings(), second=Settings(backend=TestbedBackend()))
    found = comparer.compare(task(tmp_path), Work(name="oracle"), None)
    await_devices()
    assert found.first.verdicts == found.second.verdicts == VERDICTS[Oracle]
    assert {*found.second.routes} == {"guest", "server"}  # `cli_ssh` does not list whole tables
    assert found.second.versions["cisco_ios"]
    # the routes by management interfaces are left out; users and lines are those of the device
    assert [(one.kind, one.where) for one in found.differences] == [("show", "R1: running config")], found.differences


CONFTEST = """
import os, pathlib, time
def pytest_netbench_lab_ready(lab, task):
    if mark := os.environ.get("MARK"):
        lab.driver("R1").apply(lab.nodes["R1"], ["ip route 203.0.113.0 255.255.255.0 Null0"])
        pathlib.Path(mark).touch()
        time.sleep(600)
"""


def test_after_a_run_was_killed_the_next_one_puts_back_first(testbed: Standing, tmp_path: Path) -> None:
    before = testbed.seen()
    task(tmp_path)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    words = [sys.executable, "-m", "pytest", "guest.task.yaml", "--agent=oracle", "--netbench-backend=testbed"]
    argv = [*words, "-p", "no:cacheprovider", "-p", "no:xdist"]
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    env |= {"PYTHONPATH": str(Path(__file__).parents[3])}
    mark = tmp_path / "mark"
    with subprocess.Popen(argv, cwd=tmp_path, env={**env, "MARK": str(mark)}, stdout=subprocess.DEVNULL) as run:
        assert poll(mark.exists, until=bool, within_s=120, pause_s=0.05)
        run.kill()
    left = testbed.seen()
    assert sorted(name for name in before if left[name] != before[name]) == ["R1", "guest", "server"]
    assert "203.0.113.0" in left["R1"]
    assert len(list(journal.JOURNALS.names())) == 3
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert "1 passed" in done.stdout, done.stdout
