"""What an agent file may grant and request: budget, policy, extras, access. A trial's terms use the same types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model
from pytest_netbench.model.extra_methods import EXTRA_METHODS
from pytest_netbench.model.task import Budget

if TYPE_CHECKING:
    ExtraName = str
else:
    ExtraName = Literal[tuple(EXTRA_METHODS)]

SUB_INTENTS: Final = "sub-intents"
CommandPattern = Annotated[str, Field(pattern=r"^\S+( \S+)*$", description="words; `*` is any characters of one")]


class BudgetOverride(Model):
    """Limits instead of the task's own. What is not given stays the task's; ``null`` is no limit."""

    calls: int | None = Field(None, gt=0)
    commands: int | None = Field(None, gt=0)
    wall_s: float | None = Field(None, gt=0)
    tokens: int | None = Field(None, gt=0)
    lab_s: float | None = Field(None, gt=0)

    def applied_to(self, budget: Budget) -> Budget:
        """``budget`` with the limits that are given here instead."""
        return budget.model_copy(update={name: getattr(self, name) for name in self.model_fields_set})


class CommandRule(Model):
    """Which commands are permitted, by their first words. ``None`` is all devices, platforms or commands."""

    devices: tuple[str, ...] | None = None
    platforms: tuple[str, ...] | None = None
    methods: tuple[Literal["update-cfg", "execute-cmd"], ...] = ("update-cfg", "execute-cmd")
    allow: tuple[CommandPattern, ...] | None = Field(None, description="only commands that match one of these")
    deny: tuple[CommandPattern, ...] = Field((), description="no command that matches one of these")

    @model_validator(mode="after")
    def _says_something(self) -> CommandRule:
        if self.allow is None and not self.deny:
            raise ValueError("a rule of `policy.commands` has `allow`, `deny`, or both")
        return self


class AgentPolicy(Model):
    """What the agent may reach. ``None`` is all of it."""

    devices: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = Field(None, description="ANI methods by their wire names")
    commands: tuple[CommandRule, ...] = Field((), description="rules for commands; all of them must permit one")
    approval: str | None = Field(
        None, min_length=1, description="who approves each change: `person`, or a program with its arguments"
    )
    approval_timeout_s: float = Field(60.0, gt=0, description="how long the program may take")


class AgentSettings(Model):
    """What an agent file says of the terms of a trial."""

    budget: BudgetOverride = BudgetOverride()
    policy: AgentPolicy = AgentPolicy()
    extras: tuple[ExtraName, ...] = Field(
        (), description="ANI methods beyond the draft's four that the agent is offered"
    )
    access: Literal["ani", "ssh"] = Field(
        "ani", description="ssh: each device answers with SSH on a loopback port, beside the ANI"
    )

    sub_intents: bool = Field(
        False,
        description="tell the agent what each intent means per device, beside the intents that the draft hands out",
    )

    def offers(self) -> tuple[str, ...]:
        """What the agent is offered beyond the draft: extra methods, ``ssh`` and ``sub-intents``."""
        access = ("ssh",) if self.access == "ssh" else ()
        return (*self.extras, *access, *((SUB_INTENTS,) if self.sub_intents else ()))

    def plain(self) -> dict[str, Any]:
        """What is given, as results carry it in ``agent.settings``."""
        given: dict[str, Any] = {
            "budget": self.budget.model_dump(mode="json", exclude_unset=True),
            "policy": self.policy.model_dump(mode="json", exclude_defaults=True),
            "extras": list(self.extras),
            "access": "" if self.access == "ani" else self.access,
            "sub_intents": self.sub_intents,
        }
        return {name: values for name, values in given.items() if values}
