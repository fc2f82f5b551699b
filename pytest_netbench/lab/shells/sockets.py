"""FRR's daemons over their own sockets, by a connection that a program on the host keeps open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.relay import Gone, Relay
from pytest_netbench.lab.shells.shell import Shell
from pytest_netbench.platforms.frr import vty

_AT_ONCE = 64  # as many as a daemon takes before its first answer is read
_ONE_BY_ONE = frozenset({"mgmtd"})
_PYTHON = """
import os, socket, sys, threading
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
def up():
    while d := os.read(0, 65536):
        s.sendall(d)
threading.Thread(target=up, daemon=True).start()
while d := s.recv(65536):
    os.write(1, d)
os._exit(0)
"""
_PERL = """
use IO::Socket::UNIX; use IO::Select;
my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
my $both = IO::Select->new($s, *STDIN);
while (1) { for my $f ($both->can_read) {
my $n = sysread($f, my $d, 65536); exit unless $n;
syswrite($f == $s ? *STDOUT : $s, $d);
} }
"""
_CONNECT = """
n=0; until [ -S "$0" ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done
have() { command -v "$1" >/dev/null 2>&1; }
if have socat; then exec socat - "UNIX-CONNECT:$0"
elif have python3; then exec python3 -c "$1" "$0"
elif have perl; then exec perl -e "$2" "$0"
elif nc -h 2>&1 | grep -q -e " -U\\|\\[-.*U"; then exec nc -U "$0"
fi
echo none
"""
_NONE = b"none\n"
_PAUSE_S = 0.1
_ANSWER_S = 60.0
"""A host that is emulated may take so long to start a program, and a daemon there to answer."""
_NULS = "[ $(tr -cd '\\000' <out | wc -c) -ge {count} ]"
_LONGER = "[ $(wc -c <out) -gt {size} ]"

Answer = tuple[str, int]


class ConsoleVtys:
    """Implements ``platforms.capabilities.FrrSockets``.

    Args:
        node: Its name, for errors.
        shell: The trusted shell of the node.
        folder: A folder of the node on its host.
    """

    def __init__(self, node: str, shell: Callable[[], Shell], folder: Callable[[], str]) -> None:
        self._node = node
        self._shell = shell
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, Relay] = {}

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[Answer]:
        """Ask daemons, see ``FrrSockets``."""
        with self._lock:
            return [
                answer
                for daemon, group in groupby(requests, key=itemgetter(0))
                for answer in self._ask(daemon, [command for _, command in group])
            ]

    def _ask(self, daemon: str, commands: Sequence[str]) -> list[Answer]:
        try:
            if daemon in self._open:
                try:
                    return self._exchange_all(daemon, commands)
                except Gone:
                    del self._open[daemon]
            self._connect(daemon)
            return self._exchange_all(daemon, commands)
        except (Gone, TimeoutError) as error:
            if relay := self._open.pop(daemon, None):
                relay.end()
            what = commands[0] if len(commands) == 1 else f"{commands[0]} …"
            why = str(error) or "closed by the daemon"
            raise LabError(f"{self._node}: {daemon} does not answer {what!r}: {why}") from error

    def _connect(self, daemon: str) -> None:
        """Open a connection; waits for a daemon that is still starting."""
        relay = Relay(self._shell, f"{self._folder()}/{daemon}")
        ends_at = time.monotonic() + _ANSWER_S
        while True:
            relay.start(f"sh -c {_quoted(_CONNECT)} {vty.path(daemon)} {_quoted(_PYTHON)} {_quoted(_PERL)}")
            self._open[daemon] = relay
            try:
                self._exchange(relay, ["enable"], _ANSWER_S)
            except Gone:
                if time.monotonic() > ends_at:
                    raise TimeoutError(f"no connection within {_ANSWER_S:g} s") from None
                time.sleep(_PAUSE_S)  # a daemon that is starting tells nobody when it listens
            else:
                return

    def _exchange_all(self, daemon: str, commands: Sequence[str]) -> list[Answer]:
        at_once = 1 if daemon in _ONE_BY_ONE else _AT_ONCE
        return [
            answer
            for start in range(0, len(commands), at_once)
            for answer in self._exchange(self._open[daemon], commands[start : start + at_once], _ANSWER_S)
        ]

    def _exchange(self, relay: Relay, commands: Sequence[str], timeout_s: float) -> list[Answer]:
        given: bytes | None = b"".join(command.encode() + b"\0" for command in commands)
        # a status may be a zero byte, too: then this is enough too soon
        enough = _NULS.format(count=3 * len(commands))
        while True:
            heard = relay.exchange(given, enough, timeout_s=timeout_s)
            if heard.endswith(_NONE) and b"\0" not in heard:
                raise LabError(f"{self._node}: asking FRR needs python3, socat, perl or nc with -U on the host")
            answers = _answers(heard)
            if len(answers) == len(commands):
                return answers
            given, enough = None, _LONGER.format(size=len(heard))

    def close(self) -> None:
        """Forget all connections; their programs are ended by the node."""
        self._open.clear()


def _answers(heard: bytes) -> list[Answer]:
    # No answer holds a zero byte.
    found, start = [], 0
    while (end := heard.find(b"\0\0\0", start)) >= 0 and len(heard) > end + 3:
        found.append((heard[start:end].decode("utf-8", "replace"), heard[end + 3]))
        start = end + 4
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
