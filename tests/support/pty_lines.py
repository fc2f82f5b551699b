"""Lines on pseudo-terminals of this machine, as ``platforms.access.CliLine``."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from pytest_netbench.errors import LabError

_SETSID = str(shutil.which("setsid"))
_ENV = shutil.which("env") or "env"


class PtyLine:
    """A program, such as a shell, on a terminal of its own."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str] | None = None) -> None:
        self.fd, slave = os.openpty()
        given = {"PATH": os.environ["PATH"], "TERM": "vt100", "HISTFILE": "", "LANG": "C.UTF-8", **(env or {})}
        # under nohup this process ignores what tells a program that its terminal is gone
        hears = [_ENV, "--default-signal=HUP"]
        argv = [*hears, _SETSID, "--ctty", *argv]
        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=given)
        os.close(slave)
        os.set_blocking(self.fd, False)
        self.is_closed = False

    def read(self) -> bytes:
        try:
            data = os.read(self.fd, 65_536)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise LabError(f"the line is gone: {error.strerror}") from error
        if not data:
            raise LabError("the line is gone")
        return data

    def write(self, text: str) -> None:
        os.set_blocking(self.fd, True)
        try:
            os.write(self.fd, text.encode())
        except OSError as error:
            raise LabError(f"the line is gone: {error.strerror}") from error
        finally:
            os.set_blocking(self.fd, False)

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            os.close(self.fd)
            self.process.wait(20)
