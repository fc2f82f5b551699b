"""Booting one task several times gives one state: routes, adjacencies, roles and what the dialects name as states.

The gate boots a shipped task and a drawn one three times each, and one of these boots beside busy loops; other tasks on
each commit.
``NETBENCH_WHOLE_CORPUS=1`` boots all shipped tasks, as agents get them and with their ground truth, and all drawn ones
ten times each (``make selftest`` does that). What passed for a commit is kept in ``.netbench``, so that an interrupted
run goes on. What boots may print differently is listed in ``tests/support/boots/allowed.py``, with the reasons.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Final

import pytest

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from tests.support.boots.comparing import boots, differences
from tests.support.boots.corpus import drawn, of_commit, shipped, solved
from tests.support.boots.passed import Passed
from tests.support.sampling import NUMBER

WHOLE: Final = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
BOOTS: Final = 10 if WHOLE else 3
LOADERS: Final = {**shipped(), **solved(), **drawn()} if WHOLE else of_commit(int(os.environ.get(NUMBER, "1")))


@pytest.fixture(scope="module")
def passed() -> Passed:
    return Passed.of_commit()


@pytest.mark.alone
@pytest.mark.parametrize("name", LOADERS)
def test_booting_a_task_several_times_gives_one_state(name, passed):
    if WHOLE and name in passed:
        pytest.skip(f"it passed at this commit ({passed.path})")
    task = LOADERS[name]()
    lack = parts.load("backends", "netns")().lacks(request_of(task))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    assert differences(name, list(boots(task, BOOTS))) == []
    if WHOLE:
        passed.add(name)


def test_a_difference_names_task_node_command_line_and_boots():
    states = [{("R1", "show ip route"): Counter(lines)} for lines in (["a", "b"], ["a", "b"], ["a", "a"])]
    assert differences("t", states) == [
        "t: R1: show ip route: a in boots 3 but not in 1,2",
        "t: R1: show ip route: b in boots 1,2 but not in 3",
    ]
