"""``netbench report``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.regression_gate.baseline import save_baseline
from pytest_netbench.results.store import ResultsDir
from tests.support.pages import Read, trial


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    made = ResultsDir.create(tmp_path / "run")
    for number in (1, 2):
        made.append(*trial(number), worker="main")
    return tmp_path / "run"


def test_two_runs_become_one_page(stored: Path, tmp_path: Path, capsys) -> None:
    other = ResultsDir.create(tmp_path / "other")
    other.append(*trial(7, status="passed"), worker="main")
    page = tmp_path / "page.html"
    assert main(["report", str(stored), str(tmp_path / "other"), "-o", str(page)]) == 0
    assert capsys.readouterr().out.startswith(f"{page}: 3 trials, 0.0 MB")
    read = Read(page.read_text())
    assert "3 trials of 3 tasks by 3 agents" in " ".join(read.text.split())
    assert len(read.kept) == 2
    assert len(list((tmp_path / "page-trials").iterdir())) == 3


def test_the_verdict_of_the_gate_is_shown(stored: Path, tmp_path: Path) -> None:
    save_baseline(tmp_path / "baseline.json", [trial(1, status="passed")[0]])
    page = tmp_path / "page.html"
    run = ["report", str(stored), "-o", str(page), "--baseline", str(tmp_path / "baseline.json")]
    assert main(run) == 0
    text = Read(page.read_text()).text
    assert "Compared with the baseline: " in text
    assert "agent-1, passed, all tasks" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none"], "no such results directory"),
        ([".", "-o", "none/page.html"], "no such folder to write the page to"),
        ([".", "--policy", "x.yaml"], "give --baseline FILE, too"),
    ],
)
def test_what_cannot_be_is_an_error(tmp_path: Path, monkeypatch, capsys, arguments, words) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_directory_without_results_gives_no_page(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "."]) == 1
    assert capsys.readouterr().out == "no results in .\n"
    assert not (tmp_path / "report.html").exists()
