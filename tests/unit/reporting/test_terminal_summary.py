from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_netbench.model.trial import AgentInfo, BudgetUsed, Replayed, TrialResult, Usage
from pytest_netbench.reporting.terminal import summary_lines
from tests.support.records import busy_result, result, score, unprotected

ORACLE = AgentInfo(id="oracle", strategy="oracle")


def passed(**changes: object) -> TrialResult:
    scores = (score("testcase", 1.0), score("command", 0.9), score("reasoning", 0.7123))
    return busy_result(**{"status": "passed", "scores": scores, **changes})


def of_oracle(domain: str, number: int) -> TrialResult:
    values = {"testcase": 1.0, "command": 1.0, "reasoning": 1.0}
    used = BudgetUsed(calls=3, commands=5)
    times = {"duration_s": 150.4, "deploy_s": 2.5, "agent_s": 0.4, "evaluate_s": 147.5}
    return result(values, node_id=f"{domain}{number}", agent=ORACLE, domain=domain, budget_used=used, **times)


def test_a_run_of_two_agents():
    results = [
        passed(
            node_id="b",
            domain="routing",
            outcome="budget",
            usage=Usage(completions=3, prompt_tokens=1_000_000, completion_tokens=5),
            duration_s=63.0,
        ),
        busy_result(node_id="a", outcome="agent-error", duration_s=63.0),
        passed(node_id="c", duration_s=63.0),
        result(node_id="d", domain="routing", status="error", outcome=None),
        *(of_oracle(domain, number) for number, domain in enumerate(["routing", "qos", "qos", "security"])),
    ]
    assert (
        "\n".join(summary_lines(results, width=80))
        == """\
agent oracle
domain   passed    95 % reasoning command testcase how it ended
qos         2/2 34-100%      1.00    1.00     1.00 done 2
routing     1/1 21-100%      1.00    1.00     1.00 done 1
security    1/1 21-100%      1.00    1.00     1.00 done 1
all         4/4 51-100%      1.00    1.00     1.00 done 4

agent react-gpt-4o
domain  passed    95 % reasoning command testcase how it ended
qos        1/2   9-91%      0.71    0.88     0.75 done 1, agent error 1
routing    1/1 21-100%      0.71    0.90     1.00 budget 1
all        2/3  21-94%      0.71    0.89     0.83 done 1, budget 1, agent erro…
ended: done 1, budget 1, agent error 1
infrastructure errors, not scored: 1 (routing 1)
reasoning not measured in 1 of 3: the agent gives no reasoning

the agents were scored at different tasks (oracle 4, react-gpt-4o 3), so their
rates are not comparable
no task was scored for all of them: there is no ranking

agent          wall deploy agent evaluation    cost tokens calls
oracle       10m02s  10.0s 1.60s      9m50s       –      –    12
react-gpt-4o  3m09s  0.00s 3m09s      0.00s $0.084+   1.0M    36
wall: deploy + agent + evaluation; all columns are totals over trials

task      oracle react-gpt-4o
a              –          0/1
b              –          1/1
c              –          1/1
qos1         1/1            –
qos2         1/1            –
routing0     1/1            –
security3    1/1            –

95 %: Wilson interval of passed, clustered by task
scores: means of what was measured (– nothing)"""
    )


def test_what_was_replayed_and_what_was_waited_for_is_said():
    where = Replayed(cassette="tapes/a/x.1.json", recorded_at="2026-01-01T00:00:00+00:00", requests=3, recorded=3)
    results = [passed(node_id="a", replayed=where), passed(node_id="b", usage=Usage(completions=1, waited_s=75.0))]
    lines = summary_lines(results, width=80)
    assert "replayed: 1 of 2 trials; cost and tokens are those of the recordings" in lines
    assert "waited for the provider: 1m15s of the time, in 1 of 2 trials" in lines


def test_scores_by_the_drafts_formulas_stand_under_the_table_of_a_verbose_run_only():
    lacking = score("netconfbench.reasoning", None, "not measured: the agent gives no reasoning")
    others = (score("netconfbench.command", 0.5), lacking)
    both = [passed(scores=(*passed().scores, *others))]
    assert summary_lines(both, width=80) == summary_lines([passed()], width=80)
    plain, verbose = (summary_lines(both, width=80, verbose=verbose) for verbose in (False, True))
    assert verbose[1:3] == plain[1:3]
    assert [line for line in verbose if line not in plain] == [
        "netconfbench.command: 0.50",
        "netconfbench.reasoning: –",
        "netconfbench.reasoning not measured in 1 of 1: the agent gives no reasoning",
    ]


def test_scores_of_the_tasks_own_family_have_columns_although_their_names_have_a_dot():
    scores = (score("plan.correctness", 1.0), score("plan.safety", 0.5), score("netarena.safety", 0.25))
    head, *rest = summary_lines([passed(family="plan", scores=scores)], width=120)[1:]
    assert "plan.correctness plan.safety" in head
    assert not any("netarena" in line for line in (head, *rest))


