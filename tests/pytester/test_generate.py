"""``--netbench-generate``: items that a generator draws."""

from __future__ import annotations

import pytest

SERIES = "--netbench-generate=branches:n=6,seed=7"
BOTH = ("--agent=oracle", "--agent=nop")


@pytest.fixture
def drawn(bench):
    """Runs pytest without a path."""

    def run(*arguments: str) -> pytest.RunResult:
        return bench.pytester.runpytest_subprocess(*arguments, timeout=60)

    return run


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("branches[")]


def test_items_have_ids_that_name_the_draw_and_the_agent(drawn):
    plain = ids(drawn(SERIES, "--collect-only", "-q"))
    assert [one[:17] for one in plain] == [f"branches[s7-000{index}-" for index in range(6)]
    assert {one[17:] for one in plain} <= {"WEB]", "DC]", "DC+WEB]"}
    twice = ids(drawn(SERIES, *BOTH, "--netbench-trials=2", "--collect-only", "-q"))
    assert twice[:4] == [f"{plain[0][:-1]}-{trial}]" for trial in ("oracle", "oracle-2", "nop", "nop-2")]
    assert len(twice) == 24
    (selftest, *_) = ids(drawn(SERIES, "--netbench-selftest", "--collect-only", "-q"))
    assert selftest == f"{plain[0][:-1]}-selftest]"


def test_they_run_without_a_file_and_as_those_of_files(drawn, bench, workers):
    result = drawn(SERIES, *BOTH, "--junitxml=out.xml", *workers)
    result.assert_outcomes(passed=6, failed=6)
    found = bench.results()
    assert len({one["task_digest"] for one in found}) == 6
    assert sorted(one["node_id"] for one in found) == sorted(ids(drawn(SERIES, *BOTH, "--collect-only", "-q")))
    assert {one["domain"] for one in found} == {"drawn"}
    assert not list(bench.path.rglob("*.task.yaml"))
    assert [one["node_id"].startswith(f"branches[s7-{one['drawn']['index']:04}-") for one in found] == [True] * 12
    text = (bench.path / "out.xml").read_text()
    assert 'name="branches[s7-0000-' in text
    assert 'name="netbench.label" value="DC+WEB"' in text


def test_collect_only_counts_tasks_by_level_and_label(drawn):
    result = drawn("--netbench-generate=branches:n=30,seed=1", *BOTH, "--collect-only", "-q")
    tasks = {one.rpartition("-")[0] for one in ids(result)}
    labels = [one.rpartition("-")[2] for one in tasks]
    both, web, dc = (labels.count(label) for label in ("DC+WEB", "WEB", "DC"))
    assert both + web + dc == 30
    result.stdout.fnmatch_lines(
        [
            "netbench: 30 tasks drawn by branches",
            f"  level 1: {web + dc} (DC {dc}, WEB {web})",
            f"  level 2: {both} (DC+WEB {both})",
            "60 tests collected*",
        ]
    )
    chosen = drawn("--netbench-generate=branches:n=30,seed=1", *BOTH, "--collect-only", "-q", "-k", "DC+WEB")
    chosen.stdout.fnmatch_lines([f"netbench: {both} tasks drawn by branches", f"  level 2: {both} (DC+WEB {both})"])


def test_k_m_and_last_failed_select(drawn, workers):
    first = drawn(SERIES, *BOTH, "-k", "0001 or 0003", *workers)
    first.assert_outcomes(passed=2, failed=2)
    again = drawn(SERIES, *BOTH, "--lf", "-v", *workers)
    again.assert_outcomes(failed=2)
    again.stdout.fnmatch_lines_random(["*branches[[]s7-0001-*-nop[]]*", "*branches[[]s7-0003-*-nop[]]*"])
    marked = ids(drawn(SERIES, "--collect-only", "-q", "-m", "netbench(label='DC+WEB', level=2)"))
    assert marked == [one for one in ids(drawn(SERIES, "--collect-only", "-q")) if "DC+WEB" in one] != []


def test_a_node_id_on_the_command_line_selects_its_item_or_all_of_its_task(drawn, workers):
    task = ids(drawn(SERIES, "--collect-only", "-q"))[2]
    one = f"{task[:-1]}-oracle]"
    drawn(SERIES, *BOTH, one, *workers).assert_outcomes(passed=1)
    drawn(SERIES, *BOTH, task, *workers).assert_outcomes(passed=1, failed=1)


