"""What an agent of Harbor is told: its task, and how the command ``ani`` reaches what it works on."""

from __future__ import annotations

import json
from typing import Final

from pytest_netbench.agents.prompting import bulleted, numbered, paragraphs
from pytest_netbench.ani.methods import METHODS
from pytest_netbench.model.trial import Brief

_NETWORK: Final = """\
You work on a network of real devices. It runs elsewhere; the command `ani` reaches it from this shell:

    ani brief                              this task, the rules and the budget
    ani get-topology                       devices and links
    ani get-running-cfg DEVICE             a configuration
    ani execute-cmd DEVICE COMMAND         run a command that changes nothing"""
_CHANGES: Final = '    ani update-cfg DEVICE LINE…            configure ("-" reads the lines from standard input)'
_SSH: Final = "    ani logins                             how to log in by SSH"
_QUESTION: Final = """\
The command `ani` runs code for you, and takes your answer:

    ani brief                              this task, the rules and the budget"""
_OTHER: Final = "    ani call METHOD [NAME=VALUE…]          any other method that is listed below"
_DONE: Final = "    ani task-done WHAT-YOU-DID-AND-WHY     when the task is done"
_SUBMIT: Final = "    ani submit [NAME=VALUE…]               your answer, when the task is done"
_VALUES: Final = (
    "A parameter is `NAME=TEXT`, `NAME:=JSON`, `NAME=@FILE` for the text of a file, or `NAME:=@FILE` for the JSON in"
    " it. One word `-` instead of all of them reads a JSON object from standard input."
)
_ANSWER: Final = """\
## Answer

`ani submit` hands in a JSON object that fits this JSON Schema:

```json
{schema}
```"""


def text(brief: Brief, *, mcp: str, ssh: bool) -> str:
    """The instruction as Markdown.

    Args:
        brief: Of the task. Its hints, which tell versions of devices, are left to ``ani brief``.
        mcp: URL of the MCP server.
        ssh: Whether devices answer with SSH.
    """
    others = [one for one in brief.methods if one.name not in METHODS]
    names = {one.name for one in brief.methods}
    usage = [_NETWORK if brief.devices else _QUESTION]
    usage += [_CHANGES] if "update-cfg" in names else []
    usage += [_SSH] if ssh and brief.devices else []
    usage += [_OTHER] if others else []
    usage += [_DONE if brief.answer is None else _SUBMIT]
    return (
        paragraphs(
            f"# {brief.task_name}",
            "\n".join(usage),
            _VALUES if others or brief.answer is not None else "",
            f"The same methods are tools of the MCP server at {mcp}.",
            f"## What is asked\n\n{numbered(brief.intents)}",
            "\n".join(brief.rules),
            _devices(brief),
            _methods(brief, others=[one.name for one in others]),
            "" if brief.answer is None else _ANSWER.format(schema=json.dumps(brief.answer, indent=1)),
        )
        + "\n"
    )


def _devices(brief: Brief) -> str:
    lines = bulleted(f"{name}: {platform}" for name, platform in brief.devices.items())
    return f"## Devices\n\n{lines}" if lines else ""


def _methods(brief: Brief, *, others: list[str]) -> str:
    lines = bulleted(
        f"`{one.name}` ({', '.join(one.parameters.get('properties', {})) or 'no parameters'}): {one.description}"
        for one in brief.methods
        if one.name in others
    )
    return f"## Other methods\n\n{lines}" if lines else ""
