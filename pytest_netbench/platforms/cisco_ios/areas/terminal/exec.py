"""The exec commands of the area ``terminal``."""

from __future__ import annotations

import hmac
from collections.abc import Generator

from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match

_ATTEMPTS = 3


_LENGTH = 24


_WIDTH = 80


def _enable(at: Exec, _match: Match) -> Generator[str | Ask, str, None]:
    session = at.session
    stored = at.config.get("enable secret") or at.config.get("enable password")
    if session.privileged or (stored is None and session.enable_secret is None):
        session.privileged = True
        return
    for _ in range(_ATTEMPTS):
        answer = yield Ask("Password: ", secret=True)
        if _is_secret(answer, session.enable_secret) or (stored is not None and allowed(answer, stored.match)):
            session.privileged = True
            return
    yield "% Bad passwords\n\n" if stored is not None and stored.name == "enable password" else "% Bad secrets\n\n"


def _is_secret(typed: str, secret: str | None) -> bool:
    return secret is not None and hmac.compare_digest(typed.encode(), secret.encode())


def allowed(typed: str, stored: Match) -> bool:
    """Whether ``typed`` is the password of an ``enable``, ``username`` or ``line`` password line."""
    for name, kind in (("hash9", "9"), ("hidden", "7"), ("plain", "0")):
        if name in stored.args:
            return passwords.matches(typed, str(stored[name]), kind)
    return False


def _length(at: Exec, match: Match) -> None:
    at.session.terminal_length = match.get("lines", _LENGTH)


def _width(at: Exec, match: Match) -> None:
    at.session.terminal_width = match.get("columns", _WIDTH)


def _nothing(_at: Exec, _match: Match) -> None:
    """Do nothing: a terminal does not receive log messages or other asynchronous output here."""


def _show_privilege(at: Exec, _match: Match) -> str:
    return f"Current privilege level is {15 if at.session.privileged else 1}\n"


def _show_terminal(at: Exec, _match: Match) -> str:
    return (
        'Line 2, Location: "", Type: "xterm"\n'
        f"Length: {at.session.terminal_length} lines, Width: {at.session.terminal_width} columns\n"
    )


EXEC: tuple[Command, ...] = (
    Command(
        pattern="enable [ {level:0-15} ]",
        mode="exec",
        name="enable",
        user=True,
        run=_enable,
        help="Turn on privileged commands",
    ),
    Command(
        pattern="terminal length {lines:0-512}",
        mode="exec",
        user=True,
        run=_length,
        help="Set number of lines on a screen",
    ),
    Command(
        pattern="terminal width {columns:0-512}",
        mode="exec",
        user=True,
        run=_width,
        help="Set width of the display terminal",
    ),
    Command(pattern="terminal no length", mode="exec", user=True, run=_length),
    Command(pattern="terminal no width", mode="exec", user=True, run=_width),
    Command(pattern="terminal no monitor", mode="exec", run=_nothing),
    Command(
        pattern="terminal monitor", mode="exec", run=_nothing, help="Copy debug output to the current terminal line"
    ),
    Command(
        pattern="terminal history [ size {lines:0-256} ]",
        mode="exec",
        user=True,
        run=_nothing,
        help="Enable and control the command history function",
    ),
    Command(pattern="show privilege", mode="exec", user=True, run=_show_privilege, help="Show current privilege level"),
    Command(
        pattern="show terminal",
        mode="exec",
        user=True,
        run=_show_terminal,
        help="Display terminal configuration parameters",
    ),
)
