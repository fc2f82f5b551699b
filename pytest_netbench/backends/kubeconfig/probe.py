"""Runs in a pod: answers on ports and tries flows, all side by side, for a given time. Standard library only.

It gets JSON: ``for`` (seconds), ``timeout`` (seconds of each attempt), ``listen`` (pairs of protocol and port) and
``flows`` (triples of protocol, address and port). It prints what came of each: milliseconds, ``refused``, ``silent``
or an error.
"""

from __future__ import annotations

import errno
import json
import selectors
import socket
import time

KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
DNS = 53
QUERY = b"\x4e\x42\x01\x00\0\x01\0\0\0\0\0\0\x0akubernetes\x07default\x03svc\x07cluster\x05local\0\0\x01\0\x01"
ECHO = b"netbench"
AGAIN_S = 0.1
REFUSED = (errno.ECONNREFUSED, errno.EPIPE, errno.ECONNRESET)


class Flow:
    """A flow, tried again and again until it is answered."""

    def __init__(
        self, selector: selectors.BaseSelector, protocol: str, address: str, port: int, timeout: float
    ) -> None:
        self.selector, self.protocol, self.place, self.timeout = selector, protocol, (address, port), timeout
        self.socket: socket.socket | None = None
        self.result: str | float = "silent"
        self.begin = self.next = 0.0
        self.done = False

    def start(self, now: float) -> None:
        """Begin an attempt."""
        self.stop()
        self.begin, self.next = now, now + self.timeout
        opened = socket.socket(socket.AF_INET, KINDS[self.protocol])
        self.socket = opened
        opened.setblocking(False)
        try:
            number = opened.connect_ex(self.place)
            if self.protocol == "udp":
                opened.send(QUERY if self.place[1] == DNS else ECHO)
                number = 0
        except OSError as error:
            number = error.errno or errno.EIO
        if number not in (0, errno.EINPROGRESS):
            self.failed(number)
            return
        way = selectors.EVENT_WRITE if self.protocol == "tcp" else selectors.EVENT_READ
        self.selector.register(opened, way, self.ready)

    def ready(self) -> None:
        """Take what came."""
        assert self.socket is not None
        number = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if not number and self.protocol == "udp":
            try:
                self.socket.recv(2048)
            except OSError as error:
                number = error.errno or errno.EIO
        if number:
            self.failed(number)
        else:
            self.result = round((time.monotonic() - self.begin) * 1000, 2)
            self.done = True
        self.stop()

    def failed(self, number: int) -> None:
        """Note an error of the kernel, and try again soon."""
        self.result = "refused" if number in REFUSED else errno.errorcode.get(number, str(number))
        self.next = time.monotonic() + AGAIN_S

    def stop(self) -> None:
        """End the attempt."""
        if self.socket is not None:
            if self.socket.fileno() in self.selector.get_map():
                self.selector.unregister(self.socket)
            self.socket.close()
            self.socket = None


def listen(selector: selectors.BaseSelector, protocol: str, port: int) -> None:
    """Answer on a port, unless something does already."""
    opened = socket.socket(socket.AF_INET, KINDS[protocol])
    opened.setblocking(False)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind(("", port))
        if protocol == "tcp":
            opened.listen(128)
    except OSError:
        opened.close()
        return

    def answer() -> None:
        try:
            if protocol == "tcp":
                opened.accept()[0].close()
            else:
                data, sender = opened.recvfrom(2048)
                opened.sendto(data, sender)
        except OSError:
            pass

    selector.register(opened, selectors.EVENT_READ, answer)


def main(text: str) -> None:
    """Do what ``text`` asks for."""
    asked = json.loads(text)
    selector = selectors.DefaultSelector()
    for protocol, port in asked["listen"]:
        listen(selector, protocol, port)
    timeout = asked["timeout"]
    flows = [Flow(selector, protocol, address, port, timeout) for protocol, address, port in asked["flows"]]
    end = time.monotonic() + asked["for"]
    while (now := time.monotonic()) < end:
        due = [one for one in flows if not one.done]
        if not due and not asked["listen"]:
            break
        for one in due:
            if one.next <= now:
                one.start(now)
        first = min([end, *(one.next for one in due if not one.done)])
        for key, _ in selector.select(max(0.0, first - time.monotonic())):
            key.data()
    print(json.dumps([one.result for one in flows]), flush=True)
