"""Active translations: static ones from the config, dynamic ones from connection tracking and the pools' maps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.conntrack import Connection, connections
from pytest_netbench.platforms.cisco_ios.areas.nat.grammar import network_length
from pytest_netbench.platforms.cisco_ios.areas.nat.pools import global_address, pools
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.device.exec import Exec

_NAMES = {1: "icmp", 6: "tcp", 17: "udp"}


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A row of ``show ip nat translations``; ``---`` stands for nothing."""

    protocol: str = "---"
    inside_global: str = "---"
    inside_local: str = "---"
    outside_local: str = "---"
    outside_global: str = "---"
    static: bool = False
    seconds: int | None = None

    @property
    def extended(self) -> bool:
        """Whether the translation includes ports."""
        return self.protocol != "---"

    def row(self) -> str:
        """The row as IOS prints it."""
        cells = (self.inside_global, self.inside_local, self.outside_local, self.outside_global)
        return f"{self.protocol:<3} " + " ".join(f"{cell:<18}" for cell in cells).rstrip()


def present(at: Exec) -> list[Translation]:
    """Return all translations, connections first."""
    context = at.device.context()
    outside_locals = {entry["local"] for entry in context.config.all("nat outside static")}
    found = [extended(one, outside_locals) for one in translated(connections(at.node))]
    return [*found, *_given(at), *static(context)]


def translated(found: Iterable[Connection]) -> list[Connection]:
    """Return the connections that are translated."""
    return [one for one in found if one.family == 4 and one.translated]


def extended(one: Connection, outside_locals: set[str]) -> Translation:
    """Return a connection as a translation. The translated end shows which side opened it."""
    original, reply = one.original, one.reply

    def end(address: str, port: int) -> str:
        return f"{address}:{port}" if one.protocol in _NAMES else address

    from_inside = one.source_changed or original.target in outside_locals
    near, far = (original, reply) if from_inside else (reply, original)
    return Translation(
        protocol=_NAMES.get(one.protocol, one.name)[:4],
        inside_global=end(far.target, far.target_port),
        inside_local=end(near.source, near.source_port),
        outside_local=end(near.target, near.target_port),
        outside_global=end(far.source, far.source_port),
        seconds=one.seconds,
    )


def _given(at: Exec) -> Iterator[Translation]:
    """Return the addresses that pools have assigned to hosts."""
    for pool in pools(at.config).values():
        if ("inet", pool.given) not in at.device.applied.nft.lasting:
            continue
        for key, value in nft.members(at.node, "inet", pool.given, "map"):
            yield Translation(inside_local=key["elem"]["val"], inside_global=value, seconds=key["elem"].get("expires"))


def static(context: Context) -> Iterator[Translation]:
    """Return the static translations of the config."""
    config = context.config
    for entry in config.all("nat static"):
        address = global_address(context, entry)
        if address:
            yield Translation(inside_global=address, inside_local=entry["local"], static=True)
    for protocol in ("tcp", "udp"):
        for entry in config.all(f"nat {protocol}"):
            address = global_address(context, entry)
            if address:
                there, here = f"{address}:{entry['gport']}", f"{entry['local']}:{entry['lport']}"
                yield Translation(protocol=protocol, inside_global=there, inside_local=here, static=True)
    for entry in config.all("nat network"):
        length = network_length(entry.get("mask") or entry["slash"])
        yield Translation(inside_global=f"{entry['global']}/{length}", inside_local=entry["local"], static=True)
    for entry in config.all("nat outside static"):
        yield Translation(outside_local=entry["local"], outside_global=entry["global"], static=True)


def table(rows: Sequence[Translation]) -> str:
    """Return the table of ``show ip nat translations``; empty if there are none, as on IOS."""
    if not rows:
        return ""
    head = "Pro Inside global      Inside local       Outside local      Outside global"
    return "\n".join([head, *(row.row() for row in rows)])
