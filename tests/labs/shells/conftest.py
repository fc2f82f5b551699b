"""Hosts in namespaces of their own, reached by shells on pseudo-terminals."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.pty_lines import PtyLine

_READY_S = 20
_SCRIPT = """
for d in /run /etc/frr /var/tmp /tmp; do mount -t tmpfs tmpfs $d; done
mkdir -m 755 /run/frr /var/tmp/frr; chmod 1777 /tmp
chown frr:frr /run/frr /etc/frr /var/tmp/frr 2>/dev/null
mount --bind /dev/null /dev/console 2>/dev/null
ip link set lo up
echo ready
while :; do sleep 60 & wait $!; done
"""


class Host:
    """A host: its network, its processes and the folders that it writes to are its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", _SCRIPT],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        ends_at = time.monotonic() + _READY_S
        while not children.read_text():
            assert time.monotonic() < ends_at
            time.sleep(0.01)
        (self.pid,) = map(int, children.read_text().split())
        self.entry = ["nsenter", "-t", str(self.pid), "--net", "--mount", "--pid"]

    def line(self) -> PtyLine:
        return PtyLine([*self.entry, "bash", "--norc", "-i"])

    def run(self, *words: str) -> str:
        return subprocess.run([*self.entry, *words], check=True, capture_output=True, text=True).stdout

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def new_host() -> Iterator[Callable[[], Host]]:
    if os.geteuid() != 0:
        pytest.skip("hosts are made as root")
    hosts: list[Host] = []

    def new() -> Host:
        hosts.append(Host())
        return hosts[-1]

    yield new
    for host in hosts:
        host.close()


def join(one: Host, its: str, other: Host, theirs: str) -> None:
    """Join two hosts by a cable."""
    words = f"ip link add {its} netns {one.pid} type veth peer name {theirs} netns {other.pid}"
    subprocess.run(words.split(), check=True)


@pytest.fixture
def cable() -> Callable[[Host, str, Host, str], None]:
    return join
