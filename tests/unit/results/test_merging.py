"""What merged directories become: which of two results wins, what is missing, what is refused."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.trial import AgentInfo, Replayed
from pytest_netbench.regression_gate.baseline import save_baseline
from pytest_netbench.results.cassettes import CassetteDir
from pytest_netbench.results.files import new_directory
from pytest_netbench.results.merged import lack_of, merged_run
from pytest_netbench.results.mergewriting import write_merge
from pytest_netbench.results.merging import Merge, merge
from pytest_netbench.results.opened import NOT_RUN, OpenTrial
from pytest_netbench.results.partition import partition_of, store_shard
from pytest_netbench.results.sources import read_source
from pytest_netbench.results.store import ResultsDir
from tests.support.records import record, result, task

SCORES = dict.fromkeys(("testcase", "command", "netconfbench.command", "reasoning", "netconfbench.reasoning"), 1.0)
NAMES = ("a", "b", "c", "d")


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}.000+00:00"


def node_id(name: str) -> str:
    return f"tasks/{name}.task.yaml::{name}[x]"


def agent(strategy: str = "own", **settings: Any) -> AgentInfo:
    return AgentInfo(id="x", strategy=strategy, settings=settings)


def put(folder: Path, name: str, *, second: int = 1, trial: int = 1, **changes: Any) -> None:
    """Store a trial at the task ``name``, with its record if it is no error."""
    about = task(task_name=changes.pop("task_name", name), slug=name)
    who = changes.pop("who", agent())
    common = {"node_id": changes.pop("node_id", node_id(name)), "agent": who, "trial": trial, "started_at": at(second)}
    made = result(SCORES, task_digest=about.digest, **common, **changes)
    kept = None if made.status == "error" else record(task=about, final_configs={"R1": f"name {name}"}, **common)
    ResultsDir.create(folder).append(made, kept, worker="main")


def begin(folder: Path, name: str, *, second: int = 1, **changes: Any) -> None:
    digest = task(task_name=name, slug=name).digest
    begun = OpenTrial(node_id=node_id(name), trial=1, agent="x", task_digest=digest, started_at=at(second), **changes)
    ResultsDir.create(folder).begin(begun, worker="main")


def shard(folder: Path, number: int, *, names: Sequence[str] = NAMES, shards: int = 2, digest: str = "") -> list[str]:
    """Make a directory one of a shard; return the names of its items."""
    items = [(node_id(name), "x", 1, digest or task(task_name=name, slug=name).digest) for name in names]
    partition = partition_of(items, {node_id(name): 1 for name in names}, shards)
    store_shard(folder, number, partition)
    return [one.node_id.partition("::")[2][:-3] for one in partition.of_shard(number)]


def merged(*folders: Path) -> Merge:
    """A merge, which is the same in every order of the directories."""
    orders = [merge([read_source(folder) for folder in order]) for order in itertools.permutations(folders)]
    assert len({str((m.kept, m.missing, m.skipped, m.dropped)) for m in orders if m.sources == orders[0].sources}) == 1
    first = orders[0]
    for other in orders[1:]:
        assert [one for _, one in other.kept] == [one for _, one in first.kept]
        assert (other.missing, other.skipped, other.dropped) == (first.missing, first.skipped, first.dropped)
    return first


def started(one: Merge) -> dict[str, str]:
    return {kept.node_id.partition("::")[2][:-3]: kept.started_at for _, kept in one.kept}


def test_a_finished_trial_wins_over_an_error_and_of_two_of_a_kind_the_earlier(tmp_path):
    a, b, c = (tmp_path / name for name in ("a", "b", "c"))
    put(a, "t", second=1, status="error")
    put(b, "t", second=9, status="failed")
    put(c, "t", second=5)
    put(a, "u", second=7, status="error")
    put(b, "u", second=3, status="error")
    one = merged(a, b, c)
    assert started(one) == {"t": at(5), "u": at(3)}
    assert (one.dropped.errors, one.dropped.later, one.dropped.copies) == (1, 2, 0)
    assert one.missing == ()


def test_a_copy_is_dropped_and_counted(tmp_path):
    put(tmp_path / "a", "t")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    one = merged(tmp_path / "a", tmp_path / "b")
    assert (len(one.kept), one.dropped.copies, one.dropped.total) == (1, 1, 1)


def test_trials_and_agents_are_apart_and_one_task_of_two_machines_is_one(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    put(a, "t", second=1)
    put(a, "t", second=2, trial=2)
    put(b, "t", second=3, node_id="elsewhere/t.task.yaml::t[x]")
    one = merged(a, b)
    assert [(kept.node_id, kept.trial) for _, kept in one.kept] == [(node_id("t"), 1), (node_id("t"), 2)]
    assert one.dropped.later == 1


def test_a_task_that_a_run_has_twice_is_two(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    put(a, "t")
    put(a, "t", second=2, node_id="copy/t.task.yaml::t[x]")
    put(b, "t", second=3)
    one = merged(a, b)
    assert len(one.kept) == 2
    assert one.dropped.later == 1


def test_what_is_missing_is_named_with_its_reason(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    mine, others = shard(first, 1), shard(second, 2)
    put(first, mine[0])
    begin(first, mine[1], second=4)
    one = merged(first)
    assert [str(lack) for lack in one.missing] == sorted(
        [
            f"{node_id(mine[1])}: was begun at {at(4)}, and did not end",
            *(f"{node_id(name)}: of shard 2, which is not there" for name in others),
        ]
    )
    put(second, others[0])
    assert {lack.why for lack in merged(first, second).missing} == {
        f"was begun at {at(4)}, and did not end",
        "was not run by shard 2",
    }
    # whatever a machine could not run is no gap; what a budget left out is one
    begin(second, others[1], second=5, closed=True, reason="no disk")
    begin(first, mine[1], second=6, closed=True, reason=NOT_RUN)
    one = merged(first, second)
    assert [str(lack) for lack in one.missing] == [f"{node_id(mine[1])}: {NOT_RUN}"]
    assert [str(lack) for lack in one.skipped] == [f"{node_id(others[1])}: no disk"]
    # items may be run elsewhere, without shards
    put(tmp_path / "3", mine[1], second=7)
    one = merged(first, second, tmp_path / "3")
    assert one.missing == ()
    assert len(one.kept) == 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda folder: (folder / "transcripts").rename(folder / "other"), "its record transcripts/.* is not in "),
        (lambda folder: begin(folder, "t", second=8), "did not end"),
        (lambda folder: put(folder, "t", second=8, scores=()), "lacks the score testcase"),
        (
            lambda folder: ResultsDir(folder).append(
                ResultsDir(folder).results()[0].model_copy(update={"transcript": None, "started_at": at(8)}),
                None,
                worker="main",
            ),
            "its record was not kept",
        ),
    ],
)
def test_a_result_that_is_not_whole_is_missing(tmp_path, change, why):
    put(tmp_path / "a", "t")
    change(tmp_path / "a")
    one = merged(tmp_path / "a")
    assert one.kept == ()
    assert len(one.missing) == 1
    assert re.search(why, one.missing[0].why)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda b: shard(b, 2, shards=3),
            "a and .*b are of different partitions: 2 shards and 3; shards of one run have",
        ),
        (lambda b: shard(b, 2, names="abce"), r"different partitions: tasks/d.*\[x\] is in only one of them, tasks/e"),
        (lambda b: shard(b, 2, digest="0" * 16), "different partitions: .* is not the same task.* and 1 more"),
        (lambda b: put(b, "e"), r"b: has results that do not belong to the partition of the shards: tasks/e"),
        (lambda b: put(b, "a", task_name="changed"), r"b: has results that do not belong to the partition"),
        (
            lambda b: (shard(b, 2), put(b, shard(b, 2)[0], who=agent("guess", prompt="other"))),
            "agent x is not the same in .*a and .*b: settings, strategy differ|settings.prompt, strategy differ",
        ),
        (lambda b: b.mkdir(), "b: no results here"),
        (lambda b: None, "b: no such results directory"),
    ],
)
def test_what_is_not_of_one_run_is_refused(tmp_path, make, words):
    for name in shard(tmp_path / "a", 1):
        put(tmp_path / "a", name)
    make(tmp_path / "b")
    with pytest.raises(UsageError, match=words):
        merged(tmp_path / "a", tmp_path / "b")


def test_two_tasks_under_one_name_are_refused(tmp_path):
    put(tmp_path / "a", "t")
    put(tmp_path / "b", "t", task_name="another")
    with pytest.raises(UsageError, match=r"t\[x\] is not the same task in .*a \(digest .*\) and .*b \(digest"):
        merged(tmp_path / "a", tmp_path / "b")


def write(one: Merge, folder: Path) -> ResultsDir:
    with new_directory(folder) as beside:
        write_merge(one, beside)
    return ResultsDir(folder)


def test_all_files_that_results_name_are_copied(tmp_path):
    a, b, out = tmp_path / "a", tmp_path / "b", tmp_path / "out"
    put(a, "t")
    sealed = result(SCORES, node_id=node_id("s"), agent=agent(), started_at=at(2), sealed="sealed/s.sealed")
    ResultsDir.create(b).append_sealed(sealed, "secret\n", worker="main")
    for folder, name in ((a, "x/t.task.yaml"), (a, "x/other")):
        (folder / "cassettes" / name).parent.mkdir(parents=True, exist_ok=True)
    cassette = CassetteDir(a / "cassettes").file(agent="x", task="tasks/t.task.yaml::t", trial=1)
    cassette.write_text("{}")
    (b / "tapes").mkdir()
    (b / "tapes" / "one.json").write_text("{}")
    replayed = Replayed(cassette=str(b / "tapes" / "one.json"), recorded_at=at(0), requests=1, recorded=1)
    put(b, "u", replayed=replayed)
    store = write(merged(a, b), out)
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == sorted(
        [
            "run.json",
            "merged.json",
            "durations.json",
            "results.jsonl",
            "sealed/s.sealed",
            "tapes/one.json",
            str(cassette.relative_to(a)),
            *(str(path.relative_to(folder)) for folder in (a, b) for path in folder.glob("transcripts/*")),
            *(str(path.relative_to(folder)) for folder in (a, b) for path in folder.glob("configs/*/*")),
        ]
    )
    for one in store.results():
        assert one.sealed or store.record_of(one) is not None


def test_run_json_is_that_of_the_run_that_began_first(tmp_path):
    for name, stamp in (("a", at(9)), ("b", at(2))):
        put(tmp_path / name, name)
        about = {"argv": [name], "started_at": stamp, "versions": {"pytest": "9", "netbench": "0"}}
        (tmp_path / name / "run.json").write_text(json.dumps(about))
    write(merged(tmp_path / "a", tmp_path / "b"), tmp_path / "out")
    about = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (about["argv"], about["started_at"]) == (["b"], at(2))
    assert [one["argv"] for one in about["merged"]] == [["a"], ["b"]]


def test_merges_are_merged_and_a_part_lacks_what_is_still_missing(tmp_path):
    first, second, part, whole = (tmp_path / name for name in ("1", "2", "part", "whole"))
    for folder, number in ((first, 1), (second, 2)):
        for name in shard(folder, number):
            put(folder, name)
    assert "is shard 1/2 of a run, which is not judged" in str(lack_of(first))
    write(merged(first), part)
    about = merged_run(part)
    assert about is not None
    assert about.partial
    lack = lack_of(part)
    assert lack is not None
    assert "is a partial merge, which is not judged: 2 items are missing (" in lack
    one = merged(part, second)
    assert one.missing == ()
    write(one, whole)
    assert lack_of(whole) is None
    # what is run in the partial merge itself counts
    for name in shard(second, 2):
        put(part, name)
    assert lack_of(part) is None
    text = (part / "merged.json").read_text()
    (part / "merged.json").write_text(text.replace('"shard": 2', '"shard": 1', 1))
    with pytest.raises(ResultsError, match="was changed"):
        lack_of(part)


def test_a_run_without_shards_that_was_cut_off_is_partial_until_it_was_gone_on_with(tmp_path):
    put(tmp_path / "a", "t")
    begin(tmp_path / "a", "u")
    write(merged(tmp_path / "a"), tmp_path / "part")
    assert "1 item is missing (tasks/u.task.yaml::u[x])" in str(lack_of(tmp_path / "part"))
    put(tmp_path / "b", "u", second=5)
    assert merged(tmp_path / "part", tmp_path / "b").missing == ()
    assert lack_of(tmp_path / "b") is None


def test_the_command_says_what_it_did_and_refuses_to_overwrite(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = Path("1"), Path("2")
    for folder, number in ((first, 1), (second, 2)):
        for name in shard(folder, number):
            put(folder, name)
    shutil.copytree(second, "copy")
    save_baseline(Path("b.json"), [one for folder in (first, second) for one in ResultsDir(folder).results()])
    assert main(["merge", "1", "-o", "out"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("netbench: 2 items are missing:\n")
    assert told.err.endswith("(a shard that was cut off: --netbench-resume), or add --partial\n")
    assert main(["merge", "1", "2", "copy", "-o", "out", "--baseline", "b.json", "--save-baseline", "new.json"]) == 0
    told = capsys.readouterr()
    assert "merged: 4 trials of 3 directories (shards 1/2, 2/2, 2/2)\n" in told.out
    assert "dropped: 2 results of trials that were run more than once: 2 copies\n" in told.out
    assert "baseline of 4 trials: new.json" in told.out
    assert main(["merge", "1", "2", "-o", "out"]) == 2
    assert "out exists: give a new directory with -o" in capsys.readouterr().err
    assert main(["merge", "1", "2", "-o", "other", "--policy", "p.yaml"]) == 2
    assert "give --baseline FILE, too" in capsys.readouterr().err
    assert main(["merge", "1", "-o", "part", "--partial", "--baseline", "b.json"]) == 1
    assert "NOT JUDGED: a partial merge is neither judged nor saved as a baseline" in capsys.readouterr().out
    assert main(["gate", "b.json", "part"]) == 1
    assert capsys.readouterr().out.startswith("NOT JUDGED: part is a partial merge, which is not judged: 2 items are")
    assert main(["gate", "b.json", "1", "2"]) == 1
    assert "1 is shard 1/2 of a run, which is not judged: merge all shards" in capsys.readouterr().out
    assert main(["gate", "b.json", "out"]) == 0


KILLED = """
import os, signal, sys
from pytest_netbench.cli.main import main
from pytest_netbench.results import mergewriting
mergewriting._run = lambda sources: os.kill(os.getpid(), int(sys.argv[1])) or {}
sys.exit(main(sys.argv[2:]))
"""


def test_a_merge_that_is_killed_leaves_nothing_that_looks_like_one(tmp_path):
    put(tmp_path / "a", "t")
    for number, status, left in ((signal.SIGINT, 130, 0), (signal.SIGKILL, -9, 1), (signal.SIGKILL, -9, 1)):
        argv = [sys.executable, "-c", KILLED, str(int(number)), "merge", "a", "-o", "out"]
        ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False, env=os.environ)
        assert ended.returncode == status
        assert not (tmp_path / "out").exists()
        assert len(list(tmp_path.glob(".out*"))) == left
    write(merged(tmp_path / "a"), tmp_path / "out")
    assert not list(tmp_path.glob(".out*")), "what was left is removed by the next merge"


def test_a_merge_that_another_process_writes_is_not_removed(tmp_path):
    with new_directory(tmp_path / "out") as first:
        (first / "a").touch()
        other = first.rename(first.with_name(".out.1.new"))
        with new_directory(tmp_path / "out") as second:
            (second / "b").touch()
        assert (other / "a").exists()
        other.rename(first)
        shutil.rmtree(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a"]
    with (
        pytest.raises(ResultsError, match="out: cannot be written: Directory not empty"),
        new_directory(tmp_path / "out"),
    ):
        pass
