"""Packets between nodes of a lab, sent and answered by small programs, so that tests see what arrives and from whom."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

_PYTHON = "/usr/bin/python3"
_SERVER = """
import selectors, socket, sys
poll = selectors.DefaultSelector()
for family, any_address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
    for text in sys.argv[1:]:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(family, kind)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((any_address, int(text)))
            if kind == socket.SOCK_STREAM:
                one.listen(50)
            poll.register(one, selectors.EVENT_READ)
while True:
    for key, _ in poll.select():
        one = key.fileobj
        if one.type == socket.SOCK_STREAM:
            client, peer = one.accept()
            client.sendall(f"{peer[0]} {peer[1]}".encode())
            client.close()
        else:
            data, peer = one.recvfrom(2000)
            try:
                one.sendto(f"{peer[0]} {peer[1]}".encode(), peer)
            except OSError:
                pass  # no way back to whoever asked
"""
_CLIENT = """
import errno, socket, sys
kind, host, port, source, local, tos, wait = sys.argv[1:]
family = socket.AF_INET6 if ":" in host else socket.AF_INET
one = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
one.settimeout(float(wait))
one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if family == socket.AF_INET:
    one.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(tos))
if source or local != "0":
    one.bind((source, int(local)))
try:
    one.connect((host, int(port)))
    if kind == "udp":
        one.send(b"who am I")
    print("seen as", one.recv(100).decode())
except TimeoutError:
    print("silence")
except OSError as error:
    known = {errno.EHOSTUNREACH: "prohibited", errno.EACCES: "prohibited", errno.ECONNREFUSED: "refused"}
    print(known.get(error.errno, error))
"""


def serve(node: Any, ports: Sequence[int] = (80,)) -> None:
    """Have TCP and UDP servers on ``ports`` of a node; they tell each client as whom they see it."""
    node.write_file("/run/probe_server.py", _SERVER)
    node.write_file("/run/probe_client.py", _CLIENT)
    node.start([_PYTHON, "-I", "-S", "/run/probe_server.py", *(str(port) for port in ports)], lab_time=False)
    deadline = time.monotonic() + 10
    while ask(node, "127.0.0.1", ports[-1]) == "refused":
        assert time.monotonic() < deadline, f"{node.name}: no server"
        time.sleep(0.02)


def ask(
    node: Any,
    host: str,
    port: int = 80,
    *,
    kind: str = "tcp",
    source: str = "",
    local: int = 0,
    tos: int = 0,
    wait: float = 0.4,
) -> str:
    """Connect to a server: ``seen as ADDRESS PORT``, ``prohibited``, ``refused`` or ``silence``."""
    node.write_file("/run/probe_client.py", _CLIENT)
    argv = [_PYTHON, "-I", "-S", "/run/probe_client.py", kind, host, str(port), source, str(local), str(tos), str(wait)]
    done = node.run(argv)
    return str(done.stdout.strip() or done.stderr)


def answered(said: str) -> bool:
    """Whether a server was reached."""
    return said.startswith("seen as")


def pings(node: Any, target: str, *words: str) -> str:
    """``answered``, ``prohibited`` or ``silence``."""
    done = node.run(["ping", "-n", "-c", "1", "-W", "1", *words, target])
    if done.returncode == 0:
        return "answered"
    return "prohibited" if "filtered" in done.stdout or "rohibited" in done.stdout else "silence"
