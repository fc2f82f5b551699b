"""The driver that reaches IOS devices only through their SSH login: the same dialect, the same tasks, the same scores.

Three tasks run here. The whole corpus runs with ``NETBENCH_WHOLE_CORPUS=1`` (``make selftest`` does that).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import LabError, RequirementMissing, TookTooLong
from pytest_netbench.families.hints import platform_hint, with_versions
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import versions
from pytest_netbench.lab.request import request_of
from pytest_netbench.platforms.access import DEFAULT_LIMITS
from pytest_netbench.platforms.capabilities import CLI, LOGIN, NODE_CAPABILITIES
from pytest_netbench.platforms.cli_ssh import session, typist
from pytest_netbench.platforms.cli_ssh.line import SshCommandLine
from pytest_netbench.platforms.cli_ssh.pasting import Split, Unit
from pytest_netbench.platforms.cli_ssh.systems.cisco_ios import CISCO_IOS
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Settings, run_trial
from tests.support.netns_networks import network
from tests.support.ssh_backend import install

IosSession = partial(session.DeviceSession, system=CISCO_IOS)
Typist = partial(typist.Typist, system=CISCO_IOS)
CORPUS = Path(__file__).parents[3] / "tasks"
GATE = ("routing/ospf-single-area", "routing/rip-discontiguous", "routing/static-floating-backup")


def ios_tasks() -> list[str]:
    if not os.environ.get("NETBENCH_WHOLE_CORPUS"):
        return list(GATE)
    tasks = {str(path.relative_to(CORPUS)).removesuffix(".task.yaml"): path for path in CORPUS.glob("*/*.task.yaml")}
    return sorted(name for name, path in tasks.items() if "cisco_ios" in load_task(path).network.platforms)


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The backend, found by its entry point as a third party's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(install(tmp_path_factory.mktemp("site"))))
        made = parts.load("backends", "netns-by-ssh")()
        lack = made.lacks(request_of(network({"R1": "cisco_ios"}, [], {})))
        if lack is not None:
            pytest.skip(f"{lack[0]}; fix: {lack[1]}")
        yield made


@pytest.mark.parametrize("name", ios_tasks())
def test_a_shipped_task_passes_by_the_oracle(backend, name):
    record = run_trial(load_task(CORPUS / f"{name}.task.yaml"), Oracle(), settings=Settings(backend=backend)).record
    assert record.outcome == "done", record.error
    assert [one for one in record.commands if one.status == "error"] == []
    assert {one.name: one.actual for one in record.testcase_results if one.status == "fail"} == {}
    assert record.final_configs.keys() == record.task.network.topology.controls.keys()
    assert record.environment.isolation.read_only.startswith("the driver: `show`")


@pytest.fixture(scope="module")
def lab(backend) -> Iterator[Any]:
    config = (
        "interface Gi0/0\n ip address 10.0.0.{} 255.255.255.0\n no shutdown\nip route 192.0.2.0 255.255.255.0"
        " 10.0.0.2\nip route 0.0.0.0 0.0.0.0 Null0\nip route 10.40.0.0 255.255.0.0 10.0.0.2 7\n"
    )
    made = backend.deploy(
        request_of(
            network(
                {"R1": "cisco_ios", "R2": "cisco_ios"},
                ["R1 Gi0/0 - R2 Gi0/0"],
                {"R1": config.format(1), "R2": config.format(2)},
            )
        )
    )
    yield made
    made.destroy()


def ask(lab, question):
    return question(lab.driver("R1"), lab.nodes["R1"])


def test_the_node_offers_a_command_line_and_nothing_else(lab):
    assert lab.driver("R1").name == "cisco_ios_ssh"
    assert lab.nodes["R1"].capability(CLI).enable_secret
    for name in NODE_CAPABILITIES.keys() - {"cli"}:
        with pytest.raises(RequirementMissing, match=f"node R1 has no '{name}'"):
            lab.nodes["R1"].capability(NODE_CAPABILITIES[name])
    assert not [name for name in ("run", "write_file", "pty", "shell") if hasattr(lab.nodes["R1"], name)]


def test_an_error_on_a_device_with_nothing_but_a_command_line_may_be_the_agents(lab):
    assert agent_may_have_caused(LabError("R1: no prompt"), lab.nodes["R1"])


def test_commands_answer_one_by_one_and_go_on_after_an_error(lab):
    lines = ["interface Loopback1", "ip adress 10.9.9.9 255.255.255.255", "description one"]
    statuses = ask(lab, lambda driver, node: driver.apply(node, lines))
    assert [status.status for status in statuses] == ["success", "error", "success"]
    assert "Invalid input detected" in statuses[1].message
    assert "description one" in ask(lab, lambda driver, node: driver.running_config(node))


def test_a_batch_may_begin_in_exec_mode_and_ends_in_it(lab):
    lines = ["configure terminal", "interface Loopback2", "end", "show running-config interface Loopback2"]
    statuses = ask(lab, lambda driver, node: driver.apply(node, lines))
    assert [status.status for status in statuses] == ["success"] * 4
    assert "interface Loopback2" in statuses[-1].message


@pytest.mark.parametrize(
    "command",
    [
        "configure terminal",
        "clear ip route *",
        "reload",
        "show running-config | redirect flash:x",
        "show clock\nreload",
    ],
)
def test_a_command_that_changes_something_is_refused(lab, command):
    before = ask(lab, lambda driver, node: driver.running_config(node))
    assert "% " in ask(lab, lambda driver, node: driver.execute(node, command))
    assert ask(lab, lambda driver, node: driver.running_config(node)) == before


def test_commands_that_read_are_answered(lab):
    assert "10.0.0.1" in ask(lab, lambda driver, node: driver.execute(node, "show ip interface brief"))
    assert "Success rate is 100 percent" in ask(lab, lambda driver, node: driver.execute(node, "ping 10.0.0.2"))


def test_routes_are_those_of_the_driver_that_boots_the_device(lab):
    for prefix in ("192.0.2.0/24", "0.0.0.0/0", "10.40.0.0/16", "10.0.0.0/24", "198.51.100.0/24", "192.0.2.0/25"):
        mine, theirs = (ask(lab, lambda driver, node, prefix=prefix: driver.routes(node, prefix)), [])
        theirs = lab._lab.driver("R1").routes(lab._lab.nodes["R1"], prefix)
        assert [(one.protocol, one.next_hops, one.distance, one.metric, one.extra) for one in mine] == [
            (one.protocol, one.next_hops, one.distance, one.metric, one.extra) for one in theirs
        ], prefix


def test_the_version_is_the_devices_own(lab):
    assert ask(lab, lambda driver, node: driver.version(node))[0].isdigit()


def test_agents_are_told_the_version_of_the_device_and_not_of_what_is_installed(lab):
    own = ask(lab, lambda driver, node: driver.version(node))
    assert versions(lab) == {"cisco_ios": own}
    here, (there,) = platform_hint("cisco_ios"), with_versions([platform_hint("cisco_ios")], versions(lab))
    assert "over FRR" in here.partition(":")[0]
    assert there.partition(":")[0] == f"Devices of platform cisco_ios run version {own}"
    assert there.partition(":")[2] == here.partition(":")[2]


def test_a_wrong_enable_secret_is_an_error_of_the_login(lab):
    device = lab.nodes["R1"].capability(CLI)
    wrong = SshCommandLine("R1", lab.nodes["R1"].login.model_copy(update={"enable_secret": "wrong"}))
    with pytest.raises(LabError, match="R1: the device refused its enable secret"):
        IosSession("R1", wrong, enable=True)
    IosSession("R1", device, enable=True).close()


def test_a_node_that_only_says_where_to_log_in_is_operated_by_ssh(lab):
    node = lab.nodes["R1"]

    class Told:
        name = "R1"
        memory: ClassVar[dict[str, Any]] = {}

        def login(self):
            return node.login

        def capability(self, kind):
            return kind.of({LOGIN.name: self}, owner="node R1")

    assert "interface GigabitEthernet0/0" in lab.driver("R1").running_config(Told())


class Garbled:
    """A device's terminal line on which the echoes behind the first ``readable`` units of a paste are lost."""

    def __init__(self, line, readable):
        self.line, self.readable = line, readable
        self.pastes, self.typed = 0, []

    def paste(self, batch, prompt):
        self.pastes += 1
        split = self.line.paste(batch, prompt)
        return Split(said=split.said[: self.readable], prompts=split.prompts[: self.readable + 1])

    def converse(self, unit):
        self.typed.append(unit.lines[0])
        return self.line.converse(unit)

    def recover(self):
        return self.line.recover()


