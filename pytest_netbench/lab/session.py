"""A persistent session on a device's command line, driven by scrapli.

Knows how to send a line and to tell that the device no longer answers. What reaches the device (a relay into a
namespace, telnet, ssh) is the backend's choice; what a prompt looks like is the platform's.
"""

from __future__ import annotations

import fcntl
import os
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_netbench import deadline
from pytest_netbench.errors import LabError

if TYPE_CHECKING:
    from scrapli import Cli
    from scrapli.ffi_types import Cancel

TERMINAL_COLUMNS = 4096
TERMINAL_ROWS = 1000
_OPEN_TIMEOUT_S = 10.0
_CLOSE_TIMEOUT_S = 1.0
_SHORTEST_S = 0.1
_GRACE_S = 5.0
_NANO = 1_000_000_000
# scrapli polls the pty; its default maximum interval would delay a slow command
_READ_MIN_DELAY_NS = 20_000
_READ_MAX_DELAY_NS = 500_000


class ScrapliSession:
    """A ``CliSession`` over a program on a pty.

    Args:
        name: For messages, e.g. ``"R1 (vtysh)"``.
        bin: Absolute path of the program that connects to the device.
        args: Its arguments without the program itself. scrapli joins and splits them on spaces, so none may hold one.
        definition: scrapli definition of the command line, a mapping or YAML text.
        open_timeout_s: How long the first prompt may take.

    Raises:
        LabError: No prompt came.
        ValueError: An argument holds white space.
    """

    def __init__(
        self,
        *,
        name: str,
        bin: str,
        args: Sequence[str] = (),
        definition: Mapping[str, Any] | str,
        open_timeout_s: float = _OPEN_TIMEOUT_S,
    ) -> None:
        for word in (bin, *args):
            if not word or word != "".join(word.split()):
                raise ValueError(f"{name}: argument {word!r} cannot be passed to a CLI session (it is split on spaces)")
        self._name = name
        self._prompt = ""
        self._cli: Cli | None = None
        self._cli = self._open(bin, args, definition, open_timeout_s)

    def _open(self, bin: str, args: Sequence[str], definition: Mapping[str, Any] | str, timeout_s: float) -> Cli:
        _have_a_terminal()
        from scrapli import Cli, SessionOptions, TransportBinOptions
        from scrapli.cli import LoadedDefinition

        cli = Cli(
            host=self._name,
            definition_file_or_name=LoadedDefinition(platform_name="netbench", definition=_as_yaml(definition)),
            session_options=SessionOptions(
                read_min_delay_ns=_READ_MIN_DELAY_NS,
                read_max_delay_ns=_READ_MAX_DELAY_NS,
                operation_timeout_ns=int(timeout_s * _NANO),
            ),
            transport_options=TransportBinOptions(
                bin=bin,
                override_open_args=[bin, *args],
                term_width=TERMINAL_COLUMNS,
                term_height=TERMINAL_ROWS,
            ),
            skip_static_options=True,
        )
        # a thread of libscrapli may log after its Cli was given up, and the callback of the Cli is freed with it
        cli.logger_callback = _silent()
        try:
            with _cancelled_after(timeout_s) as cancel:
                cli.open(cancel=cancel)
                self._prompt = cli.get_prompt(cancel=cancel).result.strip()
        except Exception as error:
            _force_close(cli)
            raise LabError(f"{self._name}: the command line did not come up within {timeout_s:g} s: {error}") from error
        return cli

    @property
    def prompt(self) -> str:
        """The prompt as last seen."""
        return self._prompt

    @property
    def alive(self) -> bool:
        """Whether the session can still be used."""
        return self._cli is not None

    def send(self, line: str, *, timeout_s: float = 30.0) -> str:
        r"""Send one line; return what the device printed, without echo and prompt.

        Raises:
            LabError: The session is gone, or the prompt did not come back in time; the session is closed then.
            ValueError: ``line`` holds a control character other than Ctrl-V (``\x16``), which would be a keystroke.
        """
        if any((ord(char) < 32 and char != "\x16") or ord(char) == 127 for char in line):
            raise ValueError(f"{self._name}: control characters cannot be sent: {line!r}")
        if self._cli is None:
            raise LabError(f"{self._name}: the session is closed")
        from scrapli.cli import InputHandling

        within_s = max(_SHORTEST_S, deadline.left(timeout_s))
        try:
            with _cancelled_after(within_s) as cancel:
                answer = self._cli.send_input(
                    line,
                    # the echo is checked below; waiting for it hangs on lines that end in a space
                    input_handling=InputHandling.IGNORE,
                    retain_trailing_prompt=True,
                    operation_timeout_ns=int(within_s * _NANO),
                    cancel=cancel,
                ).result
        except Exception as error:
            self.close()
            raise LabError(f"{self._name}: no prompt within {timeout_s:g} s after {line!r}: {error}") from error
        echo, *output, prompt = ["", *answer.split("\n")] if "\n" not in answer else answer.split("\n")
        if echo.split() != line.replace("\x16", "").split():
            self.close()
            raise LabError(f"{self._name}: the session is out of step: sent {line!r}, the device echoed {echo!r}")
        self._prompt = prompt.strip()
        return "\n".join(output)

    def close(self) -> None:
        """End the session. Idempotent."""
        cli, self._cli = self._cli, None
        if cli is not None:
            _force_close(cli)


