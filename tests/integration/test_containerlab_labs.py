"""Labs of containerlab beside each other, large ones, and events in them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from tests.integration.containerlab import NEEDED, NOTHING, TASK, Site

pytestmark = NEEDED

MOST_TIMES = 2
"""Beside other work; ``benchmarks/containerlab.py`` says what it is on a machine with nothing else to do."""
ANOTHER = "tasks/security/zone-stateful-filter.task.yaml"


def test_two_labs_run_at_once(site: Site) -> None:
    shown, results = site.pytest(TASK, ANOTHER, "--agent=oracle", "-n", "2")
    assert {one["node_id"].rpartition("::")[2]: one["status"] for one in results} == {
        "nat-port-forward[oracle]": "passed",
        "zone-stateful-filter[oracle]": "passed",
    }, shown
    first, second = sorted(results, key=lambda one: str(one["started_at"]))
    began, next_began = (datetime.fromisoformat(one["started_at"]).timestamp() for one in (first, second))
    assert next_began < began + first["duration_s"], "one began when the other had ended"
    assert site.left() == NOTHING


def test_twenty_nodes_carry_all_flows_and_their_deployment_is_compared_with_containerlabs_own(
    site: Site, say: Any
) -> None:
    shown = site.run("benchmarks/containerlab.py", "--only", "deploy", "--runs", "1", "--json")
    runs = json.loads(shown.splitlines()[0])["deploy"]["20"]
    assert runs["flows"] == runs["delivered"] == [380]
    (ours,), (alone,) = runs["deploy_s"], runs["alone_s"]
    say(f"20 nodes: {ours:.2f} s from deploy to configured, containerlab alone {alone:.2f} s")
    assert ours <= MOST_TIMES * alone
    assert site.left() == NOTHING
