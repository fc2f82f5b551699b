"""Commands about the session itself: ``enable``, ``terminal`` and session information."""

from __future__ import annotations

import hmac
from collections.abc import Generator

from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

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


EXEC = (
    action("enable [ {level:0-15} ]", _enable, "Turn on privileged commands", changes=False, user=True),
    action("terminal length {lines:0-512}", _length, "Set number of lines on a screen", changes=False, user=True),
    action("terminal width {columns:0-512}", _width, "Set width of the display terminal", changes=False, user=True),
    action("terminal no length", _length, changes=False, user=True),
    action("terminal no width", _width, changes=False, user=True),
    action("terminal no monitor", _nothing, changes=False),
    action("terminal monitor", _nothing, "Copy debug output to the current terminal line", changes=False),
    action(
        "terminal history [ size {lines:0-256} ]",
        _nothing,
        "Enable and control the command history function",
        changes=False,
        user=True,
    ),
    show("privilege", _show_privilege, "Show current privilege level"),
    show("terminal", _show_terminal, "Display terminal configuration parameters"),
)

AREA = Area(
    name="terminal",
    commands=(*EXEC,),
    help={"terminal": "Set terminal line parameters"},
    scope=(("enable, terminal length and width, paging, line editing", "yes"),),
)
