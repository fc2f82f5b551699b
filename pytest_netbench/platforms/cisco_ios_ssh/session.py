"""One SSH session on an IOS command line, by scrapli over libssh2."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from pytest_netbench.errors import LabError, TookTooLong
from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.cisco_ios_ssh import pasting

if TYPE_CHECKING:
    from scrapli import Cli

T = TypeVar("T")
_NANO = 1_000_000_000
_OPEN_TIMEOUT_S = 30.0
_READ_MIN_DELAY_NS = 50_000
_READ_MAX_DELAY_NS = 2_000_000
_HIGHEST_COLUMNS = 511
_PRIVILEGED = "#"
_TIMEOUT_S = 60.0
# a device that asks says nothing more; one that shows its prompt and works on has input that it did not echo
_QUIET_QUESTION_S = 0.5
_QUIET_PROMPT_S = 5.0
_MOST_ANSWERS = 20
_READ_BYTES = 65_536
_CTRL_C = "\x03"
# one mode for all prompts: the driver itself enters and leaves configuration mode
_DEFINITION = r"""---
prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,32}\))?[>#]\s?+\z'
default_mode: 'any'
modes:
  - name: 'any'
    prompt_pattern: '^[\w.\-@/:]{1,63}(\([\w.\-@/:+]{0,32}\))?[>#]\s?+\z'
    accessible_modes: []
failure_indicators: []
on_open_instructions: []
on_close_instructions: []
"""


class IosSession:
    """A session from login to logout, without paging. Not for several threads at once.

    Args:
        node: Name of the node, for messages.
        login: Where, and with which credentials.
        enable: Whether to enter privileged mode.

    Raises:
        LabError: The device did not let this session in.
    """

    def __init__(self, node: str, login: SshLogin, *, enable: bool) -> None:
        self._node = node
        self._cli: Cli | None = _opened(node, login)
        try:
            if enable and not self.prompt.endswith(_PRIVILEGED):
                self._enable(login.enable_secret)
            for setting in ("terminal length 0", f"terminal width {_HIGHEST_COLUMNS}"):
                self.send(setting)
        except BaseException:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether the session can still be used."""
        return self._cli is not None

    @property
    def prompt(self) -> str:
        """The prompt that stands there now.

        Raises:
            LabError: The device does not answer.
        """
        return self._ask(lambda cli: str(cli.get_prompt().result), "showing its prompt").strip()

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
        return pasting.split(text, batch, prompt)

    def converse(self, unit: pasting.Unit, *, timeout_s: float = _TIMEOUT_S) -> tuple[str, str]:
        """Type one unit; return what it printed and the prompt behind it. Questions get Enter, which takes the default.

        Raises:
            LabError: The session is gone.
            TookTooLong: The device neither showed its prompt nor a question in time; the session is closed then.
        """
        self._write("".join(pasting.keys(line) for line in unit.lines))
        text = ""
        for _ in range(_MOST_ANSWERS):
            text += self._read(
                lambda text: pasting.prompt_at_end(text) is not None, f"answering {unit.lines[0]!r}", timeout_s
            )
            prompt = pasting.prompt_at_end(text)
            if prompt is not None:
                return pasting.without_echo(pasting.without_prompt(text), unit), prompt
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
            text += self._read(lambda text: pasting.prompt_at_end(text) is not None, "being interrupted")
            prompt = pasting.prompt_at_end(text)
            if prompt is not None:
                return prompt
        self.close()
        raise LabError(f"{self._node}: the device did not return to its prompt")

    def _write(self, text: str) -> None:
        def write(cli: Cli) -> None:
            while cli.read(_READ_BYTES):
                """Drop what came in since the last prompt."""
            cli.write(text)

        self._ask(write, "taking input")

    def _read(self, done: Callable[[str], bool], what: str, timeout_s: float = _TIMEOUT_S) -> str:
        """Return the output up to where it is ``done``, or rests at a question or a prompt."""
        text, raw, delay_s = "", b"", _READ_MIN_DELAY_NS / _NANO
        began = heard = time.monotonic()
        while True:
            if new := self._ask(lambda cli: cli.read(_READ_BYTES), what):
                raw += new
                text = pasting.plain(raw.decode("utf-8", "replace"))
                delay_s, heard = _READ_MIN_DELAY_NS / _NANO, time.monotonic()
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
            # the library reads in a thread of its own and has nothing to wait on for that
            time.sleep(delay_s)
            delay_s = min(delay_s * 2, _READ_MAX_DELAY_NS / _NANO)

    def close(self) -> None:
        """End the session. Idempotent."""
        from scrapli.exceptions import ScrapliException  # noqa: PLC0415

        cli, self._cli = self._cli, None
        if cli is not None:
            try:
                cli.close(force=True)
            except ScrapliException:
                return  # the device has closed it already

    def _enable(self, secret: str) -> None:
        from scrapli.cli import InputHandling  # noqa: PLC0415

        self._ask(
            # the echo is not waited for: the secret has none
            lambda cli: (
                cli.send_prompted_input(
                    "enable", "Password:", "", secret, hidden_response=True, input_handling=InputHandling.IGNORE
                ).result
            ),
            "entering privileged mode",
        )
        if not self.prompt.endswith(_PRIVILEGED):
            raise LabError(f"{self._node}: the device refused its enable secret")

    def _ask(self, question: Callable[[Cli], T], what: str) -> T:
        from scrapli.exceptions import ScrapliException  # noqa: PLC0415

        if self._cli is None:
            raise LabError(f"{self._node}: the SSH session is closed")
        try:
            return question(self._cli)
        except ScrapliException as error:
            self.close()
            raise LabError(f"{self._node}: the device failed at {what}: {error}") from error


def _opened(node: str, login: SshLogin) -> Cli:
    logging.getLogger("scrapli").addHandler(logging.NullHandler())  # the LabError says what scrapli would log
    from scrapli import AuthOptions, Cli, SessionOptions, TransportSsh2Options  # noqa: PLC0415
    from scrapli.cli import LoadedDefinition  # noqa: PLC0415
    from scrapli.exceptions import ScrapliException  # noqa: PLC0415

    cli = Cli(
        host=login.host,
        port=login.port,
        definition_file_or_name=LoadedDefinition(platform_name="netbench_ios", definition=_DEFINITION),
        auth_options=AuthOptions(username=login.username, password=login.password),
        session_options=SessionOptions(
            read_min_delay_ns=_READ_MIN_DELAY_NS,
            read_max_delay_ns=_READ_MAX_DELAY_NS,
            operation_timeout_ns=int(_OPEN_TIMEOUT_S * _NANO),
        ),
        transport_options=TransportSsh2Options(),
    )
    try:
        cli.open()
    except ScrapliException as error:
        raise LabError(f"{node}: no login at {login.host} port {login.port}: {error}") from error
    return cli
