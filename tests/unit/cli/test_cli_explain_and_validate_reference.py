from __future__ import annotations

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
    assert "    - {intent: ?, to: " in capsys.readouterr().out


def test_a_changed_network_makes_the_record_outdated(copied, capsys):
    copied.write_text(copied.read_text().replace("10.1.1.99/24", "10.1.1.98/24"))
    assert main(["validate", str(copied)]) == 1
    err = capsys.readouterr().err
    assert "is outdated" in err
    assert f"record it: netbench record {copied}" in err


def test_without_a_record_explain_says_how_to_make_one(copied, capsys):
    shutil.rmtree(copied.parent / ".reference")
    copied.write_text(copied.read_text().replace("10.1.1.99/24", "10.1.1.98/24"))
    assert main(["explain", str(copied)]) == 2
    assert f"record it: netbench record {copied}" in capsys.readouterr().err


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
