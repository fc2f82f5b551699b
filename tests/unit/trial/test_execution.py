"""A trial is plain data that any process can execute; what breaks is a result, too."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from pytest_netbench import load_task, run_trial
from pytest_netbench.errors import LabError, RequirementMissing, UsageError
from pytest_netbench.families.proof import Extent
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.trial import CassetteSpec, Draw, Settings, Store, TrialSpec, execute, perform, selftest
from tests.support.kept_answers import keep_answers
from tests.support.memory_trial import task_of
from tests.support.trial_specs import elsewhere, without_times

pytestmark = pytest.mark.usefixtures("memory_parts")
ROOT = Path(__file__).parents[3]
ASKS = """\
from concurrent.futures import ThreadPoolExecutor
from pytest_netbench import AgentInfo, Llm, Submission, Usage

class Asks:
    info = AgentInfo(id="asks", strategy="asks")

    def run(self, brief, ani):
        ask = lambda: Llm(model="openai/a").complete(
            [{"role": "user", "content": "?"}], note=ani.note, wall_left=lambda: None)
        ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        here = ask()
        with ThreadPoolExecutor(1) as pool:
            there = pool.submit(ask).result()
        return Submission(reasoning=f"{here.text} {there.text}", usage=Usage(completions=2))
"""


def spec_of(**changes):
    return TrialSpec(**{"task": task_of(), "agent": "oracle", "backend": "memory", **changes})


def test_a_spec_sent_as_json_gives_the_same_result_in_another_process(tmp_path):
    spec = spec_of(number=2, node_id="tasks/reach[oracle]", scorers=("latency",), budget={"calls": 3, "wall_s": None})
    here, there = execute(spec), elsewhere(spec, tmp_path / "site")
    assert here.status == there.status == "passed"
    assert here.trial == 2
    assert without_times(here) == without_times(there)


def test_a_result_of_another_process_shows_that_its_agent_failed(tmp_path):
    here, there = execute(spec_of(agent="nop")), elsewhere(spec_of(agent="nop"), tmp_path / "site")
    assert here.status == there.status == "failed"
    assert [one.status for one in here.testcase_results] == [one.status for one in there.testcase_results]
    assert [one.value for one in here.scores] == [one.value for one in there.scores]


def test_a_spec_replays_its_cassette_in_another_process_with_the_same_result(tmp_path):
    (tmp_path / "asks_apart.py").write_text(ASKS)
    keep_answers(tmp_path / "tapes", "one", "two", agent="asks_apart.Asks")
    cassette = CassetteSpec(mode="replay", folder=str(tmp_path / "tapes"), shown="tapes", pace=0)
    spec = spec_of(agent="asks_apart:Asks", agents=str(tmp_path), cassette=cassette)
    here, there = execute(spec), elsewhere(spec, tmp_path / "site")
    assert here.status == there.status == "passed"
    assert here.record.submission.reasoning == "one two"
    assert (here.replayed.requests, here.replayed.recorded) == (2, 2)
    assert here.replayed.cassette.startswith("tapes/asks_apart.Asks/reach-")
    assert without_times(here) == without_times(there)


@pytest.mark.parametrize("name", ["qos/llq-voice", "routing/bgp-two-providers"])
def test_a_spec_of_a_shipped_task_comes_back_from_json_and_from_a_pickle_as_it_was(name):
    path = ROOT / f"tasks/{name}.task.yaml"
    cassette = CassetteSpec(mode="record", folder="tapes")
    spec = spec_of(task=load_task(path), store=Store(folder=str(path.parent), root=str(ROOT)), cassette=cassette)
    for again in (TrialSpec.model_validate_json(spec.model_dump_json()), pickle.loads(pickle.dumps(spec))):
        assert again == spec
        assert again.load_task().digest == spec.load_task().digest
        assert again.load_task().truth_digest == spec.load_task().truth_digest


@pytest.mark.parametrize("names", ["memory", ("memory", "small"), ("small",)])
def test_the_choice_of_backends_comes_back_from_json(names):
    spec = spec_of(backend=names)
    assert TrialSpec.model_validate_json(spec.model_dump_json()).settings.backend == spec.settings.backend == names


@pytest.mark.parametrize("series", ["plan:level=1,seed=7", "repair-routing:level=1-2,subnets=2,seed=3"])
def test_a_draw_is_the_task_of_its_series(series):
    spec = spec_of(task=None, draw=Draw.read(series, index=2))
    again = TrialSpec.model_validate_json(spec.model_dump_json())
    assert again.load_task() == read_series(series).source(2).load()


def test_a_spec_has_a_task_or_a_draw():
    for changes in ({"task": None}, {"draw": Draw(generator="plan")}):
        with pytest.raises(ValidationError, match="either a task or a draw"):
            spec_of(**changes)


def test_an_infrastructure_error_is_a_result():
    spec = spec_of(task=task_of(requirements=["lab-breaks"]), number=3)
    result = execute(spec)
    assert (result.status, result.trial, result.agent.id, result.scores) == ("error", 3, "oracle", ())
    assert result.error == "LabError: zebra of edge did not start: /usr/lib/frr/zebra: not found"
    assert result.record is None
    assert run_trial(spec.load_task(), "oracle", backend="memory").error == result.error
    with pytest.raises(LabError, match="zebra of edge"):
        perform(spec)


def test_what_a_machine_lacks_and_wrong_input_are_no_results():
    with pytest.raises(RequirementMissing, match="unobtainium"):
        execute(spec_of(task=task_of(requirements=["unobtainium"])))
    with pytest.raises(UsageError, match="unknown backend 'nets'"):
        execute(spec_of(backend="nets"))
    with pytest.raises(UsageError, match="the backends 'memory' and 'netns' both serve resources of the kind 'lab'"):
        execute(spec_of(backend=("memory", "netns")))
    with pytest.raises(UsageError, match="unknown scorer 'latenci'"):
        execute(spec_of(scorers=("latenci",), task=task_of(requirements=["lab-breaks"])))


def test_what_was_recorded_is_found_in_the_store_that_the_spec_names(tmp_path):
    task = task_of()
    truth = selftest(task, Settings(backend="memory"), Extent(repeats=1)).truth
    store = Store(folder=str(tmp_path / "tasks/access"), root=str(tmp_path))
    (tmp_path / "tasks/.truth").mkdir(parents=True)
    store.truths.save(task, truth.initial, truth.final)
    found = execute(spec_of(store=store)).record.truth_configs
    assert found == truth.final
    assert execute(spec_of(store=Store(folder=str(tmp_path / "other")))).record.truth_configs is None


def test_code_of_a_user_works_in_a_process_of_its_own(tmp_path):
    (tmp_path / "mine_executed.py").write_text(
        "import os\n"
        "from pytest_netbench import AgentInfo, Submission\n"
        "class Mine:\n"
        "    info = AgentInfo(id='mine', strategy='mine')\n"
        "    def run(self, brief, ani):\n"
        "        return Submission(reasoning=str(os.getpid()))\n"
    )
    result = execute(spec_of(agent="mine_executed:Mine", agents=str(tmp_path)))
    assert (result.outcome, result.agent.id) == ("done", "mine_executed.Mine")
    pid = int(result.record.submission.reasoning)
    assert pid != os.getpid()
    assert not Path(f"/proc/{pid}").exists()


def test_a_result_has_its_record_where_it_was_made_and_does_not_store_it():
    result = execute(spec_of())
    assert result.record.node_id == "reach"
    assert pickle.loads(pickle.dumps(result)).record == result.record
    assert "record" not in json.loads(result.model_dump_json())
    assert TrialResult.model_validate_json(result.model_dump_json()).record is None


def test_a_spec_is_read_without_pytest():
    code = "import sys, pytest_netbench.trial; print('pytest' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "False\n"
