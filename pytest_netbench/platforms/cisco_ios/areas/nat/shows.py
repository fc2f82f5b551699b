"""``show ip nat …`` and ``clear ip nat …``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.conntrack import Connection, connections, forget
from pytest_netbench.platforms.cisco_ios.areas.nat.compile import HITS, LIMIT, MISSES, REFUSED, sides
from pytest_netbench.platforms.cisco_ios.areas.nat.grammar import network_length
from pytest_netbench.platforms.cisco_ios.areas.nat.pools import EXHAUSTED, Pool, global_address, pools
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

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


_PEAK = "nat peak"


def _translations(at: Exec, match: Match) -> str:
    rows = present(at)
    for protocol in ("icmp", "tcp", "udp"):
        if match.has(protocol):
            rows = [row for row in rows if row.protocol == protocol]
    if not match.has("verbose"):
        return table(rows)
    lines = table(rows).splitlines()
    told = lines[:1]
    for row, line in zip(rows, lines[1:], strict=True):
        left = "static" if row.static else f"left {_clock(row.seconds or 0)}"
        told += [
            line,
            f"    {left}, flags: {'static' if row.static else 'extended' if row.extended else 'none'}, use_count: 0",
        ]
    return "\n".join(told)


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _statistics(at: Exec, _match: Match) -> str:
    return "\n".join(_told(at))


def _told(at: Exec) -> Iterator[str]:
    rows = present(at)
    counts = nft.counters(at.node)
    static_rules = sum(row.static for row in rows)
    extended = sum(row.extended for row in rows)
    hits, misses = (counts.get(("inet", name), (0, 0))[0] for name in (HITS, MISSES))
    # translations are counted as they begin; between two looks at least one was there if some began
    at.device.memory[_PEAK] = peak = max(len(rows), at.device.memory.get(_PEAK, 0), static_rules + bool(misses))
    alive = len(rows) - static_rules
    inside, outside = sides(at.device.context())
    yield f"Total active translations: {len(rows)} ({static_rules} static, {alive} dynamic; {extended} extended)"
    yield f"Peak translations: {peak}"
    yield "Outside interfaces:"
    yield from ([f"  {', '.join(one.name for one in outside)}"] if outside else [])
    yield "Inside interfaces: "
    yield from ([f"  {', '.join(one.name for one in inside)}"] if inside else [])
    yield f"Hits: {hits}  Misses: {misses}"
    yield f"CEF Translated packets: {hits}, CEF Punted packets: 0"
    yield f"Expired translations: {max(0, misses - alive)}"
    yield "Dynamic mappings:"
    dynamic = at.config.all("nat dynamic")
    if dynamic:
        yield "-- Inside Source"
    for number, entry in enumerate(dynamic, start=1):
        yield from _mapping(at, entry, number, rows, counts)
    yield from _limit(at, rows, counts)
    yield from ("", "Total doors: 0", "Appl doors: 0", "Normal doors: 0", "Queued Packets: 0")


def _limit(at: Exec, rows: list[Translation], counts: Any) -> Iterator[str]:
    if entry := at.config.get(LIMIT):
        used = sum(row.extended and not row.static for row in rows)
        missed = counts.get(("inet", REFUSED), (0, 0))[0]
        yield from ("nat-limit statistics:", f" max entry: max allowed {entry['count']}, used {used}, missed {missed}")


def _mapping(at: Exec, entry: Entry, number: int, rows: list[Translation], counts: Any) -> Iterator[str]:
    chosen = f"access-list {entry['list']}" if "list" in entry.match.args else f"route-map {entry['map']}"
    if "out" in entry.match.args:
        yield (
            f"[Id: {number}] {chosen} interface {entry['out']} refcount"
            f" {sum(row.extended and not row.static for row in rows)}"
        )
        return
    pool = pools(at.config).get(entry["pool"])
    used = [row for row in rows if pool and row.inside_global.split(":")[0] in pool.addresses and not row.static]
    yield f"[Id: {number}] {chosen} pool {entry['pool']} refcount {len(used)}"
    if pool is not None:
        misses = counts.get(("inet", EXHAUSTED), (0, 0))[0]
        yield from _pool(at, pool, len({row.inside_global.split(":")[0] for row in used}), misses)


def _pool(at: Exec, pool: Pool, given: int, misses: int) -> Iterator[str]:
    entry = at.config.get("ip nat pool", pool=pool.name)
    assert entry is not None
    size = f"netmask {entry['mask']}" if "mask" in entry.match.args else f"prefix-length {entry['length']}"
    total = len(pool.addresses)
    kind = "rotary" if entry.has("rotary") else "generic"
    yield f" pool {pool.name}: {size}"
    yield f"\tstart {pool.first} end {pool.last}"
    yield f"\ttype {kind}, total addresses {total}, allocated {given} ({100 * given // total}%), misses {misses}"


def _clear(at: Exec, match: Match) -> str:
    gone = translated(connections(at.node))
    local, address = match.get("local"), match.get("global")
    if local is not None:
        gone = [one for one in gone if address in {one.reply.target, one.original.target}]
    at.device.problems += forget(at.node, gone)
    for (family, name), (kind, _) in at.device.applied.nft.lasting.items():
        if name.startswith("nat_") and local is None:
            at.node.run(["nft", "flush", kind, family, nft.TABLE, name])
    return ""


def _clear_statistics(at: Exec, _match: Match) -> str:
    at.device.memory.pop(_PEAK, None)
    for name in (HITS, MISSES, EXHAUSTED, REFUSED):
        if name in at.device.applied.nft.counters.get("inet", ()):
            nft.reset(at.node, "inet", name)
    return ""


COMMANDS = (
    show("ip nat translations [ icmp | tcp | udp ] [ verbose ]", _translations, "Translation entries"),
    show("ip nat statistics", _statistics, "Translation statistics"),
    action(
        "clear ip nat translation ( * | forced | inside {global:ipv4} {local:ipv4} [ forced ] )",
        _clear,
        "Clear dynamic translation",
    ),
    action("clear ip nat statistics", _clear_statistics, "Clear translation statistics"),
)
