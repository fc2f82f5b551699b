"""Logging in to a Linux node: a shell, which may change the node's own network unless the login is read-only."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.platforms.access import NodeAccess, PtyProgram
from pytest_netbench.platforms.capabilities import AGENT_SHELL, FILES, TERMINAL
from pytest_netbench.platforms.relay import RelayConsole
from pytest_netbench.platforms.terminal import CommandKind, Console

_PROGRAM = (
    "/usr/bin/env",
    "TERM=xterm",
    "HISTFILE=",
    "PS1=\\u@\\h:\\w\\$ ",
    "/bin/bash",
    "--norc",
    "--noprofile",
    "-i",
)

# clients that read the screen are spared the codes around each prompt; a line is entered by Enter, which is seen
_INPUTRC = "set enable-bracketed-paste off\n" + "".join(
    f'"{keys}": abort\n' for keys in (r"\C-o", r"\C-xe", r"\C-x\C-e", r"\e#")
)


def open_console(node: NodeAccess, *, writable: bool, reads: Sequence[str]) -> Console:
    """A session; ``writable`` and ``reads`` as in ``AgentShell.shell``."""

    def run(command: str) -> tuple[str, int]:
        done = node.capability(AGENT_SHELL).shell(command, writable=writable, reads=reads)
        return done.stdout + done.stderr, done.returncode

    def open_shell(columns: int, rows: int) -> PtyProgram:
        node.capability(FILES).write_file("/etc/inputrc", _INPUTRC)
        return node.capability(TERMINAL).pty(_PROGRAM, writable=writable, columns=columns, rows=rows)

    return RelayConsole(
        open_program=open_shell,
        run_command=run,
        kind=kind,
    )


def kind(_prompt: str, line: str) -> CommandKind:
    """What a line asks for: a shell does not tell what changes something."""
    return "session" if line.strip() in {"exit", "logout", "clear"} else "read"
