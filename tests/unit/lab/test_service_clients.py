"""The clients of services, with real servers on loopback."""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.clients import get, look_up, stub
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.capabilities import EXEC


class ThisMachine:
    """Runs the programs of a node here."""

    name = "h1"

    def __init__(self, **replaced: str) -> None:
        self._replaced = replaced

    def capability(self, kind: Any) -> Any:
        return kind.of({EXEC.name: self}, owner="this machine")

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        command = [self._replaced.get(argv[0], argv[0]), *argv[1:]]
        done = subprocess.run(command, input=input, capture_output=True, text=True, timeout=timeout_s, check=False)
        return Completed(stdout=done.stdout, stderr=done.stderr, returncode=done.returncode)


class Index(BaseHTTPRequestHandler):
    """Has one page."""

    def do_GET(self) -> None:
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(b"x" * 300 if found else b"")

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Index) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_page_has_its_status_its_size_and_times(page: str) -> None:
    found = get(ThisMachine(), f"{page}/", timeout_s=5.0)  # type: ignore[arg-type]
    assert (found.status, found.address, found.size, found.error) == (200, "127.0.0.1", 300, None)
    assert found.connect_ms is not None
    assert 0 < found.connect_ms <= found.total_ms < 5000


def test_a_page_that_is_not_there_has_a_status_and_no_error(page: str) -> None:
    found = get(ThisMachine(), f"{page}/none", timeout_s=5.0)  # type: ignore[arg-type]
    assert (found.status, found.error) == (404, None)


def test_a_server_that_is_not_there_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    found = get(ThisMachine(), f"http://127.0.0.1:{port}/", timeout_s=5.0)  # type: ignore[arg-type]
    assert (found.status, found.connect_ms) == (None, None)
    assert "connect" in str(found.error)


def test_a_server_that_does_not_answer_ends_with_the_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = get(ThisMachine(), f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout_s=0.2)  # type: ignore[arg-type]
    assert found.status is None
    assert "timed out" in str(found.error)
    assert 200 <= found.total_ms < 5000


def test_only_http_is_spoken() -> None:
    assert get(ThisMachine(), "file:///etc/passwd").status is None  # type: ignore[arg-type]


def test_a_client_that_cannot_run_is_an_error_of_the_lab() -> None:
    with pytest.raises(LabError, match="h1: curl failed"):
        get(ThisMachine(curl="false"), "http://127.0.0.1/")  # type: ignore[arg-type]


# ---- names ----


def answer(number: bytes, *addresses: str, code: int = 0, name: bytes = b"\2h2\4corp\0") -> bytes:
    head = number + struct.pack(">HHHHH", 0x8180 | code, 1, len(addresses), 0, 0)
    records = b"".join(
        b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(address) for address in addresses
    )
    return head + name + struct.pack(">HH", 1, 1) + records


def test_an_answer_is_read_with_all_its_addresses() -> None:
    assert stub.read(answer(b"\0\1", "10.0.1.10", "10.0.1.11")) == ("NOERROR", ["10.0.1.10", "10.0.1.11"])
    assert stub.read(answer(b"\0\1", code=3)) == ("NXDOMAIN", [])


def test_records_of_other_types_are_passed_over() -> None:
    alias = b"\xc0\x0c" + struct.pack(">HHIH", 5, 1, 0, 4) + b"\1a\xc0\x0c"
    message = bytearray(answer(b"\0\1", "10.0.1.10"))
    place = 12 + len(b"\2h2\4corp\0") + 4
    message[place:place] = alias
    message[6:8] = struct.pack(">H", 2)
    assert stub.read(bytes(message)) == ("NOERROR", ["10.0.1.10"])


@pytest.mark.parametrize("size", range(1, 60, 3))
def test_an_answer_that_is_cut_off_is_no_answer(size: int) -> None:
    whole = answer(b"\0\1", "10.0.1.10", "10.0.1.11")
    with pytest.raises((struct.error, IndexError)):
        stub.read(whole[: min(size, len(whole) - 5)])


