"""NetArena's own check of Online Boutique beside ours, by connections of real pods: what it does not see is wrong."""

from __future__ import annotations

from base64 import b64encode

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.generators.series import read_series
from pytest_netbench.kubernetes.applications.connectivity import Connectivity
from pytest_netbench.model.objects import objects_of
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from tests.support.netarena_check import asked, mismatches, states
from tests.support.repair_trials import attempted

CONNECT = """\
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def answers(place):
    host, _, port = place.partition(":")
    try:
        socket.create_connection((host, int(port)), 1).close()
    except OSError:
        return "closed"
    return "open"
with ThreadPoolExecutor(16) as pool:
    print(*pool.map(answers, sys.argv[1:]))
"""
PYTHON = f'python3 -c "import base64; exec(base64.b64decode({b64encode(CONNECT.encode()).decode()!r}))"'
Found = set[tuple[str, str]]
"""Mismatches: who sends to whom."""


class Checks:
    """Does what the check does, as an agent would: first as the faults left it, then without any policy."""

    info = AgentInfo(id="checks", strategy="checks")

    def __init__(self, task: Task) -> None:
        self.task = task
        self.found: list[Found] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.found.append(set(self._look(ani)))
        ani.update_cfg("workstation", ["kubectl delete networkpolicy --all -n boutique"])
        self.found.append(set(self._look(ani)))
        return Submission()

    def _look(self, ani: Ani) -> Found:
        found = Found()
        flows = list(asked(self.task))
        for source in dict.fromkeys(flow.source for flow in flows):
            targets = [flow for flow in flows if flow.source == source]
            places = " ".join(f"{flow.target}:{flow.port}" for flow in targets)
            said = str(ani.execute_cmd(source, f"{PYTHON} {places}")["output"]).split()
            found |= {
                (source, flow.target)
                for flow, one in zip(targets, said, strict=True)
                if (one == "open") is not flow.allowed
            }
        return found


def test_a_fault_that_netarenas_check_does_not_see_is_wrong_by_packets(binaries: Binaries) -> None:
    task = read_series("repair-kubernetes:seed=1,applications=boutique,level=1,labels=AI").source(2).load()
    agent = Checks(task)
    record = attempted(task, agent)
    assert record.error is None
    broken = next(states(task))
    opened = [one for one in objects_of(task.network.startup_configs["workstation"]) if one["kind"] != "NetworkPolicy"]
    on_paper = [
        {(flow.source, flow.target) for flow in mismatches(task, Connectivity(objects).delivers)}
        for objects in (broken, opened)
    ]
    assert agent.found == on_paper
    assert agent.found[0] == set(), "the check finds nothing"
    assert agent.found[1]
    assert record.watch is not None
    assert set(record.watch.wrong_before) == set(repair_of(task).symptom or ())
    assert record.watch.wrong_before