@pytest.mark.parametrize("readable", [0, 1, 2, 4])
def test_lines_whose_echo_is_lost_are_typed_one_by_one_in_their_section(lab, readable):
    lines = ["interface Loopback7", "description seven", "ip adress 10.7.7.7", "no shutdown", "ip ospf cost 7"]
    session = IosSession("R1", lab.nodes["R1"].capability(CLI), enable=True)
    try:
        _, prompt = session.converse(Unit(lines=("configure terminal",)))
        line = Garbled(session, readable)
        typist = Typist(line, prompt)
        said = typist.type(lines)
    finally:
        session.close()
    assert ["%" in text for text in said] == [False, False, True, False, False]
    assert typist.prompt.endswith("(config-if)#")
    assert line.pastes == 1
    assert line.typed[-len(lines) + readable :] == lines[readable:]
    config = ask(lab, lambda driver, node: driver.running_config(node))
    assert "interface Loopback7\n description seven\n" in config


def test_errors_and_messages_of_a_paste_belong_to_their_lines(lab):
    lines = ["interface Loopback3", "descriptionn", "ip address 10.3.3.3 255.0.255.0", "description is it? yes", "exit"]
    lines = [*lines, "nonsense", "hostname R1", "", "! a comment", "interface Loopback3\n ip adress\n no shutdown"]
    statuses = ask(lab, lambda driver, node: driver.apply(node, lines))
    refused = [at for at, one in enumerate(statuses) if one.status == "error"]
    assert refused == [1, 2, 5, 9]
    assert "description is it? yes" in ask(lab, lambda driver, node: driver.running_config(node))


