"""Reading of configurations by ``vtysh`` alone, without daemons: which lines no daemon would know."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from shutil import which
from typing import Final

from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.driver import PlannedNode, Rehearsal
from pytest_netbench.platforms.frr.boot import neutral
from pytest_netbench.platforms.frr.config import EXEC_ONLY

_PATH: Final = "/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin"
_TIMEOUT_S: Final = 30.0
_COMPLAINT: Final = re.compile(r"^line (\d+): (% .*?)(?:\[\d+\])?:\s*(.*)$", re.MULTILINE)


def rehearse(node: PlannedNode, startup_config: str, batches: Sequence[Sequence[str]]) -> Rehearsal | None:
    """What is refused; ``None`` if there is no ``vtysh`` here, or it does not say."""
    lines = startup_config.splitlines()
    refused = _complaints(lines)
    if refused is None:
        return None
    found = tuple(
        RefusedLine(node=node.name, line_number=number, line=lines[number - 1], message=message)
        for number, message in sorted(refused.items())
    )
    return Rehearsal(refused=found, batches=tuple(_statuses(node.name, one) for one in batches))


def _statuses(node: str, commands: Sequence[str]) -> tuple[CommandStatus, ...]:
    lines = [
        (index, "!" if line.split()[:1] and line.split()[0] in EXEC_ONLY else line)
        for index, command in enumerate(commands)
        for line in command.splitlines() or [""]
    ]
    told = _complaints([line for _, line in lines]) or {}
    messages: dict[int, str] = {}
    for number, message in sorted(told.items()):
        messages.setdefault(lines[number - 1][0], message)
    return tuple(
        CommandStatus(
            device=node,
            command=command,
            status="error" if index in messages else "success",
            message=messages.get(index, ""),
        )
        for index, command in enumerate(commands)
    )


def _complaints(lines: Sequence[str]) -> dict[int, str] | None:
    """By 1-based line: what vtysh says of it. ``None`` if it does not run."""
    text = "\n".join([*neutral(lines), ""])
    program = which("vtysh", path=_PATH)
    if program is None:
        return None
    if not text.strip("! \n"):
        return {}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".conf") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run(
                [program, "-C", "-f", file.name], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    found = {
        int(number): f"{words}: {line.strip()}"
        for number, words, line in _COMPLAINT.findall(f"{done.stdout}\n{done.stderr}")
    }
    return found if found or done.returncode == 0 else None
