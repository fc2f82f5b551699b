"""A terminal line over SSH, by the system's own client: its configuration, its known hosts and its agent apply."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import time
import tty
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.scratch import ScratchDirectory

HostKey = Literal["check", "accept-new", "ignore"]
_CHECKS: Final = {"check": "yes", "accept-new": "accept-new", "ignore": "no"}
_ROWS, _COLUMNS = 1000, 511
_READ_BYTES = 65_536
_WRITE_S = 30.0
_END_S = 3.0
_PAUSE_S = 0.02
_QUIET_S = 0.3
_ASK = "NETBENCH_ASKPASS"
_KEPT: Final = ("HOME", "LANG", "LOGNAME", "PATH", "SSH_AUTH_SOCK", "USER")
_NOISE: Final = re.compile(r"^(?:Warning: Permanently added|@+|Pseudo-terminal)", re.IGNORECASE)
_CODES: Final = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>78])")
"""What a shell sends around its prompt: colors, the title of a window."""
PROMPT: Final = re.compile(r"(?:\A|[\r\n])[\w.\-@/:~\[\] ]{1,80}(?:\([\w.\-@/:+]{0,63}\))?[>#$%] ?\Z")


@dataclass(frozen=True, kw_only=True)
class SshTarget:
    """Where to log in, and as whom.

    Attributes:
        host: Name or address.
        port: TCP port.
        user: The user; ``None`` leaves it to the client's configuration.
        password: Empty if there is none. Never an argument of a program.
        key: File of a private key; ``None`` leaves it to the client's configuration and its agent.
        known_hosts: File of known host keys, in place of the client's.
        host_key: What is done with a host key that is not known. One that has changed is refused unless keys are
            ignored.
    """

    host: str
    port: int = 22
    user: str | None = None
    password: str = field(default="", repr=False)
    key: str | None = None
    known_hosts: str | None = None
    host_key: HostKey = "check"


class SshLine:
    """Implements ``platforms.access.CliLine``. The device has shown its prompt when it is made.

    Args:
        owner: Whose line it is, for messages.
        target: Where and as whom.
        within_s: The prompt must be there within this time.

    Raises:
        LabError: The device does not answer, is not the one that is known, or does not let anybody in.
        RequirementMissing: There is no SSH client.
    """

    def __init__(self, owner: str, target: SshTarget, *, within_s: float = 30.0) -> None:
        self._owner = owner
        self._where = f"{target.host} port {target.port}"
        self._fd, inner = pty.openpty()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the line
        self._folder = ScratchDirectory("netbench-askpass-")
        try:
            tty.setraw(inner, termios.TCSANOW)
            fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
            self._process = subprocess.Popen(
                command(target, within_s),
                stdin=inner,
                stdout=inner,
                stderr=self._said,
                start_new_session=True,  # without a terminal to ask at, the client asks the program
                env=self._environment(target),
            )
        except BaseException as error:
            os.close(self._fd)
            self._said.close()
            self._folder.close()
            if isinstance(error, FileNotFoundError):
                raise RequirementMissing("there is no SSH client", "apt-get install openssh-client") from None
            raise
        finally:
            os.close(inner)
        os.set_blocking(self._fd, False)
        try:
            self._await_prompt(within_s)
        except BaseException:
            self.close()
            raise

    def _environment(self, target: SshTarget) -> dict[str, str]:
        """The client's environment, with the password for the program that it asks for it."""
        asked = self._folder.path / "answer"
        asked.write_text(f"#!/bin/sh\nprintf '%s\\n' \"${_ASK}\"\n")
        asked.chmod(0o700)
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "SSH_ASKPASS": str(asked),
            "SSH_ASKPASS_REQUIRE": "force",
            "DISPLAY": os.environ.get("DISPLAY", ":"),  # releases before 8.4 ask the program only with one
            "TERM": "vt100",
            _ASK: target.password,
        }

    def read(self) -> bytes:
        try:
            new = os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            new = b""
        if not new:
            raise self._gone()
        return new

    def write(self, text: str) -> None:
        data = text.encode()
        ends_at = time.monotonic() + _WRITE_S
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                if not select.select([], [self._fd], [], max(0.0, ends_at - time.monotonic()))[1]:
                    raise LabError(f"{self._owner}: takes no keys since {_WRITE_S:g} s") from None
            except OSError:
                raise self._gone() from None

    def close(self) -> None:
        if self._fd < 0:
            return
        os.close(self._fd)
        self._fd = -1
        self._process.terminate()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._said.close()
        self._folder.close()

    def _await_prompt(self, within_s: float) -> None:
        """Read until the device has shown its prompt and says nothing more."""
        ends_at = time.monotonic() + within_s
        text, heard = "", time.monotonic()
        while (now := time.monotonic()) < ends_at:
            if new := self.read():
                text, heard = text + new.decode("utf-8", "replace"), now
            elif now - heard > _QUIET_S and PROMPT.search(_CODES.sub("", text)):
                return
            else:
                time.sleep(_PAUSE_S)
        shown = text.strip()[-80:]
        raise LabError(
            f"{self._owner}: no prompt at {self._where} within {within_s:g} s; "
            + (f"it shows {shown!r}" if shown else "it shows nothing")
        )

    def _gone(self) -> LabError:
        """What happened to the connection, in the client's words where they are plain enough."""
        try:
            status: int | None = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            status = None
        self._said.seek(0)
        lines = [line.strip() for line in self._said.read().decode("utf-8", "replace").splitlines()]
        said = [line for line in lines if line and not _NOISE.match(line)]
        for sign, sentence in _SENTENCES:
            if any(sign in line for line in lines):
                return LabError(f"{self._owner}: {sentence} ({self._where})")
        why = said[-1] if said else f"the SSH client ended with status {status}" if status else "closed by the device"
        return LabError(f"{self._owner}: the SSH connection to {self._where} is gone: {why}")


