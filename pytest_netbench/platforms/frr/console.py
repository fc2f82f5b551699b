"""Login to an FRR node: vtysh on a separate terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_netbench.platforms.access import PtyProgram
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import installation
from pytest_netbench.platforms.frr.config import start_late
from pytest_netbench.platforms.frr.processes import running
from pytest_netbench.platforms.relay import RelayConsole
from pytest_netbench.platforms.terminal import CommandKind, Console

_PROGRAM = (
    "/usr/bin/env",
    "TERM=vt100",
    "LC_ALL=C.UTF-8",
    "VTYSH_PAGER=/bin/cat",
    "vtysh",
    "-H",
    "/dev/null",
)
# A vtysh that is running does not come to know a daemon that is started later, so these are started before.
_SPOKEN_TO = ("staticd", "ospfd", "ospf6d", "bgpd", "ripd", "ripngd", "isisd", "eigrpd", "bfdd", "vrrpd", "pbrd")
_PROMPT = re.compile(r"[\w.\-]+(\([\w.\-]+\))?[>#] ")
_CONFIG_PROMPT = re.compile(r"\([\w.\-]+\)# ?$")
_UPWARD = re.compile(r"(conf\w*|en|ena\w*)\b")
_MOVES = re.compile(r"(conf\w*( t\w*)?|end|exit|quit|enable|disable|terminal .*|no terminal .*)\s*$")


def open_console(node: HostedNode, *, run: Callable[[str], str], read_only: bool) -> Console:
    """A session; ``run`` answers a single command. One that is read-only cannot enter the enable node."""
    return RelayConsole(
        open_program=lambda columns, rows: (_open_view if read_only else _open)(node, columns, rows),
        run_command=lambda command: (_on_a_terminal(run(command)), 0),
        kind=kind_of_view if read_only else Kind(),
        prompt=_PROMPT,
        help_keys="?",
    )


def _open(node: HostedNode, columns: int, rows: int) -> PtyProgram:
    missing = (set(_SPOKEN_TO) & set(installation.of(node).names)) - running(node)
    if missing:
        start_late(node, missing)
    return node.pty(_PROGRAM, writable=False, columns=columns, rows=rows)


def _open_view(node: HostedNode, columns: int, rows: int) -> PtyProgram:
    return node.pty((*_PROGRAM, "-u"), writable=False, columns=columns, rows=rows)


def kind_of_view(_prompt: str, line: str) -> CommandKind:
    """What a line of a read-only session asks for. vtysh knows no way to the enable node; the guard says why."""
    if _UPWARD.match(line.strip()):
        return "configure"
    return "session" if _MOVES.match(line.strip()) else "read"


class Kind:
    """What the lines of a session ask for. Of a paste several lines come before the prompt tells the mode."""

    def __init__(self) -> None:
        self._configuring: bool | None = None

    def __call__(self, prompt: str, line: str) -> CommandKind:
        """Return what a line typed at ``prompt`` does."""
        words = line.strip()
        if _MOVES.match(words):
            self._configuring = True if words.startswith("conf") else False if words == "end" else None
            return "session"
        shown = bool(_CONFIG_PROMPT.search(prompt))
        configuring = shown if self._configuring is None else self._configuring
        return "configure" if configuring else "read"


def _on_a_terminal(text: str) -> str:
    return "".join(f"{line}\r\n" for line in text.splitlines())
