"""``--netbench-variant``: the tasks of files under other names, addresses and numbers."""

from __future__ import annotations

import json

import pytest

VARIANT = "--netbench-variant=7"


def test_items_of_variants_have_the_seed_in_their_ids_and_results(bench, workers):
    bench.task("reach")
    bench.run("--agent=oracle", "--agent=nop", VARIANT, *workers).assert_outcomes(passed=1, failed=1)
    found = bench.results()
    assert {one["node_id"].partition("::")[2] for one in found} == {"reach~s7[oracle]", "reach~s7[nop]"}
    assert {one["variant"] for one in found} == {7}


def test_the_agent_sees_new_names_only(bench):
    bench.task("reach")
    bench.run("--agent=oracle", VARIANT, "--netbench-results=out").assert_outcomes(passed=1)
    (result,) = bench.results("out")
    record = json.loads((bench.path / "out" / result["transcript"]).read_text())
    nodes = {node["name"] for node in record["task"]["topology"]["nodes"]}
    assert not nodes & {"branch", "edge", "web"}
    assert {one["device"] for one in record["commands"]} <= nodes
    assert record["initial_configs"].keys() == nodes


def test_each_seed_is_a_task_of_its_own_and_without_one_the_task_is_as_written(bench):
    bench.task("reach")
    digests = []
    for arguments in ([], [VARIANT], ["--netbench-variant=8"], [VARIANT]):
        folder = f"out{len(digests)}"
        bench.run("--agent=oracle", f"--netbench-results={folder}", *arguments).assert_outcomes(passed=1)
        digests.append(bench.results(folder)[0]["task_digest"])
    assert len(set(digests)) == 3
    assert digests[1] == digests[3]
    assert bench.results("out0")[0]["variant"] is None


def test_the_truth_of_the_task_is_the_truth_of_its_variants(bench):
    bench.task("reach")
    bench.run("--netbench-selftest", "--netbench-selftest-repeats=1").assert_outcomes(passed=1)
    records = sorted(path.name for path in (bench.path / "tasks" / "access" / ".truth").iterdir())
    bench.run("--netbench-selftest", "--netbench-selftest-repeats=1", VARIANT).assert_outcomes(passed=1)
    assert sorted(path.name for path in (bench.path / "tasks" / "access" / ".truth").iterdir()) == records
    bench.run("--agent=oracle", "--agent=nop", VARIANT)
    scores = {
        entry["agent"]["id"]: next(one["value"] for one in entry["scores"] if one["metric"] == "command")
        for entry in bench.results()
    }
    assert scores == {"oracle": 1.0, "nop": 0.0}


def test_last_failed_and_ids_on_the_command_line_select_variants(bench, workers):
    bench.task("reach")
    bench.run("--agent=oracle", "--agent=nop", VARIANT, *workers)
    bench.run("--agent=oracle", "--agent=nop", VARIANT, "--lf", *workers).assert_outcomes(failed=1)
    name = "tasks/access/reach.task.yaml::reach~s7[oracle]"
    one = bench.pytester.runpytest_subprocess(name, "--agent=oracle", VARIANT, *workers, timeout=60)
    one.assert_outcomes(passed=1)


@pytest.mark.parametrize("seed", ["x", "-1", "1.5"])
def test_a_seed_that_is_no_whole_number_ends_the_run(bench, seed):
    bench.task("reach")
    result = bench.run("--agent=oracle", f"--netbench-variant={seed}")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*--netbench-variant: '{seed}' is not a whole number, 0 or above*"])
