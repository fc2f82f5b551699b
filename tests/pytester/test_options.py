from __future__ import annotations

import pytest

USAGE = 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agent=oracel"], "unknown agent 'oracel'*Did you mean 'oracle'*"),
        (
            ["--agent=oracle", "--netbench-lab=mine"],
            "--netbench-lab=mine: backend memory deploys labs of its own, and uses none that run already",
        ),
        (["--agent=oracle", "--netbench-backend=netnss"], "unknown backend 'netnss' (known: *memory*netns*"),
        (  # the ini file has memory, which serves labs
            ["--agent=oracle", "--netbench-backend=netns"],
            "the backends 'memory' and 'netns' both serve resources of the kind 'lab': give one *",
        ),
        (["--agent=oracle", "--netbench-scorer=thrif"], "unknown scorer 'thrif' (known: *). Did you mean 'thrift'?"),
        (["--agent=oracle", "--netbench-trials=0"], "*'0' is not a whole number above 0*"),
        (["--agent=oracle", "--netbench-time-scale=fast"], "*'fast' is not a number above 0 and at most 100*"),
        (["--agent=oracle", "--netbench-time-scale=101"], "*'101' is not a number above 0 and at most 100*"),
        (
            ["--agent=oracle", "--netbench-budget=turns=3"],
            "*'turns=3' is not LIMIT=N with LIMIT one of calls, commands, *",
        ),
        (["--agent=oracle", "--netbench-budget=calls=many"], "*calls=many: must be a whole number above 0, or 'none'*"),
        (["--netbench-selftest", "--netbench-selftest-repeats=-1"], "*'-1' is not a whole number above 0*"),
        (["--netbench-selftest", "--agent=oracle"], "*give either it or --agent, not both*"),
    ],
)
def test_a_bad_value_is_a_usage_error_that_says_what_is_allowed(bench, arguments, said):
    bench.task("reach")
    result = bench.run(*arguments)
    assert result.ret == USAGE
    result.stderr.fnmatch_lines([f"*{said}"])
    result.stderr.no_fnmatch_line("*Traceback*")
    assert not bench.labs()


def test_two_agents_of_one_name_are_a_usage_error(bench):
    bench.task("reach")
    (bench.path / "a.agent.yaml").write_text("name: same\nstrategy: mine:Half\n")
    (bench.path / "b.agent.yaml").write_text("name: same\nstrategy: mine:Half\n")
    result = bench.run("--agent=a.agent.yaml", "--agent=b.agent.yaml")
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*are both called 'same': rename one*"])


def test_the_same_agent_given_twice_runs_once(bench):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--agent=oracle", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["*1 test collected*"])


def test_results_under_a_file_are_a_usage_error_before_any_lab(bench, workers):
    bench.task("reach")
    (bench.path / "taken").write_text("")
    result = bench.run("--agent=oracle", "--netbench-results=taken/here", *workers)
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*--netbench-results: *taken is not a directory; give one that is, or can be made*"])
    assert not bench.labs()


def test_a_results_directory_that_is_not_writable_is_a_usage_error_before_any_lab(bench):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--netbench-results=/proc/self/netbench")
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*--netbench-results: /proc/* is not writable*--netbench-results DIR*"])
    assert not bench.labs()


def test_the_time_scale_reaches_the_lab_and_comes_before_the_tasks_own(bench):
    bench.task("reach", time_scale=30)
    bench.run("--agent=oracle")
    bench.run("--agent=oracle", "--netbench-time-scale=50")
    assert [lab["time_scale"] for lab in bench.labs()] == [30, 50]


def test_a_budget_for_the_run_is_what_the_agent_gets(bench):
    bench.task("reach", budget={"calls": 500})
    result = bench.run("--agent=mine:Greedy", "--netbench-budget=calls=5")
    result.assert_outcomes(failed=1)
    assert bench.results()[0]["outcome"] == "budget"
    assert bench.results()[0]["budget_used"]["calls"] == 5


def test_trials_each_have_a_fresh_lab(bench):
    bench.task("reach")
    bench.run("--agent=oracle", "--netbench-trials=3").assert_outcomes(passed=3)
    assert len(bench.labs()) == len(bench.labs("destroy")) == 3


def test_the_help_has_a_group_with_every_option(bench):
    result = bench.run("--help")
    for option in (
        "--agent=AGENT",
        "--netbench-backend=NAME",
        "--netbench-lab=NAME|FILE",
        "--netbench-time-scale=N",
        "--netbench-trials=N",
        "--netbench-budget=LIMIT=N,*",
        "--netbench-results=DIR",
        "--netbench-selftest ",
        "--netbench-selftest-repeats=N",
    ):
        result.stdout.fnmatch_lines([f"*{option}*"])


def test_the_header_says_who_is_evaluated_on_what_and_where_results_go(bench):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--agent=nop", "--netbench-results=out", "--collect-only")
    result.stdout.fnmatch_lines(
        ["netbench: agents oracle, nop · backend memory · time scale chosen per lab · results out"]
    )


def test_without_tasks_in_play_there_is_no_header(bench):
    bench.task("reach")
    bench.run().stdout.no_fnmatch_line("netbench: agents*")


def test_a_third_partys_scorer_scores_beside_the_familys(bench, workers):
    bench.task("reach")
    result = bench.run("--agent=oracle", "--netbench-scorer=thrift", *workers)
    assert result.ret == 0
    (entry,) = bench.results()
    metrics = {score["metric"]: score["value"] for score in entry["scores"]}
    assert 0 < metrics["thrift"] < 1
    assert metrics["testcase"] == 1.0
