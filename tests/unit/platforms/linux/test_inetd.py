"""The program that serves a port by a program for each connection, with real connections and programs."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.platforms.linux import inetd

MOST = 2
ECHO = ("/bin/sh", "-c", "read line; echo said $line")


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as one:
        number = int(one.getsockname()[1])
    argv = [sys.executable, "-I", "-S", "-c", Path(inetd.__file__).read_text(), str(number), str(MOST), *ECHO]
    with subprocess.Popen(argv) as served:
        yield number
        served.terminate()


def connected(port: int) -> socket.socket:
    ends_at = time.monotonic() + 5.0
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5.0)
        except ConnectionRefusedError:
            assert time.monotonic() < ends_at
            time.sleep(0.01)


def answer(one: socket.socket, words: str) -> bytes:
    with one:
        one.sendall(f"{words}\n".encode())
        return one.recv(100)


def test_each_connection_has_a_program_of_its_own(port: int) -> None:
    with connected(port), connected(port) as other:
        assert answer(other, "hello") == b"said hello\n"
    assert answer(connected(port), "again") == b"said again\n"


def test_one_more_than_may_be_at_a_time_waits_until_another_ends(port: int) -> None:
    first, second, third = (connected(port) for _ in range(3))
    third.sendall(b"me too\n")
    third.settimeout(0.3)
    with pytest.raises(TimeoutError):
        third.recv(100)
    third.settimeout(5.0)
    assert answer(second, "done") == b"said done\n"
    with first, third:
        assert third.recv(100) == b"said me too\n"


def test_many_are_served_one_after_the_other(port: int) -> None:
    assert {answer(connected(port), "x") for _ in range(5 * MOST)} == {b"said x\n"}


def test_many_at_once_do_not_wait_for_a_lost_beginning(port: int) -> None:
    connected(port).close()
    began = time.monotonic()
    opened = [connected(port) for _ in range(8)]
    assert [answer(one, "x") for one in opened] == [b"said x\n"] * 8
    assert time.monotonic() - began < 0.9
