"""Approval of changes: by a program and by a person, and what an agent is told and charged."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

import pexpect
import pytest

from pytest_netbench.agents.agentfile import load_agent_file
from pytest_netbench.agents.check import check_agent
from pytest_netbench.ani.approval import ByProgram, Change, Decision, approver_of
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, PolicyViolation, UsageError
from pytest_netbench.model.agentsettings import AgentPolicy
from pytest_netbench.model.task import Budget
from pytest_netbench.rpccodes import Code
from tests.support.memory_lab import DIALECTS, chain

CHANGE = Change(device="R1", platform="frr", method="update-cfg", commands=("router bgp 1", "no bgp"))
UNLIMITED = {"calls": None, "commands": None, "wall_s": None}


def never() -> bool:
    return False


def by(code: str, timeout_s: float = 20.0) -> Decision:
    return ByProgram(["sh", "-c", code], timeout_s=timeout_s).decide(CHANGE, cancelled=never)


@pytest.mark.parametrize(
    ("code", "decision"),
    [
        ("exit 0", Decision(allowed=True)),
        ("exit 1", Decision(allowed=False)),
        ("echo not today; exit 1", Decision(allowed=False, reason="not today")),
        ("""echo '{"reason": "fine"}'""", Decision(allowed=True, reason="fine")),
        ("""echo '{"allow": false, "reason": "no"}'""", Decision(allowed=False, reason="no")),
        ("""echo '{"allow": "yes"}'""", Decision(allowed=False)),
        ("""echo '{"allow": true}'; exit 1""", Decision(allowed=False)),
        ("printf '\\033[2J'; exit 1", Decision(allowed=False, reason="\\x1b[2J")),
        ("exit 2", Decision(allowed=False, reason="sh ended with status 2", failed=True)),
        ("kill -9 $$", Decision(allowed=False, reason="sh ended with status -9", failed=True)),
    ],
)
def test_a_program_decides_by_its_status_and_says_why(code, decision):
    assert by(code) == decision


def test_a_program_gets_the_change_as_json(tmp_path):
    by(f"cat > {tmp_path}/change")
    assert json.loads((tmp_path / "change").read_text()) == {
        "device": "R1",
        "platform": "frr",
        "method": "update-cfg",
        "commands": ["router bgp 1", "no bgp"],
    }


def test_a_program_that_does_not_answer_is_killed_with_what_it_started(tmp_path):
    began = time.monotonic()
    decision = by(f"sleep 60 & echo $! > {tmp_path}/pid; wait", timeout_s=0.5)
    assert decision == Decision(allowed=False, reason="sh did not answer within 0.5 s", failed=True)
    assert time.monotonic() - began < 5
    pid = (tmp_path / "pid").read_text().strip()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_program_that_prints_much_and_reads_nothing_still_decides():
    assert by("head -c 3000000 /dev/zero | tr '\\0' x; exit 1") == Decision(allowed=False, reason="x" * 500)


def test_a_decision_that_nobody_waits_for_is_given_up():
    began = time.monotonic()
    ByProgram(["sleep", "60"], timeout_s=60).decide(CHANGE, cancelled=lambda: time.monotonic() - began > 0.2)
    assert time.monotonic() - began < 5


def ani_of(approver, **limits) -> AgentInterface:
    budget = Budget(**(UNLIMITED | limits))
    return AgentInterface(chain(), policy=Policy(), budget=budget, dialects=DIALECTS, approver=approver)


def program(code: str, timeout_s: float = 20.0) -> ByProgram:
    return ByProgram(["sh", "-c", code], timeout_s=timeout_s)


def notes(ani) -> list[str]:
    return [step.data["text"] for step in ani.steps if step.kind == "note"]


def test_an_approved_change_is_made_and_reading_needs_no_approval():
    ani = ani_of(program("echo fine"))
    assert ani.execute_cmd("edge", "show version")
    assert notes(ani) == []
    assert ani.update_cfg("edge", ["mark 1"])["results"][0]["status"] == "success"
    (note,) = notes(ani)
    assert note.startswith("approval of update-cfg on edge allowed after ")
    assert note.endswith(" s: fine")
    assert ani.violations == {}


def test_a_change_that_is_refused_is_not_made_and_the_agent_is_told_why():
    ani = ani_of(program("echo too risky; exit 1"))
    with pytest.raises(PolicyViolation, match="the change on 'edge' was not approved, and was not made: too risky"):
        ani.update_cfg("edge", ["mark 1"])
    assert "mark 1" not in ani.network.devices.node("edge").lines
    assert ani.violations == {"approval": 1}
    assert (ani.budget_used.calls, ani.budget_used.commands) == (1, 1)


def test_a_program_that_fails_refuses_the_change_and_is_no_violation():
    ani = ani_of(program("exit 9"))
    with pytest.raises(AniError, match="could not be approved, and was not made: sh ended with status 9") as raised:
        ani.update_cfg("edge", ["mark 1"])
    assert raised.value.code == Code.POLICY_DENIED
    assert ani.violations == {}
    assert "approval of update-cfg on edge failed after" in notes(ani)[0]
    assert ani.lab_error is None


def test_what_is_not_permitted_anyway_is_not_asked_for(tmp_path):
    asked = tmp_path / "asked"
    lab = chain(control={"branch": "observed"})
    ani = AgentInterface(
        lab, policy=Policy(), budget=Budget(**UNLIMITED), dialects=DIALECTS, approver=program(f"touch {asked}")
    )
    with pytest.raises(PolicyViolation, match="is observed"):
        ani.update_cfg("branch", ["mark 1"])
    assert not asked.exists()


def test_the_time_of_an_approval_is_not_the_agents():
    ani = ani_of(program("sleep 1"), wall_s=0.8)
    ani.start()
    ani.update_cfg("edge", ["mark 1"])
    assert ani.budget_used.wall_s < 0.7
    assert 0.9 < ani.waited_s < 5


def test_an_approval_ends_with_the_trial():
    ani = ani_of(program("sleep 60"))
    errors = []

    def change():
        try:
            ani.update_cfg("edge", ["mark 1"])
        except AniError as error:
            errors.append(str(error))

    thread = threading.Thread(target=change)
    thread.start()
    time.sleep(0.3)
    ani.close()
    thread.join(5)
    assert errors == ["the trial has ended: no further requests are answered"]
    assert "mark 1" not in ani.network.devices.node("edge").lines


PERSON = """
from pytest_netbench.ani.approval import ByPerson, Change
change = Change(device="R1", platform="frr", method="update-cfg", commands=("one\\ntwo", "\\x1b[2J"))
print("decided", ByPerson().decide(change, cancelled=lambda: False), flush=True)
"""


@pytest.mark.parametrize(
    ("keys", "decision"),
    [
        (["y"], "allowed=True, reason='', failed=False"),
        (["maybe", "no it is Friday"], "allowed=False, reason='it is Friday', failed=False"),
        (["\x04"], "allowed=False, reason='nobody answered', failed=True"),
    ],
)
def test_a_person_sees_the_commands_and_answers(keys, decision):
    terminal = pexpect.spawn(sys.executable, ["-c", PERSON], timeout=30, encoding="utf-8", echo=False)
    terminal.expect_exact("The agent asks for update-cfg on R1 (frr):")
    terminal.expect_exact("  one")
    terminal.expect_exact("  two")
    terminal.expect_exact("  \\x1b[2J")
    for key in keys:
        terminal.expect_exact("Allow it? y, or n and the reason: ")
        if key == "\x04":
            terminal.send(key)
        else:
            terminal.sendline(key)
    terminal.expect_exact(f"decided Decision({decision})")
    terminal.expect(pexpect.EOF)


def test_a_person_is_asked_neither_by_workers_nor_without_a_terminal(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    with pytest.raises(UsageError, match="which workers would share: run it with -n 0"):
        approver_of(AgentPolicy(approval="person"))
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    pid = os.fork()
    if pid == 0:  # a process of its own session has no terminal
        os.setsid()
        try:
            approver_of(AgentPolicy(approval="person"))
        except UsageError as error:
            (tmp_path / "said").write_text(str(error))
        os._exit(0)
    os.waitpid(pid, 0)
    assert (tmp_path / "said").read_text() == "approval: person needs a terminal; without one, name a program"


def test_a_program_that_does_not_exist_is_a_usage_error_before_the_run(tmp_path):
    (tmp_path / "agents").mkdir()
    path = tmp_path / "agents" / "mine.agent.yaml"
    path.write_text("model: ollama/x\npolicy: {approval: no-such-program --strict}\n")
    with pytest.raises(UsageError, match=r"approval: there is no program 'no-such-program' \(expected `person`, or"):
        check_agent("mine", rootdir=tmp_path)


def test_a_program_of_the_project_is_named_relative_to_the_agent_file(tmp_path):
    path = tmp_path / "mine.agent.yaml"
    path.write_text("model: m\npolicy: {approval: ./approve.sh --strict}\n")
    assert load_agent_file(path).policy.approval == f"{tmp_path}/approve.sh --strict"


def test_without_approval_nobody_is_asked():
    assert approver_of(AgentPolicy()) is None