def test_a_run_that_is_all_infrastructure_errors_has_no_numbers():
    results = [result(node_id=str(i), domain=d, status="error") for i, d in enumerate(["qos", "routing", "qos"])]
    assert summary_lines(results, width=80) == [
        "agent react-gpt-4o",
        "infrastructure errors, not scored: 3 (qos 2, routing 1)",
    ]


def test_an_infrastructure_error_changes_no_average():
    alone = summary_lines([passed()], width=80)
    beside = summary_lines([passed(), result(node_id="x", status="error")], width=80)
    assert [line for line in beside if not line.startswith("infrastructure")] == alone


def test_a_scorer_that_broke_is_seen():
    broken = score("command", None, "not measured: scorer 'command' failed: KeyError: 'x'")
    lines = summary_lines([passed(scores=(score("testcase", 1.0), broken))], width=80)
    assert "command not measured in 1 of 1: scorer 'command' failed: KeyError: 'x'" in lines


def test_no_results_no_lines():
    assert summary_lines([], width=80) == []


def test_the_order_results_came_in_does_not_show():
    results = [passed(node_id="a"), busy_result(node_id="b"), of_oracle("qos", 1), of_oracle("routing", 2)]
    assert summary_lines(results, width=80) == summary_lines(results[::-1], width=80)


LONG = "redistribution-and-filtering"


def costly(
    *, domain: str, agent: str, calls: int, tokens: int, cost: float | None, time: float, number: int = 1
) -> list[TrialResult]:
    one = passed(
        domain=domain,
        agent=AgentInfo(id=agent, strategy="react"),
        budget_used=BudgetUsed(calls=calls),
        usage=Usage(completions=1, prompt_tokens=tokens, cost_usd=cost),
        agent_s=time,
    )
    return [one] * number


@given(
    st.lists(
        st.builds(
            costly,
            domain=st.sampled_from(["qos", LONG]),
            agent=st.sampled_from(["a", "a-very-long-agent-name-" * 6]),
            calls=st.integers(0, 90_000) | st.integers(0, 10**14),
            tokens=st.integers(0, 90_000_000) | st.integers(0, 10**15),
            cost=st.none() | st.floats(0, 999) | st.floats(0, 1e12),
            time=st.floats(0, 35_000) | st.floats(0, 1e9),
            number=st.integers(1, 3),
        ),
        max_size=6,
    )
)
# 100.0k was six characters wide in a column of five
@example([costly(domain=LONG, agent="a", calls=99_960, tokens=99_960_000, cost=None, time=0.0)])
@example([costly(domain=LONG, agent="a", calls=1, tokens=1, cost=99.996, time=359_999.0)])
@example([costly(domain=LONG, agent="a", calls=1, tokens=1, cost=1.0, time=1.0, number=1_000)])
def test_every_line_fits_eighty_columns(results):
    lines = summary_lines([one for some in results for one in some], width=80)
    assert all(len(line) < 80 for line in lines)


def test_totals_stay_in_their_columns():
    results = costly(domain=LONG, agent="a", calls=99_960, tokens=1_234_567_890, cost=12_345.0, time=400_000.0)
    lines = summary_lines(results, width=80)
    assert lines[1:3] == [
        "domain                   passed    95 % reasoning command testcase how it ended",
        "redistribution-and-filt…    1/1 21-100%      0.71    0.90     1.00 done 1",
    ]
    assert lines[4:6] == [
        "agent  wall deploy agent evaluation   cost tokens calls",
        "a     0.00s  0.00s 4d15h      0.00s $12.3k   1.2G  100k",
    ]


def test_a_wide_terminal_shows_long_domains():
    lines = summary_lines([passed(domain="redistribution-and-filtering")], width=120)
    assert lines[2].startswith("redistribution-and-filtering ")


