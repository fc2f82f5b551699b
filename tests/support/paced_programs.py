"""Programs under the preloaded library whose clock the pacer moves from one event to the next."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.native import build

GRAIN_S = 0.25
BUSY, IDLE, GONE = 1, 2, 3
_FIRST = b"begins\n"
DATE = 1_600_000_000.0
"""What their real-time clock shows first: far from the machine's."""


def compiled(source: Path, folder: Path) -> Path:
    """A test's C program, built as distributions build daemons: some calls then go to ``__poll_chk`` and its like."""
    program = folder / source.stem
    flags = ["-O2", "-D_FORTIFY_SOURCE=2", "-std=gnu11", "-Wall", "-Wextra"]
    subprocess.run([build.compiler() or "cc", *flags, source, "-o", program, "-lpthread"], check=True)
    return program


class Passed(NamedTuple):
    lab_s: float
    moves: int
    looks: int
    held_s: float
    holder: int
    wall_s: float


class Paced:
    """Programs that go by one clock, and its pacer."""

    def __init__(self, folder: Path, library: Path, pacer: Path, factor: float = 1.0) -> None:
        self.path = folder / "clock"
        self.clock = LabClock.create(str(self.path), factor, date=DATE)
        self.pacer = pacer
        self.env = {
            "PATH": os.environ["PATH"],
            "LD_PRELOAD": str(library),
            "NETBENCH_CLOCK": str(self.path),
            "NETBENCH_SLOTS": str(self.clock.slots),
        }
        self.children: list[subprocess.Popen[str]] = []

    def begin(self, *argv: object, **more: object) -> subprocess.Popen[str]:
        """Start a program and read its first line."""
        child = self._start([*map(str, argv)], env=self.env, stdout=subprocess.PIPE, start_new_session=True, **more)
        self.children.append(child)
        # not by readline, which may take what follows, too, and keep it from communicate
        assert os.read(child.stdout.fileno(), len(_FIRST)) == _FIRST
        return child

    def start_pacer(self, lab_s: float, grain_s: float = GRAIN_S) -> subprocess.Popen[str]:
        self.clock.hand_over()
        argv = [str(self.pacer), str(self.path), "/proc", str(self.clock.slots), str(lab_s), str(grain_s), "0.05"]
        return self._start(argv, stdout=subprocess.PIPE)

    def forward(self, lab_s: float, grain_s: float = GRAIN_S, *, timeout_s: float = 90) -> Passed:
        began = time.monotonic()
        pacer = self.start_pacer(lab_s, grain_s)
        try:
            output, _ = pacer.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            pacer.kill()
            pacer.wait()
            raise AssertionError("\n".join(["the clock does not move", *self.unrest()])) from None
        lab_ns, moves, looks, held_ns, holder = map(int, output.split())
        self.clock.take_back()
        return Passed(lab_ns / 1e9, moves, looks, held_ns / 1e9, holder, time.monotonic() - began)

    def processes(self) -> list[int]:
        """Those that children have started, and they themselves, unless they have ended and wait for a parent."""
        groups, found = {child.pid for child in self.children}, []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                has_ended = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
                if not has_ended and os.getpgid(int(entry.name)) in groups:
                    found.append(int(entry.name))
        return found

    def unrest(self) -> list[str]:
        """Who does not sleep or does not say so: what a slot says, and what the kernel says of its thread."""
        count = min(struct.unpack("=I", os.pread(self.clock.slots, 4, 4))[0], 4095)
        told = []
        for place in range(count):
            state, pid, tid = struct.unpack("=Iii", os.pread(self.clock.slots, 12, 64 + place * 64))
            task = Path(f"/proc/{pid}/task/{tid}")
            try:
                seen = (task / "stat").read_text().rpartition(")")[2].split()[0]
                call = (task / "syscall").read_text().split()[0]
            except OSError:
                seen = call = "none"
            if state != GONE and (state != IDLE or seen != "S"):
                told.append(
                    f"slot {place}: says {state}, process {pid}, thread {tid}, kernel {seen}, system call {call}"
                )
        return told

    def end(self) -> None:
        """Kill what still runs."""
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(5)
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()

    def _start(self, argv: list[str], **more: object) -> subprocess.Popen[str]:
        return subprocess.Popen(argv, pass_fds=[self.clock.slots], text=True, **more)


def told(child: subprocess.Popen[str]) -> list[list[float]]:
    """What a program prints until it ends."""
    output, _ = child.communicate(timeout=20)
    return [[float(word) for word in line.split()] for line in output.splitlines()]
