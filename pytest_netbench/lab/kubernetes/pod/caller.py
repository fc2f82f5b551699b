"""The calls that a pod makes of services, and the record of what came of them."""

from __future__ import annotations

import _socket as socket
import _thread
import posix
import time
from _json import encode_basestring_ascii as quoted

from pytest_netbench.lab.kubernetes.pod.common import LONGEST, PREFACE, frame, literal, log

CALL_EVERY_S = 1.0
CALL_S = 1.0
CALLS = "/run/netbench-calls"
KEPT_CALLS = 128
WRITE_EVERY_S = 0.5
LONGEST_WORDS = 100


def request_of(protocol: str, host: str) -> bytes:
    """What a call sends."""
    if protocol == "http":
        return f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    if protocol == "redis":
        return b"*1\r\n$4\r\nPING\r\n"
    fields = (
        b"\x83\x86"
        + literal(b":path", b"/netbench.Service/Call")
        + literal(b":authority", host.encode()[:100])
        + literal(b"content-type", b"application/grpc")
        + literal(b"te", b"trailers")
    )
    return PREFACE + frame(4, 0, 0) + frame(1, 4, 1, fields) + frame(0, 1, 1, b"\0\0\0\0\0")


def call(host: str, port: int, protocol: str) -> tuple[str, int | None]:
    """Call a service; return what went wrong, or nothing, and the status of HTTP."""
    try:
        # a text would be encoded by a codec that takes as long to load as all else here
        addresses = socket.getaddrinfo(host.encode(), port, socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        return f"name lookup failed: {error.strerror}", None
    try:
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        return str(error.strerror).lower(), None
    try:
        connection.settimeout(CALL_S)
        connection.connect((str(addresses[0][4][0]), port))
        connection.sendall(request_of(protocol, host))
        answer = connection.recv(LONGEST)
        return "" if answer else "connection closed", status_of(answer)
    except TimeoutError:
        return "timed out", None
    except OSError as error:
        return (error.strerror or str(error)).lower(), None
    finally:
        connection.close()


def status_of(answer: bytes) -> int | None:
    """The status of an answer by HTTP/1.1; nothing for another protocol."""
    words = answer.split(b" ", 2)
    return int(words[1]) if words[0].startswith(b"HTTP/1.") and words[1:] and words[1].isdigit() else None


def as_json(call: tuple[float, str, int | None, float, str]) -> str:
    """A call as the module ``json`` would write it, which takes long to load."""
    began, url, status, took_ms, problem = call
    return f"[{began},{quoted(url)},{'null' if status is None else status},{took_ms},{quoted(problem)}]"


class Record:
    """What came of the last calls, in a file: a list with a list for each. Moments are those of the monotonic clock."""

    def __init__(self) -> None:
        self._calls: list[tuple[float, str, int | None, float, str]] = []
        self._lock = _thread.allocate_lock()
        self._written = True

    def add(self, began: float, url: str, status: int | None, problem: str) -> None:
        took_ms = round((time.monotonic() - began) * 1000, 2)
        with self._lock:
            del self._calls[: 1 - KEPT_CALLS]
            self._calls.append((round(began, 4), url[:LONGEST_WORDS], status, took_ms, problem[:LONGEST_WORDS]))
            self._written = False

    def write(self) -> None:
        """Write the file, unless it has all of them."""
        with self._lock:
            found, written, self._written = [*self._calls], self._written, True
        if not written:
            with open(f"{CALLS}~", "w") as file:
                file.write(f"[{','.join(as_json(one) for one in found)}]")
            posix.replace(f"{CALLS}~", CALLS)

    def keep_written(self) -> None:
        """Write the file for ever, or until it cannot be written."""
        while True:
            time.sleep(WRITE_EVERY_S)
            try:
                self.write()
            except OSError:
                return


def caller(target: str, record: Record) -> None:
    """Call a service each second, for ever, and log when that begins to fail and when it works again."""
    where, _, protocol = target.partition("/")
    host, _, port = where.rpartition(":")
    failing, count = "", 0
    while True:
        began = time.monotonic()
        problem, status = call(host, int(port), protocol or "grpc")
        record.add(began, f"{protocol or 'grpc'}://{host}:{port}", status, problem)
        count = count + 1 if problem else 0
        if problem and (problem != failing or count % 10 == 0):
            log(f"error: call to {host}:{port} failed: {problem}")
        elif failing and not problem:
            log(f"call to {host}:{port} works again")
        failing = problem
        time.sleep(max(0.0, began + CALL_EVERY_S - time.monotonic()))
