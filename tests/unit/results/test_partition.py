"""How items are divided among shards."""

from __future__ import annotations

import errno
import random
import subprocess
import sys

import pytest

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.plugin.selection.shard_options import weights
from pytest_netbench.results.partition import Partition, partition_of, store_shard, stored_shard

NAMES = [f"tasks/t{number:02}.task.yaml::t{number:02}[{agent}]" for number in range(20) for agent in ("fast", "slow")]


def partition(names=NAMES, shards=4, **seconds) -> Partition:
    items = [(name, name[-5:-1], 1, name[6:9]) for name in names]
    return partition_of(items, weights(names, seconds), shards)


@pytest.mark.parametrize("shards", [1, 2, 3, 4, 7, 40, 41])
def test_every_item_is_in_one_shard_and_shards_have_as_many_as_others(shards):
    counts = [len(partition(shards=shards).of_shard(shard)) for shard in range(1, shards + 1)]
    assert sum(counts) == len(NAMES)
    assert max(counts) - min(counts) <= 1


def test_the_order_in_which_items_are_found_does_not_matter():
    for seed in range(20):
        shuffled = random.Random(seed).sample(NAMES, len(NAMES))
        assert partition(shuffled) == partition()
        assert partition(shuffled).digest == partition().digest


def test_agents_are_mixed():
    for shard in range(1, 5):
        assert {one.agent for one in partition().of_shard(shard)} == {"fast", "slow"}


def test_the_digest_is_the_same_with_every_seed_of_hashes():
    code = (
        "from tests.unit.results.test_partition import partition\n"
        "print(partition(**{'tasks/t03.task.yaml::t03[slow]': 7.5}).digest)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(told) == 1


def test_whatever_changes_a_run_changes_the_digest():
    whole = partition()
    others = [
        partition(NAMES[:-1]),
        partition(shards=5),
        partition(**{NAMES[0]: 100.0, NAMES[1]: 1.0}),
        partition_of([(name, name[-5:-1], 1, "other") for name in NAMES], weights(NAMES, {}), 4),
        whole.model_copy(update={"netbench": "0.0.1"}),
    ]
    assert len({one.digest for one in (whole, *others)}) == 6


def test_long_items_are_apart_and_shards_take_equally_long():
    seconds = {name: 30.0 if "[slow]" in name else 1.0 for name in NAMES}
    made = partition(**seconds)
    loads = [sum(seconds[one.node_id] for one in made.of_shard(shard)) for shard in range(1, 5)]
    assert loads == [155.0] * 4


def test_an_item_without_a_duration_counts_as_its_task_else_as_all():
    known = {"a::a[x]": 2.0, "a::a[y]": 4.0, "b::b[x]": 9.0}
    assert weights(["a::a[x]", "a::a[z]", "c::c[x]"], known) == {"a::a[x]": 2000, "a::a[z]": 3000, "c::c[x]": 5000}
    assert weights(["c::c[x]", "d::d[x]"], {}) == {"c::c[x]": 1000, "d::d[x]": 1000}


def test_a_directory_is_of_one_shard_of_one_partition(tmp_path):
    store_shard(tmp_path, 2, partition())
    store_shard(tmp_path, 2, partition())
    stored = stored_shard(tmp_path)
    assert stored is not None
    assert (stored.name, stored.partition) == ("2/4", partition())
    for shard, other, words in (
        (3, partition(), "has results of shard 2/4, and not of shard 3/4; give each shard a directory of its own"),
        (2, partition(shards=5), "has results of shard 2/4, and not of shard 2/5"),
        (2, partition(NAMES[1:]), r"another partition \(tasks/t00.task.yaml::t00\[fast\] is in only one of them\)"),
        (
            2,
            partition(**{NAMES[0]: 100.0, NAMES[1]: 1.0}),
            r"another partition \(tasks/.* is in shard \d and in shard \d\)",
        ),
    ):
        with pytest.raises(UsageError, match=words):
            store_shard(tmp_path, shard, other)
    assert stored_shard(tmp_path) == stored
    assert [path.name for path in tmp_path.iterdir()] == ["shard.json"]


def test_a_file_that_was_changed_is_told(tmp_path):
    assert stored_shard(tmp_path) is None
    store_shard(tmp_path, 2, partition())
    path = tmp_path / "shard.json"
    whole = path.read_text()
    path.write_text(whole.replace('"shard": 1', '"shard": 4', 1))
    with pytest.raises(ResultsError, match="was changed: its digest is not that of its items"):
        stored_shard(tmp_path)
    path.write_text(whole[:100])
    with pytest.raises(ResultsError, match="not a shard that netbench"):
        stored_shard(tmp_path)


def test_a_file_system_without_links_keeps_shards_apart_too(tmp_path, monkeypatch):
    def refuse(*paths):
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr("os.link", refuse)
    store_shard(tmp_path, 2, partition())
    store_shard(tmp_path, 2, partition())
    with pytest.raises(UsageError, match="has results of shard 2/4, and not of shard 3/4"):
        store_shard(tmp_path, 3, partition())
    assert [path.name for path in tmp_path.iterdir()] == ["shard.json"]
