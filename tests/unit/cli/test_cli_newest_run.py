"""Commands without a directory read the newest run of pytest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.results.newest import newest_run, note
from pytest_netbench.results.store import ResultsDir
from tests.support.records import busy_result, record, result

OF_PYTEST = {"pytest": "9.2", "python": "3.11"}


def run_in(
    folder: Path, *, at: float, versions: dict[str, str] | None = None, agents: tuple[str, ...] = ("a",)
) -> Path:
    store = ResultsDir.create(folder)
    store.describe(argv=[], versions=OF_PYTEST if versions is None else versions)
    for agent in agents:
        info = AgentInfo(id=agent, strategy="x")
        node_id = f"tasks/x.task.yaml::x[{agent}]"
        status = "passed" if agent == "b" else "failed"
        store.append(
            busy_result(node_id=node_id, agent=info, status=status), record(node_id=node_id, agent=info), worker="main"
        )
    store.merge()
    for path in folder.glob("results*.jsonl"):
        os.utime(path, (at, at))
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_is_the_one_that_was_written_last_and_not_of_serve(root: Path):
    run_in(root / ".netbench/1", at=1000)
    newest = run_in(root / ".netbench/2", at=3000)
    run_in(root / ".netbench/3", at=2000)
    run_in(root / ".netbench/serve-4", at=4000, versions={"python": "3.11"})
    (root / ".netbench/5").mkdir()
    assert newest_run(root) == newest
    below = root / "tasks/qos"
    below.mkdir(parents=True)
    assert newest_run(below) == newest


def test_a_run_elsewhere_is_known_too_unless_it_is_gone(root: Path):
    inside = run_in(root / ".netbench/1", at=1000)
    elsewhere = run_in(root / "out", at=2000)
    note(elsewhere, root=root)
    assert newest_run(root) == elsewhere
    elsewhere.rename(root / "moved")
    assert newest_run(root) == inside


def test_commands_take_it_and_say_which_it_was(root: Path, capsys):
    run_in(root / ".netbench/old", at=1000)
    run_in(root / ".netbench/new", at=2000, agents=("a", "b"))
    for arguments in (
        ["summarize"],
        ["compare"],
        ["report", "-o", "page.html"],
        ["show"],
    ):
        assert main(arguments) == 0, arguments
        assert capsys.readouterr().err.startswith("netbench: of the newest run of pytest, .netbench/new\n"), arguments
    main(["export", "atif", "-o", "x"])
    assert "newest run of pytest, .netbench/new" in capsys.readouterr().err
    main(["rescore"])
    assert (root / ".netbench/new/results.rescored.jsonl").is_file()
    assert "newest run of pytest, .netbench/new" in capsys.readouterr().err
    assert main(["summarize", ".netbench/old"]) == 0
    assert capsys.readouterr().err == ""


def test_compare_without_arguments_takes_the_two_agents_of_the_run(root: Path, capsys):
    run_in(root / ".netbench/1", at=1000, agents=("a", "b"))
    assert main(["compare"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "A: a, 1 trials, .netbench/1",
        "B: b, 1 trials, .netbench/1",
    ]
    run_in(root / ".netbench/2", at=2000, agents=("a",))
    assert main(["compare"]) == 2
    assert "two agents of one with --agents A B" in capsys.readouterr().err


def test_no_run_is_an_error_that_says_where_it_was_looked_for(root: Path, capsys):
    assert main(["summarize"]) == 2
    error = capsys.readouterr().err
    assert f"{root}: no run of pytest has left results" in error
    assert "pytest tasks/ --agent=oracle" in error


def test_show_prints_all_of_one_trial_and_in_short_all_that_failed(root: Path, capsys):
    run_in(root / ".netbench/1", at=1000, agents=("a", "b"))
    assert main(["show", "x[a]"]) == 0
    whole = capsys.readouterr().out
    assert whole.startswith("tasks/x.task.yaml::x[a]: failed\nagent:      done after 1m03s\n")
    assert "\n1 of 2 testcases failed: voice has priority\n" in whole
    assert "    expected: at least 900 kbit/s" in whole
    assert "--- commands (2, 1 refused)" in whole
    assert main(["show", "x[b"]) == 0
    assert main(["show"]) == 0
    short = capsys.readouterr().out
    assert "--- tasks/x.task.yaml::x[a]" in short
    assert "1 of 2 trials failed" in short
    assert main(["show", "x["]) == 2
    assert "2 trials are called 'x['; give one: tasks/x.task.yaml::x[a], tasks" in capsys.readouterr().err
    assert main(["show", "y"]) == 2
    assert "no trial is called 'y' (there are: tasks/x.task.yaml::x[a]," in capsys.readouterr().err


def test_show_of_an_infrastructure_error_says_what_broke(root: Path, capsys):
    store = ResultsDir.create(root / ".netbench/1")
    store.describe(argv=[], versions=OF_PYTEST)
    store.append(result({}, status="error", outcome=None, error="the lab died"), None, worker="main")
    assert main(["show", "llq-voice[react-gpt-4o]"]) == 0
    assert "the lab died" in capsys.readouterr().out


def test_the_summary_in_markdown_has_every_task_and_no_text_that_markdown_reads(root: Path, capsys):
    run_in(root / ".netbench/1", at=1000, agents=("a", "b_<i>|x"))
    assert main(["summarize", "--markdown"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert "| agent | wall | deploy | agent | evaluation | cost | tokens | calls | how it ended |" in out
    assert "| a, b\\_&lt;i&gt;\\|x | 1 | 0.00 | 0.00 | +0.00 | -0.79 to +0.79 |" in out
    assert "| x | 0/1 | 0/1 |" in out
