"""The shipped tasks for FRR and Linux do on containerlab what they do on namespaces; ``make selftest`` runs them.

``NETBENCH_PART=2/4`` runs a quarter. Tasks that passed at this commit are not run again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_netbench.model.task import Task
from pytest_netbench.portability.portrait import Comparison
from pytest_netbench.portability.running import Kept
from pytest_netbench.taskfile import load_task
from tests.integration.containerlab import NEEDED, NOTHING, ROOT, Site
from tests.support import parts
from tests.support.task_list import files

pytestmark = [
    *NEEDED,
    pytest.mark.skipif(
        not os.environ.get("NETBENCH_WHOLE_CORPUS"),
        reason="it takes an hour: make selftest, or NETBENCH_WHOLE_CORPUS=1",
    ),
]


def _can_run(task: Task) -> bool:
    network = task.network
    return {network.platform_of(node.name) for node in network.topology.nodes} <= {"frr", "linux"}


TASKS = [path for path in files() if _can_run(load_task(path))]
WORKS = ("oracle", "nop", "right", "wrong")
MOST_S = 3600


def test_twelve_tasks_are_for_frr_and_linux() -> None:
    assert len(TASKS) == 12


@pytest.mark.parametrize("number", parts.share(range(len(TASKS))), ids=lambda number: TASKS[number].name.split(".")[0])
def test_a_task_has_the_verdicts_and_flows_that_it_has_on_namespaces(site: Site, number: int, tmp_path: Path) -> None:
    if parts.is_passed("containerlab", number):
        pytest.skip("it passed at this commit (remove .netbench/cache/parts to run it again)")
    path = str(TASKS[number].relative_to(ROOT))
    compare = ("-m", "pytest_netbench.cli", "portability", path, "--against", "containerlab")
    shown = site.run(*compare, "--results", str(tmp_path), timeout_s=MOST_S)
    found = [*Kept(tmp_path).all()]
    if found and all(one.lacks for one in found):
        pytest.skip(f"{path}: {', '.join(found[0].lacks.values())}")
    assert sorted(one.work.partition(":")[0] for one in found) == sorted(WORKS), shown
    for one in found:
        # of equal routes of BGP the older one is taken, and which one that is depends on time
        assert not [each for each in one.differences if each.kind in ("verdict", "flow")], shown
        assert one.share == 1, shown
        assert passes(one) == (one.work == "oracle" or one.work.startswith("right")), shown
    assert site.left() == NOTHING
    parts.note_passed("containerlab", number)


def passes(found: Comparison) -> bool:
    return set(found.second.verdicts.values()) == {"pass"}
