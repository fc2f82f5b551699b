"""A program that keeps running on a host, with a named pipe as its input and a file as its output."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.shell import Shell

_GONE = 9
# The program has the pipe open for writing, too: so it never ends, whoever closes it.
_START = """
mkdir -m 700 -p {folder} && cd {folder} || exit 1
rm -f in out pid
mkfifo in && : >out || exit 1
setsid sh -c 'echo $$ >pid; exec 3<>in; exec "$@" <&3 3<&- >>out 2>&1' sh {program} </dev/null >/dev/null 2>&1 &
n=0; until [ -s pid ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.01; done
"""
_EXCHANGE = """
cd {folder} 2>/dev/null && p=$(cat pid 2>/dev/null) && kill -0 "$p" 2>/dev/null || exit 9
{send}
n=0
until {enough}; do
kill -0 "$p" 2>/dev/null || {{ {enough} || exit 9; break; }}
n=$((n+1)); [ $n -gt 20 ] && sleep 0.05 || sleep 0.005 2>/dev/null || sleep 1
done
cat out
"""
_SEND = ": >out; cat >in"
_NO_SEND = ":"
_END = """
cd {folder} 2>/dev/null || exit 0
p=$(cat pid) && {{ kill -9 "-$p" || kill -9 "$p"; }} 2>/dev/null
cd /; rm -rf {folder}
"""


class Gone(Exception):
    """The program has ended."""


class Relay:
    """A program on a host.

    Args:
        shell: The shell through which it is reached.
        folder: A folder for it on the host.
    """

    def __init__(self, shell: Callable[[], Shell], folder: str) -> None:
        self._shell = shell
        self._folder = shlex.quote(folder)

    def start(self, program: str) -> None:
        """Start the program, in words of ``sh``.

        Raises:
            LabError: It cannot be started.
        """
        done = self._shell().run(_START.format(folder=self._folder, program=program))
        if done.returncode:
            raise LabError(f"a program cannot be started: {done.stderr.strip()}")

    def exchange(self, given: bytes | None, enough: str, *, timeout_s: float) -> bytes:
        """Send bytes and return what the program has written since the last sending.

        Args:
            given: The bytes; ``None`` sends nothing, to wait for more.
            enough: A test of ``sh`` whether the file ``out`` has what is waited for.
            timeout_s: Wall seconds that the program has.

        Raises:
            Gone: The program has ended.
            TimeoutError: It did not write enough in time.
        """
        script = _EXCHANGE.format(folder=self._folder, send=_NO_SEND if given is None else _SEND, enough=enough)
        done = self._shell().run_bytes(script, input=given, timeout_s=timeout_s)
        if done.timed_out:
            raise TimeoutError(f"no answer within {timeout_s:g} s")
        if done.returncode == _GONE:
            raise Gone
        return done.stdout

    def end(self) -> None:
        """End the program and remove its folder."""
        self._shell().run(_END.format(folder=self._folder))
