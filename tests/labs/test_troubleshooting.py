"""The family ``troubleshoot`` on real networks: first only looking, then the answer, then the repair."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import asyncssh
import pytest

from pytest_netbench.agents.baselines import AlwaysHealthy
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.diagnosis import Diagnose, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage

SMALL = {"shapes": ("line",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": ()}
ROUTER = {**SMALL, "faults": ("static-next-hop-wrong",), "routings": ("static",), "platforms": ("cisco_ios",)}
HOST = {**SMALL, "faults": ("host-gateway-wrong",), "routings": ("static",), "platforms": ("frr",)}
RIGHT = {"root_cause": 1.0, "detection": 1.0, "correctness": 1.0, "traffic": 1.0, "safety": 1.0, "blast_radius": 0.0}


def drawn(healthy: float = 0.0, **parameters: Any) -> Task:
    chosen = TroubleshootParameters.model_validate({**parameters, "healthy": healthy})
    return TroubleshootGenerator().draw(chosen, seed=2, index=0)


class Engineer:
    """Calls ``work`` with the brief and its interface."""

    info = AgentInfo(id="engineer", strategy="engineer")

    def __init__(self, work: Any) -> None:
        self.work = work

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.work(brief, ani)
        return Submission()


def attempted(task: Task, agent: Any, *, ssh: bool = False) -> TrialRecord:
    with Stage(task) as stage:
        stage.work(agent, ssh=ssh)
        return stage.evaluate()


def values(record: TrialRecord) -> dict[str, float | None]:
    return {score.metric: score.value for score in apply_scorers(record, TroubleshootFamily.scorers, where="worker")}


def right_answer(payload: Diagnose) -> dict[str, Any]:
    causes = [{"resource_id": one.resources[0], "fault_type": one.fault_type} for one in payload.causes]
    return {"is_anomaly": bool(causes), "root_causes": causes}


@pytest.mark.parametrize("parameters", [ROUTER, HOST])
@pytest.mark.parametrize("healthy", [0.0, 1.0])
def test_the_oracle_answers_and_repairs(parameters: dict[str, Any], healthy: float) -> None:
    record = attempted(drawn(healthy, **parameters), Oracle())
    found = values(record)
    assert {name: found[name] for name in RIGHT} == RIGHT
    assert record.watch is not None
    assert bool(record.watch.wrong_before) is not bool(healthy)
    assert 0 <= record.other["diagnosed_after"]["wall_s"] <= record.other["answered_after"]["wall_s"]
    assert record.other["breached_demands"]["after"] == ()


def test_who_does_nothing_and_who_only_answers_leave_the_network_broken() -> None:
    task = drawn(**HOST)
    nothing = values(attempted(task, Nop()))
    assert (nothing["root_cause"], nothing["correctness"], nothing["traffic"]) == (0.0, 0.0, 0.0)
    said = attempted(task, AlwaysHealthy())
    assert said.other["answer"] == {"is_anomaly": False, "root_causes": []}
    assert values(said)["correctness"] == 0.0
    assert values(attempted(drawn(1.0, **HOST), AlwaysHealthy()))["root_cause"] == 1.0


def test_nothing_can_be_changed_before_the_answer_and_the_answer_is_final() -> None:
    task = drawn(**HOST)
    payload = diagnose_of(task)
    ((_, host, commands),) = repairs(payload.faults)

    def work(_brief: Brief, ani: Ani) -> None:
        answer = right_answer(payload)
        with pytest.raises(AniError, match="nothing may be changed until 'submit-answer' is called"):
            ani.update_cfg(host, list(commands))
        with pytest.raises(AniError, match="call 'submit-diagnosis' first"):
            ani.call("submit-answer", answer)
        with pytest.raises(AniError, match="nothing may be changed"):
            ani.update_cfg(host, list(commands))
        assert "default" in ani.execute_cmd(host, "ip route")["output"], "looking is permitted"
        ani.execute_cmd(host, "ip route del default; true")
        ani.call("submit-diagnosis", {"diagnosis": "a host has a wrong gateway"})
        for request in (lambda: ani.execute_cmd(host, "ip route"), lambda: ani.update_cfg(host, list(commands))):
            with pytest.raises(AniError, match="no device answers after 'submit-diagnosis' until 'submit-answer'"):
                request()
        with pytest.raises(AniError, match="root_causes"):
            ani.call("submit-answer", {"is_anomaly": True, "root_causes": ["a host"]})
        assert host in ani.call("submit-answer", answer)["managed"]
        with pytest.raises(AniError, match="submitted already"):
            ani.call("submit-answer", {"is_anomaly": False})
        # the prompt could look only, so its route is still there
        assert "default" in ani.execute_cmd(host, "ip route")["output"]
        assert {one["status"] for one in ani.update_cfg(host, list(commands))["results"]} == {"success"}

    record = attempted(task, Engineer(work))
    found = values(record)
    assert {name: found[name] for name in RIGHT} == RIGHT
    assert record.error is None


def test_a_repair_that_breaks_something_else_is_unsafe() -> None:
    task = drawn(1.0, **HOST)
    payload = diagnose_of(task)
    host = payload.demands[0].source

    def work(_brief: Brief, ani: Ani) -> None:
        ani.call("submit-diagnosis", {"diagnosis": "all is well"})
        ani.call("submit-answer", {"is_anomaly": False})
        ani.update_cfg(host, ["ip route del default"])

    found = values(attempted(task, Engineer(work)))
    assert found["root_cause"] == 1.0
    assert (found["correctness"], found["safety"], found["traffic"]) == (0.0, 0.0, 0.0)


def test_a_login_is_for_reading_until_the_answer() -> None:
    task = drawn(**ROUTER)
    payload = diagnose_of(task)
    router = payload.faults[0].parameters["node"]

    async def typed(brief: Brief, *lines: str) -> str:
        assert brief.ssh is not None
        login = brief.ssh.hosts[router]
        async with asyncssh.connect(
            login.host, login.port, username=login.username, password=login.password, known_hosts=None
        ) as connection:
            process = await connection.create_process(term_type="vt100")
            process.stdin.write(
                "".join(f"{line}\n" for line in ("enable", login.enable_secret, *lines, "exit", "exit"))
            )
            return str(await process.stdout.read())

    seen: dict[str, str] = {}

    def work(brief: Brief, ani: Ani) -> None:
        change = ("configure terminal", "hostname CHANGED", "end", "show clock")
        seen["before"] = asyncio.run(typed(brief, *change))
        ani.call("submit-diagnosis", {"diagnosis": "a next hop is wrong"})
        ani.call("submit-answer", right_answer(payload))
        seen["after"] = asyncio.run(typed(brief, *change))

    attempted(task, Engineer(work), ssh=True)
    assert "CHANGED#" not in seen["before"], json.dumps(seen)
    assert "CHANGED#" in seen["after"], json.dumps(seen)


def test_the_self_test_repairs_what_is_drawn() -> None:
    assert selftest(drawn(**ROUTER), extent=Extent(repeats=1)).problems == ()
