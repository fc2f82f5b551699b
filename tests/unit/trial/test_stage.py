"""A stage: its steps in order, everything removed whatever happens, the same truth for everyone."""

from __future__ import annotations

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.errors import AniError, LabError, NotReady, RequirementMissing, UsageError
from pytest_netbench.families.configure import ConfigureFamily
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.trial import Findings, Submission
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.trial import Settings, Stage, run_trial, selftest
from pytest_netbench.trial.agent_runner import Work
from tests.support.memory_backend import MemoryBackend, WatchedBackend
from tests.support.memory_trial import WORK, task_of

pytestmark = pytest.mark.usefixtures("memory_parts")


class StepsScene(NetworkScene):
    """Notes its steps; one of them may fail."""

    steps: list[str]
    fails: str | None = None

    def _step(self, name: str) -> None:
        self.steps.append(name)
        if name == self.fails:
            raise LabError(f"{name} failed")

    def health(self) -> None:
        self._step("health")

    def inject(self) -> None:
        self._step("inject")

    def settle(self) -> None:
        self._step("settle")

    def observe(self) -> None:
        self._step("observe")

    def evaluate(self, submission: Submission) -> Findings:
        self._step("evaluate")
        return super().evaluate(submission)

    def destroy(self) -> None:
        self.steps.append("destroy")
        super().destroy()


def family_with(steps: list[str], fails: str | None) -> type[ConfigureFamily]:
    class Family(ConfigureFamily):
        def prepare(self, task, deploy):
            scene = StepsScene(deploy())
            scene.steps, scene.fails = steps, fails
            return scene

    return Family


@pytest.fixture
def steps(monkeypatch):
    """Let tasks be staged by a family that notes its steps; call it with the step that fails."""
    noted: list[str] = []

    def use(fails: str | None = None) -> list[str]:
        load = parts.load
        family = family_with(noted, fails)
        monkeypatch.setattr(parts, "load", lambda group, name: family if group == "families" else load(group, name))
        return noted

    return use


def test_the_steps_are_run_in_their_order(steps):
    noted = steps()
    backend = WatchedBackend()

    def ready(lab, task):
        noted.append("ready")

    with Stage(task_of(), Settings(backend=backend, ready=ready)) as stage:
        stage.work(Nop())
        stage.evaluate()
    assert noted == ["health", "inject", "settle", "ready", "observe", "evaluate", "destroy"]
    assert backend.destroyed == backend.labs


@pytest.mark.parametrize("fails", ["health", "inject", "settle", "observe", "evaluate"])
def test_everything_is_removed_after_a_step_that_failed(steps, fails):
    noted = steps(fails)
    backend = WatchedBackend()

    def whole() -> None:
        with Stage(task_of(), Settings(backend=backend)) as stage:
            stage.work(Nop())
            stage.evaluate()

    with pytest.raises(LabError, match=f"{fails} failed"):
        whole()
    assert noted[-2:] == [fails, "destroy"]
    assert backend.destroyed == backend.labs


def test_a_hook_that_raises_removes_everything_too():
    backend = WatchedBackend()

    def ready(lab, task):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), Stage(task_of(), Settings(backend=backend, ready=ready)):
        pass
    assert backend.destroyed == backend.labs != []


def test_a_health_check_that_fails_keeps_everyone_out():
    check = {"kind": "reachability", "name": "up", "from": "branch", "to": "10.0.9.9", "within_s": 1}
    backend = WatchedBackend()
    with (
        pytest.raises(NotReady, match="health check 'up'"),
        Stage(task_of(health_checks=[check]), Settings(backend=backend)),
    ):
        pass
    assert backend.destroyed == backend.labs != []


def test_what_the_machine_lacks_is_said_before_anything_is_deployed():
    backend = WatchedBackend()
    with (
        pytest.raises(RequirementMissing, match="unobtainium"),
        Stage(task_of(requirements=["unobtainium"]), Settings(backend=backend)),
    ):
        pass
    assert backend.labs == []


def test_a_given_lab_is_used_and_left_to_its_owner():
    backend = WatchedBackend()
    task = task_of()
    lab = backend.deploy(request_of(task))
    with Stage(task, Settings(backend="memory"), lab=lab) as stage:
        assert stage.lab is lab
        stage.work(Oracle())
        assert {one.status for one in stage.evaluate().testcase_results} == {"pass"}
    assert backend.destroyed == []


