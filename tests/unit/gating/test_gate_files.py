"""The files of a gate: a policy with its errors, and a baseline that is read as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.errors import BaselineFileError, PolicyFileError
from pytest_netbench.regression_gate.baseline import load_baseline, save_baseline
from pytest_netbench.regression_gate.judging import judge_run
from pytest_netbench.regression_gate.policy import Policy, load_policy
from pytest_netbench.results.pairing import pair
from tests.support.records import ENVIRONMENT, busy_result, result

POLICY = """\
most_errors: 0.2
must_pass: ["*::llq-*"]
rules:
  - tolerance: 0.05
  - domain: qos
    metric: testcase
    tolerance: 0.01
    level: 0.1
    inconclusive: fail
    most_cost_usd: 0.5
"""


def test_a_policy_is_read(tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text(POLICY)
    policy = load_policy(tmp_path / "gate.yaml")
    assert policy.most_errors == 0.2
    assert [one.about for one in policy.rules] == ["all tasks", "domain qos"]
    assert policy.rules[1].inconclusive == "fail"
    assert Policy().rules[0].tolerance == 0.02


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rules: []", r"gate.yaml:1: rules: "),
        ("rules:\n  - tolerance: 2", r"gate.yaml:2: rules.0.tolerance: input should be less than or equal to 1, not 2"),
        ("rules:\n  - domain: a\n    tolerence: 0.1", r"gate.yaml:3: unknown key 'rules.0.tolerence' .*'tolerance'"),
        ("most_erors: 1", r"gate.yaml:1: unknown key 'most_erors' .*Did you mean 'most_errors'"),
        ("- 1", "expected a mapping"),
        ("", "empty"),
    ],
)
def test_a_wrong_policy_is_refused_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "gate.yaml").write_text(text)
    with pytest.raises(PolicyFileError, match=words):
        load_policy(tmp_path / "gate.yaml")


def test_a_baseline_judges_as_its_run_did(tmp_path: Path) -> None:
    run = [busy_result(), busy_result(trial=2), result(status="error", trial=3)]
    path = tmp_path / "baseline.json"
    assert save_baseline(path, run) == 2, "errors of the infrastructure say nothing of an agent"
    kept = load_baseline(path).results
    assert [one.trial for one in kept] == [1, 2]
    assert "evidence" not in path.read_text()
    assert judge_run(run[:2], kept, Policy()) == judge_run(run[:2], run[:2], Policy())


def test_a_baseline_tells_how_lab_time_passed(tmp_path: Path) -> None:
    """Where an event is timed, a run by events is compared with a baseline by events, and with no other."""
    by_events = ENVIRONMENT.model_copy(update={"clock": "events"})
    run = [busy_result(trial=trial, environment=by_events) for trial in (1, 2)]
    timed = tuple(one.model_copy(update={"under": "a link fails"}) for one in run[0].testcase_results)
    assert timed
    run = [one.model_copy(update={"testcase_results": timed}) for one in run]
    save_baseline(tmp_path / "baseline.json", run)
    kept = load_baseline(tmp_path / "baseline.json").results
    assert pair(run, kept).clocks == ()
    at_scale = [one.model_copy(update={"environment": ENVIRONMENT}) for one in run]
    assert pair(at_scale, kept).clocks != ()


def test_what_is_no_baseline_is_refused(tmp_path: Path) -> None:
    for name, text in (("empty", ""), ("other", '{"results": []}'), ("newer", '{"format": 2}'), ("list", "[]")):
        (tmp_path / name).write_text(text)
        with pytest.raises(BaselineFileError, match=r"not a baseline.*--netbench-save-baseline"):
            load_baseline(tmp_path / name)
    with pytest.raises(BaselineFileError, match="cannot be read: No such file"):
        load_baseline(tmp_path / "missing")
    with pytest.raises(BaselineFileError, match="cannot be read"):
        load_baseline(tmp_path)
    with pytest.raises(BaselineFileError, match="no trial was scored"):
        save_baseline(tmp_path / "b.json", [result(status="error")])
    assert not (tmp_path / "b.json").exists()
