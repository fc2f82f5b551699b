"""Logging in at the console of a device: what it asks before it shows its prompt, and what it is answered."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import CliLine

_CONTROLS = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>78])|[\r\a\x00]")
_PAUSE_S = 0.02
_QUIET_S = 0.4
"""A prompt behind which nothing came for so long waits for a line."""
_ASK_AGAIN_S = 3.0
_MOST_TRIES = 3
_SHOWN = 120
PROMPT: Final = re.compile(r"(?:\A|\n)[\w.\-@/:~\[\] ]{1,80}(?:\([\w.\-@/:+]{0,63}\))?[>#$%] ?\Z")
_CONFIGURING = re.compile(r"\([\w.\-@/:+]+\)# ?\Z")
_USER = re.compile(r"(?:^|\n)[^\n]*(?:user ?name|login): *\Z", re.IGNORECASE)
_PASSWORD = re.compile(r"password: *\Z", re.IGNORECASE)
_DIALOGS: Final[Sequence[tuple[re.Pattern[str], str]]] = (
    (re.compile(r"initial configuration dialog\? \[yes/no\]: *\Z"), "no\n"),
    (re.compile(r"terminate autoinstall\? \[yes\]: *\Z"), "yes\n"),
    (re.compile(r"basic management setup\? \[yes/no\]: *\Z"), "no\n"),
    (re.compile(r"Press (?:RETURN|ENTER) to get started\W*\Z", re.IGNORECASE), "\n"),
    (re.compile(r"--+ ?\(?more\b[^\n]*\Z", re.IGNORECASE), "q"),
    (re.compile(r"'yes' or 'no'\.?\s*\Z"), "no\n"),
)


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """How to log in. Nothing of it is printed.

    Attributes:
        username: The user, if one is asked for.
        password: The user's password.
        enable_secret: The password of privileged mode.
    """

    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    enable_secret: str = field(default="", repr=False)


class Console:
    """Implements ``platforms.access.CommandLine`` and ``OneLine``: there is one line, whoever connects.

    Args:
        owner: The device, for messages.
        open_line: Opens the line.
        credentials: How to log in.
        prompt: What the device shows when it waits for a command.
        within_s: The prompt must be there within this time.
    """

    one_line = True

    def __init__(
        self,
        owner: str,
        open_line: Callable[[], CliLine],
        credentials: Credentials,
        *,
        prompt: re.Pattern[str] = PROMPT,
        within_s: float = 60.0,
    ) -> None:
        self._owner = owner
        self._open_line = open_line
        self._credentials = credentials
        self._prompt = prompt
        self._within_s = within_s

    @property
    def enable_secret(self) -> str:
        return self._credentials.enable_secret

    def connect(self) -> CliLine:
        return self.awaited(self._within_s)

    def awaited(self, within_s: float) -> CliLine:
        """The line of a device that may boot still.

        Raises:
            LabError: It shows no prompt within the time, or does not let anybody in.
        """
        line = self._open_line()
        try:
            _LogIn(self._owner, line, self._credentials, self._prompt).until_prompt(within_s)
        except BaseException:
            line.close()
            raise
        return line


class _LogIn:
    """A dialog from the first key to the prompt."""

    def __init__(self, owner: str, line: CliLine, credentials: Credentials, prompt: re.Pattern[str]) -> None:
        self._owner = owner
        self._line = line
        self._credentials = credentials
        self._prompt = prompt
        self._tries = 0
        self._text = ""

    def until_prompt(self, within_s: float) -> None:
        ends_at = time.monotonic() + within_s
        self._type("\n")
        while True:
            self._await_quiet(min(ends_at, time.monotonic() + _ASK_AGAIN_S))
            if _CONFIGURING.search(self._text):
                self._type("end\n")
            elif self._prompt.search(self._text) and not _PASSWORD.search(self._text):
                return
            elif (answer := self._answer()) is not None:
                self._type(answer)
            elif time.monotonic() >= ends_at:
                shown = self._text.strip()[-_SHOWN:]
                raise LabError(f"{self._owner}: no prompt on its console within {within_s:g} s; it shows {shown!r}")
            else:
                self._type("\n", forget=False)

    def _answer(self) -> str | None:
        for question, answer in _DIALOGS:
            if question.search(self._text):
                return answer
        if _USER.search(self._text):
            self._tries += 1
            if not self._credentials.username:
                raise LabError(f"{self._owner}: its console asks for a user, and the table of kinds names none")
            if self._tries > _MOST_TRIES:
                raise LabError(f"{self._owner}: its console does not let user {self._credentials.username!r} in")
            return f"{self._credentials.username}\n"
        if _PASSWORD.search(self._text):
            self._tries += not self._credentials.username
            if self._tries > _MOST_TRIES:
                raise LabError(f"{self._owner}: its console refuses the password")
            return f"{self._credentials.password}\n"
        return None

    def _type(self, keys: str, *, forget: bool = True) -> None:
        if forget:
            self._text = ""
        self._line.write(keys)

    def _await_quiet(self, until: float) -> None:
        """Read until nothing came for a moment after something did, or until a time."""
        raw, heard = b"", time.monotonic()
        while (now := time.monotonic()) < until:
            if new := self._line.read():
                raw, heard = raw + new, now
            elif raw and now - heard > _QUIET_S:
                break
            else:
                time.sleep(_PAUSE_S)
        self._text += _CONTROLS.sub("", raw.decode("utf-8", "replace"))
