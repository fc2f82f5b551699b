"""IOS devices of a running lab, reached by the system's SSH client, as the devices of a testbed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.testbed.backend import TestbedBackend
from pytest_netbench.backends.testbed.journal import JOURNALS
from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.request import request_of
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Settings, run_trial
from tests.support.netns_networks import network

DEVICE = "  {name}: {{address: {host}, port: {port}, user: {username}, password: {{env: PW}}, enable: {{env: EN}}}}\n"
STARTUP = {
    f"R{n}": f"hostname R{n}\ninterface Gi0/0\n ip address 10.9.0.{n} 255.255.255.0\n no shutdown\n"
    f"ip route 192.0.2.{n} 255.255.255.255 Null0\n"
    for n in (1, 2)
}


@pytest.fixture
def testbed(served, tmp_path, monkeypatch):
    file, known = tmp_path / "testbed.yaml", tmp_path / "known_hosts"
    logins = {name: served[name] for name in ("R1", "R2")}
    known.write_text("".join(f"[{one.host}]:{one.port} {one.host_key}\n" for one in logins.values()))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NETBENCH_TESTBED", str(file))
    # R1 and R2 may have different credentials
    text = f"disposable: true\nwait: 2s\ndefaults: {{dialect: cisco_ios, known-hosts: {known}}}\ndevices:\n"
    for name, one in logins.items():
        monkeypatch.setenv(f"PW_{name}", one.password)
        monkeypatch.setenv(f"EN_{name}", one.enable_secret)
        line = DEVICE.format(name=name, **one.model_dump(include={"host", "port", "username"}))
        text += line.replace("PW", f"PW_{name}").replace("EN", f"EN_{name}")
    file.write_text(text + "cables:\n- R1 Gi0/0 <-> R2 Gi0/0\n")
    return file


def request():
    return request_of(network({"R1": "cisco_ios", "R2": "cisco_ios"}, ["R1 Gi0/0 - R2 Gi0/0"], STARTUP))


def test_a_network_is_deployed_and_the_configurations_are_put_back_line_by_line(served, testbed):
    before = {name: served.config(name) for name in ("R1", "R2")}
    backend = TestbedBackend()
    assert backend.lacks(request()) is None
    assert [check.ok for check in backend.report()] == [True] * 3
    lab = backend.deploy(request())
    try:
        config = served.config("R1")
        assert "10.9.0.1" in config
        assert "router bgp" not in config
        assert [one.prefix for one in lab.driver("R1").routes(lab.nodes["R1"], "192.0.2.1/32")] == ["192.0.2.1/32"]
        with pytest.raises(LabError, match=r"R1: in use by process \d+ on .* since more than 2 s"):
            TestbedBackend().deploy(request())
        assert len(list(JOURNALS.names())) == 2
        assert {path.stat().st_mode & 0o777 for path in JOURNALS.state().iterdir()} == {0o600}
    finally:
        lab.destroy()
        lab.await_cleanup()
    assert {name: served.config(name) for name in ("R1", "R2")} == before
    assert list(JOURNALS.names()) == []
    assert not [
        one
        for one in subprocess.run(["ps", "-eo", "args"], check=False, stdout=-1, text=True).stdout.split("\n")
        if one.startswith("ssh -tt") and str(testbed.parent) in one
    ]


KILLED = """
import os, signal
from pytest_netbench.backends.testbed.backend import TestbedBackend
from tests.labs.ssh.test_devices_of_a_testbed import request
TestbedBackend().deploy(request())
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_put_back(served, testbed, tmp_path):
    before = {name: served.config(name) for name in ("R1", "R2")}
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run([sys.executable, "-c", KILLED], timeout=120, check=False, env=env)
    assert done.returncode == -9
    assert poll(lambda: [*temporary.iterdir()], until=lambda left: not left, within_s=10, pause_s=0.05) == []
    assert {name: served.config(name) for name in ("R1", "R2")} != before
    removed = TestbedBackend().clean().removed
    assert sorted(removed) == [f"what a run had configured on {one}" for one in ("R1", "R2")]
    assert {name: served.config(name) for name in ("R1", "R2")} == before
    assert TestbedBackend().clean() == Cleaned()


def test_what_is_kept_stays_and_is_used_by_nobody_until_it_is_put_back(served, testbed):
    before = {name: served.config(name) for name in ("R1", "R2")}
    left = TestbedBackend().deploy(request()).keep()
    login = served["R1"]
    assert left.enter["R1"] == f"ssh -p {login.port} {login.username}@{login.host}"
    assert "10.9.0.1" in served.config("R1")
    assert TestbedBackend().clean() == Cleaned()
    with pytest.raises(LabError, match=r"R\d: a failed trial is kept there \(fix: netbench clean --kept\)"):
        TestbedBackend().deploy(request())
    assert "10.9.0.1" in served.config("R1")
    removed = TestbedBackend().remove_kept().removed
    assert sorted(removed) == [f"what a run had configured on {one}" for one in ("R1", "R2")]
    assert {name: served.config(name) for name in ("R1", "R2")} == before
    assert TestbedBackend().remove_kept() == Cleaned()


def unknown_key(text, folder):
    (folder / "known_hosts").write_text("")
    return text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text, folder: text.replace("PW_R1", "EN_R1"), "R1: it refused the login: the user, the password or"),
        (unknown_key, "R1: its host key is not known"),
        (lambda text, folder: text.replace("disposable: true", ""), "the configuration of R1 may not be exchanged"),
    ],
)
def test_what_is_wrong_is_said(served, testbed, change, message):
    before = served.config("R1")
    testbed.write_text(change(testbed.read_text(), testbed.parent))
    with pytest.raises(Exception, match=message):
        TestbedBackend().deploy(request())
    assert served.config("R1") == before
    assert list(JOURNALS.names()) == []


TASK = """\
task_name: A static route
platform: cisco_ios
intents: [{text: R1 reaches 198.51.100.0/24 by R2.}]
topology:
  nodes: [R1, R2]
  links: [R1 Gi0/0 <-> R2 Gi0/0]
startup_configs:
  R1: |
    interface Gi0/0
     ip address 10.9.0.1 255.255.255.0
     no shutdown
  R2: |
    interface Gi0/0
     ip address 10.9.0.2 255.255.255.0
     no shutdown
ground_truth_configs:
  R1: [ip route 198.51.100.0 255.255.255.0 10.9.0.2]
testcases:
- {name: route, kind: route, intent: 1, device: R1, prefix: 198.51.100.0/24, next_hops: 10.9.0.2, within: 5s}
- {name: line, kind: config, intent: 1, device: R1, line: ip route 198.51.100.0 255.255.255.0 10.9.0.2, within: 5s}
"""


@pytest.mark.parametrize(("agent", "verdict"), [(Oracle, "pass"), (Nop, "fail")])
def test_a_trial_on_devices_has_the_verdicts_that_it_has_elsewhere(served, testbed, tmp_path, agent, verdict):
    before = {name: served.config(name) for name in ("R1", "R2")}
    path = tmp_path / "static.task.yaml"
    path.write_text(TASK)
    record = run_trial(load_task(path), agent(), settings=Settings(backend=TestbedBackend())).record
    assert record.outcome == "done", record.error
    assert {one.name: one.status for one in record.testcase_results} == {"route": verdict, "line": verdict}
    for thread in threading.enumerate():
        if thread.name == "netbench-cleanup":
            thread.join()
    assert {name: served.config(name) for name in ("R1", "R2")} == before
