from __future__ import annotations

from pytest_netbench.cli.main import main
from pytest_netbench.results.store import ResultsDir
from tests.support.records import ran, record, result


def test_a_stored_run_is_scored_again_and_reported(tmp_path, capsys):
    store = ResultsDir.create(tmp_path / "run")
    kept = record(testcase_results=(ran("a"), ran("b", "fail")))
    store.append(result({"testcase": 0.5}, task_digest=kept.task_digest), kept, worker="main")
    assert main(["rescore", str(tmp_path / "run")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 results, 1 scores equal, ")
    assert str(tmp_path / "run") in out


def test_a_directory_that_is_not_there_is_wrong_input(tmp_path, capsys):
    assert main(["rescore", str(tmp_path / "none")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"netbench: {tmp_path}/none: no such results directory; give the one that --netbench-results named\n"
    )


def test_a_directory_without_results_is_wrong_input(tmp_path, capsys):
    assert main(["rescore", str(tmp_path)]) == 2
    assert f"netbench: {tmp_path}: no results here" in capsys.readouterr().err


def test_a_number_that_cannot_be_explained_is_status_1(tmp_path, capsys):
    store = ResultsDir.create(tmp_path)
    kept = record(testcase_results=(ran("a"), ran("b", "fail")))
    store.append(result({"testcase": 1.0}, task_digest=kept.task_digest), kept, worker="main")
    assert main(["rescore", str(tmp_path)]) == 1
    assert "testcase: 1 (testcase/1) -> 0.5 (testcase/1)" in capsys.readouterr().out


def test_a_trial_that_cannot_be_scored_again_is_status_1(tmp_path, capsys):
    ResultsDir.create(tmp_path).append(result({"testcase": 1.0}), None, worker="main")
    assert main(["rescore", str(tmp_path)]) == 1
    assert "no transcript was kept" in capsys.readouterr().out
