"""The family ``configure``: intents in, configuration out."""

from __future__ import annotations

from pytest_netbench import parts
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.model.configure import Configure, Intent, configuration_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief


class ConfigureFamily:
    """An operator states intents; the agent configures the network so that they hold (draft §3)."""

    name = "configure"
    payload = Configure
    methods = ("get-topology", "get-running-cfg", "update-cfg", "execute-cmd")
    scorers = ("testcase", "command", "reasoning")
    pass_marks = {"testcase": 1.0}

    def brief(self, task: Task) -> Brief:
        """Intents with what they mean per device, devices, methods and budget."""
        payload = configuration_of(task)
        return Brief(
            task_name=task.task_name,
            family="configure",
            intents=tuple(_words(intent) for intent in payload.intents),
            devices={node.name: payload.platform_of(node.name) for node in payload.topology.nodes},
            methods=tuple(METHODS[name] for name in self.methods),
            budget=task.budget,
            hints=tuple(_hint(name) for name in payload.platforms),
        )


def _words(intent: Intent) -> str:
    """``text`` with one line for each sub-intent."""
    return "\n".join([intent.text.strip(), *(f"- {sub.node}: {sub.text.strip()}" for sub in intent.sub_intents)])


def _hint(name: str) -> str:
    dialect: Dialect = parts.load("dialects", name)()
    version = parts.load("drivers", name)().version() if name in parts.names("drivers") else None
    label = f"Devices of platform {name}" + (f" run version {version}" if version else "")
    return f"{label}: {dialect.hint}" if dialect.hint else f"{label}."
