"""netbench harvest finds other solutions in a run, and netbench record --accept takes one after the self-test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pytest_netbench.cli.main import main
from pytest_netbench.errors import UsageError
from pytest_netbench.model.solutions import Solution
from pytest_netbench.model.trial import Submission
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.solutions import load_solutions, with_right
from pytest_netbench.trial.verdict import judge
from tests.support.memory_tasks import TASK, write_task
from tests.support.memory_trial import WORK, Own, trial_of

BY_BGP = (WORK[0], f"{WORK[1]} bgp 5")
BY_OSPF = (WORK[0], f"{WORK[1]} ospf 20")
WITH_MORE = (*WORK, "policy x", "policy y", "policy z")
HALF_DONE = WORK[:1]
QUICK = [{**one, "within_s": 0.05} for one in TASK["testcases"]]
"""Nothing in memory takes time, so what fails need not be waited for."""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def task_file() -> Path:
    """A task whose ground truth is recorded."""
    path = write_task(Path("tasks/access"), "reach", testcases=QUICK)
    task = load_task(path)
    record = trial_of(Own(lambda _, ani: ani.update_cfg("edge", WORK)), task=task).run()
    TruthStore.around(path.parent, root=Path.cwd()).save(task, record.initial_configs, record.final_configs)
    return path


def run_of(task_file: Path, *works: tuple[str, ...], directory: str = "run") -> str:
    """The results of a trial for each list of commands, each given in two calls with a refused line between."""
    store = ResultsDir.create(Path(directory))
    task = load_task(task_file)
    truth = TruthStore.around(task_file.parent, root=Path.cwd()).load(task)
    assert truth is not None
    for number, work in enumerate(works, start=1):

        def do(_, ani, work=work):
            ani.update_cfg("edge", [work[0], "bogus"])
            ani.update_cfg("edge", work[1:])
            return Submission(reasoning="my way")

        known = {"truth_initial_configs": truth.initial_configs, "truth_configs": truth.configs}
        about = {"node_id": f"{task_file}::{task.slug}[own]", "trial": number}
        record = trial_of(Own(do), task=task).run().model_copy(update={**known, **about, "right_configs": truth.right})
        scores = apply_scorers(record, ("testcase",), where="worker")
        store.append(judge(record, scores, pass_marks={"testcase": 1.0}), record, worker="main")
    return directory


def harvested(capsys, *arguments: str) -> str:
    assert main(["harvest", *arguments]) == 0
    return capsys.readouterr().out


def candidates(task_file: Path) -> list[dict]:
    path = task_file.parent / ".candidates" / "reach.yaml"
    return yaml.safe_load(path.read_text()) if path.exists() else []


def accept(task_file: Path, solution_id: str) -> int:
    return main(["record", str(task_file), "--accept", solution_id, "--backend", "memory"])


def test_a_trial_that_passed_otherwise_is_a_candidate_with_its_provenance(task_file, capsys):
    said = harvested(capsys, run_of(task_file, BY_BGP))
    assert said.endswith("run: 1 new candidate solution\n")
    (found,) = candidates(task_file)
    assert f"netbench record {task_file} --accept {found['solution_id']}" in said
    assert found["configs"] == {"edge": list(BY_BGP)}
    assert found["reasoning"] == "my way"
    assert found["provenance"]["trial"] == f"{task_file}::reach[own] trial 1"
    assert (found["provenance"]["nearest"], found["provenance"]["shared"]) == ("ground truth", 0.5)


def test_what_failed_or_is_the_ground_truth_with_more_lines_is_no_candidate(task_file, capsys):
    said = harvested(capsys, run_of(task_file, HALF_DONE, tuple(reversed(WORK)), WITH_MORE))
    assert said == "run: 0 new candidate solutions\n  left out 2 that passed: too near to a known solution\n"
    assert candidates(task_file) == []


def test_two_trials_with_one_idea_are_one_candidate_and_other_ideas_are_others(task_file, capsys):
    said = harvested(capsys, run_of(task_file, BY_BGP, BY_BGP, BY_OSPF))
    assert "run: 2 new candidate solutions\n  left out 1 that passed: too near to a known solution" in said
    assert len(candidates(task_file)) == 2


def test_a_second_harvest_of_a_run_finds_nothing_new(task_file, capsys):
    run = run_of(task_file, BY_BGP)
    harvested(capsys, run)
    said = harvested(capsys, run)
    assert said == "run: 0 new candidate solutions\n  left out 1 that passed: a candidate already\n"


def test_less_difference_can_be_asked_for(task_file, capsys):
    said = harvested(capsys, run_of(task_file, BY_BGP), "--difference", "0.6")
    assert "left out 1 that passed: too near" in said


@pytest.mark.parametrize("share", ["0", "1.5", "much"])
def test_a_difference_is_a_share(task_file, capsys, share):
    with pytest.raises(SystemExit):
        main(["harvest", "run", "--difference", share])
    assert "is no share above 0 and up to 1" in capsys.readouterr().err


def test_a_task_that_changed_since_the_run_has_no_candidates(task_file, capsys):
    run = run_of(task_file, BY_BGP)
    write_task(task_file.parent, "reach", task_name="Another one", difficulty="hard")
    assert f"left out 1 that passed: {task_file} has changed since the run" in harvested(capsys, run)


def test_a_directory_that_is_not_there_is_an_error(capsys):
    assert main(["harvest", "nowhere"]) == 2
    assert "no such results directory" in capsys.readouterr().err


def test_an_accepted_candidate_is_a_right_solution_and_counts_for_scores(task_file, capsys):
    run = run_of(task_file, BY_BGP, BY_OSPF)
    harvested(capsys, run)
    chosen, other = (one["solution_id"] for one in candidates(task_file))
    assert accept(task_file, chosen) == 0
    task = load_task(task_file)
    (right,) = load_solutions(task_file.parent / ".solutions" / "reach.yaml", task).right
    assert (right.name, right.configs, right.reasoning) == (chosen, {"edge": BY_BGP}, "my way")
    truth = TruthStore.around(task_file.parent, root=Path.cwd()).load(task)
    assert truth is not None
    assert BY_BGP[1] in truth.right[chosen]["edge"]
    assert truth.right_reasoning == {chosen: "my way"}
    assert [one["solution_id"] for one in candidates(task_file)] == [other]
    assert "accepted already" in harvested(capsys, run)
    assert accept(task_file, other) == 0
    assert candidates(task_file) == []


def test_a_candidate_that_the_self_test_refutes_is_not_accepted(task_file, capsys):
    harvested(capsys, run_of(task_file, BY_BGP))
    path = task_file.parent / ".candidates" / "reach.yaml"
    path.write_text(path.read_text().replace("10.9.0.0/16", "10.8.0.0/16"))
    (chosen,) = candidates(task_file)
    assert accept(task_file, chosen["solution_id"]) == 1
    said = capsys.readouterr().out
    assert f"right solution '{chosen['solution_id']}' fails 'dc-route'" in said
    assert f"not accepted: {chosen['solution_id']}; nothing was written" in said
    assert not (task_file.parent / ".solutions").exists()
    assert candidates(task_file) == [chosen]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--accept", "nobody"],
            "there is no candidate solution in tasks/access/.candidates/reach.yaml; find some with",
        ),
        (["--accept", "nobody", "--check"], "--accept goes with neither --check nor --missing"),
        (["tasks", "--accept", "nobody"], "--accept takes one task file"),
    ],
)
def test_what_cannot_be_accepted_is_said(task_file, capsys, more, message):
    assert main(["record", str(task_file), *more]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_candidate_is_told_with_those_that_there_are(task_file, capsys):
    harvested(capsys, run_of(task_file, BY_BGP))
    (chosen,) = candidates(task_file)
    assert accept(task_file, "own-0") == 2
    assert f"unknown candidate solution 'own-0' (known: {chosen['solution_id']!r})" in capsys.readouterr().err


WRONG = "wrong:\n  - {name: w, reason: r, configs: {edge: [y]}}\n"
ADDED = Solution(name="new", reason="because", configs={"edge": ("a", "b: c")}, provenance={"agent": "own"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "right:\n- name: one\n  reason: r\n  configs: {edge: [x]}\n",
        f"right:\n  - name: one\n    reason: r\n    configs: {{edge: [x]}}\n\n# between\n{WRONG}",
        f"{WRONG}right:  # good ones\n    - {{name: one, reason: r, configs: {{edge: [x]}}}}\n",
        WRONG,
    ],
)  # fmt: skip
def test_a_solution_is_added_to_a_file_and_all_else_stays(text):
    after = with_right(text, ADDED)
    before, now = yaml.safe_load(text) or {}, yaml.safe_load(after)
    added = {"name": "new", "reason": "because", "configs": {"edge": ["a", "b: c"]}, "provenance": {"agent": "own"}}
    assert now["right"] == [*before.get("right", []), added]
    assert now.get("wrong") == before.get("wrong")
    assert [line for line in after.splitlines() if line in text.splitlines()] == text.splitlines()


def test_right_solutions_in_one_line_are_left_to_a_person():
    with pytest.raises(UsageError, match="the right solutions stand in one line"):
        with_right("right: []\n", ADDED)


def test_ids_name_the_agent_and_what_it_did(task_file, capsys):
    harvested(capsys, run_of(task_file, BY_BGP))
    (chosen,) = candidates(task_file)
    assert re.fullmatch(r"own-[0-9a-f]{8}", chosen["solution_id"])
