"""Trials of repairs: an agent that types, and what it is worth."""

from __future__ import annotations

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.families.repair import RepairFamily
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.trial.stage import Stage


class Typist:
    """Enters the given commands at a device, one request each; those that begin with a question mark only read."""

    info = AgentInfo(id="typist", strategy="typist")

    def __init__(self, *commands: str, device: str = "workstation") -> None:
        self.commands = commands
        self.device = device
        self.seen: list[str] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        for command in self.commands:
            try:
                if command.startswith("?"):
                    self.seen.append(ani.execute_cmd(self.device, command[1:])["output"])
                else:
                    self.seen += [str(one) for one in ani.update_cfg(self.device, [command])["results"]]
            except AniError as error:
                self.seen.append(f"error: {error}")
        return Submission()


def attempted(task: Task, agent: object) -> TrialRecord:
    with Stage(task) as stage:
        return attempted_on(stage, agent)


def attempted_on(stage: Stage, agent: object) -> TrialRecord:
    stage.work(agent)
    return stage.evaluate()


def scores(record: TrialRecord) -> dict[str, float | None]:
    return {score.metric: score.value for score in apply_scorers(record, RepairFamily.scorers, where="worker")}
