"""A search for failures, on paper: agents that fail at one thing, and what is drawn for them next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from pytest_netbench.generators.search import CANDIDATES, sought
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.search import Sought
from pytest_netbench.model.task import Task
from pytest_netbench.stats.regions import Regions, Tally

N = 20
Fails = Callable[[Task], bool]


class Searched:
    """Rounds of a search for the failures of an agent. ``failures`` has their number by round; the first is uniform."""

    def __init__(self, text: str, fails: Fails, rounds: int = 4) -> None:
        self.series = read_series(text)
        self.verdicts: list[tuple[Regions, bool]] = []
        self.failures: list[int] = []
        self.tasks: list[list[Task]] = []
        self.start = 0
        for number in range(rounds):
            choices = self.choices() if number else {}
            indices = list(choices) or list(range(N))
            tasks = [self.series.source(index).load() for index in indices]
            self.tasks.append(tasks)
            self.failures.append(sum(map(fails, tasks)))
            self.verdicts += [(task.regions, fails(task)) for task in tasks]
            self.start = indices[-1] + 1

    def choices(self) -> Mapping[int, Sought]:
        return sought(self.series, Tally(self.verdicts), start=self.start)


def at_label(label: str) -> Fails:
    return lambda task: task.drawn is not None and task.drawn.label == label


def at_large(task: Task) -> bool:
    return int(task.regions["devices"][0]) >= 15


def at_place(task: Task) -> bool:
    return any(place.startswith("r0 eth2") for place in task.regions["place"])


def at_method(task: Task) -> bool:
    return "policy-rule-prohibit" in task.regions["fault"]


def at_hard_and_large(task: Task) -> bool:
    return task.regions["level"] == ("3",) and int(task.regions["devices"][0]) >= 12


REPAIR = f"repair-routing:n={N},seed="
PLAN = f"plan:n={N},seed="


@pytest.mark.parametrize(
    ("series", "fails"),
    [
        (f"{REPAIR}1", at_label("DR")),
        (f"{REPAIR}2", at_large),
        (f"{REPAIR}3", at_place),
        (f"{REPAIR}4", at_method),
        (f"{REPAIR}5", at_hard_and_large),
        (f"{PLAN}1", at_label("FOR+IF+U+R")),
        (f"{PLAN}2", at_label("RM")),
    ],
)
def test_more_failures_are_found_than_by_uniform_draws(series, fails):
    search = Searched(series, fails)
    uniform = [search.series.source(index).load() for index in range(100)]
    expected = N * sum(map(fails, uniform)) / len(uniform)
    assert search.failures[-1] >= max(2 * expected, 0.6 * N), (search.failures, expected)


def test_the_share_of_the_label_that_the_agent_fails_rises():
    search = Searched(f"{REPAIR}1", at_label("DI"))
    shares = [sum(task.regions["label"] == ("DI",) for task in tasks) / N for tasks in search.tasks]
    assert shares[0] < 0.2
    assert shares[-1] > 0.8


def test_an_agent_that_fails_nowhere_or_everywhere_gets_tasks_of_many_kinds():
    for fails in (lambda _: False, lambda _: True):
        search = Searched(f"{REPAIR}1", fails)
        labels = {task.regions["label"] for task in search.tasks[-1]}
        assert len(labels) >= 5, labels


def test_equal_histories_choose_equal_draws_in_any_order_of_the_verdicts():
    search = Searched(f"{REPAIR}1", at_label("DR"), rounds=2)
    choices = search.choices()
    assert search.choices() == choices
    search.verdicts.reverse()
    assert list(search.choices()) == list(choices)
    search.verdicts = [(regions, not failed) for regions, failed in search.verdicts]
    assert list(search.choices()) != list(choices)


def test_a_search_goes_on_behind_the_draws_that_were_used_and_says_why_it_chose():
    search = Searched(f"{REPAIR}1", at_label("DR"), rounds=2)
    choices = search.choices()
    assert len(choices) == N
    assert list(choices) == sorted(choices)
    assert min(choices) >= search.start
    assert max(choices) < search.start + CANDIDATES * N
    tally = Tally(search.verdicts)
    for index, why in choices.items():
        regions = search.series.source(index).load().regions
        named = {f"{axis}={value}" for axis, values in regions.items() for value in values}
        assert named == set(why.chances) == set(why.known)
        assert why.known[f"label={regions['label'][0]}"] == tally.of("label", regions["label"][0])
        assert why.trials == 2 * N
    assert len({why.history for why in choices.values()}) == 1


def test_nothing_is_drawn_twice_if_candidates_run_out():
    series = read_series("repair-routing:n=1,labels=DI,level=1,subnets=2,hosts=1")
    assert len(sought(series, Tally([({"label": ("DI",)}, True)]), start=0)) == 1
