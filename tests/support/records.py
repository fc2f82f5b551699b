"""Records and results with little in them, and line rules of a small network OS of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.syntax import Tree
from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import (
    AgentInfo,
    BudgetUsed,
    CommandStatus,
    Environment,
    Isolation,
    Submission,
    TestcaseResult,
    TrialRecord,
    TrialResult,
    Usage,
)

NODE_ID = "tasks/qos/llq-voice.task.yaml::llq-voice[react-gpt-4o]"
ENVIRONMENT = Environment(netbench="0.1.0", python="3.11", kernel="6.1", backend="netns", time_scale=20.0)


class Rules:
    """A small dialect. Access lists, prefix lists, maps are ordered; names and numbers are free. Chains are ordered."""

    def normalise(self, line: str) -> str | None:
        words = " ".join(line.split())
        return None if words in {"", "!", "exit"} or words.startswith("banner") else words

    name = "small"
    hint = ""
    syntax = TYPED

    def interface(self, name: str) -> str:
        return name

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def manual(self) -> Sequence[ManualSection]:
        return ()

    def free_names(self) -> Sequence[tuple[str, str]]:
        return (
            ("list", r"^list (\S+) \d+ "),
            ("list", r"^(?:filter|match) (\S+)$"),
            ("list sequence", r"^list \S+ (\d+) "),
            ("map", r"^map (\S+) "),
            ("map", r"^apply (\S+)$"),
            ("map sequence", r"^map \S+ (\d+)$"),
            ("note", r"^note (.+)$"),
        )

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        if parents and parents[-1].startswith("chain "):
            return "rules"
        found = re.match(r"(list|map) \S+", line)
        return found[0] if found else None


def task(**changes: Any) -> Task:
    fields: dict[str, Any] = {
        "task_name": "Voice first",
        "slug": "llq-voice",
        "domain": "qos",
        "platform": "small",
        "intents": [{"text": "voice first"}],
        "topology": {"nodes": [{"name": "R1"}, {"name": "R2"}]},
        "ground_truth_reasoning": "Mark voice at the edge, then give it a priority queue.",
    }
    return Task.model_validate({**fields, **changes})


def record(**changes: Any) -> TrialRecord:
    about = changes.pop("task", None) or task()
    fields: dict[str, Any] = {
        "task": about,
        "task_digest": about.digest,
        "node_id": NODE_ID,
        "agent": AgentInfo(id="react-gpt-4o", model="gpt-4o", strategy="react"),
        "outcome": "done",
        "submission": Submission(),
        "environment": ENVIRONMENT,
        "started_at": "2026-10-03T12:00:00.000+00:00",
    }
    return TrialRecord(**{**fields, **changes})


def configs_record(
    *,
    initial: str,
    final: str,
    truth: str,
    truth_initial: str | None = None,
    right: Mapping[str, str] | None = None,
    **changes: Any,
) -> TrialRecord:
    """One node, R1. ``right``: its config in other right solutions."""
    return record(
        **changes,
        right_configs={name: {"R1": config} for name, config in (right or {}).items()},
        initial_configs={"R1": initial},
        final_configs={"R1": final},
        truth_initial_configs={"R1": initial if truth_initial is None else truth_initial},
        truth_configs={"R1": truth},
    )


def ran(name: str, status: str = "pass", **changes: Any) -> TestcaseResult:
    return TestcaseResult(**{"name": name, "kind": "show", "role": "intent", "intent": 1, "status": status, **changes})


def score(metric: str, value: float | None, explanation: str = "", *, version: int = 1) -> Score:
    return Score(metric=metric, value=value, explanation=explanation, scorer=f"{metric}/{version}")


def result(values: Mapping[str, float | None] | None = None, /, **changes: Any) -> TrialResult:
    fields: dict[str, Any] = {
        "node_id": NODE_ID,
        "task_name": "Voice first",
        "task_digest": "0123456789abcdef",
        "domain": "qos",
        "family": "configure",
        "agent": AgentInfo(id="react-gpt-4o", model="gpt-4o", strategy="react"),
        "trial": 1,
        "status": "passed",
        "outcome": "done",
        "scores": tuple(score(metric, value) for metric, value in (values or {}).items()),
        "environment": ENVIRONMENT,
        "started_at": "2026-10-03T12:00:00.000+00:00",
    }
    return TrialResult(**{**fields, **changes})


def unprotected() -> dict[str, Any]:
    """The field of a result whose lab did not enforce read-only."""
    return {"environment": ENVIRONMENT.model_copy(update={"isolation": Isolation(runs_as="the login lab")})}


def busy_result(**changes: Any) -> TrialResult:
    """A failed trial that has something to say in every section."""
    fields: dict[str, Any] = {
        "status": "failed",
        "scores": (
            score("testcase", 0.5, "1 of 2 testcases passed"),
            score("command", 0.857143, "3 of 4 changed lines are in the ground truth, which changes 3"),
            score("reasoning", None, "not measured: the agent gives no reasoning"),
        ),
        "testcase_results": (
            ran("voice is marked", duration_s=0.21),
            ran(
                "voice has priority",
                "fail",
                kind="throughput",
                intent=2,
                command="udp R1 -> R2 1 Mbit/s",
                expected="at least 900 kbit/s",
                actual="412 kbit/s\n(2 of 3 runs)",
                duration_s=1.5,
            ),
        ),
        "commands": (
            CommandStatus(device="R1", command="priority 512", status="success"),
            CommandStatus(device="Edge", command="priorty 512", status="error", message="% Unknown command.\n"),
        ),
        "budget_used": BudgetUsed(calls=12, commands=34, wall_s=63.0, tokens=12345),
        "usage": Usage(completions=5, prompt_tokens=12000, completion_tokens=345, cost_usd=0.0421),
        "transcript": "transcripts/llq-voice-react-gpt-4o-1a2b3c4d.json",
        "agent_s": 63.0,
    }
    return result(**{**fields, **changes})
