"""Two nodes in namespaces of their own, joined by a ``wire`` in a third one. No root needed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_HOLD = ("sh", "-c", "echo; exec cat")


class Namespace:
    """A network namespace that lasts as long as the process that holds it."""

    def __init__(self, *prefix: str) -> None:
        self._holder = subprocess.Popen([*prefix, *_HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._holder.stdout is not None
        self._holder.stdout.readline()
        self.pid = self._holder.pid
        self.enter = ("nsenter", "-t", str(self.pid), "-U", "-n", "--preserve-credentials")

    def run(self, *argv: str, check: bool = True) -> str:
        return subprocess.run([*self.enter, *argv], capture_output=True, text=True, check=check, timeout=60).stdout

    def popen(self, *argv: str, **kwargs: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.enter, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **kwargs
        )

    def python(self, code: str, *arguments: str) -> object:
        return json.loads(self.run(sys.executable, "-c", code, *arguments))

    def has_carrier(self, interface: str) -> bool:
        return "LOWER_UP" in json.loads(self.run("ip", "-j", "link", "show", interface))[0]["flags"]

    def is_up(self, interface: str) -> bool:
        """Whether frames that are sent leave: the kernel drops them until it has dealt with the carrier's coming."""
        return json.loads(self.run("ip", "-j", "link", "show", interface))[0]["operstate"] == "UP"

    def close(self) -> None:
        assert self._holder.stdin is not None
        assert self._holder.stdout is not None
        self._holder.stdin.close()
        self._holder.wait(5)
        self._holder.stdout.close()


class Cable:
    """``left`` (10.0.0.1) and ``right`` (10.0.0.2) with ``e0``; ``middle`` runs ``wire`` between ``wa`` and ``wb``."""

    def __init__(self, program: Path, *options: str) -> None:
        self.middle = Namespace("unshare", "-Urn")
        self.left = Namespace(*self.middle.enter, "unshare", "-n")
        self.right = Namespace(*self.middle.enter, "unshare", "-n")
        for interface, node, address in (("wa", self.left, "10.0.0.1/24"), ("wb", self.right, "10.0.0.2/24")):
            # ends of different index: else the kernel tells of their carrier up to a second late
            peer = ("peer", "name", "e0", "index", "1000", "netns", str(node.pid))
            self.middle.run("ip", "link", "add", interface, "type", "veth", *peer)
            self.middle.run("ip", "link", "set", interface, "addrgenmode", "none")
            node.run("ip", "addr", "add", address, "dev", "e0")
            # what a rate or a loss is about is the packet on the line, not the 64 KiB that hardware would cut up
            node.run("ip", "link", "set", "e0", "addrgenmode", "none", "gso_max_segs", "1" if options else "65535")
            node.run("ip", "link", "set", "e0", "up")
        self.wire = self.middle.popen(str(program), "wa", "wb", *options)
        assert self.wire.stdout is not None
        assert self.wire.stdout.readline() == "ready\n"

    def close(self) -> None:
        for pipe in (self.wire.stdin, self.wire.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.wire.wait(5)
        for namespace in (self.left, self.right, self.middle):
            namespace.close()


@contextlib.contextmanager
def cable(program: Path, *options: str) -> Iterator[Cable]:
    made = Cable(program, *options)
    try:
        yield made
    finally:
        made.close()


def namespaces_work() -> bool:
    return (
        os.uname().sysname == "Linux"
        and not subprocess.run(["unshare", "-Urn", "true"], capture_output=True, check=False).returncode
    )
