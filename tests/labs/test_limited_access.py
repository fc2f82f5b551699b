"""Diagnoses with less access and less of the past, on real networks: what an agent is refused, and what is missing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, PolicyViolation
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.stage import Stage
from tests.support.ios import await_that

SMALL = {"shapes": ("tree",), "size": "2", "hosts": "2", "level": "1", "names": "plain", "services": ()}
OSPF = {**SMALL, "faults": ("ospf-timers-wrong",), "routings": ("ospf",), "platforms": ("frr",), "healthy": 0.0}


def drawn(**parameters: Any) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(parameters), seed=2, index=0)


class Doctor:
    """Calls ``look`` with its brief and its interface."""

    info = AgentInfo(id="doctor", strategy="doctor")

    def __init__(self, look: Any) -> None:
        self.look = look

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.look(brief, ani)
        return Submission()


def test_an_agent_without_logins_to_hosts_tests_from_named_hosts_only() -> None:
    task = drawn(**OSPF, access="managed")
    payload = diagnose_of(task)
    hosts = [node.name for node in payload.topology.nodes if payload.platform_of(node.name) == "linux"]
    testers = list(payload.test_hosts)
    other = next(name for name in hosts if name not in testers)
    router = next(node.name for node in payload.topology.nodes if node.name not in hosts)
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        seen["told"] = "\n".join(brief.intents)
        for host in (other, testers[0]):
            with pytest.raises(PolicyViolation, match="is foreign"):
                ani.call("execute-cmd", {"device": host, "command": "ip route"})
            with pytest.raises((AniError, PolicyViolation)):
                ani.call("capture-packets", {"node": host, "interface": "eth0"})
        with pytest.raises(AniError, match=f"{other!r} is not one of the hosts that can be named here"):
            ani.call("check-reachability", {"source": other})
        with pytest.raises(AniError, match=f"{other!r} is not one of the hosts"):
            ani.call("measure-rate", {"source": testers[0], "target": other})
        seen["tried"] = ani.call("check-reachability", {})["tried"]
        seen["config"] = ani.call("get-running-cfg", {"device": router})
        seen["flows"] = ani.call("query-telemetry", {"sql": "SELECT DISTINCT source, target FROM flows"})["rows"]
        seen["nodes"] = ani.call("query-telemetry", {"sql": "SELECT DISTINCT node FROM interfaces"})["rows"]

    with Stage(task) as stage:
        stage.work(Doctor(look))
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    assert 2 <= len(testers) < len(hosts)
    assert f"{', '.join(testers)}." in seen["told"]
    assert seen["tried"] == len(testers) * (len(hosts) - 1)
    assert seen["config"]
    assert {name for pair in seen["flows"] for name in pair} <= {*testers}
    assert not {name for (name,) in seen["nodes"]} & {*hosts}


@pytest.mark.parametrize("history", ["full", "short", "none"])
def test_telemetry_has_of_the_past_what_the_brief_says(history: str) -> None:
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        (seen["told"],) = (one.description for one in brief.methods if one.name == "query-telemetry")
        seen["first"] = ani.call("query-telemetry", {"sql": "SELECT min(time_s), max(time_s) FROM neighbors"})["rows"][
            0
        ]
        up = "SELECT count(*) FROM neighbors WHERE is_up = 0 OR state LIKE 'Full%'"
        seen["rows"] = ani.call("query-telemetry", {"sql": up})["rows"][0][0]

    task = drawn(**OSPF, history=history)
    with Stage(task) as stage:
        stage.work(Doctor(look))
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    first, last = seen["first"]
    if history == "full":
        assert first < 1
        assert "before anything may have gone wrong." in seen["told"]
    elif history == "short":
        assert first is None or 2 < first <= last
        assert "some seconds before you began" in seen["told"]
    else:
        assert first is None
        assert "since you began" in seen["told"]


def test_averages_are_of_one_end_of_a_link_and_come_each_minute() -> None:
    seen: dict[str, Any] = {}

    def look(_: Brief, ani: Ani) -> None:
        def rows() -> Any:
            return ani.call("query-telemetry", {"sql": "SELECT node, interface, lab_s, bps FROM averages"})["rows"]

        await_that(lambda: len({row[2] for row in rows()}) > 1, lambda: "two polls", within_s=30)
        seen["rows"] = rows()
        with pytest.raises(AniError, match="no such table: neighbors"):
            ani.call("query-telemetry", {"sql": "SELECT * FROM neighbors"})

    task = drawn(**OSPF, access="managed", monitoring="averages")
    with Stage(task) as stage:
        stage.work(Doctor(look))
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    monitoring = diagnose_of(task).monitoring
    assert monitoring is not None
    labels = {(one.node_label, one.interface_label) for one in monitoring.ports}
    assert {(node, interface) for node, interface, _, _ in seen["rows"]} <= labels
    assert max(bps for *_, bps in seen["rows"]) > 100_000, "the traffic of hosts is in it"
    moments = sorted({lab_s for _, _, lab_s, _ in seen["rows"]})
    assert all(later - earlier >= 60 for earlier, later in pairwise(moments))


@pytest.mark.parametrize("healthy", [0.0, 1.0])
def test_the_oracle_solves_what_was_drawn_with_less(healthy: float) -> None:
    task = drawn(**{**OSPF, "healthy": healthy}, access="routers", history="none", reports="mixed")
    with Stage(task) as stage:
        stage.work(Oracle())
        record = stage.evaluate()
    scores = {one.metric: one.value for one in apply_scorers(record, DiagnoseFamily.scorers, where="worker")}
    assert set(scores.values()) == {1.0}


def test_what_is_repaired_can_be_logged_in_to() -> None:
    chosen = TroubleshootParameters.model_validate({"access": "managed", "healthy": 0.0, "size": "2"})
    for index in range(20):
        payload = diagnose_of(TroubleshootGenerator().draw(chosen, seed=3, index=index))
        controls = payload.topology.controls
        assert all(controls[one.parameters["node"]] == "managed" for one in payload.faults)
        assert all(controls[name] == "foreign" for name in payload.test_hosts)
