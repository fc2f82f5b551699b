"""A Linux node's startup config: a shell script that goes on after a line that fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import HostNode, Settling
from pytest_netbench.platforms.linux.listing import entries

_TIMEOUT_S = 60.0
_MARK = "netbench-failed-at-line"
_MARKED = re.compile(rf"^{_MARK} (\d+)\n?", re.MULTILINE)
_ADDRESSES = "netbench-addresses"
_SYNTAX = re.compile(r"^(?:/bin/)?bash: -c: line (\d+): (.*)$", re.MULTILINE)


def boot(node: HostNode, startup_config: str) -> tuple[list[RefusedLine], bool]:
    """Run the startup config; return the failed lines, and whether all of it has taken effect.

    Raises:
        LabError: The script did not end, or ended itself with an error.
    """
    lines = [line.rstrip() for line in startup_config.splitlines()]
    if not any(lines):
        return [], True
    applied = node.settle(lines) if isinstance(node, Settling) else 0
    # comments keep the numbers of the lines behind them
    rest = ["#"] * applied + lines[applied:]
    if applied == len(lines):
        return [], True
    done, quiet = _run(node, rest)
    if done.timed_out:
        raise LabError(f"{node.name}: the startup config did not end within {_TIMEOUT_S:g} s")
    found = refused(node.name, lines, done)
    if done.returncode != 0 and not found:
        raise LabError(
            f"{node.name}: the startup config ended with exit status {done.returncode}: "
            f"{(done.stderr or done.stdout).strip() or 'no output'}"
        )
    return found, quiet


def _run(node: HostNode, lines: list[str]) -> tuple[Completed, bool]:
    """Run lines; what they printed, and whether nothing is there that takes effect later than they ended."""
    asks = f"echo; echo {_ADDRESSES}; ip -j -d addr show"
    done = node.run(["/bin/bash", "-c", f"{script(lines)}{asks}\ntrue\n"], timeout_s=_TIMEOUT_S)
    printed, asked, shown = done.stdout.rpartition(f"\n{_ADDRESSES}\n")
    try:
        quiet = bool(asked) and not any(map(_settles_later, entries(shown)))
    except LabError:  # what the config left to run wrote in between
        quiet = False
    return replace(done, stdout=printed) if asked else done, quiet


def _settles_later(link: Mapping[str, Any]) -> bool:
    """Whether the link has an address that may be checked for duplicates, or is the port of a bridge."""
    checked = any(one.get("family") == "inet6" and one.get("scope") == "global" for one in link.get("addr_info") or ())
    return checked or "info_slave_data" in (link.get("linkinfo") or {})


def script(lines: list[str]) -> str:
    """The script that is run. Its first line is ours, so that line 1 of the config is line 2 of the script."""
    prologue = f"trap 'echo {_MARK} $LINENO >&2' ERR; set -E"
    return "\n".join([prologue, *lines, "true", ""])


def refused(node: str, lines: list[str], done: Completed) -> list[RefusedLine]:
    """The lines that failed, with what the shell or the command wrote before each failure."""
    # text, number, text, number, …, text behind the last mark
    parts = _MARKED.split(done.stderr)
    failures = {int(number) - 1: said for said, number in reversed(list(zip(parts[::2], parts[1::2], strict=False)))}
    syntax = _SYNTAX.search(parts[-1])
    if syntax is not None:
        failures.setdefault(int(syntax[1]) - 1, syntax[2])
    return [
        RefusedLine(
            node=node,
            line_number=number,
            line=lines[number - 1] if 0 < number <= len(lines) else "",
            message=said.strip() or done.stdout.strip() or "the command failed",
        )
        for number, said in sorted(failures.items())
    ]
