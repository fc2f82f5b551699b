from __future__ import annotations

from pytest_netbench.lab import request
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.drawn import Drawn
from tests.support.memory_trial import task_of


def drawn(index: int) -> Drawn:
    return Drawn(generator="g", seed=7, index=index, label="x", level=1)


def test_a_task_begins_on_the_same_date_every_time():
    assert request.first(task_of()) == request.first(task_of())
    assert request_of(task_of()).date == request.first(task_of())


def test_what_else_of_a_task_changes_leaves_its_date():
    changed = task_of(intents=[{"text": "something else"}], notes="changed")
    assert changed.digest != task_of().digest
    assert request.first(changed) == request.first(task_of())


def test_tasks_of_other_names_seeds_and_draws_begin_on_other_dates():
    tasks = [task_of(), *(task_of(seed=seed) for seed in (1, 2)), *(task_of(drawn=drawn(index)) for index in (1, 2))]
    tasks.append(task_of().model_copy(update={"slug": "another"}))
    assert len({request.first(task) for task in tasks}) == len(tasks)


def test_all_dates_are_in_the_years_that_are_promised():
    found = [request.first(task_of(seed=seed)) for seed in range(300)]
    assert all(request.FIRST.timestamp() <= date < request.LAST.timestamp() for date in found)
    assert {int(date) for date in found} == set(found)
    assert max(found) - min(found) > 2.5 * 365 * 86400
