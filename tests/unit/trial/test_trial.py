from __future__ import annotations

import threading
import time

import pytest

from pytest_netbench.agents.llm import Llm
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.agents.retry import Retries
from pytest_netbench.agents.settings import ModelSettings
from pytest_netbench.errors import (
    AgentError,
    AniError,
    BudgetExhausted,
    InfrastructureError,
    InputError,
    LabDied,
    LabError,
    NotReady,
    ProviderError,
    RequirementMissing,
    ResultsError,
    TaskFileError,
    UsageError,
)
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission
from tests.support.memory_lab import CHAIN, with_control
from tests.support.memory_trial import WORK, Own, does_it, task_of, trial_of

pytestmark = pytest.mark.usefixtures("memory_parts")


def test_the_oracle_passes_and_everything_is_recorded():
    record = trial_of(Oracle()).run()
    assert record.outcome == "done"
    assert [result.status for result in record.testcase_results] == ["pass", "pass"]
    assert "deny tcp 80 any" in record.initial_configs["edge"]
    assert "deny tcp 80 any" not in record.final_configs["edge"]
    assert [command.command for command in record.commands] == list(WORK)
    assert record.submission.reasoning == "port 80 is dropped"
    assert record.budget_used.calls == 1
    assert [step.kind for step in record.trace] == ["ani"]


def test_nop_leaves_all_as_it_was():
    record = trial_of(Nop()).run()
    assert record.initial_configs == record.final_configs
    assert {result.status for result in record.testcase_results} == {"fail"}


def test_an_agent_gets_the_brief_and_never_the_task():
    seen = []

    def look(brief, ani):
        seen.append(brief)
        return Submission()

    trial_of(Own(look)).run()
    (brief,) = seen
    assert not isinstance(brief, Task)
    words = brief.model_dump_json()
    assert "no deny tcp 80" not in words
    assert brief.intents == ("port 80", "route")
    assert "stop dropping" not in words


def test_an_agent_that_asks_for_sub_intents_gets_them_and_its_record_says_so():
    seen = []

    def look(brief, ani):
        seen.append(brief)
        return Submission()

    record = trial_of(Own(look, sub_intents=True)).run()
    assert seen[0].sub_intents == (("edge: stop dropping",), ())
    assert seen[0].intents == ("port 80", "route")
    assert record.extras == ("sub-intents",)


def test_the_brief_says_what_the_agent_may_do_with_each_device():
    seen = []

    def look(brief, ani):
        seen.append(brief)
        return Submission()

    topology = with_control(CHAIN, {"branch": "observed", "web": "foreign"}).model_dump()
    trial_of(Own(look), task=task_of(topology=topology)).run()
    assert seen[0].control == {"branch": "observed", "edge": "managed", "web": "foreign"}
    assert list(seen[0].devices) == ["branch", "edge", "web"]


def test_an_agent_that_configures_another_s_node_goes_on_and_the_trace_has_the_refusal():
    def work(brief, ani):
        with pytest.raises(AniError, match="device 'web' is foreign"):
            ani.update_cfg("web", ["mark 1"])
        return does_it(brief, ani)

    topology = with_control(CHAIN, {"web": "foreign"}).model_dump()
    record = trial_of(Own(work), task=task_of(topology=topology)).run()
    assert record.outcome == "done"
    assert [result.status for result in record.testcase_results] == ["pass", "pass"]
    assert "error" in record.trace[0].data
    assert {command.device for command in record.commands} == {"edge"}


def test_an_agent_that_errs_is_scored_on_what_it_left():
    def work(brief, ani):
        ani.update_cfg("edge", WORK[:1])
        raise AgentError("I give up")

    record = trial_of(Own(work)).run()
    assert (record.outcome, record.error) == ("agent-error", "I give up")
    assert [result.status for result in record.testcase_results] == ["pass", "fail"]


def test_a_bug_of_an_agent_is_its_own_failure_and_says_where():
    def work(brief, ani):
        return {}["nothing"]

    record = trial_of(Own(work)).run()
    assert record.outcome == "agent-error"
    assert record.error.startswith("KeyError: 'nothing' (")
    assert "test_trial.py:" in record.error


def test_what_an_agent_loads_before_it_works_is_not_charged_to_its_time():
    clock = [0.0]

    class Heavy(Own):
        def prepare(self):
            clock[0] += 1000.0

    trial = trial_of(Heavy(does_it))
    trial.clock = lambda: clock[0]
    assert trial.run().agent_s == 0.0


