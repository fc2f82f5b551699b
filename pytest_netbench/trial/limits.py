"""What an agent may do and use in a trial, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pytest_netbench import parts
from pytest_netbench.ani import approval
from pytest_netbench.ani.extras import EXTRAS
from pytest_netbench.ani.methods import SSH, wire_name
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.standing import RULES, SSH_RULE, USUAL_LAB_S, Standing
from pytest_netbench.errors import UsageError
from pytest_netbench.families.hints import with_versions
from pytest_netbench.families.protocol import Family
from pytest_netbench.model.agentsettings import SUB_INTENTS, AgentSettings, CommandRule
from pytest_netbench.model.task import Budget, Task
from pytest_netbench.model.trial import AgentInfo, Brief, TrialRecord

_UNKNOWN: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What an agent may do and use in a trial.

    ``extras``: what it is offered beyond the draft. ``approver``: who approves each change, if anyone does.
    ``stands_still``: whether the network stands still between its requests.
    """

    budget: Budget
    policy: Policy
    extras: tuple[str, ...] = ()
    approver: approval.Approver | None = None
    stands_still: bool = False


def family_of(task: Task) -> Family:
    """The family of ``task``.

    Raises:
        UsageError: No such family is installed.
    """
    family: Family = parts.load("families", task.family)()
    return family


def terms_for(
    task: Task,
    info: AgentInfo,
    *,
    budget: Mapping[str, float | None] | None = None,
    ssh: bool = False,
    stands_still: bool = False,
) -> Terms:
    """Budget and policy: the task's, narrowed by the agent's file, overridden by ``budget``.

    Args:
        task: Its budget and family apply.
        info: Of the agent; its overrides may narrow the policy and replace limits of the budget.
        budget: Limits that take precedence over both, by field name; ``None`` lifts one.
        ssh: Let the devices answer with SSH, whatever the agent's file says.
        stands_still: Whether the network stands still between requests.

    Raises:
        UsageError: The agent's ``settings`` name terms that its ``overrides`` do not have: they would have no effect;
            or nobody can approve changes here.
    """
    _refuse_idle_settings(info)
    limits = Budget.model_validate({**info.overrides.budget.applied_to(task.budget).model_dump(), **(budget or {})})
    limits = limits.model_copy(update={"lab_s": limits.lab_s or USUAL_LAB_S if stands_still else None})
    permitted = frozenset(family_of(task).methods)
    wanted, devices = info.overrides.policy.methods, info.overrides.policy.devices
    extras = dict.fromkeys((*info.overrides.offers(), *((SSH,) if ssh else ())))
    if stands_still and info.overrides.policy.approval is not None:
        raise UsageError(
            "changes cannot be approved in a network that stands still between requests (--netbench-clock=calls): it"
            " would move while somebody decides"
        )
    return Terms(
        budget=limits,
        extras=tuple(extras),
        policy=Policy(
            methods=permitted if wanted is None else permitted & frozenset(map(wire_name, wanted)),
            devices=None if devices is None else frozenset(devices),
            extras=frozenset(extras) & frozenset(EXTRAS),
            commands=info.overrides.policy.commands,
        ),
        approver=approval.approver_of(info.overrides.policy),
        stands_still=stands_still,
    )


def terms_of(record: TrialRecord) -> Terms:
    """The terms of a recorded trial, from the settings of the agent in its record.

    Raises:
        UsageError: Settings of this name are not what they were.
    """
    settings = {name: value for name, value in record.agent.settings.items() if name in AgentSettings.model_fields}
    info = record.agent.model_copy(update={"overrides": AgentSettings.model_validate(settings)})
    return terms_for(record.task, info, stands_still=record.environment.clock == "calls")


def _refuse_idle_settings(info: AgentInfo) -> None:
    effective = {**AgentSettings().model_dump(mode="json"), **info.overrides.plain()}
    for name, value in info.settings.items():
        if name in effective and value != effective[name]:
            raise UsageError(
                f"agent {info.id}: {name!r} in the settings of its AgentInfo has no effect: settings only describe an"
                f" agent. Expected: AgentInfo(…, overrides=AgentSettings({name}=…)), or {name!r} in an agent file"
            )


def brief_for(task: Task, terms: Terms, *, versions: Mapping[str, str] = _UNKNOWN, notes: Sequence[str] = ()) -> Brief:
    """What the agent is told under ``terms``.

    Args:
        task: The task.
        terms: What holds for the agent.
        versions: By platform: what its devices run, if that is known. Others run what is installed here.
        notes: What else is to be said of the lab, in sentences.
    """
    family = family_of(task)
    brief = family.brief(task)
    methods = terms.policy.methods
    kept = tuple(method for method in brief.methods if methods is None or method.name in methods)
    # an interface without a network would refuse them
    extra = tuple(EXTRAS[name] for name in terms.extras if name in EXTRAS and task.has_network)
    answer = None if family.answer is None else family.answer.model_json_schema()
    told = {
        "hints": with_versions(brief.hints, versions),
        "rules": (*brief.rules, *notes, *_words(terms)) if task.has_network else brief.rules,
        "budget": terms.budget,
        "methods": (*kept, *extra, *(Standing.specs if terms.stands_still else ())),
        "answer": answer,
        "control": task.network.topology.controls if task.has_network else {},
        "sub_intents": brief.sub_intents if SUB_INTENTS in terms.extras else (),
    }
    return brief.model_copy(update=told)


def _words(terms: Terms) -> list[str]:
    """What the agent is told of rules for commands and of approval."""
    words = [sentence for rule in terms.policy.commands for sentence in _rule_words(rule)]
    if terms.stands_still:
        words += [*RULES, *([SSH_RULE] if SSH in terms.extras else ())]
    return [*words, "Each change must be approved before it is made."] if terms.approver is not None else words


def _rule_words(rule: CommandRule) -> list[str]:
    where = ", ".join(rule.devices or rule.platforms or ()) or "all devices"
    if rule.devices and rule.platforms:
        where = f"{where} ({', '.join(rule.platforms)})"
    what = f"On {where}, commands of {' and '.join(rule.methods)}"
    words = []
    if rule.allow is not None:
        words.append(f"{what} must begin with: {', '.join(rule.allow) or 'none'}.")
    if rule.deny:
        words.append(f"{what} must not begin with: {', '.join(rule.deny)}.")
    return words