@cache
def _silent() -> Any:
    """A callback for logs that lives as long as this process and does nothing: the ``LabError`` says what happened."""
    from scrapli.ffi_types import LoggerCallbackC

    return LoggerCallbackC(lambda _user, _level, _message: None)


@contextmanager
def _cancelled_after(seconds: float) -> Iterator[Cancel]:
    """What ends an operation of scrapli that its own limit of ``seconds`` did not end.

    The limit is kept by a thread of libscrapli, which tells the caller over a pipe. On a busy machine it
    was seen never to do so, and the caller waited for ever.
    """
    from scrapli.ffi_types import Cancel

    cancel = Cancel()
    timer = threading.Timer(seconds + _GRACE_S, cancel.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield cancel
    finally:
        timer.cancel()


_terminal = threading.Lock()


def _have_a_terminal() -> None:
    """Give a session leader without a controlling terminal one that stays.

    scrapli opens its ptys such that the first one would become it: the session on it could not start, and its end would
    hang up this process. So it is for pytest in a container without a terminal, under systemd, cron or in CI.
    """
    if os.getsid(0) != os.getpid():
        return
    with _terminal:
        try:
            os.close(os.open("/dev/tty", os.O_RDWR))
        except OSError:
            _, end = os.openpty()  # both ends stay open as long as this process lives
            fcntl.ioctl(end, termios.TIOCSCTTY, 0)


def _as_yaml(definition: Mapping[str, Any] | str) -> str:
    """The YAML scrapli's own parser reads: bare keys, single-quoted strings, no flow mappings."""
    return definition if isinstance(definition, str) else "\n".join(["---", *_yaml_lines(definition), ""])


def _yaml_lines(mapping: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for key, value in mapping.items():
        if isinstance(value, str):
            lines.append(f"{key}: {_quoted(value)}")
        elif isinstance(value, Mapping):
            lines += [f"{key}:", *(f"  {line}" for line in _yaml_lines(value))]
        elif not value:
            lines.append(f"{key}: []")
        else:
            lines.append(f"{key}:")
            for entry in value:
                inner = [_quoted(entry)] if isinstance(entry, str) else _yaml_lines(entry)
                lines += [f"  - {inner[0]}", *(f"    {line}" for line in inner[1:])]
    return lines


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _force_close(cli: Cli) -> None:
    from scrapli.exceptions import ScrapliException

    try:
        with _cancelled_after(_CLOSE_TIMEOUT_S) as cancel:
            cli.close(force=True, cancel=cancel)
    except ScrapliException:
        # the far end is gone already: nothing is left to close
        return