def test_a_resolv_conf_has_a_server_and_a_domain() -> None:
    assert stub.settings("# by hand\nsearch corp.example x.example\nnameserver 10.0.1.10\nnameserver 10.0.1.11\n") == (
        "10.0.1.10",
        "corp.example",
    )
    assert stub.settings("nameserver\n") == (None, None)


@contextlib.contextmanager
def served(respond: Any) -> Iterator[None]:
    """A DNS server at port 53 of a loopback address, as far as this module is asked."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        real = socket.socket.connect

        def connect(this: socket.socket, address: tuple[str, int]) -> None:
            real(this, sock.getsockname() if address[1] == 53 else address)

        thread = threading.Thread(target=lambda: respond(sock, *sock.recvfrom(512)))
        thread.start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stub.socket.socket, "connect", connect)
            yield
        thread.join()


def test_an_answer_to_another_question_is_waited_past() -> None:
    def respond(sock: socket.socket, question: bytes, asker: Any) -> None:
        sock.sendto(answer(bytes([question[0] ^ 1, question[1]]), "10.9.9.9"), asker)
        sock.sendto(answer(question[:2], "10.0.1.10"), asker)

    with served(respond):
        found = stub.ask(["h2.corp"], "127.0.0.1", 5.0)[0]
    assert (found["status"], found["addresses"], found["error"]) == ("NOERROR", ["10.0.1.10"], None)


def test_several_names_are_asked_for_at_once_and_each_has_its_own_answer() -> None:
    def respond(sock: socket.socket, question: bytes, asker: Any) -> None:
        other, _ = sock.recvfrom(512)
        sock.sendto(answer(other[:2], "10.0.2.11"), asker)
        sock.sendto(answer(question[:2], code=3), asker)

    with served(respond):
        found = stub.ask(["h2.corp", "h3.corp"], "127.0.0.1", 5.0)
    assert [(one["name"], one["status"], one["addresses"], one["error"]) for one in found] == [
        ("h2.corp", "NXDOMAIN", [], None),
        ("h3.corp", "NOERROR", ["10.0.2.11"], None),
    ]


def test_names_without_an_answer_do_not_spoil_the_others() -> None:
    def respond(sock: socket.socket, question: bytes, asker: Any) -> None:
        sock.sendto(answer(question[:2], "10.0.1.10"), asker)

    with served(respond):
        one, other = stub.ask(["h2.corp", "h3.corp"], "127.0.0.1", 0.2)
    assert (one["addresses"], one["error"]) == (["10.0.1.10"], None)
    assert (other["status"], other["error"]) == (None, "no answer within 0.2 s")


def test_rubbish_is_an_error() -> None:
    with served(lambda sock, question, asker: sock.sendto(question[:2] + b"\xff", asker)):
        found = stub.ask(["h2.corp"], "127.0.0.1", 5.0)[0]
    assert (found["status"], found["error"]) == (None, "the answer cannot be read")


def test_silence_ends_with_the_time() -> None:
    with served(lambda *_: None):
        found = stub.ask(["h2.corp"], "127.0.0.1", 0.1)[0]
    assert (found["addresses"], found["error"]) == ([], "no answer within 0.1 s")
    assert 100 <= found["time_ms"] < 5000


def test_a_lookup_from_a_node_runs_the_client_there() -> None:
    # nobody on this machine is a DNS server at this loopback address
    found = look_up(ThisMachine(), "h2.corp.example", server="127.0.0.53", timeout_s=0.2)  # type: ignore[arg-type]
    assert (found.name, found.server) == ("h2.corp.example", "127.0.0.53")
    assert (found.error is None) == (found.status is not None)


def test_a_client_of_names_that_fails_is_an_error_of_the_lab() -> None:
    with pytest.raises(LabError, match="h1: the DNS client failed"):
        look_up(ThisMachine(**{"/usr/bin/python3": "false"}), "h2")  # type: ignore[arg-type]