def test_a_bug_in_an_agents_preparation_is_its_own_failure():
    class Broken(Own):
        def prepare(self):
            raise KeyError("weights")

    record = trial_of(Broken(does_it)).run()
    assert record.outcome == "agent-error"
    assert record.error.startswith("KeyError: 'weights' (")
    assert {result.status for result in record.testcase_results} == {"fail"}


def test_an_agent_that_ends_without_being_done_is_scored_and_says_so():
    record = trial_of(Own(lambda brief, ani: Submission(stop_reason="no-progress"))).run()
    assert record.outcome == "done"
    assert record.error == "the agent ended without being done: no-progress"


def test_an_agent_that_hands_in_nothing_has_failed():
    record = trial_of(Own(lambda brief, ani: None)).run()
    assert record.error == "run() returned None, not a Submission"


def test_an_agent_that_leaves_the_process_has_failed():
    def work(brief, ani):
        raise SystemExit(3)

    assert trial_of(Own(work)).run().outcome == "agent-error"


def test_an_agent_out_of_budget_is_scored_on_what_it_left():
    def work(brief, ani):
        ani.update_cfg("edge", WORK)
        while True:
            ani.get_topology()

    record = trial_of(Own(work), calls=3).run()
    assert record.outcome == "budget"
    assert record.error == "budget exhausted: calls (allowed 3)"
    assert [result.status for result in record.testcase_results] == ["pass", "pass"]


def test_what_an_agent_hands_in_with_its_error_is_kept():
    def work(brief, ani):
        error = BudgetExhausted("tokens", 10)
        error.submission = Submission(reasoning="so far", stop_reason="budget: tokens")
        raise error

    assert trial_of(Own(work)).run().submission.reasoning == "so far"


def test_an_agent_that_hangs_in_its_own_code_is_left_behind_when_its_time_is_over():
    let_go = threading.Event()
    late = []

    def work(brief, ani):
        ani.update_cfg("edge", WORK)
        let_go.wait(30)
        try:
            ani.get_topology()
        except AniError as error:
            late.append(str(error))
        return Submission()

    began = time.monotonic()
    record = trial_of(Own(work), wall_s=0.3, grace_s=0.1).run()
    assert time.monotonic() - began < 3
    assert record.outcome == "budget"
    assert record.error.startswith("wall_s: the agent was still busy in its own code ")
    assert [result.status for result in record.testcase_results] == ["pass", "pass"]
    let_go.set()
    for thread in threading.enumerate():
        if thread.name == "netbench agent own":
            thread.join(5)
    assert late == ["the trial has ended: no further requests are answered"]


