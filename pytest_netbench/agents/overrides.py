"""What an agent file says of budget, policy and extras, for whoever opens the ANI."""

from __future__ import annotations

from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import AgentInfo


def budget_for(info: AgentInfo, budget: Budget) -> Budget:
    """The task's budget with the limits that the agent's file sets instead; an explicit ``null`` lifts one."""
    return Budget.model_validate({**budget.model_dump(), **info.settings.get("budget", {})})


def devices_for(info: AgentInfo) -> tuple[str, ...] | None:
    """Devices the agent's file permits; ``None`` is all."""
    return _names(info, "devices")


def methods_for(info: AgentInfo) -> tuple[str, ...] | None:
    """ANI methods the agent's file permits, by wire name; ``None`` is all."""
    return _names(info, "methods")


def extras_for(info: AgentInfo) -> tuple[str, ...]:
    """What the agent's file asks for beyond the draft's four methods: extra methods, and ``ssh``."""
    access = ("ssh",) if info.settings.get("access") == "ssh" else ()
    return (*info.settings.get("extras", ()), *access)


def _names(info: AgentInfo, key: str) -> tuple[str, ...] | None:
    names = info.settings.get("policy", {}).get(key)
    return None if names is None else tuple(names)
