"""Long-running programs of a host, and the folder on it that holds their logs."""

from __future__ import annotations

import contextlib
import shlex
import threading
from collections.abc import Mapping, Sequence

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells import hostside
from pytest_netbench.lab.shells.kept import KeptShell

_MAKE = (
    'for b in /tmp /run /dev/shm /var/tmp; do mkdir -m 700 "$b/{name}" 2>/dev/null && echo "$b/{name}" && break; done'
)
# A daemon that gives its rights away opens its log once more.
# What is not yet a session of its own would end with the command.
_START = """
cd / && : >>{log} && chmod 666 {log} && rm -f {started} || exit 1
setsid sh -c 'echo $$ >>"$0"; : >"$1"; shift; exec "$@"' {pids} {started} {command} </dev/null >>{log} 2>&1 &
n=0; until [ -e {started} ] || [ $n -gt 500 ]; do n=$((n+1)); sleep 0.01; done
[ -e {started} ]
"""
_END = """
cd {folder} || exit 0
p=$(cat pids */pid 2>/dev/null)
for i in $p; do kill -TERM "-$i"; done 2>/dev/null
n=0
while [ $n -lt 20 ]; do
left=; for i in $p; do kill -0 "-$i" 2>/dev/null && left=1; done
[ -n "$left" ] || break
n=$((n+1)); sleep 0.05
done
for i in $p; do kill -9 "-$i"; done 2>/dev/null
cd /; rm -rf {folder}
"""


class Programs:
    """What was started on a host.

    Args:
        node: Name of the node, for messages.
        shell: Its trusted shell.
    """

    def __init__(self, node: str, shell: KeptShell) -> None:
        self._node = node
        self._shell = shell
        self._lock = threading.Lock()
        self._folder = ""

    def folder(self) -> str:
        """A folder on the host for this node, which is removed at the end.

        Raises:
            LabError: It cannot be made.
        """
        with self._lock:
            if not self._folder:
                done = self._shell.get().run(_MAKE.format(name=f"netbench-node-{hostside.number()}"))
                self._folder = done.stdout.strip()
                if not self._folder:
                    raise LabError(f"{self._node}: no folder can be made on the host: {done.stderr.strip()}")
            return self._folder

    def start(self, argv: Sequence[str], env: Mapping[str, str], name: str) -> None:
        """Start a program that goes on; its outputs go to ``NAME.log`` in the folder.

        Raises:
            LabError: It cannot be started.
        """
        folder = self.folder()
        command = shlex.join(["env", *(f"{key}={value}" for key, value in env.items()), *argv])
        script = _START.format(
            log=shlex.quote(f"{folder}/{name}.log"),
            pids=shlex.quote(f"{folder}/pids"),
            started=shlex.quote(f"{folder}/started"),
            command=command,
        )
        done = self._shell.get().run(f"command -v {shlex.quote(argv[0])} >/dev/null || exit 127\n{script}")
        if done.returncode:
            why = "there is no such program" if done.returncode == 127 else done.stderr.strip()
            raise LabError(f"{self._node}: {argv[0]} cannot be started: {why}")

    def forget(self) -> None:
        """Nothing is there any more: the host was switched off."""
        with self._lock:
            self._folder = ""

    def close(self) -> None:
        """End all programs with what they started, in order, then by force; remove the folder."""
        with self._lock:
            folder, self._folder = self._folder, ""
        if folder:
            with contextlib.suppress(LabError):  # a host that is gone has ended them
                self._shell.get().run(_END.format(folder=shlex.quote(folder)))
