"""The program that holds connections, against a real listener."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from pytest_netbench.faults.holder import Holder


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=8) as one:
        one.settimeout(2.0)
        yield one


def test_it_opens_as_many_as_are_asked_for_and_says_nothing(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 3)
    holder.fill()
    accepted = [listener.accept()[0] for _ in range(3)]
    for one in accepted:
        one.setblocking(False)
        with pytest.raises(BlockingIOError):
            one.recv(1)
    holder.fill()
    assert holder.held == 3, "no more are opened"


def test_many_are_opened_by_and_by(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 40)
    counts = []
    for _ in range(4):
        holder.fill()
        counts.append(holder.held)
    assert counts == [16, 32, 40, 40]


def test_one_that_ends_is_opened_again(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 2)
    holder.fill()
    first, _ = listener.accept()
    kept = listener.accept()[0]
    first.close()
    holder.drop_ended(2.0)
    assert holder.held == 1
    holder.fill()
    again = listener.accept()[0]
    assert holder.held == 2
    assert kept.fileno() != again.fileno()


def test_what_a_server_says_ends_no_connection(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 1)
    holder.fill()
    with listener.accept()[0] as one:
        one.sendall(b"HTTP/1.0 408 Request Time-out\r\n\r\n")
        holder.drop_ended(2.0)
        assert holder.held == 1


def test_a_refused_one_is_forgotten_and_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        address = one.getsockname()
    holder = Holder(address, 2)
    holder.fill()
    holder.drop_ended(2.0)
    holder.drop_ended(0.0)
    assert holder.held == 0


def test_a_request_has_always_one_more_line(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 1, ("GET / HTTP/1.1", "Accept: */*"), pace_s=0.0)
    holder.say()
    holder.fill()
    with listener.accept()[0] as one:
        one.settimeout(2.0)
        said = b""
        for _ in range(3):
            holder.say()
            said += one.recv(100)
        assert said == b"GET / HTTP/1.1\r\n" + 2 * b"Accept: */*\r\n"


def test_no_line_is_said_before_it_is_due(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 1, ("GET / HTTP/1.1",), pace_s=60.0)
    holder.fill()
    with listener.accept()[0] as one:
        one.settimeout(0.2)
        holder.say()
        holder.say()
        assert one.recv(100) == b"GET / HTTP/1.1\r\n"
        with pytest.raises(TimeoutError):
            one.recv(100)


def test_a_connection_that_is_opened_again_begins_its_request_again(listener: socket.socket) -> None:
    holder = Holder(listener.getsockname(), 1, ("GET / HTTP/1.1", "Accept: */*"), pace_s=0.0)
    holder.fill()
    holder.say()
    listener.accept()[0].close()
    holder.drop_ended(2.0)
    holder.fill()
    holder.say()
    with listener.accept()[0] as one:
        assert one.recv(100) == b"GET / HTTP/1.1\r\n"
