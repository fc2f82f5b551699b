"""The program of a pod: a small server, and steady calls to other services. Standard library only.

Many pods start at once, so it imports what starts fast: ``socket``, ``selectors``, ``threading`` and ``os`` would take
more than half of its start.

``NETBENCH_SERVE`` says what it serves (``http:8080``, ``grpc:9555``, ``redis:6379``, ``dns:53``), several by commas.
``NETBENCH_CALLS`` names the services that it calls each second (``cart.shop:7070/grpc``). Calls that fail are written
to the log, and what came of the last calls to a file.
"""

from __future__ import annotations

import _socket as socket
import _thread
import posix
import select
import struct
import time
from _json import encode_basestring_ascii as quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
ZONE = "/etc/zone"
LONGEST = 1 << 16
CALL_EVERY_S = 1.0
CALL_S = 1.0
MOST_CLIENTS = 256
IDLE_S = 30.0
CALLS = "/run/netbench-calls"
KEPT_CALLS = 128
WRITE_EVERY_S = 0.5
LONGEST_WORDS = 100


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field of HPACK that enters no table."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


GRPC_ANSWER = b"\x88" + literal(b"content-type", b"application/grpc")
GRPC_TRAILER = literal(b"grpc-status", b"0")


class Http:
    """HTTP/1.1: each request is answered with a line."""

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        self._data += data
        answers = b""
        while b"\r\n\r\n" in self._data:
            head, _, self._data = self._data.partition(b"\r\n\r\n")
            body = f"{NAME}: ok\n".encode()
            alive = b"close" if b"connection: close" in head.lower() else b"keep-alive"
            answers += (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: "
                + alive
                + b"\r\nContent-Length: "
                + str(len(body)).encode()
                + b"\r\n\r\n"
                + body
            )
        if len(self._data) > LONGEST:
            raise ValueError("a request is too long")
        return answers


class Grpc:
    """gRPC: each call is answered with an empty message and status 0."""

    def __init__(self) -> None:
        self._data = b""
        self._greeted = False

    def feed(self, data: bytes) -> bytes:
        self._data += data
        answers = b""
        if not self._greeted:
            if len(self._data) < len(PREFACE):
                return b""
            if not self._data.startswith(PREFACE):
                raise ValueError("not HTTP/2")
            self._greeted, self._data = True, self._data[len(PREFACE) :]
            answers += frame(4, 0, 0)
        while len(self._data) >= 9:
            length = int.from_bytes(self._data[:3], "big")
            if length > LONGEST:
                raise ValueError("a frame is too long")
            if len(self._data) < 9 + length:
                break
            kind, flags, stream = struct.unpack("!BBI", self._data[3:9])
            payload, self._data = self._data[9 : 9 + length], self._data[9 + length :]
            answers += self._answer(kind, flags, stream & 0x7FFFFFFF, payload)
        return answers

    def _answer(self, kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        if kind == 4 and not flags & 1:
            return frame(4, 1, 0)
        if kind == 6 and not flags & 1:
            return frame(6, 1, 0, payload)
        if kind in (0, 1) and flags & 1:  # the end of a request
            return (
                frame(1, 4, stream, GRPC_ANSWER)
                + frame(0, 0, stream, b"\0\0\0\0\0")
                + frame(1, 5, stream, GRPC_TRAILER)
            )
        return b""


class Redis:
    """The Redis protocol: PING, ECHO, SET, GET, DEL."""

    values: dict[bytes, bytes] = {}

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        self._data += data
        if len(self._data) > LONGEST:
            raise ValueError("a command is too long")
        answers = b""
        while (words := self._command()) is not None:
            answers += self._answer(words)
        return answers

    def _command(self) -> list[bytes] | None:
        head, found, rest = self._data.partition(b"\r\n")
        if not found:
            return None
        if not head.startswith(b"*"):
            self._data = rest
            return head.split()
        words = []
        for _ in range(int(head[1:])):
            size, found, rest = rest.partition(b"\r\n")
            length = int(size[1:] or b"0")
            if not found or len(rest) < length + 2:
                return None
            words.append(rest[:length])
            rest = rest[length + 2 :]
        self._data = rest
        return words

    def _answer(self, words: list[bytes]) -> bytes:
        name, *arguments = words or [b""]
        name = name.upper()
        if name == b"PING":
            return b"+PONG\r\n"
        if name == b"SET" and len(arguments) >= 2 and len(self.values) < 1000:
            self.values[arguments[0]] = arguments[1]
            return b"+OK\r\n"
        if name in (b"GET", b"ECHO") and arguments:
            value = arguments[0] if name == b"ECHO" else self.values.get(arguments[0])
            return b"$-1\r\n" if value is None else b"$%d\r\n%s\r\n" % (len(value), value)
        if name == b"DEL" and arguments:
            return b":%d\r\n" % (self.values.pop(arguments[0], None) is not None)
        return b"-ERR unknown command\r\n"


class Dns:
    """DNS: addresses of names in the zone file, one ``name address`` a line."""

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> bytes:
        """Over TCP."""
        self._data += data
        answers = b""
        while len(self._data) >= 2:
            length = int.from_bytes(self._data[:2], "big")
            if len(self._data) < 2 + length:
                break
            query, self._data = self._data[2 : 2 + length], self._data[2 + length :]
            answer = self.answer(query)
            answers += struct.pack("!H", len(answer)) + answer
        return answers

    @staticmethod
    def answer(query: bytes) -> bytes:
        """The answer to one query; empty if it is none."""
        if len(query) < 12:
            return b""
        number, _, questions = struct.unpack("!HHH", query[:6])
        labels, at = [], 12
        while at < len(query) and query[at]:
            size = query[at]
            labels.append(query[at + 1 : at + 1 + size].decode("latin-1").lower())
            at += 1 + size
        question = query[12 : at + 5]
        if questions != 1 or at + 5 > len(query):
            return struct.pack("!HHHHHH", number, 0x8001, 0, 0, 0, 0)
        kind = struct.unpack("!H", query[at + 1 : at + 3])[0]
        known = zone().get(".".join(labels))
        if known is None:
            return struct.pack("!HHHHHH", number, 0x8583, 1, 0, 0, 0) + question
        found = [address for address in known if kind in (1, 255)]
        records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 5, 4) + socket.inet_aton(one) for one in found)
        return struct.pack("!HHHHHH", number, 0x8580, 1, len(found), 0, 0) + question + records


