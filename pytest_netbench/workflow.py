r"""Commands of GitHub Actions in printed text: how an annotation is written, and how a text is kept from being one.

The runner reads what a step prints. A line that begins with ``::NAME``, after white space, and has another ``::`` is a
command, and so is ``##[NAME]`` anywhere in a line. Texts of agents and devices are printed, so they must not be able to
hide text (``add-mask``, ``group``), end the reading of commands (``stop-commands``), or report what is not so.
"""

from __future__ import annotations

import os
import re
from typing import Final, Literal

MOST: Final = 10
"""As many annotations of a level GitHub shows of a step."""
MOST_TEXT: Final = 1_000
_IGNORED: Final = "\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff"
_COMMAND: Final = re.compile(
    rf"^([^\w:\n]*):([{_IGNORED}]*:[{_IGNORED}\s]*[A-Za-z])(?=.*:[{_IGNORED}]*:)", re.MULTILINE
)
_OLD_COMMAND: Final = re.compile(rf"#([{_IGNORED}]*)#([{_IGNORED}]*)\[")

Level = Literal["error", "warning", "notice"]


def read_by_github() -> bool:
    """Whether GitHub Actions reads what this process prints."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def inert(text: str) -> str:
    r"""Return ``text`` with each command in it broken by a visible escape: ``\x3a:error::``, ``#\x23[group]``.

    Other text is not changed, IPv6 addresses such as ``::1`` included. Doing it twice changes nothing.
    """
    if ":" not in text and "#" not in text:
        return text
    return _OLD_COMMAND.sub(r"#\1\\x23\2[", _COMMAND.sub(r"\1\\x3a\2", text))


def annotation(level: Level, message: str, *, title: str, file: str = "", line: int | None = None) -> str:
    """Return the command that shows ``message``, of ``file`` if that is given, relative to the repository."""
    place = {"file": file, "line": "" if line is None else str(line), "title": title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in place.items() if value)
    shown = message if len(message) <= MOST_TEXT else f"{message[:MOST_TEXT]}…"
    return f"::{level} {properties}::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
