from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.taskfile.corpus import corpus

SLUG = "acl-object-groups"
EXPLAINED = "    - {intent: 2, to: 10.1.2.0/25, both_ways: true}\n"


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task and its record in a folder of their own."""
    tasks = corpus() / "tasks"
    (tmp_path / ".reference").mkdir()
    for path in (tasks / ".reference").glob(f"{SLUG}-*.json"):
        shutil.copy(path, tmp_path / ".reference")
    shutil.copy(tasks / "security" / f"{SLUG}.task.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / f"{SLUG}.task.yaml"


def test_what_is_held_is_listed_by_intent(copied, capsys):
    assert main(["explain", str(copied)]) == 0
    out = capsys.readouterr().out
    assert "as intent 2 asks (to 10.1.2.0/25, both_ways True): Core must not forward any other traffic" in out
    assert "allowed before; denied after" in out
    assert "to explain the rest" not in out


def test_a_task_whose_record_fits_is_in_order(copied, capsys):
    assert main(["validate", str(copied)]) == 0
    assert f"{copied}: ok" in capsys.readouterr().out


def test_a_difference_of_no_intent_is_refused_and_explain_suggests_an_entry(copied, capsys):
    copied.write_text(
        copied.read_text().replace(EXPLAINED, EXPLAINED.replace("10.1.2.0/25", "10.1.2.10, protocol: icmp"))
    )
    assert main(["validate", str(copied)]) == 1
    assert "flows that belong to no intent in the undisturbed network, e.g. " in capsys.readouterr().err
    assert main(["explain", str(copied)]) == 0
    out = capsys.readouterr().out
    assert "TODO stands for the number of the intent" in out
    assert "    - {intent: TODO, to: " in out


def test_what_explain_suggests_can_be_pasted_and_validate_names_what_is_to_be_filled_in(copied, capsys):
    text = copied.read_text()
    copied.write_text(re.sub(r"^reference:\n(?:[ \n].*\n?)*", "", text, flags=re.MULTILINE))
    assert main(["explain", str(copied)]) == 0
    out = capsys.readouterr().out
    block = out[out.index("\nreference:") + 1 :]
    copied.write_text(copied.read_text() + block)
    lines = copied.read_text().splitlines()
    first = next(number for number, line in enumerate(lines, start=1) if "TODO" in line)
    assert main(["validate", str(copied)]) == 1
    assert f"{copied}:{first}:8: intent: write the number of the intent that asks for it, not TODO" in (
        capsys.readouterr().err
    )
    copied.write_text(copied.read_text().replace("TODO", "2"))
    assert main(["validate", str(copied)]) == 0


def test_a_changed_network_makes_the_record_outdated(copied, capsys):
    copied.write_text(copied.read_text().replace("10.1.1.99/24", "10.1.1.98/24"))
    assert main(["validate", str(copied)]) == 1
    err = capsys.readouterr().err
    assert "is outdated" in err
    assert f"record it: netbench record {copied}" in err


def test_without_a_record_explain_says_how_to_make_one(copied, capsys):
    copied.write_text(copied.read_text().replace("10.1.1.99/24", "10.1.1.98/24"))
    copied = copied.rename(copied.with_name("new.task.yaml"))
    assert main(["explain", str(copied)]) == 2
    said = capsys.readouterr()
    assert f"Record it, which deploys four labs: netbench record {copied}" in said.err
    assert "no reference behaviour is recorded for this task" in said.err
    assert "Intent 2: Core must not forward any other traffic" in said.out
    assert "  testcase: " in said.out


def test_of_a_record_of_an_earlier_state_explain_names_the_file(copied, capsys):
    copied.write_text(copied.read_text().replace("10.1.1.99/24", "10.1.1.98/24"))
    assert main(["explain", str(copied)]) == 2
    assert re.search(rf"{SLUG}-\w+\.json is of an earlier state of this task", capsys.readouterr().err)


def test_explain_of_a_task_that_can_have_no_record_does_not_ask_for_one(tmp_path, capsys):
    assert main(["generate", "plan:n=1", "-o", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("*.task.yaml")
    assert main(["explain", str(path)]) == 2
    assert "of family 'plan' has no intents to configure" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "status"), [("explain", 2), ("validate", 1), ("record", 2), ("lab", 2), ("serve", 2)]
)
def test_a_name_that_is_no_file_is_answered_with_the_file_that_may_be_meant(copied, capsys, command, status):
    assert main([command, SLUG]) == status
    assert f"Did you mean {SLUG}.task.yaml?" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["explain", "lab", "serve"])
def test_a_folder_is_no_task(copied, capsys, command):
    assert main([command, str(copied.parent)]) == 2
    assert f"{copied.parent} is a folder: give one task file, e.g. {copied}" in capsys.readouterr().err


def test_a_generator_in_the_place_of_a_file_is_answered_with_the_command_that_writes_files(copied, capsys):
    assert main(["record", "repair-network:n=2"]) == 2
    assert "netbench generate repair-network:n=2 -o DIR" in capsys.readouterr().err


@pytest.mark.parametrize("healthy", [0, 1])
def test_of_a_diagnosis_explain_tells_what_is_wrong_and_what_shows_it(tmp_path, capsys, healthy):
    series = f"diagnose:shapes=line,platforms=frr,faults=link-down,level=1,healthy={healthy},n=1,seed=1"
    assert main(["generate", series, "--output", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("*.task.yaml")
    capsys.readouterr()
    assert main(["explain", str(path)]) == 0
    out = capsys.readouterr().out
    if healthy:
        assert out == "Nothing is wrong in this network.\n"
    else:
        assert "Observations that prove it:\nlink-down on " in out
        assert "has no carrier, and is not shut down. `execute-cmd " in out