def zone() -> dict[str, list[str]]:
    """By name: its addresses, as the file says now."""
    found: dict[str, list[str]] = {}
    try:
        with open(ZONE) as file:
            for line in file:
                name, _, address = line.strip().partition(" ")
                found.setdefault(name, []).append(address)
    except OSError:
        pass
    return found


PROTOCOLS = {"http": Http, "grpc": Grpc, "redis": Redis, "dns": Dns}


def variable(name: str, default: str = "") -> str:
    """A variable of the environment."""
    return posix.environ.get(name.encode(), default.encode()).decode()


NAME = variable("HOSTNAME", "pod")


def log(text: str) -> None:
    """Write a line to the log."""
    print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), text, flush=True)


class Server:
    """Serves all connections."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._clients: dict[socket.socket, float] = {}

    def listen(self, protocol: str, port: int) -> None:
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("", port))
        server.listen(128)
        server.setblocking(False)
        self._watch(server, lambda: self._accept(server, PROTOCOLS[protocol]))
        if protocol == "dns":
            datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            datagrams.bind(("", port))
            datagrams.setblocking(False)
            self._watch(datagrams, lambda: self._datagram(datagrams))
        log(f"serving {protocol} on port {port}")

    def _watch(self, one: socket.socket, handler: Callable[[], None]) -> None:
        self._handlers[one.fileno()] = handler
        self._epoll.register(one.fileno(), select.EPOLLIN)

    def _accept(self, server: socket.socket, protocol: type) -> None:
        try:
            client = socket.socket(fileno=server._accept()[0])  # type: ignore[attr-defined]  # noqa: SLF001 - as `socket` does
        except OSError:
            return
        if len(self._clients) >= MOST_CLIENTS:
            self._drop(min(self._clients, key=self._clients.__getitem__))
        client.setblocking(False)
        talk = protocol()
        self._clients[client] = time.monotonic()
        self._watch(client, lambda: self._read(client, talk))

    def _read(self, client: socket.socket, talk: Http) -> None:
        try:
            data = client.recv(LONGEST)
            answer = talk.feed(data) if data else b""
            if answer:
                client.sendall(answer)
        except (OSError, ValueError, IndexError, struct.error):
            data = b""
        if data:
            self._clients[client] = time.monotonic()
        else:
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        del self._clients[client]
        self._epoll.unregister(client.fileno())
        del self._handlers[client.fileno()]
        client.close()

    def _datagram(self, datagrams: socket.socket) -> None:
        try:
            query, sender = datagrams.recvfrom(4096)
            if answer := Dns.answer(query):
                datagrams.sendto(answer, sender)
        except (OSError, ValueError, IndexError, struct.error):
            pass

    def run(self, until: float) -> None:
        """Serve until a moment of the monotonic clock."""
        while (left := until - time.monotonic()) > 0:
            for number, _ in self._epoll.poll(left):
                # another event may have ended what this one is about
                if (handler := self._handlers.get(number)) is not None:
                    handler()
        oldest = time.monotonic() - IDLE_S
        for client in [one for one, used in self._clients.items() if used < oldest]:
            self._drop(client)


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


def main() -> None:
    """Serve and call for ever."""
    server = Server()
    for one in filter(None, variable("NETBENCH_SERVE").split(",")):
        protocol, _, port = one.partition(":")
        server.listen(protocol, int(port))
    targets = [one for one in variable("NETBENCH_CALLS").split(",") if one]
    if targets:
        record = Record()
        for target in targets:
            _thread.start_new_thread(caller, (target, record))
        _thread.start_new_thread(record.keep_written, ())
    while True:
        server.run(time.monotonic() + IDLE_S)


if __name__ == "__main__":
    main()
