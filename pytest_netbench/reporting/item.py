"""Report sections of one item: what pytest shows of a trial with ``-v`` or ``-rP``, beneath the failure itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import CommandStatus, SshAccess, TestcaseResult, TrialResult
from pytest_netbench.reporting import words

Section = tuple[str, str]

_LISTED = 200
_WIDTH = 160


def is_unprotected(result: TrialResult) -> bool:
    """Whether nothing kept read-only commands of the agent from changing nodes of the lab."""
    isolation = None if result.environment is None else result.environment.isolation
    return isolation is not None and isolation.read_only is None


def identity(result: TrialResult) -> dict[str, Any]:
    """Return what says which trial a result is of, and how it ended: the same names in each report."""
    return {
        "agent": result.agent.id,
        "model": result.agent.model,
        "strategy": result.agent.strategy,
        "task": result.task_name,
        "task_digest": result.task_digest,
        "domain": result.domain,
        "family": result.family,
        "trial": result.trial,
        "status": result.status,
        "outcome": result.outcome,
    }


def item_sections(result: TrialResult) -> list[Section]:
    """Title and text of each section that ``result`` has something to say in."""
    sections: list[Section] = []
    if result.scores:
        label = max(10, *(len(score.metric) for score in result.scores))
        sections.append(("scores", "\n".join(_score(score, label) for score in result.scores)))
    if result.testcase_results:
        sections.append(("testcases", "\n".join(_testcase(one) for one in result.testcase_results)))
    if result.commands:
        sections.append((_commands_title(result.commands), _commands(result.commands)))
    if result.unenforced:
        lines = [f"{device}: {line}" for device, found in result.unenforced.items() for line in found]
        sections.append((f"accepted but not enforced ({len(lines)})", "\n".join(lines[:_LISTED])))
    if result.refused_startup_lines:
        refused = [str(one) for one in result.refused_startup_lines]
        sections.append((f"refused startup lines ({len(refused)})", "\n".join(refused[:_LISTED])))
    if result.status != "error":
        sections.append(("budget used", _budget(result)))
    told = {
        "isolation": "read-only not enforced: `execute-cmd` may have changed nodes" if is_unprotected(result) else None,
        "measured": None if result.measured == 1 else f"{result.measured:.1%} of the recorded flows",
        "policy violations": words.counted(result.violations) or None,
        "extras": ", ".join(result.extras) or None,
        "sealed details": result.sealed,
        "transcript": result.transcript,
    }
    return [*sections, *((title, text) for title, text in told.items() if text is not None)]


def ssh_text(access: SshAccess) -> str:
    """How a person logs in to the devices of a lab that is up."""
    lines = [f"inventory: {access.inventory}"]
    for name, login in access.hosts.items():
        lines.append(f"{name} ({login.platform}): ssh -p {login.port} {login.username}@{login.host}")
    logins = list(access.hosts.values())[:1]
    return "\n".join([*lines, *(f"password {one.password}, enable {one.enable_secret}" for one in logins)])


def _score(score: Score, label: int) -> str:
    return f"{score.metric:<{label}} {words.score(score.value):>5}  {words.clipped(score.explanation, _WIDTH)}".rstrip()


def _testcase(result: TestcaseResult) -> str:
    belongs = f"intent {result.intent}" if result.intent is not None else result.role
    under = "" if result.under is None else f", under {result.under}"
    terms = f"{result.kind}, {belongs}{under}, {words.seconds(result.duration_s)}"
    return f"{result.status.upper()}  {result.name}  ({terms})"


def _commands_title(commands: Sequence[CommandStatus]) -> str:
    refused = sum(command.status == "error" for command in commands)
    return f"commands ({len(commands)}, {refused} refused)"


def _commands(commands: Sequence[CommandStatus]) -> str:
    width = max(len(command.device) for command in commands)
    lines = [_command(command, width) for command in commands[:_LISTED]]
    if len(commands) > _LISTED:
        lines.append(f"… and {len(commands) - _LISTED} more, all in the transcript")
    return "\n".join(lines)


def _command(command: CommandStatus, width: int) -> str:
    line = f"{command.device:<{width}}  {command.status:<7}  {command.command}"
    return line if command.status == "success" else f"{line}  <- {words.clipped(command.message, _WIDTH)}"


def _budget(result: TrialResult) -> str:
    used = result.budget_used
    parts = [
        f"{used.calls} calls",
        f"{used.commands} commands",
        f"{words.count(used.tokens)} tokens",
        words.seconds(used.wall_s),
    ]
    if result.usage.waited_s:
        parts[-1] += f" ({words.seconds(result.usage.waited_s)} of it waiting for the provider)"
    if result.usage.cost_usd is not None:
        parts.append(words.money(result.usage.cost_usd))
    if result.outcome == "budget":
        parts.append("(budget exhausted)")
    return ", ".join(parts)
