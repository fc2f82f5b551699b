"""Whole trials on real labs: a program of another's works by SSH, or a class looks its commands up, and is scored."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.external.program import Program
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.extra_methods import SEARCH_MANUAL
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Submission
from pytest_netbench.trial import run_trial
from tests.support.ios import ios_task

CONFIGS = {
    "R1": "interface Gi0/0\n ip address 10.0.0.1 255.255.255.0\n no shutdown\n",
    "R2": "interface Gi0/0\n ip address 10.0.0.2 255.255.255.0\n no shutdown\n"
    "interface Loopback0\n ip address 192.0.2.1 255.255.255.255\n",
}
PROGRAM = """
import json, os, sys
from netmiko import ConnectHandler

brief = json.load(sys.stdin)
inventory = json.load(open(os.environ["NETBENCH_SSH_INVENTORY"]))
login = inventory["hosts"]["R1"]
assert login == brief["ssh"]["hosts"]["R1"]
with ConnectHandler(
    device_type="cisco_ios", host=login["host"], port=login["port"], username=login["username"],
    password=login["password"], secret=login["enable_secret"],
) as router:
    router.enable()
    router.send_config_set(["ip route 192.0.2.1 255.255.255.255 10.0.0.2"])
    seen = router.send_command("ping 192.0.2.1")
json.dump({"reasoning": "A static route leads to the address. " + seen}, sys.stdout)
"""


def reach() -> Task:
    """R1 shall reach the loopback of R2."""
    return ios_task(
        CONFIGS,
        ["R1 Gi0/0 - R2 Gi0/0"],
        intents=[{"text": "R1 reaches 192.0.2.1"}],
        ground_truth_configs={"R1": ("ip route 192.0.2.1 255.255.255.255 10.0.0.2",)},
        testcases=[{"kind": "reachability", "name": "reach", "from": "R1", "to": "192.0.2.1", "intent": 1}],
    )


@pytest.fixture(autouse=True)
def a_machine_for_labs():
    lack = parts.load("backends", "netns")().lacks(request_of(reach()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


def test_a_program_that_uses_netmiko_works_unchanged(tmp_path):
    (tmp_path / "agent.py").write_text(PROGRAM)
    section = {"command": [sys.executable, "{root}/agent.py"], "show": [sys.prefix, sys.base_prefix]}
    file = AgentFile.model_validate({"name": "netmiko", "strategy": "program", "program": section})
    record = run_trial(reach(), Program(file=file, root=tmp_path), ssh=True).record
    assert record.error is None
    assert [result.status for result in record.testcase_results] == ["pass"]
    assert "!!!!!" in record.submission.reasoning
    assert record.extras == ("ssh",)
    assert [one.command for one in record.commands] == ["ip route 192.0.2.1 255.255.255.255 10.0.0.2"]
    lines = [step.data["params"]["line"] for step in record.trace if step.data.get("method") == "console"]
    assert "ping 192.0.2.1" in lines
    assert (record.budget_used.calls, record.budget_used.commands) == (2, 2)
    assert "ip scp server enable" in record.initial_configs["R1"]


def test_what_is_typed_after_the_trial_reaches_no_device(tmp_path):
    logins = []

    class Lingers:
        info = AgentInfo(id="lingers", strategy="own")

        def run(self, brief, ani):
            import paramiko

            login = brief.ssh.hosts["R1"]
            client = paramiko.SSHClient()
            client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
            client.connect(
                login.host, login.port, login.username, login.password, look_for_keys=False, allow_agent=False
            )
            logins.append((brief, client, client.invoke_shell()))
            return Submission()

    run_trial(reach(), Lingers(), ssh=True)
    ((brief, client, channel),) = logins
    channel.settimeout(10)
    while channel.recv(1024):
        pass
    assert client.get_transport() is None or not client.get_transport().is_active()
    assert not Path(brief.ssh.inventory).exists()
    client.close()


def test_an_agent_finds_its_command_in_the_manual():
    class Looks:
        info = AgentInfo(id="looks", strategy="own", overrides=AgentSettings(extras=(SEARCH_MANUAL,)))

        def run(self, brief, ani):
            found = ani.call(SEARCH_MANUAL, {"query": "static route to a destination", "platform": "cisco_ios"})
            words = found["sections"][0]["text"].split()[:2]
            ani.update_cfg("R1", [" ".join([*words, "192.0.2.1 255.255.255.255 10.0.0.2"])])
            return Submission(reasoning=json.dumps(found["sections"][0]["title"]))

    record = run_trial(reach(), Looks()).record
    assert [result.status for result in record.testcase_results] == ["pass"]
    assert record.extras == (SEARCH_MANUAL,)
    assert record.budget_used.calls == 2
