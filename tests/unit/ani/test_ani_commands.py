"""Rules for commands, by each interface of a lab in memory: what is refused, recorded and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncssh
import pytest

from pytest_netbench.ani.client import JsonRpcAni
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.errors import AniError, BudgetExhausted, PolicyViolation
from pytest_netbench.model.agentsettings import AgentPolicy, AgentSettings, CommandRule
from pytest_netbench.model.task import Budget
from tests.support.login import LoginDriver
from tests.support.memory_lab import DIALECTS, MemoryDriver, chain

UNLIMITED = {"calls": None, "commands": None, "wall_s": None}


class Abbreviating(MemoryDriver):
    """Takes ``m`` for ``mark``, and says so."""

    def readings(self, node, line):
        return [line.replace("m ", "mark ", 1)] if line.startswith("m ") else [line]


def ani_of(*rules, lab=None, platform=None, **limits) -> AgentInterface:
    lab = lab or chain()
    if platform is not None:
        for node in lab.nodes.values():
            node.platform = platform
    dialects = {name: next(iter(DIALECTS.values())) for name in ("memory", "linux", "kubernetes", "frr", "cisco_ios")}
    policy = Policy(commands=tuple(CommandRule.model_validate(rule) for rule in rules))
    return AgentInterface(lab, policy=policy, budget=Budget(**(UNLIMITED | limits)), dialects=dialects)


def refusal(ani, method, **params) -> str:
    """The words of a refusal; empty if the request was answered."""
    try:
        ani.call(method, params)
    except AniError as error:
        return str(error)
    return ""


@pytest.fixture(params=["in process", "json-rpc"])
def client_of(request):
    """Makes the interface itself, or a client of its socket."""
    opened = []

    def make(inside):
        if request.param == "in process":
            return inside
        opened.append(serve(inside))
        opened.append(JsonRpcAni(opened[-1].path))
        return opened[-1]

    yield make
    for one in reversed(opened):
        one.close()


def test_a_denied_command_refuses_its_whole_request_and_changes_nothing(client_of):
    inside = ani_of({"deny": ["deny tcp", "no *"]})
    ani = client_of(inside)
    lab = inside.network.devices
    before = list(lab.node("edge").lines)
    words = refusal(ani, "update-cfg", device="edge", commands=["mark 1", "deny  TCP 80 any"])
    assert words == "command 'deny  TCP 80 any' is not permitted on 'edge', which the policy denies ('deny tcp')"
    assert refusal(ani, "update-cfg", device="edge", commands=["mark 1\nno mark 2"])
    assert list(lab.node("edge").lines) == before
    assert refusal(ani, "update-cfg", device="edge", commands=["mark 1"]) == ""
    assert inside.violations == {"command": 2}
    assert [step.data.get("error", {}).get("violation") for step in inside.steps] == ["command", "command", None]
    assert (inside.budget_used.calls, inside.budget_used.commands) == (3, 1)


def test_a_command_that_is_not_in_the_list_is_refused_with_the_list(client_of):
    ani = client_of(ani_of({"methods": ["update-cfg"], "allow": ["mark *", "route"]}))
    assert refusal(ani, "update-cfg", device="edge", commands=["rate 5"]).endswith(
        "which the policy does not allow (allowed: 'mark *', 'route')"
    )
    # an abbreviation is not written out, and this device cannot say what it stands for
    assert refusal(ani, "update-cfg", device="edge", commands=["mar 1"])
    assert refusal(ani, "update-cfg", device="edge", commands=["mark 1", "! a comment", "", "end"]) == ""
    assert refusal(ani, "execute-cmd", device="edge", command="show version") == ""


def test_a_rule_is_for_its_devices_platforms_and_methods():
    ani = ani_of(
        {"devices": ["edge"], "deny": ["mark"]},
        {"platforms": ["frr"], "deny": ["rate"]},
        {"methods": ["execute-cmd"], "deny": ["show"]},
    )
    assert refusal(ani, "update-cfg", device="edge", commands=["mark 1"])
    assert not refusal(ani, "update-cfg", device="web", commands=["mark 1"])
    assert not refusal(ani, "update-cfg", device="edge", commands=["rate 5"])
    assert refusal(ani, "execute-cmd", device="web", command="show version")


def test_all_rules_must_permit_a_command():
    ani = ani_of({"allow": ["mark", "rate"]}, {"allow": ["mark", "route"]})
    assert not refusal(ani, "update-cfg", device="edge", commands=["mark 1"])
    assert refusal(ani, "update-cfg", device="edge", commands=["rate 5"])


def test_what_an_abbreviation_stands_for_is_matched_and_told():
    ani = ani_of({"deny": ["mark"]}, lab=chain(driver=Abbreviating()))
    words = refusal(ani, "update-cfg", device="edge", commands=["m 1"])
    assert words == "command 'm 1' is not permitted on 'edge': it stands for 'mark 1', which the policy denies ('mark')"
    allowing = ani_of({"allow": ["mark"]}, lab=chain(driver=Abbreviating()))
    assert not refusal(allowing, "update-cfg", device="edge", commands=["mark 1"])


def test_a_word_that_may_be_an_abbreviation_is_taken_for_it_where_no_driver_tells():
    ani = ani_of({"deny": ["mark"]})
    assert "it stands" not in refusal(ani, "update-cfg", device="edge", commands=["ma 1"])
    assert refusal(ani, "update-cfg", device="edge", commands=["ma 1"])


@pytest.mark.parametrize("command", ["tclsh", "copy flash:x running-config", "do reload", "configure replace flash:x"])
def test_commands_that_carry_others_are_refused_where_rules_hold(command):
    words = refusal(ani_of({"deny": ["mark"]}), "update-cfg", device="edge", commands=[command])
    assert words.endswith("which can run commands that the policy would not see")
    assert not refusal(ani_of(), "update-cfg", device="edge", commands=[command])
    listed = ani_of({"allow": [*command.removeprefix("do ").split()[:1]]})
    assert not refusal(listed, "update-cfg", device="edge", commands=[command])


def test_saving_the_configuration_carries_nothing():
    ani = ani_of({"deny": ["mark"]})
    assert not refusal(ani, "update-cfg", device="edge", commands=["copy running-config startup-config"])


@pytest.mark.parametrize("platform", ["linux", "kubernetes"])
def test_the_simple_commands_of_a_shell_are_checked(platform):
    ani = ani_of({"deny": ["ip route del"]}, platform=platform)
    for command in ["ip route del default", "echo; /sbin/ip -6 r d default", "sh -c x & ip ro de default"]:
        assert refusal(ani, "execute-cmd", device="edge", command=command), command
    assert not refusal(ani, "execute-cmd", device="edge", command="ip route show")


def test_violations_are_counted_by_kind_and_other_refusals_are_none():
    lab = chain(control={"branch": "observed", "web": "foreign"})
    policy = Policy(methods=frozenset({"update-cfg", "execute-cmd"}), commands=(CommandRule(deny=("mark",)),))
    ani = AgentInterface(lab, policy=policy, budget=Budget(**UNLIMITED | {"commands": 2}), dialects=DIALECTS)
    refusal(ani, "get-topology")
    refusal(ani, "update-cfg", device="branch", commands=["rate 1"])
    refusal(ani, "execute-cmd", device="web", command="show")
    refusal(ani, "update-cfg", device="edge", commands=["mark 1"])
    refusal(ani, "update-cfg", device="edge", commands=["rate 1"] * 3)
    refusal(ani, "update-cfg", device="nowhere", commands=["rate 1"])
    refusal(ani, "no-such-method")
    assert ani.violations == {"method": 1, "control": 2, "command": 1}
    ani.close()
    refusal(ani, "update-cfg", device="edge", commands=["mark 1"])
    assert ani.violations == {"method": 1, "control": 2, "command": 1}


def test_after_the_budget_nothing_is_counted_any_more():
    ani = ani_of({"deny": ["mark"]}, calls=1)
    refusal(ani, "update-cfg", device="edge", commands=["mark 1"])
    with pytest.raises(BudgetExhausted):
        ani.update_cfg("edge", ["mark 1"])
    assert ani.violations == {"command": 1}


def test_a_line_entered_over_ssh_is_checked_and_counted():
    inside = ani_of({"deny": ["secret"]}, lab=chain(driver=LoginDriver()))
    login = open_ssh(inside).hosts["edge"]

    async def main():
        known = {"username": login.username, "password": login.password, "known_hosts": None, "config": None}
        async with asyncssh.connect(login.host, login.port, agent_path=None, client_keys=None, **known) as connection:
            return [(await connection.run(line)).stdout for line in ("secret plan", "plain")]

    try:
        refused, answered = asyncio.run(main())
    finally:
        inside.close()
    assert "% netbench: command 'secret plan' is not permitted on 'edge'" in refused
    assert "PLAIN" in answered
    assert inside.violations == {"command": 1}
    errors = [step.data["error"] for step in inside.steps if "error" in step.data]
    assert [one["violation"] for one in errors] == ["command"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({}, "has `allow`, `deny`, or both"),
        ({"deny": [""]}, "deny"),
        ({"deny": ["two  blanks"]}, "deny"),
        ({"deny": ["a"], "methods": ["get-topology"]}, "methods"),
    ],
)
def test_a_rule_that_says_nothing_or_nonsense_is_refused(rule, words):
    with pytest.raises(ValueError, match=words):
        AgentPolicy.model_validate({"commands": [rule]})


def test_a_violation_names_its_kind():
    assert PolicyViolation("no", kind="command").kind == "command"


def test_the_brief_tells_the_rules_and_that_changes_are_approved():
    from pytest_netbench.model.trial import AgentInfo
    from pytest_netbench.taskfile import load_task
    from pytest_netbench.trial.limits import brief_for, terms_for

    policy = {
        "approval": "true",
        "commands": [
            {"platforms": ["frr"], "deny": ["no router", "reload"]},
            {"devices": ["R1"], "methods": ["update-cfg"], "allow": ["route"]},
        ],
    }
    info = AgentInfo(id="x", strategy="x", overrides=AgentSettings.model_validate({"policy": policy}))
    task = load_task(Path(__file__).parents[2] / "end_to_end" / "two-sites.yaml")
    rules = brief_for(task, terms_for(task, info)).rules
    assert rules[-3:] == (
        "On frr, commands of update-cfg and execute-cmd must not begin with: no router, reload.",
        "On R1, commands of update-cfg must begin with: route.",
        "Each change must be approved before it is made.",
    )
