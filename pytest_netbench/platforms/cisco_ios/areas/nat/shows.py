"""``show ip nat …`` and ``clear ip nat …``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.conntrack import connections, forget
from pytest_netbench.platforms.cisco_ios.areas.nat.compile import HITS, LIMIT, MISSES, REFUSED, sides
from pytest_netbench.platforms.cisco_ios.areas.nat.pools import EXHAUSTED, Pool, pools
from pytest_netbench.platforms.cisco_ios.areas.nat.translations import Translation, present, table, translated
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

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