@pytest.mark.parametrize(
    "error",
    [
        ProviderError("503"),
        InfrastructureError("bad luck"),
        LabError("edge is gone"),
        LabDied("all is gone"),
        NotReady(["routes"], waited_s=1.0),
        ResultsError("disk full"),
        InputError("wrong settings"),
        UsageError("wrong option"),
        TaskFileError("wrong task", path="x.task.yaml", line=1),
        RequirementMissing("no magic", "apt install magic"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_agent_cannot_void_its_trial_by_the_error_it_raises(error):
    def work(brief, ani):
        ani.update_cfg("edge", WORK[:1])
        raise error

    record = trial_of(Own(work)).run()
    assert record.outcome == "agent-error"
    assert record.error.startswith(f"{type(error).__name__}: {error} (")
    assert [result.status for result in record.testcase_results] == ["pass", "fail"]


class Unreadable(Exception):
    def __str__(self):
        raise LabError("no text")

    @property
    def submission(self):
        raise SystemExit(3)


class Unprintable:
    def __repr__(self):
        raise LabError("no text")


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (Unreadable(), "Unreadable (reading it failed: LabError)"),
        (Unprintable(), "LabError: no text ("),
        (Submission.model_construct(stop_reason=5), "ValidationError: "),
        (Submission.model_construct(usage="all"), "ValidationError: "),
    ],
    ids=lambda end: type(end).__name__,
)
def test_an_agent_cannot_void_its_trial_by_what_it_hands_in(end, said):
    def work(brief, ani):
        if isinstance(end, Exception):
            raise end
        return end

    record = trial_of(Own(work)).run()
    assert record.outcome == "agent-error"
    assert record.error.startswith(said)


def test_a_failure_of_this_packages_model_client_is_no_score(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings = ModelSettings(api_base="http://127.0.0.1:9/v1", timeout_s=5)
    llm = Llm(model="openai/fake", settings=settings, retries=Retries(attempts=1))

    def work(brief, ani):
        llm.complete([{"role": "user", "content": "hello"}], note=ani.note, wall_left=lambda: None)

    with pytest.raises(ProviderError, match=r"127\.0\.0\.1:9.* gave up after 1"):
        trial_of(Own(work)).run()


def test_an_error_out_of_a_callback_of_the_model_client_is_the_agents(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    llm = Llm(model="openai/fake", settings=ModelSettings(), retries=Retries(attempts=1))

    def fail():
        raise ProviderError("503")

    def work(brief, ani):
        llm.complete([{"role": "user", "content": "hello"}], note=ani.note, wall_left=fail)

    assert trial_of(Own(work)).run().outcome == "agent-error"


@pytest.mark.parametrize("error", [UsageError("wrong option"), RequirementMissing("no magic", "apt install magic")])
def test_an_agent_that_cannot_be_prepared_as_it_is_configured_is_no_score(error):
    class Unusable(Own):
        def prepare(self):
            raise error

    with pytest.raises(type(error), match=r"wrong option|no magic"):
        trial_of(Unusable(does_it)).run()


def test_a_broken_lab_is_no_score_whatever_the_agent_raises_then():
    def work(brief, ani):
        with pytest.raises(LabDied):
            ani.execute_cmd("edge", "die")
        raise AgentError("I give up")

    with pytest.raises(LabDied):
        trial_of(Own(work)).run()


def test_a_lab_that_breaks_is_no_score_even_if_the_agent_swallows_it():
    def work(brief, ani):
        with pytest.raises(LabDied):
            ani.execute_cmd("edge", "die")
        return Submission()

    with pytest.raises(LabDied):
        trial_of(Own(work)).run()


def test_a_failed_health_check_says_what_was_expected_and_keeps_the_agent_out():
    ran = []
    check = {"kind": "reachability", "name": "up", "from": "branch", "to": "10.0.9.9", "within_s": 1}
    with pytest.raises(NotReady, match=r"health check 'up': expected .*, saw "):
        trial_of(Own(lambda brief, ani: ran.append(1)), task=task_of(health_checks=[check])).run()
    assert not ran


def test_an_agent_file_may_narrow_budget_and_policy():
    seen = []

    def look(brief, ani):
        seen.append(brief)
        return does_it(brief, ani)

    settings = {"budget": {"calls": 7}, "policy": {"methods": ["get-topology", "update-cfg"]}}
    record = trial_of(Own(look, **settings)).run()
    assert seen[0].budget.calls == 7
    assert [method.name for method in seen[0].methods] == ["get-topology", "update-cfg"]
    assert record.outcome == "done"


def test_limits_given_for_the_run_come_before_all_others():
    seen = []

    def look(brief, ani):
        seen.append(brief.budget)
        return Submission()

    trial_of(Own(look, budget={"calls": 7}), calls=9, tokens=None).run()
    assert seen[0].calls == 9
    assert seen[0].tokens is None


@pytest.mark.parametrize(
    ("settings", "overrides"),
    [
        ({"budget": {"calls": 3}}, {}),
        ({"depth": 2, "policy": {"devices": ["edge"]}}, {}),
        ({"extras": ["search-manual"]}, {}),
        ({"sub_intents": True}, {}),
        ({"budget": {"calls": 3}}, {"budget": {"calls": 4}}),
    ],
)
def test_terms_that_stand_only_in_the_settings_of_an_agent_are_an_error_before_it_works(settings, overrides):
    agent = Own(lambda *_: pytest.fail("the agent worked"), **overrides)
    agent.info = agent.info.model_copy(update={"settings": settings})
    name = next(name for name in settings if name != "depth")
    with pytest.raises(UsageError) as caught:
        trial_of(agent)
    assert str(caught.value) == (
        f"agent own: {name!r} in the settings of its AgentInfo has no effect: settings only describe an agent."
        f" Expected: AgentInfo(…, overrides=AgentSettings({name}=…)), or {name!r} in an agent file"
    )


def test_settings_that_repeat_the_terms_or_describe_the_agent_are_none():
    agent = Own(does_it, budget={"calls": 3})
    agent.info = agent.info.model_copy(update={"settings": {"budget": {"calls": 3}, "access": "ani", "depth": 2}})
    assert trial_of(agent).run().outcome == "done"
