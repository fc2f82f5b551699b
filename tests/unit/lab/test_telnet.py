"""Lines over telnet: what the other end negotiates is answered, and text passes as it is."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from threading import Thread

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.telnet import TelnetLine

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240
BINARY, ECHO, GO_AHEAD, WINDOW, TERMINAL = 0, 1, 3, 31, 24


class Server:
    """The other end of one line."""

    def __init__(self, introduction: bytes = b"") -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._introduction = introduction

    def line(self) -> TelnetLine:
        self._listener.settimeout(5)

        def introduce() -> None:
            self.end, _ = self._listener.accept()
            self.end.sendall(self._introduction)

        thread = Thread(target=introduce)
        thread.start()
        line = TelnetLine("R1", "127.0.0.1", self.port)
        thread.join()
        return line

    def heard(self, size: int) -> bytes:
        self.end.settimeout(5)
        found = b""
        while len(found) < size:
            found += self.end.recv(size - len(found))
        return found

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    one = Server(getattr(request, "param", b""))
    yield one
    one.close()


def told(line: TelnetLine, size: int) -> bytes:
    ends_at, found = time.monotonic() + 5, b""
    while len(found) < size and time.monotonic() < ends_at:
        found += line.read()
        time.sleep(0.005)
    return found


@pytest.mark.parametrize(
    "server", [bytes((IAC, WILL, ECHO, IAC, WILL, GO_AHEAD, IAC, WILL, BINARY, IAC, DO, BINARY))], indirect=True
)
def test_a_console_of_gns3_gets_bytes_as_they_are(server: Server) -> None:
    line = server.line()
    answers = bytes((IAC, DO, ECHO, IAC, DO, GO_AHEAD, IAC, DO, BINARY, IAC, WILL, BINARY))
    assert server.heard(len(answers)) == answers
    line.write("show version\n")
    assert server.heard(13) == b"show version\r"
    server.end.sendall(b"a\r\0\r\n")
    assert told(line, 5) == b"a\r\0\r\n"
    line.close()


@pytest.mark.parametrize("server", [bytes((IAC, DO, WINDOW, IAC, WILL, TERMINAL))], indirect=True)
def test_what_is_of_no_use_is_refused_and_enter_is_the_key_of_the_network_terminal(server: Server) -> None:
    line = server.line()
    refusals = bytes((IAC, WONT, WINDOW, IAC, DONT, TERMINAL))
    assert server.heard(len(refusals)) == refusals
    line.write("a\n")
    assert server.heard(3) == b"a\r\0"
    server.end.sendall(b"b\r\0c")
    assert told(line, 3) == b"b\rc"


def test_an_option_that_is_agreed_is_not_answered_again(server: Server) -> None:
    line = server.line()
    server.end.sendall(bytes((IAC, WILL, ECHO)) * 3 + bytes((IAC, WONT, ECHO, IAC, WONT, ECHO)) + b"x")
    assert told(line, 1) == b"x"
    line.write("y")
    assert server.heard(7) == bytes((IAC, DO, ECHO, IAC, DONT, ECHO)) + b"y"


def test_a_command_in_pieces_and_an_escaped_byte_are_read(server: Server) -> None:
    line, found = server.line(), b""
    for piece in (b"ab" + bytes((IAC,)), bytes((SB, TERMINAL, 1, IAC)), bytes((SE,)) + b"c" + bytes((IAC, IAC)), b"d"):
        server.end.sendall(piece)
        found += line.read()
        time.sleep(0.02)
    assert found + told(line, 5 - len(found)) == b"abc\xffd"


def test_letters_beyond_ascii_are_sent_as_utf_8(server: Server) -> None:
    line = server.line()
    line.write("é\n")
    assert server.heard(4) == "é".encode() + b"\r\0"


def test_what_came_before_the_end_is_read_and_then_the_line_is_gone(server: Server) -> None:
    line = server.line()
    server.end.sendall(b"bye")
    server.end.close()
    assert told(line, 3) == b"bye"
    with pytest.raises(LabError, match="R1: the console is gone: closed by the other end"):
        line.read()


def test_a_port_where_nobody_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LabError, match=rf"R1: no console at 127.0.0.1 port {port}: Connection refused"):
        TelnetLine("R1", "127.0.0.1", port)
