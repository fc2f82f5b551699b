"""A Linux node's startup config: a shell script, stopped at the first line that fails."""

from __future__ import annotations

import re

from pytest_netbench.errors import LabError, StartupConfigRejected
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import HostedNode

_TIMEOUT_S = 60.0
_MARK = "netbench-failed-at-line"
_MARKED = re.compile(rf"^{_MARK} (\d+)$", re.MULTILINE)
_SYNTAX = re.compile(r"^(?:/bin/)?bash: -c: line (\d+): (.*)$", re.MULTILINE)


def boot(node: HostedNode, startup_config: str) -> None:
    """Run the startup config.

    Raises:
        StartupConfigRejected: A line failed.
    """
    lines = [line.rstrip() for line in startup_config.splitlines()]
    done = node.run(["/bin/bash", "-c", script(lines)], timeout_s=_TIMEOUT_S)
    if done.timed_out:
        raise LabError(f"{node.name}: the startup config did not end within {_TIMEOUT_S:g} s")
    if done.returncode != 0:
        raise rejection(node.name, lines, done)


def script(lines: list[str]) -> str:
    """The script that is run. Its first line is ours, so that line 1 of the config is line 2 of the script."""
    prologue = f"trap 'echo {_MARK} $LINENO >&2' ERR; set -eE"
    return "\n".join([prologue, *lines, ""])


def rejection(node: str, lines: list[str], done: Completed) -> LabError:
    """The error that says which line failed, in the words the shell or the command used."""
    marks = _MARKED.findall(done.stderr)
    syntax = _SYNTAX.search(done.stderr)
    if marks:
        number, words = int(marks[0]) - 1, _MARKED.sub("", done.stderr).strip() or done.stdout.strip()
    elif syntax is not None:
        number, words = int(syntax[1]) - 1, syntax[2]
    else:
        return LabError(
            f"{node}: the startup config ended with exit status {done.returncode}: "
            f"{(done.stderr or done.stdout).strip() or 'no output'}"
        )
    return StartupConfigRejected(
        node=node,
        line_number=number,
        line=lines[number - 1] if 0 < number <= len(lines) else "",
        device_message=words or f"exit status {done.returncode}",
    )
