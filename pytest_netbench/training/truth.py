"""Examples from ground truth: the question of the strategy ``single-turn``, and the task's own solution as its answer.

The network is shown as it was recorded before the solution, and no output of a device is made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench import parts
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.answer import read_answer, read_with_answer, written_answer
from pytest_netbench.agents.prompting import paragraphs
from pytest_netbench.agents.single_turn import opening_of, question
from pytest_netbench.errors import AgentError, AniError, UsageError
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import MethodSpec, Submission, TrialRecord
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.rpccodes import Code
from pytest_netbench.training.examples import Example
from pytest_netbench.trial.limits import brief_for, terms_for


class PaperAni:
    """An ``Ani`` without a lab.

    Args:
        task: Has the topology.
        configs: The running configs by node.
    """

    def __init__(self, task: Task, configs: Mapping[str, str]) -> None:
        self._task = task
        self.configs = configs
        self.commands: dict[str, list[str]] = {}
        """By device, in the order of their first change: what was configured."""

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return {"topology": self._task.network.topology.wire(tuple(devices))}

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        if device not in self.configs:
            raise AniError(f"no running config of {device} is recorded", code=Code.INVALID_PARAMS)
        return {"running_config": self.configs[device]}

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        self.commands.setdefault(device, []).extend(commands)
        return {"results": [{"command": command, "status": "success"} for command in commands]}

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:  # nothing can be done
        raise AniError(f"{method}: the network is on paper", code=Code.POLICY_DENIED)

    def budget_left(self) -> dict[str, float | None]:
        return {}

    def offered(self) -> tuple[MethodSpec, ...]:
        return ()

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        """Nothing is recorded."""

    def note(self, text: str) -> None:
        """Nothing is recorded."""


ORACLE = "oracle"
_AGENT = AgentFile(name="single-turn", strategy="single-turn")


def of_task(task: Task, truths: TruthStore) -> Example:
    """The example of a task, from its recorded running configs; nothing runs.

    Raises:
        UsageError: The network before the solution was not recorded.
        ResultsError: The record cannot be read.
    """
    if not task.has_network:
        configs: Mapping[str, str] = {}
    elif (truth := truths.load(task)) is not None:
        configs = truth.initial_configs
    elif task.truth_digest is not None:
        raise UsageError("no ground truth is recorded (record it: pytest TASK_FILE --netbench-selftest)")
    else:
        raise UsageError(
            f"the network of a task of family {task.family!r} is known only from a run (run pytest --agent=oracle and"
            " give --results)"
        )
    ani = PaperAni(task, configs)
    submission: Submission = parts.load("families", task.family)().solve(task, ani)
    return _example(task, ani, submission)


def of_oracle(record: TrialRecord) -> Example:
    """The example of a trial of the oracle: the network as it was when the trial began.

    Raises:
        UsageError: The transcript has no running configs from before the solution.
    """
    ani = PaperAni(record.task, record.initial_configs)
    for step in record.trace:
        if step.kind == "ani" and step.data.get("method") == "update-cfg":
            ani.update_cfg(step.data["params"]["device"], step.data["params"]["commands"])
    return _example(record.task, ani, record.submission)


def _example(task: Task, ani: PaperAni, submission: Submission) -> Example:
    brief = brief_for(task, terms_for(task, _AGENT.info()))
    unknown = [device for device in brief.devices if device not in ani.configs]
    missing = [device for device in unknown if brief.control.get(device, "managed") == "managed"]
    if missing:
        raise UsageError(f"no running config from before the solution is recorded of {', '.join(missing)}")
    reasoning = (submission.reasoning or "").strip()
    text = written_answer(reasoning, ani.commands, submission.answer)
    try:
        read = read_answer if brief.answer is None else read_with_answer
        found = read(text, brief.devices)
    except AgentError as error:
        raise UsageError(f"the solution is no answer that the strategy single-turn understands: {error}") from error
    if found[0] != reasoning:
        raise UsageError("the reasoning cannot be told from the answer after it")
    opening = opening_of(_AGENT)
    messages = [
        {"role": "system", "content": opening.system_text(brief)},
        {"role": "user", "content": paragraphs(question(opening, brief, ani, without=unknown))},
        {"role": "assistant", "content": text},
    ]
    return Example(messages=messages)
