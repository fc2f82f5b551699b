"""FRR 10's mgmtd refuses a change during another one: the driver and a service send the line again.

The driver's tests cover FRR 8, where ripd takes its own config, and FRR 10, where mgmtd takes it. Neither has to be
installed.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.platforms.cisco_ios.apply import frr as apply_frr
from pytest_netbench.platforms.cisco_ios.compile.state import FrrState
from pytest_netbench.platforms.cisco_ios.services.programs.common import frr as program_frr
from pytest_netbench.platforms.frr import daemons

LOCKED = "% command failed, could not lock running DS\n"


class Daemon:
    """Answers lines: the first ``locked`` times that it is locked; lines with ``bad`` always fail."""

    def __init__(self, locked: int) -> None:
        self.locked = locked
        self.heard: list[str] = []

    def answer(self, line: str) -> tuple[str, int]:
        self.heard.append(line)
        if line.startswith("ip route") and self.locked:
            self.locked -= 1
            return LOCKED, 255
        return ("% Unknown command\n", 2) if "bad" in line else ("", 0)


class Node:
    """A node whose FRR runs in this test."""

    name = "R1"

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.memory: dict[str, object] = {}

    def read_file(self, path: str) -> str:
        return "mgmtd=yes\nripd=yes\n"

    def vty(self, requests: list[tuple[str, str]]) -> list[tuple[str, int]]:
        return [self._daemon.answer(line) for _, line in requests]


@pytest.fixture
def daemon_directory(tmp_path: Path) -> Iterator[tuple[Path, Daemon]]:
    daemon = Daemon(locked=2)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "mgmtd.vty"))
        listener.listen()
        server = threading.Thread(target=_serve, args=(listener, daemon))
        server.start()
        yield tmp_path, daemon
        server.join()


def _serve(listener: socket.socket, daemon: Daemon) -> None:
    connection, _ = listener.accept()
    with connection, connection.makefile("rb") as stream:
        heard = b""
        while byte := stream.read(1):
            if byte != b"\0":
                heard += byte
                continue
            text, status = daemon.answer(heard.decode())
            connection.sendall(text.encode() + bytes([0, 0, 0, status]))
            heard = b""


def plan(*lines: str) -> FrrState:
    made = FrrState()
    for line in lines:
        made.add("ripd", line)
    return made


@pytest.fixture(params=[("8.4.4", "ripd"), ("10.3", "mgmtd")], ids=["frr-8", "frr-10"])
def speaker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The daemon that takes ripd's config."""
    version, name = request.param
    monkeypatch.setattr(daemons, "version", lambda: version)
    return name


def test_a_line_that_met_a_lock_is_sent_again(speaker):
    daemon = Daemon(locked=3)
    assert apply_frr.apply(Node(daemon), FrrState(), plan("ip route 10.0.0.0/8 Null0")) == []
    assert daemon.heard.count("ip route 10.0.0.0/8 Null0") == 4


def test_a_line_that_is_refused_for_itself_is_sent_once(speaker):
    daemon = Daemon(locked=0)
    problems = apply_frr.apply(Node(daemon), FrrState(), plan("bad line"))
    assert problems == [f"R1: {speaker} did not take 'bad line': % Unknown command"]
    assert daemon.heard.count("bad line") == 1


def test_a_lock_that_stays_is_reported(monkeypatch, speaker):
    monkeypatch.setattr(apply_frr, "_LONGEST_LOCK_S", 0.01)
    daemon = Daemon(locked=10_000)
    problems = apply_frr.apply(Node(daemon), FrrState(), plan("ip route 10.0.0.0/8 Null0"))
    assert problems == [f"R1: {speaker} did not take 'ip route 10.0.0.0/8 Null0': {LOCKED.strip()}"]


def test_a_service_sends_a_line_again_that_met_a_lock(daemon_directory):
    directory, daemon = daemon_directory
    lines = [("mgmtd", "ip route 10.0.0.0/8 Null0"), ("mgmtd", "bad line")]
    assert program_frr.configure(lines, directory=str(directory)) == ["mgmtd: bad line: % Unknown command"]
    assert daemon.heard == ["enable", "configure terminal", *["ip route 10.0.0.0/8 Null0"] * 3, "bad line", "end"]
