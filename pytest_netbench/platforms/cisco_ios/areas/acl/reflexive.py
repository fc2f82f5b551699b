"""Reflexive lists: a line with ``reflect`` remembers sessions, a line ``evaluate`` permits their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.areas.acl.ace import Ace
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_SECONDS = 300
_SESSION = "type inet_proto . ipv4_addr . inet_service . ipv4_addr . inet_service; flags dynamic,timeout; size 65535;"
_ECHO = "typeof ip saddr . ip daddr . icmp id; flags dynamic,timeout; size 65535;"
_TRANSPORT = "meta l4proto { tcp, udp }"


def sets(name: str) -> tuple[str, str]:
    """Return the names of the sets of sessions and of echo requests of a reflexive list."""
    return f"reflect_{slug(name)}", f"reflect_icmp_{slug(name)}"


def _declare(context: Context, name: str) -> tuple[str, str]:
    sessions, echoes = sets(name)
    context.state.nft.last("inet", "set", sessions, _SESSION)
    context.state.nft.last("inet", "set", echoes, _ECHO)
    return sessions, echoes


def answers(context: Context, name: str) -> list[str]:
    """Return alternatives that match the answers of remembered sessions."""
    sessions, echoes = _declare(context, name)
    return [
        f"meta l4proto . ip saddr . th sport . ip daddr . th dport @{sessions}",
        f"icmp type echo-reply ip saddr . ip daddr . icmp id @{echoes}",
    ]


def remembering(context: Context, ace: Ace) -> list[str]:
    """Return the statements of a line with ``reflect``, in order. The last one applies where no earlier one does."""
    sessions, echoes = _declare(context, ace.reflect)
    known = context.config.get("ip reflexive-list timeout")
    seconds = ace.reflect_s or (known["seconds"] if known is not None else _SECONDS)
    lasts = f"timeout {max(1, round(seconds / context.facts.time_scale))}s"
    remember = f"update @{sessions} {{ meta l4proto . ip daddr . th dport . ip saddr . th sport {lasts} }}"
    echo = f"icmp type echo-request update @{echoes} {{ ip daddr . ip saddr . icmp id {lasts} }}"
    if ace.protocol in {"tcp", "udp"}:
        return [remember]
    if ace.protocol == "icmp":
        return [echo, ""]
    if ace.protocol != "ip" and not ace.service:
        return [""]
    return [f"{_TRANSPORT} {remember}", echo, ""]


def told(at: Exec) -> Iterator[str]:
    """Return the reflexive lists as ``show access-lists`` prints them."""
    lasting = at.device.applied.nft.lasting
    for name in sorted({str(entry["reflect"]) for entry in _entries(at)}):
        sessions, echoes = sets(name)
        if ("inet", sessions) not in lasting:
            continue
        yield f"Reflexive IP access list {name}"
        for one in nft.members(at.node, "inet", sessions, "set"):
            protocol, source, source_port, target, target_port = _parts(one)
            yield (
                f"     permit {protocol} host {source} eq {source_port} host {target} eq {target_port} (time left"
                f" {_left(one)})"
            )
        for one in nft.members(at.node, "inet", echoes, "set"):
            source, target, *_ = _parts(one)
            yield f"     permit icmp host {source} host {target} (time left {_left(one)})"


def _entries(at: Exec) -> Iterator[Any]:
    for _, body in at.config.sections("access-list", "ip access-list extended"):
        yield from (entry for entry in body if "reflect" in entry.match.args)


def _parts(one: Any) -> list[Any]:
    value = one["elem"]["val"] if isinstance(one, dict) and "elem" in one else one
    return list(value["concat"])


def _left(one: Any) -> int:
    return int(one["elem"].get("expires", 0)) if isinstance(one, dict) and "elem" in one else 0


COMMANDS = table(
    setting("ip reflexive-list timeout {seconds:1-2147483}", default=f"ip reflexive-list timeout {_SECONDS}"),
)
