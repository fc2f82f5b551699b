"""Connection tracking entries of a node: read as text, and deleted over netlink by a small program.

No tool for connection tracking has to be installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_netbench.platforms.capabilities import HostedNode

_TABLE = "/proc/net/nf_conntrack"
_PYTHON = "/usr/bin/python3"
_FIELD = re.compile(r"(\w+)=(\S+)")
_DELETE = """
import socket, struct, sys
GET, DELETE, REQUEST, DUMP, ACK, ORIGINAL = 0x101, 0x102, 1, 0x300, 4, 1
wanted = {tuple(word.split(",")) for word in sys.stdin.read().split()}
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
link.bind((0, 0))
link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
def send(kind, flags, family, body=b""):
    link.send(struct.pack("=IHHII", 20 + len(body), kind, flags, 1, 0) + bytes([family, 0, 0, 0]) + body)
def attributes(data):
    at = 0
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("=HH", data, at)
        if size < 4:
            return
        yield kind & 0x3fff, data[at + 4 : at + size], data[at : at + (size + 3 & ~3)]
        at += size + 3 & ~3
def number(data):
    return str(int.from_bytes(data, "big"))
def told(data):
    parts = {kind: dict((k, v) for k, v, _ in attributes(value)) \
for kind, value, _ in attributes(data) if kind in (1, 2)}
    ends, protocol = parts.get(1, {}), parts.get(2, {})
    if 1 in ends:
        source, target = (socket.inet_ntop(socket.AF_INET, ends[k]) for k in (1, 2))
    else:
        source, target = (socket.inet_ntop(socket.AF_INET6, ends[k]) for k in (3, 4))
    one = protocol.get(2, protocol.get(4, protocol.get(7, b"")))
    return number(protocol.get(1, b"")), source, target, number(one), number(protocol.get(3, b""))
send(GET, REQUEST | DUMP, 0)
found, done = [], False
while not done:
    data, at = link.recv(1 << 20), 0
    while at < len(data):
        size, kind = struct.unpack_from("=IH", data, at)
        if kind in (2, 3):
            done = True
            break
        body = data[at + 16 : at + size]
        for name, value, raw in attributes(body[4:]):
            if name == ORIGINAL and told(value) in wanted:
                found.append((body[0], raw))
        at += size + 3 & ~3
for family, raw in found:
    send(DELETE, REQUEST | ACK, family, raw)
    link.recv(65536)
print(len(found))
"""


@dataclass(frozen=True, kw_only=True)
class Tuple:
    """One direction of a connection. For ICMP, both ports are the identifier."""

    source: str
    target: str
    source_port: int = 0
    target_port: int = 0


@dataclass(frozen=True, kw_only=True)
class Connection:
    """A connection of the kernel.

    Args:
        family: 4 or 6.
        protocol: IP protocol number; ``name`` its name, e.g. ``tcp``.
        seconds: Until it expires.
        state: Of TCP, e.g. ``ESTABLISHED``; "" for others.
        original: The direction of the first packet.
        reply: The direction of the answers.
        packets: Seen in both directions; 0 where the kernel does not count them.
        bytes: The same in bytes.
    """

    family: int
    protocol: int
    name: str
    seconds: int
    state: str
    original: Tuple
    reply: Tuple
    mark: int = 0
    packets: int = 0
    bytes: int = 0

    @property
    def source_changed(self) -> bool:
        """Whether its source is translated."""
        return (self.original.source, self.original.source_port) != (self.reply.target, self.reply.target_port)

    @property
    def target_changed(self) -> bool:
        """Whether its destination is translated."""
        return (self.original.target, self.original.target_port) != (self.reply.source, self.reply.source_port)

    @property
    def translated(self) -> bool:
        """Whether source or destination is translated."""
        return self.source_changed or self.target_changed


def connections(node: HostedNode) -> list[Connection]:
    """Return all connections of a node."""
    return list(parse(node.run(["cat", _TABLE]).stdout))


def parse(text: str) -> Iterator[Connection]:
    """Read connections from the kernel's listing."""
    for line in text.splitlines():
        words = line.split()
        if len(words) < 6 or words[0] not in {"ipv4", "ipv6"}:
            continue
        fields: dict[str, list[str]] = {}
        for name, value in _FIELD.findall(line):
            fields.setdefault(name, []).append(value)
        if len(fields.get("src", ())) < 2:
            continue
        one = Connection(
            family=int(words[0][-1]),
            protocol=int(words[3]),
            name=words[2],
            seconds=int(words[4]) if words[4].isdigit() else 0,
            state=words[5] if "=" not in words[5] else "",
            original=_tuple(fields, 0),
            reply=_tuple(fields, 1),
            mark=int(fields.get("mark", ["0"])[0]),
            packets=sum(map(int, fields.get("packets", ()))),
            bytes=sum(map(int, fields.get("bytes", ()))),
        )
        yield one


def _tuple(fields: dict[str, list[str]], at: int) -> Tuple:
    def port(name: str) -> int:
        values = fields.get(name) or fields.get("id") or ["0", "0"]
        return int(values[min(at, len(values) - 1)])

    return Tuple(
        source=fields["src"][at], target=fields["dst"][at], source_port=port("sport"), target_port=port("dport")
    )


def forget(node: HostedNode, gone: Iterable[Connection]) -> list[str]:
    """Delete connections; return what failed, one sentence each."""
    keys = []
    for one in gone:
        ports = (one.original.source_port, one.original.target_port)
        if one.name.startswith("icmp"):
            ports = (ports[0], 0)
        keys.append(f"{one.protocol},{one.original.source},{one.original.target},{ports[0]},{ports[1]}")
    if not keys:
        return []
    done = node.run([_PYTHON, "-I", "-S", "-c", _DELETE], input="\n".join([*keys, ""]))
    return [f"{node.name}: connections were not deleted: {done.stderr.strip()}"] if done.returncode else []
