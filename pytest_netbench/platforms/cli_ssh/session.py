"""One session on the command line of a device."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from pytest_netbench.errors import LabError, TookTooLong
from pytest_netbench.platforms.access import CliLine, CommandLine
from pytest_netbench.platforms.cli_ssh import pasting
from pytest_netbench.platforms.cli_ssh.system import System

T = TypeVar("T")
_OPEN_TIMEOUT_S = 30.0
_READ_MIN_DELAY_S = 0.000_05
_READ_MAX_DELAY_S = 0.002
_PRIVILEGED = "#"
_QUESTION = "Password:"
_TIMEOUT_S = 60.0
# a device that asks says nothing more; one that shows its prompt and works on has input that it did not echo
_QUIET_QUESTION_S = 0.5
_QUIET_PROMPT_S = 5.0
_MOST_ANSWERS = 20
_CTRL_C = "\x03"


class DeviceSession:
    """A session from login to logout, without paging. Not for several threads at once.

    Args:
        node: Name of the node, for messages.
        device: Its command line.
        system: What it runs.
        enable: Whether to enter privileged mode.

    Raises:
        LabError: The device did not let this session in.
    """

    def __init__(self, node: str, device: CommandLine, system: System, *, enable: bool) -> None:
        self._node = node
        self._system = system
        self._line: CliLine | None = device.connect()
        try:
            first = system.unpaged
            self._write(f"{first}\n")
            # prompts of the login may still come: the echo says which one is the first behind it
            text = self._read(lambda text: first in text and _at_prompt(text), "showing its prompt", _OPEN_TIMEOUT_S)
            is_privileged = self._prompt_in(text).endswith(_PRIVILEGED)
            if enable and system.enable is not None and not is_privileged:
                self._enable(system.enable, device.enable_secret)
            if not enable and system.disable is not None and is_privileged:
                self._disable(system.disable)
            for line in system.settings:
                self.send(line)
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the session can still be used."""
        return self._line is not None

    @property
    def prompt(self) -> str:
        """The prompt that stands there now.

        Raises:
            LabError: The device does not answer.
        """
        self._write("\n")
        return self._prompt_in(self._read(_at_prompt, "showing its prompt"))

    def send(self, line: str, *, timeout_s: float = _TIMEOUT_S) -> str:
        """Send one line and return what the device printed, without echo and prompt.

        Raises:
            LabError: The session is gone, or the device did not take the line.
            TookTooLong: The prompt did not come back in time; the session is closed then.
        """
        return self.converse(pasting.Unit(lines=(line,)), timeout_s=timeout_s)[0]

    def paste(self, batch: Sequence[pasting.Unit], prompt: str) -> pasting.Split:
        """Write all lines of ``batch`` at once, at ``prompt``; return what each unit printed.

        The answer is shorter than ``batch`` if an echo was not found or a unit asked a question. ``recover`` must be
        called then.

        Raises:
            LabError: The session is gone.
            TookTooLong: The device neither showed its prompt nor a question in time; the session is closed then.
        """
        self._write("".join(pasting.keys(line) for unit in batch for line in unit.lines))
        text = self._read(lambda text: len(pasting.split(text, batch, prompt).said) == len(batch), "what was pasted")
        found = pasting.split(text, batch, prompt)
        return replace(found, said=tuple(map(self._said, found.said)))

    def converse(self, unit: pasting.Unit, *, timeout_s: float = _TIMEOUT_S) -> tuple[str, str]:
        """Type one unit; return what it printed and the prompt behind it. Questions get Enter, which takes the default.

        Raises:
            LabError: The session is gone.
            TookTooLong: The device neither showed its prompt nor a question in time; the session is closed then.
        """
        self._write("".join(pasting.keys(line) for line in unit.lines))
        text = ""
        for _ in range(_MOST_ANSWERS):
            text += self._read(_at_prompt, f"answering {unit.lines[0]!r}", timeout_s)
            prompt = pasting.prompt_at_end(text)
            if prompt is not None:
                return self._said(pasting.without_echo(pasting.without_prompt(text), unit)), prompt
            self._write("\n")
        text += "\n% It kept asking questions and was interrupted"
        return pasting.without_echo(text, unit), self.recover()

    def recover(self) -> str:
        """Interrupt what the device waits for; return the prompt that it shows then.

        Raises:
            LabError: The session is gone, or the prompt did not come back; the session is closed then.
        """
        text = ""
        for _ in range(_MOST_ANSWERS):
            self._write(_CTRL_C)
            text += self._read(_at_prompt, "being interrupted")
            prompt = pasting.prompt_at_end(text)
            if prompt is not None:
                return prompt
        self.close()
        raise LabError(f"{self._node}: the device did not return to its prompt")

    def _write(self, text: str) -> None:
        def write(line: CliLine) -> None:
            while line.read():
                """Drop what came in since the last prompt."""
            line.write(text)

        self._use(write, "taking input")

    def _read(self, done: Callable[[str], bool], what: str, timeout_s: float = _TIMEOUT_S) -> str:
        """Return the output up to where it is ``done``, or rests at a question or a prompt."""
        text, raw, delay_s = "", b"", _READ_MIN_DELAY_S
        began = heard = time.monotonic()
        while True:
            if new := self._use(lambda line: line.read(), what):
                raw += new
                text = pasting.plain(raw.decode("utf-8", "replace"))
                delay_s, heard = _READ_MIN_DELAY_S, time.monotonic()
                if done(text):
                    return text
                continue
            quiet_s = time.monotonic() - heard
            if quiet_s > _QUIET_QUESTION_S and pasting.asks(text):
                return text
            if quiet_s > _QUIET_PROMPT_S and pasting.prompt_at_end(text) is not None:
                return text
            if time.monotonic() - began > timeout_s:
                self.close()
                raise TookTooLong(timeout_s)
            # a line tells nobody that something came
            time.sleep(delay_s)
            delay_s = min(delay_s * 2, _READ_MAX_DELAY_S)

    def close(self) -> None:
        """End the session. Idempotent."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _enable(self, command: str, secret: str) -> None:
        self._write(f"{command}\n")
        text = self._read(_answered, "entering privileged mode")
        if not _at_prompt(text):
            self._write(f"{secret}\n")
            text = self._read(_answered, "entering privileged mode")
        if not text.rstrip().endswith(_PRIVILEGED):
            raise LabError(f"{self._node}: the device refused its enable secret")

    def _disable(self, command: str) -> None:
        _, prompt = self.converse(pasting.Unit(lines=(command,)))
        if prompt.endswith(_PRIVILEGED):
            raise LabError(f"{self._node}: the device did not enter user mode")

    def _said(self, text: str) -> str:
        """Return what a command printed, without what the device prints above each prompt."""
        above = self._system.above_prompt
        return text if above is None else above.sub("", text)

    def _prompt_in(self, text: str) -> str:
        prompt = pasting.prompt_at_end(text)
        if prompt is None:
            raise LabError(f"{self._node}: the device shows {text[-80:]!r} in place of its prompt")
        return prompt

    def _use(self, action: Callable[[CliLine], T], what: str) -> T:
        if self._line is None:
            raise LabError(f"{self._node}: the SSH session is closed")
        try:
            return action(self._line)
        except LabError as error:
            self.close()
            raise LabError(f"{self._node}: the device failed at {what}: {error}") from error


def _at_prompt(text: str) -> bool:
    return pasting.prompt_at_end(text) is not None


def _answered(text: str) -> bool:
    return _at_prompt(text) or text.rstrip().endswith(_QUESTION)
