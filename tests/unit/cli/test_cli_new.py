"""``netbench new task``: what it writes, and what it refuses to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.cli.new import PLATFORMS
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.taskfile import load_task

PATH = Path("tasks/routing/two-sites.task.yaml")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_new_task_is_valid_as_it_is_and_its_record_is_of_its_present_state(platform, capsys):
    assert main(["new", "task", "two-sites", "--platform", platform]) == 0
    out = capsys.readouterr().out
    for kind in (str(PATH), "tasks/routing/.solutions/two-sites.yaml", "tasks/routing/.reference/two-sites-"):
        assert f"wrote {kind}" in out
    assert main(["validate", "tasks"]) == 0
    assert f"{PATH}: ok (two-sites, 4 nodes, 3 testcases, 2 right and 6 wrong solutions" in capsys.readouterr().out
    task = load_task(PATH)
    assert (task.task_name, task.domain) == ("Two sites", "routing")
    assert {configuration_of(task).platform_of(name) for name in ("a", "b")} == {platform}
    behaviour = ReferenceStore.around(PATH.parent).load(task)
    assert behaviour is not None
    assert any(one.kind == "reference" for one in configuration_of(task).testcases)
    assert {one.intent for one in configuration_of(task).testcases} == {1, None}


def test_what_is_said_next_are_commands_with_the_path(capsys):
    assert main(["new", "task", "two-sites"]) == 0
    out = capsys.readouterr().out
    for command in (
        f"pytest {PATH} --agent=oracle",
        f"netbench validate {PATH}",
        f"netbench record {PATH}",
        f"netbench explain {PATH}",
        f"pytest {PATH} --netbench-selftest",
    ):
        assert f"  {command}\n" in out
    assert main(["explain", str(PATH)]) == 0
    assert "to explain the rest" not in capsys.readouterr().out


def test_name_and_domain_are_chosen(capsys):
    assert main(["new", "task", "Guest WLAN 2", "--domain", "security"]) == 0
    task = load_task(Path("tasks/security/guest-wlan-2.task.yaml"))
    assert (task.slug, task.task_name, task.domain) == ("guest-wlan-2", "Guest WLAN 2", "security")
    assert main(["new", "task", "yes"]) == 0
    assert load_task(Path("tasks/routing/yes.task.yaml")).task_name == "Yes"


@pytest.mark.parametrize("there", [PATH, Path("tasks/routing/.solutions/two-sites.yaml")])
def test_nothing_is_overwritten(there, capsys):
    there.parent.mkdir(parents=True)
    there.write_text("mine")
    assert main(["new", "task", "two-sites"]) == 2
    assert f"{there} exists, and nothing is overwritten: give another name" in capsys.readouterr().err
    assert there.read_text() == "mine"
    assert [one for one in Path().rglob("*") if one.is_file()] == [there]


def test_a_second_task_of_the_same_network_shares_the_record(capsys):
    for name in ("one", "two"):
        assert main(["new", "task", name]) == 0
    assert len(list(Path("tasks/routing/.reference").iterdir())) == 1
    assert main(["validate", "tasks"]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x/y"], "'x/y' is no name of a task: use letters"),
        ([".."], "is no name of a task"),
        (["Größe"], "is no name of a task"),
        (["x", "--domain", "../y"], "--domain '../y': use lower-case letters"),
    ],
)
def test_a_name_that_is_no_name_is_refused(arguments, said, capsys):
    assert main(["new", "task", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not Path("tasks").exists()
