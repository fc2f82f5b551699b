"""The files of one Harbor task. Layouts differ in how the agent is kept apart from the lab and the evaluator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pytest_netbench.exports.harbor import checks, compose, instruction, single, solution
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief
from pytest_netbench.results.truth import Truth
from pytest_netbench.text import plain_json
from pytest_netbench.trial import brief_for, terms_for
from pytest_netbench.trial.deployment import stands_still_by_default

Layout = Literal["compose", "single"]
LAB_IMAGE: Final = "netbench"
AGENT_IMAGE: Final = "netbench-agent"
SCHEMA: Final = "1.4"
ELSEWHERE: Final[Mapping[str, None]] = {"wall_s": None, "tokens": None}
"""Limits of a budget that Harbor counts: it ends the agent's time, and knows the tokens."""
_LONGEST_WORK_S: Final = 3600.0
_JUDGED_S: Final = 900.0
_LABS: Final[Mapping[str, Any]] = {"compose": compose, "single": single}
_CLIENT: Final = Path(__file__).with_name("ani.py")
_TOML: Final = """\
schema_version = {schema}

artifacts = [{{ source = {rewards}, service = {service}, destination = "rewards.json" }}]

[task]
name = {name}
description = {title}
keywords = {keywords}

[metadata]
family = {family}
domain = {domain}
difficulty = {difficulty}
task_digest = {digest}

[agent]
timeout_sec = {work_s}
user = {user}

[verifier]
timeout_sec = {judged_s}
user = "root"
environment_mode = "separate"

# Ends the work, and lets the lab judge it before it is gone. The word is the key of its checks.
[[verifier.collect]]
service = {service}
user = "root"
timeout_sec = {judged_s}
command = {collect}

{environment}
[[environment.mcp_servers]]
name = "netbench"
transport = "streamable-http"
url = {mcp}
"""
_TEST: Final = """\
#!/bin/sh
# Hands on the rewards of the lab. Where the verifier runs beside the agent, it sends the checks first. A lab that broke
# has no rewards.
set -eu
mkdir -p /logs/verifier
if [ -s {rewards} ]; then
    cp {rewards} /logs/verifier/reward.tmp
else
    ani check /tests/checks.json >/logs/verifier/reward.tmp
fi
mv /logs/verifier/reward.tmp /logs/verifier/reward.json
"""
_COLLECT: Final = "mkdir -p $(dirname {rewards}) && ani check-by-key {key} >{rewards}.tmp && mv {rewards}.tmp {rewards}"
REWARDS: Final = "/run/netbench/rewards.json"


def beside(layout: Layout) -> dict[str, str]:
    """The text of each file of a dataset that belongs to no task, by its name."""
    return dict(_LABS[layout].beside())


def folder_of(task: Task) -> str:
    """The name of a task's folder. That of a draw says nothing of what was drawn: agents can see it."""
    return task.slug if task.drawn is None else f"{task.family}-{task.digest[:12]}"


def brief_of(task: Task) -> Brief:
    """What an agent is told of ``task``."""
    terms = terms_for(
        task, AgentInfo(id="harbor", strategy="harbor"), budget=ELSEWHERE, stands_still=stands_still_by_default(task)
    )
    return brief_for(task, terms)


def files(
    task: Task,
    *,
    organisation: str,
    truth: Truth | None,
    reference: Behaviour | None,
    profile: str,
    layout: Layout = "compose",
    lab_image: str = LAB_IMAGE,
    agent_image: str = AGENT_IMAGE,
) -> dict[str, str]:
    """The text of each file by its path in the task's folder; scripts have a first line ``#!``.

    Args:
        task: The task.
        organisation: The first part of its name.
        truth: Its recorded ground truth.
        reference: Its recorded behaviour.
        profile: The system calls that labs need, for the container runtime.
        layout: Whether the lab is in a container beside the agent's, or in the same one.
        lab_image: The image with this package.
        agent_image: The image that agents and verifiers work in: with Python and an SSH client.

    Raises:
        UsageError: Its checks cannot be withheld.
        RequirementMissing: The extra ``seal`` is not installed.
    """
    kind = _LABS[layout]
    judging = checks.bundle(task, truth, reference)
    key, sealed = checks.sealed(judging)
    lab = checks.withheld(task).model_dump(mode="json", by_alias=True)
    has_ssh = not stands_still_by_default(task)
    return {
        "task.toml": _toml(task, name=f"{organisation}/{folder_of(task)}", key=key, kind=kind, image=agent_image),
        "instruction.md": instruction.text(brief_of(task), mcp=kind.MCP, ssh=has_ssh),
        **kind.files(lab_image=lab_image, agent_image=agent_image),
        "environment/ani": _CLIENT.read_text(encoding="utf-8"),
        "environment/seccomp.json": profile,
        f"environment/lab/{checks.TASK_FILE}": plain_json(lab, indent=1) + "\n",
        f"environment/lab/{checks.DIGEST_FILE}": f"{checks.digest_of(judging)}  checks.json\n",
        f"environment/lab/{checks.SEALED_FILE}": f"{sealed}\n",
        "solution/solve.sh": solution.script(task),
        "tests/checks.json": judging,
        "tests/test.sh": _TEST.format(rewards=REWARDS),
    }


def _toml(task: Task, *, name: str, key: str, kind: Any, image: str) -> str:
    words: Mapping[str, Any] = {
        "schema": SCHEMA,
        "name": name,
        "title": task.task_name,
        "keywords": [task.domain, *task.tags],
        "family": task.family,
        "domain": task.domain,
        "difficulty": task.difficulty or "unknown",
        "digest": task.digest,
        "work_s": float(task.budget.wall_s or _LONGEST_WORK_S),
        "judged_s": _JUDGED_S,
        "user": kind.AGENT,
        "service": kind.SERVICE,
        "collect": _COLLECT.format(key=key, rewards=REWARDS),
        "rewards": REWARDS,
        "mcp": kind.MCP,
    }
    # strings and lists of JSON are TOML, too
    quoted = {key: json.dumps(value) for key, value in words.items()}
    return _TOML.format(**quoted, environment=kind.environment(agent_image=image))
