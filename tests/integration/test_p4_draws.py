"""Drawn networks of P4 switches, for real: each proves itself, the oracle solves it, and who does nothing does not."""

from __future__ import annotations

from itertools import product

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.repair import RepairFamily
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.platforms.p4 import switch
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.support.task_list import TASKS

SETTINGS = Settings(where=TASKS)
FAMILIES = {"diagnose": DiagnoseFamily, "repair-network": RepairFamily, "troubleshoot": TroubleshootFamily}
"""By generator."""
DECIDES = {"diagnose": "root_cause", "repair-network": "correctness", "troubleshoot": "correctness"}
"""By generator: a score that says whether a trial is right."""
of_each_generator = pytest.mark.parametrize("generator", FAMILIES)


@pytest.fixture(autouse=True)
def _has_a_switch() -> None:
    if (lack := switch.lack()) is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")


def drawn(generator: str, level: int, **others: object) -> Task:
    given = {"shapes": "p4-leaf-spine", "size": 1, "level": level, "n": 1, "seed": 40 + level, **others}
    if generator != "repair-network":
        given["healthy"] = 0
    (source,) = read_series(f"{generator}:{','.join(f'{name}={value}' for name, value in given.items())}").sources()
    return source.load()


def attempted(task: Task, agent: object) -> TrialRecord:
    with Stage(task, SETTINGS) as stage:
        stage.work(agent)
        return stage.evaluate()


def score(generator: str, record: TrialRecord) -> float | None:
    scores = apply_scorers(record, FAMILIES[generator].scorers, where="worker")
    return {one.metric: one.value for one in scores}[DECIDES[generator]]


@pytest.mark.parametrize("level", [1, 2, 3])
@of_each_generator
def test_the_oracle_solves_a_draw_and_who_does_nothing_does_not(generator: str, level: int) -> None:
    task = drawn(generator, level)
    assert score(generator, attempted(task, Oracle())) == 1.0
    assert (score(generator, attempted(task, Nop())) or 0.0) < 1.0


@pytest.mark.parametrize("generator", ["repair-network", "troubleshoot"])
def test_a_switch_that_is_down_is_handed_over(generator: str) -> None:
    task = drawn(generator, 1, faults="p4-switch-down", handover="true")
    record = attempted(task, Oracle())
    assert score(generator, record) == 1.0
    assert [one["outcome"] for one in record.other["tickets"]] == ["mended"]
    assert (score(generator, attempted(task, Nop())) or 0.0) < 1.0


class AsksTelemetry:
    """Asks for the counters of programs, and remembers the rows."""

    def __init__(self, sql: str) -> None:
        self._sql = sql
        self.rows: list[list[object]] = []

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id="asks-telemetry", strategy="asks-telemetry")

    def run(self, brief: Brief, ani: Ani) -> Submission:  # the Agent protocol
        self.rows = ani.call("query-telemetry", {"sql": self._sql})["rows"]
        return Submission(reasoning=None, stop_reason="done")


def test_telemetry_has_the_counters_of_tables_and_ports() -> None:
    counted = "min(packets) >= 0, max(packets), max(bytes), count(DISTINCT time_s)"
    agent = AsksTelemetry(f"SELECT node, counter, place, {counted} FROM counters GROUP BY node, counter, place")
    task = drawn("diagnose", 1, healthy=1)
    attempted(task, agent)
    rows = {(node, counter, place): others for node, counter, place, *others in agent.rows}
    switches = [node.name for node in task.network.topology.nodes if node.platform is None]
    for name in switches:
        ports = range(len(task.network.topology.interfaces(name)))
        places = {(counter, place) for node, counter, place in rows if node == name}
        assert places == {("ipv4_lpm", None), *product(("received", "dropped", "sent"), ports)}
        _, packets, octets, samples = rows[name, "ipv4_lpm", None]
        assert packets > 0
        assert octets > 64 * packets
        assert samples >= 5
        sent = sum(rows[name, "sent", port][1] for port in ports)
        # ARP is sent, too, and a sample does not read all counters at the same moment
        assert sent >= 0.8 * packets


@of_each_generator
def test_a_draw_proves_itself(generator: str) -> None:
    report = selftest(drawn(generator, 2, hosts=2), SETTINGS, Extent(repeats=1))
    assert report.problems == ()
