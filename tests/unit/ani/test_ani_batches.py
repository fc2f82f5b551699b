"""A device that commits the commands of one request together, asked by the ordinary interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.families.hints import platform_hint
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.task import Budget
from tests.support.braces import BracesDialect, braces_lab, install

CHANGE = [
    "set filters filter WEB deny tcp 80 any",
    "set interfaces e0 input WEB",
    "delete routes 10.9.0.0/16",
]


@pytest.fixture
def lab():
    return braces_lab()


@pytest.fixture
def ani(lab):
    return AgentInterface(lab, policy=Policy(), budget=Budget(), dialects={"braces": BracesDialect()})


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(install(tmp_path / "site"))


def config(ani) -> str:
    return ani.get_running_cfg("edge")["running_config"]


def web_is_reached(lab) -> bool:
    probe = Probe(source="branch", target="10.0.2.10", protocol="tcp", port=80, listen_on="web", timeout_s=0.1)
    return lab.prober.probe([probe])[0].delivered


def test_a_batch_takes_effect_together(lab, ani):
    assert web_is_reached(lab)
    answer = ani.update_cfg("edge", CHANGE)
    assert answer["results"] == [{"command": command, "status": "success"} for command in CHANGE]
    assert "input WEB;" in config(ani)
    assert "routes" not in config(ani)
    assert not web_is_reached(lab)


def test_one_refused_command_keeps_the_batch_from_taking_effect_and_every_entry_names_it(lab, ani):
    before = config(ani)
    bad = "set interfaces e9 mtu 1400"
    first, second, third = ani.update_cfg("edge", [CHANGE[0], bad, CHANGE[2]])["results"]
    why = f"not committed, as command 2 of the batch was refused: {bad}: no such interface: e9"
    assert first == {"command": CHANGE[0], "status": "error", "message": why}
    assert second == {"command": bad, "status": "error", "message": "no such interface: e9"}
    assert third == {"command": CHANGE[2], "status": "error", "message": why}
    assert config(ani) == before
    assert web_is_reached(lab)


def test_an_error_of_the_commit_that_names_no_command_is_that_of_all(ani):
    before = config(ani)
    answer = ani.update_cfg("edge", ["set interfaces e0 mtu 1400", "set interfaces e0 input NONE"])
    assert {(one["status"], one["message"]) for one in answer["results"]} == {
        ("error", "not committed: commit failed: filter NONE is used and not defined")
    }
    assert config(ani) == before


def test_no_command_of_a_refused_batch_counts_as_accepted(ani):
    ani.update_cfg("edge", [*CHANGE, "commit"])
    ani.update_cfg("edge", CHANGE)
    assert [one.status for one in ani.commands] == ["error"] * 4 + ["success"] * 3
    assert ani.budget_used.commands == 7


def test_what_negates_each_line_takes_a_change_back(ani):
    before = config(ani)
    syntax = BracesDialect.syntax
    ani.update_cfg("edge", CHANGE[:2])
    added = [edit.path for edit in reversed(syntax.edits(CHANGE[:2]))]
    undo = [command for path in added for command in syntax.negate(path)]
    assert undo == ["delete interfaces e0 input WEB", "delete filters filter WEB deny tcp 80 any"]
    assert {one["status"] for one in ani.update_cfg("edge", undo)["results"]} == {"success"}
    assert config(ani) == before


@pytest.mark.usefixtures("_installed")
def test_agents_are_told_that_commands_are_committed_as_a_whole():
    assert platform_hint("braces") == (
        "Devices of platform braces run version 1: Configuration commands are `set` and `delete`. The commands of one"
        " update-cfg are committed as a whole: if the device refuses one of them, none takes effect."
    )
    assert "as a whole" not in platform_hint("frr") + platform_hint("linux") + platform_hint("cisco_ios")
    assert platform_hint("braces", reading=True).endswith("`set` and `delete`.")
