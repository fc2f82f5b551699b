"""The command of a program, with its placeholders replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from pytest_netbench.errors import AgentFileError

PLACEHOLDERS = ("prompt", "model", "root", "folder", "socket", "mcp_url", "mcp_config")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def check(command: Iterable[str], *, model: str | None) -> None:
    """Check the placeholders of a command. Other words in braces stay as they are, for shells have them, too.

    Raises:
        AgentFileError: One is nearly a placeholder, or stands for nothing.
    """
    for name in _names(command):
        near = get_close_matches(name, PLACEHOLDERS, n=1, cutoff=0.75)
        if name not in PLACEHOLDERS and near:
            known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
            wrong = f"program.command has {{{name}}}, which stands for nothing (known: {known})"
            raise AgentFileError(f"{wrong}. Did you mean {{{near[0]}}}?")
        if name == "model" and model is None:
            raise AgentFileError("program.command has {model}, and the agent file names no model")


def needs_mcp(command: Iterable[str]) -> bool:
    """Whether the program is to speak MCP."""
    return any(name.startswith("mcp_") for name in _names(command))


def filled(command: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """The command with each placeholder replaced. What replaces one is not looked at again."""
    return [_PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), word) for word in command]


def named_files(command: Iterable[str], root: Path) -> list[Path]:
    """Files of the project that a command names as ``{root}/…``: the program may read these."""
    named = [Path(word.replace("{root}", str(root))) for word in command if word.startswith("{root}/")]
    return [path for path in named if path.is_file()]


def _names(command: Iterable[str]) -> list[str]:
    return [name for word in command for name in _PLACEHOLDER.findall(word)]