def test_without_a_path_only_what_is_drawn_is_collected(drawn, bench):
    bench.task("reach")
    bench.pytester.makepyfile("def test_ordinary(): pass")
    drawn(SERIES, "--agent=oracle").assert_outcomes(passed=6)
    drawn(SERIES, "--agent=oracle", "tasks").assert_outcomes(passed=7)
    drawn("--agent=oracle").assert_outcomes(passed=2)


PARAMETERS = "Parameters of branches: n, seed, level, labels, host"


@pytest.mark.parametrize(
    ("series", "said"),
    [
        ("branch", "). Did you mean 'branches'?"),
        ("branches:n=0", f"'branches:n=0': n=0: must be a whole number above 0. {PARAMETERS}"),
        ("branches:seed=-1", "seed=-1: must be a whole number, 0 or above. "),
        ("branches:nodes=3", "unknown parameter 'nodes'. "),
        ("branches:lable=DC", "unknown parameter 'lable' (did you mean 'labels'?). "),
        ("branches:level=2-1", "level=2-1: the range 2-1 ends before it begins; write 1-2. "),
        ("plan:level=9", "level=9: 9 is not within 1-3. Parameters of plan: n, seed, "),
        ("repair-routing:labels=DR,level=4", "nothing can be drawn with level=4, labels=DR and subnets=2-4: "),
        ("branches:level=x", "level=x: 'x' is not a whole number such as 3, nor a range such as 2-4. "),
        ("branches:labels=DC+VPN", "labels=DC+VPN: unknown 'VPN' (known: WEB, DC). "),
        ("branches:host=1", "host=1: should be greater than or equal to 2. "),
        ("branches:level", "'level' is not PARAMETER=VALUE. "),
        ("branches:n=1,n=2", "'n' is given twice. "),
        ("branches:n=x,host=y", "n=x: must be a whole number above 0; host=y: should be a valid integer, "),
    ],
)
def test_a_wrong_series_is_one_usage_error_that_lists_what_is_allowed(drawn, bench, series, said):
    result = drawn(f"--netbench-generate={series}", "--agent=oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line]
    assert line.startswith("ERROR: --netbench-generate: ")
    assert said in line
    assert bench.labs() == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SERIES, "branches[s8-0000-DC]"), "no --netbench-generate draws it (given: 'branches:n=6,seed=7')"),
        ((SERIES, "branches[s7-0006-DC]"), "no --netbench-generate draws it"),
        ((SERIES, "branches[s7-0000-VPN]"), "'branches:n=6,seed=7' draws branches[s7-0000-"),
        ((SERIES, "branches[s7-0000-DC-gpt]", "--agent=oracle"), "there is no trial 'gpt' (known: oracle)"),
        (("branches[s7-0000-DC]",), "a drawn task; give the option that draws it, too: --netbench-generate=…"),
        ((SERIES, "--netbench-generate=branches:seed=7"), "have the same generator and seed"),
    ],
)
def test_an_id_or_a_series_that_fits_nothing_is_a_usage_error(drawn, arguments, said):
    result = drawn(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in "\n".join(result.errlines)


def test_a_draw_that_fails_is_one_failing_item(drawn, workers):
    result = drawn("--netbench-generate=branches:n=3,bug=1", "--agent=oracle", *workers)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        ["*branches[[]s0-0001[]]: the generator 'branches' failed: ZeroDivisionError: no branch*"]
    )


def test_without_an_agent_they_are_skipped_and_listed_once(drawn, workers):
    result = drawn(SERIES, "-rs", *workers)
    result.assert_outcomes(skipped=6)
    result.stdout.fnmatch_lines(["SKIPPED [[]6[]] branches:n=6,seed=7*: no agent was given: *"])


def test_an_agent_whose_process_ends_fails_at_the_drawn_task(drawn, bench):
    drawn(SERIES, "--agent=mine:Dies", "-n2", "-k", "0002").assert_outcomes(failed=1)
    (one,) = bench.results()
    assert one["node_id"].startswith("branches[s7-0002-")
    assert one["status"] == "failed"


def test_the_selftest_proves_them(drawn):
    result = drawn("--netbench-generate=branches:n=4,flaw=3", "--netbench-selftest", "--netbench-selftest-repeats=1")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["branches-s0-0000-* problem*", "branches-s0-0001-*ok", "branches-s0-0003-* problem*"])
