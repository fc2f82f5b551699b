"""``--netbench-shard``: every machine runs its own part of the same partition, whatever else differs between them."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

RUN = ("--agent=oracle", "-q")
SHARDS = 4


@pytest.fixture
def twelve(bench):
    for number in range(12):
        bench.task(f"t{number:02}", domain=f"d{number % 3}", task_name=f"t{number:02}")
    return bench


def shard_of(bench: Any, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((bench.path / folder / "shard.json").read_text())
    return found


def names(bench: Any, folder: str) -> list[str]:
    return [one["node_id"] for one in bench.results(folder)]


def remember(bench: Any, seconds: dict[str, float]) -> None:
    """The durations of the local cache, by which xdist schedules."""
    place = bench.path / ".pytest_cache" / "v" / "netbench" / "durations"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(seconds))


def test_shards_run_every_item_once_whatever_machines_remember(twelve, monkeypatch):
    every = sorted(f"tasks/d{number % 3}/t{number:02}.task.yaml::t{number:02}[oracle]" for number in range(12))
    ran: list[str] = []
    digests = set()
    for shard in range(1, SHARDS + 1):
        monkeypatch.setenv("PYTHONHASHSEED", str(shard))
        shutil.rmtree(twelve.path / ".pytest_cache", ignore_errors=True)
        remember(twelve, {name: 1 + 97.0 * ((place * shard) % 5) for place, name in enumerate(every)})
        workers = ("-n2",) if shard % 2 else ()
        ended = twelve.run(*RUN, f"--netbench-shard={shard}/{SHARDS}", f"--netbench-results=s{shard}", *workers)
        assert ended.ret == 0
        stored = shard_of(twelve, f"s{shard}")
        ended.stdout.fnmatch_lines([f"netbench: shard {shard}/4: 3 of 12 items (partition {stored['digest'][:12]})"])
        assert (stored["shard"], stored["partition"]["shards"]) == (shard, SHARDS)
        digests.add(stored["digest"])
        ran += names(twelve, f"s{shard}")
    assert len(digests) == 1
    assert sorted(ran) == every


def test_the_header_names_the_shard(twelve):
    ended = twelve.run("--agent=nop", "--netbench-shard=3/4", "--collect-only")
    ended.stdout.fnmatch_lines(["netbench: agents nop · * · shard 3/4 *", "netbench: shard 3/4: 3 of 12 items *"])
    assert not (twelve.path / ".netbench").exists(), "nothing is kept of what is only collected"


def test_files_in_another_order_and_items_in_another_order_are_the_same_partition(twelve):
    twelve.run(*RUN, "--netbench-shard=1/4", "--netbench-results=first")
    for path in sorted(twelve.path.glob("tasks/*/*.yaml"), reverse=True):
        text = path.read_text()
        path.unlink()
        path.write_text(text)
    twelve.pytester.makeconftest(
        "def pytest_collection_modifyitems(items):\n    items.sort(key=lambda item: item.name[::-1], reverse=True)\n"
    )
    twelve.run(*RUN, "--netbench-shard=1/4", "--netbench-results=second")
    assert shard_of(twelve, "first")["digest"] == shard_of(twelve, "second")["digest"]
    assert names(twelve, "first") == names(twelve, "second")


def test_what_is_selected_is_divided_and_trials_and_agents_are_items(twelve):
    ended = twelve.run(
        "--agent=oracle",
        "--agent=nop",
        "--netbench-trials=2",
        "-k",
        "d0",
        "--netbench-shard=2/3",
        "--netbench-results=s",
    )
    ended.stdout.fnmatch_lines(["netbench: shard 2/3: 5 of 16 items *"])
    items = shard_of(twelve, "s")["partition"]["items"]
    assert len(items) == 4 * 2 * 2
    assert {(one["agent"], one["trial"]) for one in items} == {("oracle", 1), ("oracle", 2), ("nop", 1), ("nop", 2)}


def test_durations_of_a_file_balance_shards(twelve):
    long = "tasks/d0/t00.task.yaml::t00[oracle]"
    (twelve.path / "seconds.json").write_text(json.dumps({long: 60, "tasks/d1/t01.task.yaml::t01[other]": 20}))
    for shard in (1, 2):
        twelve.run(
            *RUN,
            f"--netbench-shard={shard}/2",
            "--netbench-shard-durations=seconds.json",
            f"--netbench-results=s{shard}",
        )
    first, second = names(twelve, "s1"), names(twelve, "s2")
    assert long in first
    assert len(first) + len(second) == 12
    # 60 s, 20 s as of another agent at the task, and ten at the mean of 40 s: 480 s of which each shard has half
    weight = {long: 60, "tasks/d1/t01.task.yaml::t01[oracle]": 20}
    assert [sum(weight.get(name, 40) for name in side) for side in (first, second)] == [240, 240]


def test_draws_are_divided(bench):
    ran = []
    for shard in (1, 2):
        ended = bench.pytester.runpytest_subprocess(
            "--netbench-generate=branches:n=5,seed=3",
            "--netbench-unproven",
            *RUN,
            f"--netbench-shard={shard}/2",
            f"--netbench-results=s{shard}",
        )
        assert ended.ret == 0
        ran.append(names(bench, f"s{shard}"))
    assert sorted(map(len, ran)) == [2, 3]
    assert len({*ran[0], *ran[1]}) == 5


def test_a_shard_without_an_item_passes(bench, workers):
    bench.task("only")
    ended = bench.run(*RUN, "--netbench-shard=2/2", "--netbench-results=s", *workers)
    ended.stdout.fnmatch_lines(["netbench: shard 2/2: 0 of 1 item *"])
    assert ended.ret == 0
    assert shard_of(bench, "s")["shard"] == 2
    assert bench.run(*RUN, "--netbench-shard=2/2", "-k", "nothing", *workers).ret == 5, "nothing is there to divide"


def test_tests_that_are_no_tasks_are_run_by_the_first_shard(twelve):
    (twelve.path / "tasks" / "test_other.py").write_text("def test_other():\n    pass\n")
    for shard, others in ((1, 1), (2, 0)):
        ended = twelve.run(*RUN, f"--netbench-shard={shard}/2", "-rA")
        assert ("test_other.py::test_other" in ended.stdout.str()) == bool(others)
        ended.assert_outcomes(passed=6 + others, deselected=7 - others)


def test_self_tests_are_divided(twelve):
    ended = twelve.run("--netbench-selftest", "--netbench-selftest-repeats=1", "--netbench-shard=1/6")
    ended.assert_outcomes(passed=2, deselected=10)


def test_the_index_of_a_job_counts_from_zero(twelve, monkeypatch):
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")
    twelve.run(*RUN, "--netbench-shard=auto/4", "--netbench-results=auto", "-n2").stdout.fnmatch_lines(
        ["netbench: shard 3/4: 3 of 12 items *"]
    )
    assert shard_of(twelve, "auto")["shard"] == 3


def test_a_shard_that_is_resumed_has_the_same_part(twelve):
    whole = twelve.run(*RUN, "--netbench-shard=2/4", "--netbench-results=s", "-x", "--maxfail=1", "-k", "d")
    assert whole.ret == 0
    before = shard_of(twelve, "s")
    merged = twelve.path / "s" / "results.jsonl"
    first, *_ = merged.read_text().splitlines(keepends=True)
    for path in (twelve.path / "s").glob("results-*.jsonl"):
        path.unlink()
    merged.write_text(first)
    ended = twelve.run(*RUN, "--netbench-shard=2/4", "--netbench-resume=s", "-k", "d")
    ended.assert_outcomes(passed=2, deselected=10)
    assert shard_of(twelve, "s") == before
    assert len(names(twelve, "s")) == 3
    done = twelve.run(*RUN, "--netbench-shard=2/4", "--netbench-resume=s", "-k", "d")
    assert done.ret == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0/4", "*'0/4': I is from 1 to 4*"),
        ("5/4", "*'5/4': I is from 1 to 4*"),
        ("x/4", "*'x/4': I is from 1 to 4*"),
        ("-1/4", "*'-1/4': I is from 1 to 4*"),
        ("1", "*'1' is not I/N*"),
        ("1/0", "*'1/0' is not I/N*"),
        ("1/x", "*'1/x' is not I/N*"),
        ("1/4/2", "*'1/4/2' is not I/N*"),
        ("1/99999", "*'1/99999' is not I/N with N from 1 to 10000*"),
        ("", "*'' is not I/N*"),
        ("auto/4", "*'auto/4': the variable JOB_COMPLETION_INDEX is not set*"),
        ("auto", "*'auto' is not I/N*"),
    ],
)
def test_a_value_that_is_no_shard_is_refused(twelve, monkeypatch, value, words):
    monkeypatch.delenv("JOB_COMPLETION_INDEX", raising=False)
    ended = twelve.run(*RUN, f"--netbench-shard={value}")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([words])


@pytest.mark.parametrize("index", ["4", "-1", "one", "", "1.0"])
def test_an_index_that_does_not_fit_is_refused(twelve, monkeypatch, index):
    monkeypatch.setenv("JOB_COMPLETION_INDEX", index)
    ended = twelve.run(*RUN, "--netbench-shard=auto/4")
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([f"*JOB_COMPLETION_INDEX is '{index}', and must be from 0 to 3*"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--netbench-shard=1/4",), "*give --agent or --netbench-selftest, too*"),
        ((*RUN, "--netbench-shard-durations=d.json"), "*give --netbench-shard=I/N, too*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-baseline=b.json"), "*leave --netbench-baseline out*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-save-baseline=b.json"), "*leave --netbench-save-baseline out*"),
        ((*RUN, "--netbench-shard=1/4", "--lf"), "*--lf selects by the cache of this machine*"),
        ((*RUN, "--netbench-shard=1/4", "--sw"), "*--sw selects by the cache of this machine*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-shard-durations=none.json"), "*none.json cannot be read*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-shard-durations=mine.py"), "*mine.py is not JSON*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-shard-durations=list.json"), "*is not an object of seconds*"),
        ((*RUN, "--netbench-shard=1/4", "--netbench-shard-durations=text.json"), "*text.json: a: 'b' is not a number*"),
    ],
)
def test_options_that_do_not_fit_are_refused(twelve, options, words):
    (twelve.path / "list.json").write_text("[1]")
    (twelve.path / "text.json").write_text('{"a": "b"}')
    ended = twelve.run(*options)
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([words])
    assert twelve.labs() == []


def test_a_directory_of_another_shard_is_refused(twelve):
    twelve.run(*RUN, "--netbench-shard=1/4", "--netbench-results=s1")
    twelve.run(*RUN, "--netbench-results=all")
    labs = len(twelve.labs())
    for options, words in (
        (("--netbench-shard=2/4", "--netbench-results=s1"), "*s1: has results of shard 1/4, and not of shard 2/4*"),
        (("--netbench-shard=2/4", "--netbench-resume=s1"), "*s1: has results of shard 1/4, and not of shard 2/4*"),
        (("--netbench-shard=1/3", "--netbench-resume=s1"), "*s1: has results of shard 1/4, and not of shard 1/3*"),
        (("--netbench-resume=s1",), "*s1: has results of shard 1/4: give --netbench-shard=1/4, too*"),
        (("--netbench-shard=2/4", "--netbench-resume=all"), "*all: has results of no shard*"),
        (
            ("--netbench-shard=1/4", "--netbench-resume=s1", "-k", "d0"),
            "*s1: shard 1/4 of another partition (tasks/d1/t01.task.yaml::t01[[]oracle] is in only one of them)*",
        ),
    ):
        refused = twelve.run(*RUN, *options)
        assert refused.ret == 4, refused.stderr.str()
        refused.stderr.fnmatch_lines([words])
    twelve.task("t00", domain="d0", task_name="another")
    changed = twelve.run(*RUN, "--netbench-shard=1/4", "--netbench-resume=s1", "-n2")
    assert changed.ret in {1, 2}
    changed.stdout.fnmatch_lines(["*s1: shard 1/4 of another partition (tasks/d0/t00.task.yaml::t00[[]oracle] is not*"])
    assert "INTERNALERROR" not in changed.stdout.str()
    assert len(twelve.labs()) == labs