def test_a_long_batch_is_pasted_in_pieces_and_each_line_has_its_status(lab):
    lines = [line for n in range(150) for line in (f"ip route 10.200.{n}.0 255.255.255.0 Null0", f"wrong {n}")]
    statuses = ask(lab, lambda driver, node: driver.apply(node, lines))
    assert [one.status for one in statuses] == ["success", "error"] * 150
    config = ask(lab, lambda driver, node: driver.running_config(node))
    assert config.count("ip route 10.200.") == 150
    ask(lab, lambda driver, node: driver.apply(node, [f"no {line}" for line in lines[::2]]))


@pytest.mark.parametrize(
    "banner",
    [
        ["banner motd #Go away#"],
        ["banner motd @", "Is it R1#?", "R1(config)#wrong", "@"],
        ["banner login ^C", "R1(config)# is a prompt", "bad: two", "^C"],
        ["banner exec $\nwrong line\n$"],
    ],
)
def test_the_lines_behind_a_banner_are_commands_again(lab, banner):
    statuses = ask(
        lab, lambda driver, node: driver.apply(node, ["interface Loopback4", *banner, "wrong", "hostname R1"])
    )
    assert [one.status for one in statuses] == ["success", *("success" for _ in banner), "error", "success"]
    ask(lab, lambda driver, node: driver.apply(node, ["no banner motd", "no banner login", "no banner exec"]))


def test_a_banner_without_its_end_is_refused_with_all_that_would_be_its_text(lab):
    statuses = ask(lab, lambda driver, node: driver.apply(node, ["interface Loopback5", "banner motd #", "text"]))
    assert [one.status for one in statuses] == ["success", "success", "error"]
    assert statuses[-1].message == "% The banner has no closing delimiter"
    assert "banner" not in ask(lab, lambda driver, node: driver.running_config(node))


def test_questions_are_answered_by_their_default_and_a_reload_is_refused(lab):
    lines = ["interface Loopback6", "do copy running-config startup-config", "end", "copy running-config flash:kept"]
    lines = [*lines, "delete flash:kept", "reload", "dir flash:"]
    statuses = ask(lab, lambda driver, node: driver.apply(node, lines))
    assert [one.status for one in statuses] == [*["success"] * 5, "error", "success"]
    assert "[OK]" in statuses[1].message
    assert statuses[5].message == "% A reload would end the session with this device"
    assert "kept" not in statuses[6].message


def test_a_question_in_a_paste_is_found_and_answered(lab):
    session = IosSession("R1", lab.nodes["R1"].capability(CLI), enable=True)
    try:
        session.converse(Unit(lines=("configure terminal",)))
        split = session.paste(
            [Unit(lines=(line,)) for line in ("hostname R1", "do erase startup-config")], "R1(config)#"
        )
        assert len(split.said) == 1
        assert session.recover().endswith("#")
        assert "interface" in session.send("do show running-config")
    finally:
        session.close()


@pytest.mark.parametrize("command", ["ping", "traceroute"])
def test_a_command_that_reads_and_asks_gets_the_defaults(lab, command):
    assert "% " in ask(lab, lambda driver, node: driver.execute(node, command))


def test_a_command_that_takes_too_long_is_refused_and_the_next_one_is_answered(lab):
    with pytest.raises(TookTooLong):
        ask(
            lab,
            lambda driver, node: driver.execute(
                node, "ping 10.0.0.99 repeat 1000", limits=replace(DEFAULT_LIMITS, timeout_s=2.0)
            ),
        )
    assert "10.0.0.1" in ask(lab, lambda driver, node: driver.execute(node, "show ip interface brief"))
    assert "Gi0/0" in ask(lab, lambda driver, node: driver.execute(node, "show interfaces description"))
