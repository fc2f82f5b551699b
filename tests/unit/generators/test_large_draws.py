"""Draws of size 4 with leftovers: what is written can be loaded, and an agent is not told more than it can read."""

from __future__ import annotations

import json
import re

import pytest

from pytest_netbench.agents.external.interactive import task_text as brief_text
from pytest_netbench.ani.topology_pages import page_of
from pytest_netbench.ani.wire import TopologyView
from pytest_netbench.documents.reading import MAX_BYTES
from pytest_netbench.families.diagnose.pairs import PAGE_CHARACTERS
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.reasoning import evidence_of
from pytest_netbench.generators.series import read_series
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.writing import task_text
from pytest_netbench.trial import family_of

MOST_LINES = 1_450
LONGEST_LINES = 72
"""Bytes of a line in a task file, on average of the longest configurations, with the indentation."""
MOST_CHARACTERS = 80_000


def drawn(series):
    return read_series(series).source(0).load()


@pytest.fixture(scope="module")
def large():
    """A campus of 62 routers and switches with leftovers."""
    return drawn("diagnose:shapes=campus,level=5,size=4,healthy=0,n=1,seed=7")


def test_a_draw_with_sixty_brown_configurations_is_written_and_loaded(large, tmp_path):
    path = tmp_path / f"{large.slug}.task.yaml"
    path.write_text(task_text(large), encoding="utf-8")
    assert path.stat().st_size > 2 * 2**20
    assert load_task(path).digest == large.digest


def test_a_task_file_has_room_for_the_longest_configurations_of_the_largest_networks():
    assert MAX_BYTES > 150 * MOST_LINES * LONGEST_LINES


@pytest.mark.parametrize("hosts", ["1", "2"])
def test_a_campus_of_size_4_is_drawn_with_any_number_of_hosts(hosts):
    task = drawn(f"diagnose:shapes=campus,size=4,hosts={hosts},healthy=0,n=1,seed=5")
    assert sum(one.role != "host" for one in task.payload.topology.nodes) >= 60


@pytest.fixture(scope="module")
def largest():
    """A leaf-spine network of 120 routers, which has the most links and planned exceptions."""
    return drawn("diagnose:shapes=leaf-spine,level=5,size=5,healthy=0,n=1,seed=7")


def test_an_agent_can_read_the_brief_and_first_pages_of_the_largest_network(largest):
    brief = family_of(largest).brief(largest)
    first = page_of(TopologyView(**largest.payload.topology.wire()), 1)
    read = len(brief_text(brief)) + len(json.dumps(first.plain())) + PAGE_CHARACTERS
    assert read <= MOST_CHARACTERS


def test_each_planned_exception_of_a_large_network_stands_in_its_design_document(largest):
    payload = largest.payload
    document = payload.design.splitlines()
    (line,) = (one for one in document if one.startswith("- Access lists that deny UDP to these ports"))
    pattern = re.compile(r"^interface (\S+)\n(?: .*\n)*? ip access-group (\S+) (in|out)$", re.MULTILINE)
    used = [
        f"{node} {name} of {interface} ({way}) "
        for node, config in payload.startup_configs.items()
        for interface, name, way in pattern.findall(config)
    ]
    assert len(used) > 100
    assert all(one in line for one in used)


@pytest.mark.parametrize("network", ["large", "largest"])
def test_a_budget_is_smaller_than_a_large_network_and_half_as_long_again_as_the_shortest_proof(network, request):
    task = request.getfixturevalue(network)
    payload = task.payload
    observations = sum(len(evidence_of(fault, observable_of(payload))) for fault in payload.faults)
    topology_diagnosis = 2
    assert 1.5 * (observations + topology_diagnosis) <= task.budget.calls < len(payload.topology.nodes)
    assert task.budget.commands == 3 * task.budget.calls