def test_a_lab_put_in_its_place_is_examined_and_its_own_is_removed():
    backend = WatchedBackend()
    task = task_of()
    other = MemoryBackend().deploy(request_of(task))
    with Stage(task, Settings(backend=backend)) as stage:
        stage.adopt(other)
        stage.work(Oracle())
        assert {one.status for one in stage.evaluate().testcase_results} == {"pass"}
        assert "deny tcp 80 any" in backend.labs[0].nodes["edge"].lines
    assert backend.destroyed == backend.labs


def test_steps_out_of_order_say_what_is_missing():
    stage = Stage(task_of(), Settings(backend="memory"))
    with pytest.raises(UsageError, match="use it as `with Stage"):
        stage.work(Nop())
    with stage, pytest.raises(UsageError, match="no agent has worked"):
        stage.evaluate()
    with pytest.raises(UsageError, match="is not prepared"):
        stage.health()


def test_requests_from_outside_between_begin_and_finish_are_a_trial():
    with Stage(task_of(), Settings(backend="memory")) as stage:
        with pytest.raises(UsageError, match="no agent has begun on the stage of reach"):
            stage.finish(Work(outcome="done", submission=Submission()))
        part = stage.begin(Nop(), budget={"calls": 7})
        assert (part.brief.budget.calls, part.terms.budget.calls) == (7, 7)
        part.ani.update_cfg("edge", WORK)
        with pytest.raises(UsageError, match="no agent has worked"):
            stage.evaluate()
        stage.finish(Work(outcome="done", submission=Submission()))
        with pytest.raises(AniError, match="the trial has ended"):
            part.ani.get_topology()
        record = stage.evaluate()
    assert {one.status for one in record.testcase_results} == {"pass"}
    assert [step.data["method"] for step in record.trace] == ["update-cfg"]


def test_a_trial_and_a_self_test_find_the_same_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = selftest(task_of(), Settings(backend="memory"), Extent(repeats=1))
    assert report.truth is not None
    TruthStore.around(tmp_path).save(task_of(), report.truth.initial, report.truth.final)
    record = run_trial(task_of(task_name="In other words"), Oracle(), backend="memory").record
    assert record.truth_configs == record.final_configs == report.truth.final
    assert record.truth_initial_configs == report.truth.initial


def test_a_self_test_says_of_each_lab_that_it_is_ready():
    seen = []
    report = selftest(
        task_of(), Settings(backend="memory", ready=lambda lab, task: seen.append(task.slug)), Extent(repeats=1)
    )
    assert seen == ["reach"] * report.stages


class WithoutProbes(MemoryBackend):
    capabilities = ()

    def deploy(self, request):
        raise AssertionError("deployed")


def test_a_backend_without_probes_refuses_a_task_that_sends_packets_before_anything_is_deployed():
    with (
        pytest.raises(RequirementMissing, match="backend memory has no 'probes' \\(real packets between nodes\\)"),
        Stage(task_of(), Settings(backend=WithoutProbes())),
    ):
        raise AssertionError("on the stage")


def test_a_task_that_only_reads_devices_needs_no_probes():
    testcases = [
        {"kind": "route", "name": "dc", "device": "edge", "prefix": "10.9.0.0/16"},
        {"kind": "show", "name": "s", "device": "edge", "commands": ["show"], "expected_output": "x"},
        {"kind": "config", "name": "c", "device": "edge", "line": "x"},
    ]
    assert request_of(task_of(testcases=testcases)).requirements == ()
    sending = {"kind": "path", "name": "p", "from": "branch", "to": "web", "hops": ["edge"]}
    assert request_of(task_of(testcases=testcases, health_checks=[sending])).requirements == ("probes",)


def test_checks_that_come_after_the_work_judge_as_if_they_had_been_there(memory_parts):
    from pytest_netbench.exports.harbor.checks import withheld
    from tests.support.memory_trial import Own, does_it, task_of

    whole = task_of()
    settings = Settings(backend="memory", time_scale=100.0)
    for work, passes in ((does_it, True), (lambda _, __: None, False)):
        with Stage(withheld(whole), settings) as stage:
            stage.work(Own(work))
            stage.disclose(whole, settings)
            late = stage.evaluate()
        with Stage(whole, settings) as stage:
            stage.work(Own(work))
            at_once = stage.evaluate()
        assert late.task == whole
        assert late.task_digest == at_once.task_digest
        assert late.initial_configs == at_once.initial_configs != {}
        assert [one.status for one in late.testcase_results] == [one.status for one in at_once.testcase_results]
        assert all(one.status == "pass" for one in late.testcase_results) == passes
