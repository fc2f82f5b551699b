"""Decoys and networks without a login, on real networks: what excludes a decoy, and what an agent is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, PolicyViolation
from pytest_netbench.families.diagnose.evidence import EvidenceCheck
from pytest_netbench.families.diagnose.scene import DiagnoseScene
from pytest_netbench.faults.cables import DOWN_S
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("ring",), "size": "2", "hosts": "2", "level": "1", "services": (), "routings": ("ospf",)}


def drawn(index: int = 0, **parameters: Any) -> Task:
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(SMALL | parameters), seed=2, index=index)


class Looker:
    """Calls ``look`` with its brief and its interface."""

    info = AgentInfo(id="looker", strategy="looker")

    def __init__(self, look: Any) -> None:
        self.look = look

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.look(brief, ani)
        return Submission()


def with_all_decoys(**parameters: Any) -> Task:
    tasks = (drawn(index, decoys="drawn", **parameters) for index in range(40))
    return next(task for task in tasks if len(diagnose_of(task).decoys) == 3)


def dark_s(log: str, interface: str) -> float:
    """Seconds in which an interface had no carrier, once, by the log of an IOS device."""
    pattern = rf"(\d+):(\d+):([\d.]+): %LINK-3-UPDOWN: Interface {interface}, changed state to (down|up)"
    times = [(state, 3600 * int(h) + 60 * int(m) + float(s)) for h, m, s, state in re.findall(pattern, log)]
    down = max(at for state, at in times if state == "down")
    return min(at for state, at in times if state == "up" and at > down) - down


def test_each_decoy_is_excluded_by_what_an_agent_can_observe() -> None:
    task = with_all_decoys(healthy=0.0, platforms=("cisco_ios",), faults=("icmp-denied",), access="managed")
    payload = diagnose_of(task)
    seen: dict[str, str] = {}
    flap = next(one for one in payload.decoys if one.kind == "flap")
    change = next(one for one in payload.decoys if one.kind == "change")

    def look(brief: Brief, ani: Ani) -> None:
        seen["log"] = ani.execute_cmd(flap.node, "show logging")["output"]
        seen["config"] = ani.get_running_cfg(change.node)["running_config"]

    with Stage(task) as stage:
        scene = stage.scene
        assert isinstance(scene, DiagnoseScene)
        scene.observe()
        assert list(EvidenceCheck(payload).decoys(scene)) == []
        other = change.model_copy(update={"lines": ("ip route 10.255.255.0 255.255.255.0 Null0 200",)})
        never = payload.model_copy(update={"decoys": (other,)})
        (problem,) = EvidenceCheck(never, patience_s=0.0).decoys(scene)
        assert problem.startswith("decoy change: ")
        stage.work(Looker(look))
    assert "changed state to down" in seen["log"]
    # a shorter time than that of a loose contact would tell a decoy from the fault
    assert DOWN_S - 1 < dark_s(seen["log"], flap.interface) < 2 * DOWN_S
    assert change.lines[0] in seen["config"]


def test_a_network_without_a_login_has_telemetry_and_tests() -> None:
    task = drawn(access="reports", healthy=0.0, faults=("interface-detached",), platforms=("frr",))
    payload = diagnose_of(task)
    seen: dict[str, Any] = {}

    def look(brief: Brief, ani: Ani) -> None:
        seen["offered"] = {one.name for one in brief.methods}
        for method, more in (("get-running-cfg", {}), ("execute-cmd", {"command": "show ip route"})):
            with pytest.raises(PolicyViolation, match="is foreign"):
                ani.call(method, {"device": payload.monitored[0], **more})
        with pytest.raises(AniError):
            ani.call("capture-packets", {"node": payload.monitored[0], "interface": "eth0"})
        seen["nodes"] = ani.call("query-telemetry", {"sql": "SELECT DISTINCT node FROM interfaces"})["rows"]
        seen["tried"] = ani.call("check-reachability", {})["tried"]

    with Stage(task) as stage:
        stage.work(Looker(look))
        record = stage.evaluate()
    assert record.outcome == "done", record.error
    assert "capture-packets" not in seen["offered"]
    assert {name for (name,) in seen["nodes"]} == {*payload.monitored}
    assert seen["tried"] > 0