def test_detection_is_balanced_over_faulty_and_healthy_networks():
    def judged(number: int, *, faulty: bool, right: bool) -> TrialResult:
        made = score("detection", float(right)).model_copy(update={"evidence": {"is_anomaly": faulty}})
        return passed(node_id=str(number), family="diagnose", scores=(made,))

    trials = [(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] + [(False, False)]
    results = [judged(number, faulty=faulty, right=right) for number, (faulty, right) in enumerate(trials)]
    lines = summary_lines(results, width=100)
    assert "detection: balanced accuracy 0.62, Matthews correlation 0.22 (8 faulty, 2 healthy)" in lines
    assert not [line for line in summary_lines([passed()], width=100) if "balanced" in line]


def test_repeated_trials_of_tasks_tell_of_several_attempts():
    tasks = {"a": "passed", "b": "failed"}
    results = [passed(node_id=f"{name}[oracle]", trial=trial) for name in tasks for trial in (1, 2, 3)]
    results[-1] = passed(node_id="b[oracle]", trial=3, status="failed")
    lines = summary_lines(results, width=80)
    assert "of 3 attempts one or more pass: 1.00 (pass@3), all pass: 0.50 (pass^3)" in lines
    # six trials of two tasks are not six tasks
    assert " 5/6 14-99%" in lines[2]
    results.append(passed(node_id="c[oracle]"))
    assert not [line for line in summary_lines(results, width=80) if "attempts" in line]


def test_violations_of_a_policy_are_counted_under_the_table():
    results = [
        passed(node_id="a", violations={"command": 3, "approval": 1}),
        passed(node_id="b", violations={"command": 1}),
        passed(node_id="c"),
        result(node_id="d", status="error", outcome=None),
    ]
    assert "policy violations: 5 in 2 of 3 trials (approval 1, command 4)" in summary_lines(results, width=80)
    assert not [line for line in summary_lines([passed()], width=80) if "violations" in line]


def test_trials_in_which_read_only_was_not_enforced_are_counted_under_the_table():
    results = [result(node_id="a"), result(node_id="b", **unprotected())]
    lines = summary_lines(results, width=100)
    assert "read-only not enforced in 1 of 2 trials (backend netns)" in lines
    assert not any("read-only" in line for line in summary_lines(results[:1], width=100))


def test_how_trials_ended_is_whole_in_a_note_where_its_column_is_cut():
    endings = ({}, {"error": "tired"}, {"outcome": "budget"}, {"outcome": "agent-error"})
    results = [passed(node_id=f"{at}[a]", **changes) for at, changes in enumerate(endings)]
    lines = summary_lines(results, width=80)
    assert lines[2].endswith("done 1, gave up 1, budget 1, …")
    assert "ended: done 1, gave up 1, budget 1, agent error 1" in lines


def of_agents(passes: dict[str, list[int]]) -> list[TrialResult]:
    """One trial at each task, by agent."""
    return [
        passed(
            node_id=f"x.task.yaml::t{at:02}[{agent}]",
            agent=AgentInfo(id=agent, strategy="x"),
            status="passed" if value else "failed",
        )
        for agent, values in passes.items()
        for at, value in enumerate(values)
    ]


def test_two_agents_stand_side_by_side_with_the_interval_of_their_difference():
    lines = summary_lines(of_agents({"new": [1, 1, 1, 1, 0, 1], "old": [1, 0, 1, 0, 0, 1]}), width=80)
    at = lines.index("agents A, B tasks A passed B passed B - A           95 %")
    assert lines[at + 1].split() == ["new,", "old", "6", "0.83", "0.50", "-0.33", "-0.67", "to", "+0.00"]
    assert "task new old" in lines
    assert "t01  1/1 0/1" in lines


def test_only_tasks_that_both_agents_ran_are_compared():
    lines = summary_lines(of_agents({"a": [1, 0, 1, 1], "b": [0, 0]}), width=80)
    (row,) = (line for line in lines if line.startswith("a, b"))
    assert row.split()[2] == "2"
    assert "t03  1/1   –" in lines
    apart = [*of_agents({"a": [1]}), passed(node_id="y.task.yaml::other[b]", agent=AgentInfo(id="b", strategy="x"))]
    assert not [line for line in summary_lines(apart, width=80) if "agents A, B" in line]


def test_of_many_tasks_those_at_which_agents_differ_are_listed_first_and_the_others_counted():
    alike = [1] * 50
    results = of_agents({"a": [*alike, 0, 1, 0, 0], "b": [*alike, 1, 0, 0, 0]})
    lines = summary_lines(results, width=80)
    listed = [line.split()[0] for line in lines if line.startswith("t") and line[1:3].isdigit()]
    assert len(listed) == 20
    assert {"t50", "t51", "t52", "t53"} < set(listed)
    assert listed == sorted(listed)
    assert "34 tasks more, 34 of them passed by all: netbench summarize --tasks" in lines
    every = summary_lines(results, width=80, verbose=True)
    assert sum(line.startswith("t") and line[1:3].isdigit() for line in every) == 54


def test_many_agents_are_cut_to_the_width_and_counted():
    results = of_agents({f"agent-number-{number:02}-of-a-dozen": [1, 0] for number in range(12)})
    lines = summary_lines(results, width=80)
    assert all(len(line) < 80 for line in lines)
    assert "9 agents more: netbench summarize --markdown" in lines
    assert "60 pairs of agents more: netbench compare --agents A B" in lines


def test_one_agent_alone_is_not_compared():
    lines = summary_lines([passed()], width=80)
    assert not [line for line in lines if "B - A" in line or line.startswith("task")]