_SENTENCES: Final[Sequence[tuple[str, str]]] = (
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key is another one than the known one; nobody logged in"),
    (
        "host key is known",
        "its host key is not known; add it with `ssh-keyscan`, or set `host-key: accept-new`",
    ),
    ("Host key verification failed", "its host key is not the known one; nobody logged in"),
    ("Permission denied", "it refused the login: the user, the password or the key is wrong"),
    ("Too many authentication failures", "it refused the login: the user, the password or the key is wrong"),
    ("Could not resolve hostname", "nobody knows its address"),
    ("Connection refused", "nothing answers there: connection refused"),
    ("No route to host", "it cannot be reached: no route to host"),
    ("Network is unreachable", "it cannot be reached: network is unreachable"),
    ("timed out", "it does not answer: the connection timed out"),
)


def command(target: SshTarget, within_s: float) -> list[str]:
    """The command that logs in."""
    options = {
        "StrictHostKeyChecking": _CHECKS[target.host_key],
        "NumberOfPasswordPrompts": "1",
        "ConnectTimeout": str(max(1, int(within_s))),
        "ServerAliveInterval": "10",
        "ServerAliveCountMax": "3",
        "EscapeChar": "none",
        "ControlMaster": "no",
        "ControlPath": "none",
        "LogLevel": "ERROR",
        "PermitLocalCommand": "no",
        "ForwardAgent": "no",
        "ForwardX11": "no",
        "ClearAllForwardings": "yes",
    }
    if target.host_key == "ignore":
        options["UserKnownHostsFile"] = options["GlobalKnownHostsFile"] = "/dev/null"
    elif target.known_hosts is not None:
        options["UserKnownHostsFile"] = str(Path(target.known_hosts).expanduser())
        options["GlobalKnownHostsFile"] = "/dev/null"
    if target.key is not None:
        options |= {"IdentityFile": str(Path(target.key).expanduser()), "IdentitiesOnly": "yes"}
    elif target.password:
        # a device counts each key that it does not know as a failure
        options["PreferredAuthentications"] = "password,keyboard-interactive"
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    user = ["-l", target.user] if target.user is not None else []
    return ["ssh", "-tt", *words, *user, "-p", str(target.port), "--", target.host]
