"""Scripted models that repair a network as NetArena's strategies ask for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from tests.support.openai_server import Reply, Request, Text, engineer

IN_TURNS = ("netarena-zero-shot", "netarena-few-shot", "netarena-chain-of-thought")


def in_turns(task: Task, device: str, *looks: str) -> Callable[[Request], Reply]:
    """A model that reads, then repairs one fault in each turn, then says that it is done.

    Args:
        task: The repair.
        device: Where it reads.
        looks: By which commands.
    """
    changes = [{"change": {node: list(commands)}} for _, node, commands in repairs(repair_of(task).faults)]
    turns: Sequence[object] = [{"read": {device: [*looks]}}, *changes, {"done": True}]

    def script(request: Request) -> Reply:
        number = sum(message["role"] == "assistant" for message in request["messages"])
        return Text(f"Step {number + 1}.\n```json\n{json.dumps(turns[number])}\n```")

    return script


def by_tools(task: Task, device: str, look: str) -> Callable[[Request], Reply]:
    """A model that reads by a command, then repairs one fault after the other, by tools."""
    changes = [
        ("update_cfg", {"device": node, "commands": list(lines)}) for _, node, lines in repairs(repair_of(task).faults)
    ]
    return engineer([("execute_cmd", {"device": device, "command": look})], *([one] for one in changes))
