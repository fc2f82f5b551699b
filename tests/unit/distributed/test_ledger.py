"""Which worker carries which trial, and what becomes of those whose worker or node is lost."""

from __future__ import annotations

import random

import pytest

from pytest_netbench.distributed.ledger import Ledger


def ledger(*memory_mb: float, at_once: int = 2, room_mb: float = 100, workers: tuple[str, ...] = ("a", "b")) -> Ledger:
    made = Ledger(dict(enumerate(memory_mb)), at_once=at_once, room_mb=room_mb)
    for worker in workers:
        made.add_worker(worker)
    return made


def test_trials_begin_in_order_each_where_least_is_to_do() -> None:
    made = ledger(*[10] * 5)
    assert made.assign() == [("a", 0), ("b", 1), ("a", 2), ("b", 3)]
    assert made.assign() == []
    made.finished("b", 1)
    assert made.assign() == [("b", 4)]


def test_labs_share_the_memory_of_a_worker_and_a_large_one_has_it_alone() -> None:
    made = ledger(60, 60, 500, 50, at_once=8)
    assert made.assign() == [("a", 0), ("b", 1)]
    made.finished("a", 0)
    assert made.assign() == [("a", 2)], "it needs more than there is, and would wait for ever"
    made.finished("b", 1)
    assert made.assign() == [("b", 3)]


def test_trials_of_a_lost_node_are_run_elsewhere_first_and_after_three_nodes_no_more() -> None:
    made = ledger(1, 1, at_once=1, workers=("a",))
    assert made.assign() == [("a", 0)]
    for node, following in (("n1", "b"), ("n2", "c")):
        assert made.node_lost(next(w for w in "abc" if made.carried_by(w)), node).by_nodes == {}
        made.add_worker(following)
        assert made.assign() == [(following, 0)]
    assert made.node_lost("c", "n3").by_nodes == {0: ("n1", "n2", "n3")}
    made.add_worker("d")
    assert made.assign() == [("d", 1)], "the other trial was with none of them"
    made.finished("d", 1)
    assert made.is_done


def test_each_trial_of_a_worker_that_ended_is_run_alone_and_the_guilty_one_is_found() -> None:
    made = ledger(*[1] * 6, at_once=3, workers=("a",))
    assert made.assign() == [("a", 0), ("a", 1), ("a", 2)]
    assert made.worker_ended("a").by_worker == ()
    made.add_worker("b")
    assert made.assign() == [("b", 0)], "nothing beside it"
    made.finished("b", 0)
    assert made.assign() == [("b", 1)]
    assert made.worker_ended("b").by_worker == (1,)
    made.add_worker("c")
    assert made.assign() == [("c", 2)]
    made.finished("c", 2)
    assert [trial for _, trial in made.assign()] == [3, 4, 5]


def test_a_busy_worker_is_emptied_for_a_trial_that_has_to_run_alone() -> None:
    made = ledger(*[1] * 9, at_once=2)
    made.assign()
    made.worker_ended("a")
    assert made.assign() == [], "the free place of b is kept"
    made.finished("b", 1)
    assert made.assign() == []
    made.finished("b", 3)
    assert made.assign() == [("b", 0)]
    made.finished("b", 0)
    assert made.assign() == [("b", 2)]
    made.finished("b", 2)
    assert made.assign() == [("b", 4), ("b", 5)]


def test_a_node_that_is_lost_with_a_suspect_does_not_accuse_it() -> None:
    made = ledger(1, at_once=1, workers=("a",))
    made.assign()
    made.worker_ended("a")
    made.add_worker("b")
    assert made.assign() == [("b", 0)]
    assert made.node_lost("b", "n1").by_nodes == {}
    made.add_worker("c")
    assert made.assign() == [("c", 0)]
    made.finished("c", 0)
    assert made.is_done


@pytest.mark.parametrize("seed", range(40))
def test_each_trial_ends_exactly_once_whatever_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    made = ledger(*[chance.choice([5, 40, 200]) for _ in range(40)], at_once=chance.randint(1, 5), workers=("w0",))
    deadly = {trial for trial in range(40) if chance.random() < 0.1}
    ended: list[int] = []
    carried: set[tuple[str, int]] = set()
    alive, names = ["w0"], 1
    for _ in range(4000):
        carried |= set(made.assign())
        for name in alive:
            assert made.carried_by(name) == {trial for worker, trial in carried if worker == name}
        if made.is_done:
            break
        fate = chance.random()
        if len(alive) < 3 or fate < 0.1:
            made.add_worker(f"w{names}")
            alive.append(f"w{names}")
            names += 1
            continue
        worker, trial = chance.choice(sorted(carried))
        if trial in deadly or fate < 0.15:
            lost = made.worker_ended(worker) if trial in deadly else made.node_lost(worker, f"node {names}")
            ended += [*lost.by_worker, *lost.by_nodes]
            carried = {one for one in carried if one[0] != worker}
            alive.remove(worker)
        else:
            made.finished(worker, trial)
            carried.remove((worker, trial))
            ended.append(trial)
    assert sorted(ended) == list(range(40))
