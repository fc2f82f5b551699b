"""Configuration of a neighbor in FRR: one function for each command of IOS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.bgp.peers import Peer, Settings
from pytest_netbench.platforms.cisco_ios.areas.common.numbers import as_number
from pytest_netbench.platforms.cisco_ios.areas.policy import frrnames
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.passwords import revealed
from pytest_netbench.platforms.cisco_ios.config.tree import Entry

_CONNECT_S = 10
"""Seconds after which FRR tries again to reach a neighbor. FRR's default of 120 s is long compared with IOS's."""
_TAKEN_BACK_WHOLE = ("ttl-security", "transport")
"""What FRR takes back with all words of the line only."""
_APART = ("next-hop-self", "remove-private-as")
"""Forms that do not replace each other in FRR: each sets a flag of its own."""
_SHORTEST_HOLD_S = 3
_COMMUNITIES = ("standard", "extended", "large")


def is_secured(peer: Peer, local_as: int) -> bool:
    """Whether a neighbor has ``ttl-security``: neither IOS nor bgpd has it at internal ones and with multihop."""
    internal, multihop = peer.remote_as == local_as, ("neighbor ebgp-multihop", "") in peer.session
    return ("neighbor ttl-security", "") in peer.session and not internal and not multihop


def session(peer: Peer, local_as: int) -> Iterator[tuple[str, str]]:
    """Return (key, words after the address) of a neighbor's session, the AS first."""
    yield "remote-as", f"remote-as {peer.remote_as}"
    yield "timers connect", f"timers connect {_CONNECT_S}"
    for (name, _), entry in peer.session.items():
        word = name.removeprefix("neighbor ")
        if word in _SESSION and (word != "ttl-security" or is_secured(peer, local_as)):
            words = _SESSION[word](entry)
            if words:
                yield (words if word in _TAKEN_BACK_WHOLE else word), words


def routes(context: Context, address: str, lines: Settings) -> Iterator[tuple[str, str, str]]:
    """Return (key, line, undo) of a neighbor in an address family."""
    sent = lines.get(("neighbor send-community", ""))
    for kind in _COMMUNITIES:
        text = f"neighbor {address} send-community {kind}"
        # FRR sends all kinds of communities by default, IOS none
        yield f"send-community {kind}", text if _is_sent(sent, kind) else f"no {text}", text
    for (name, way), entry in lines.items():
        word = name.removeprefix("neighbor ")
        if word in _ROUTES:
            text = f"neighbor {address} {_ROUTES[word](context, entry)}"
            yield text if word in _APART else f"{word} {way}", text, f"no {text}"


def _is_sent(entry: Entry | None, kind: str) -> bool:
    if entry is None:
        return False
    plain = kind == "standard" and not entry.has("extended")
    return plain or entry.has(kind) or (entry.has("both") and kind != "large")


def hold_time(entry: Entry) -> int:
    """Return the hold time of a line in seconds: none, or at least three (RFC 4271, 4.2)."""
    seconds = int(entry["hold"])
    return max(seconds, _SHORTEST_HOLD_S) if seconds else 0


def _password(entry: Entry) -> str:
    secret = str(entry["secret"])
    return f"password {revealed(secret) if entry.get('kind') == '7' else secret}"


def _local_as(entry: Entry) -> str:
    return " ".join([f"local-as {as_number(entry['as'])}", *(w for w in ("no-prepend", "replace-as") if entry.has(w))])


_SESSION: Mapping[str, Callable[[Entry], str]] = {
    "update-source": lambda entry: f"update-source {interfaces.kernel_name(entry['source'])}",
    "ebgp-multihop": lambda entry: f"ebgp-multihop {entry.get('hops', 255)}",
    "timers": lambda entry: f"timers {entry['keepalive']} {hold_time(entry)}",
    "password": _password,
    "local-as": _local_as,
    "ttl-security": lambda entry: f"ttl-security hops {entry['hops']}",
    "transport": lambda entry: "passive" if entry.has("passive") else "",
    "advertisement-interval": lambda entry: f"advertisement-interval {entry['seconds']}",
    "shutdown": lambda _: "shutdown",
    "disable-connected-check": lambda _: "disable-connected-check",
    "dont-capability-negotiate": lambda _: "dont-capability-negotiate",
    "description": lambda entry: f"description {entry['text']}",
}


def _map(entry: Entry) -> str:
    return f" route-map {entry['map']}" if "map" in entry.match.args else ""


def _limit(_context: Context, entry: Entry) -> str:
    words = [f"maximum-prefix {entry['limit']}", str(entry.get("threshold", 75))]
    words += ["warning-only"] if entry.has("warning-only") else []
    words += [f"restart {entry['minutes']}"] if "minutes" in entry.match.args else []
    return " ".join(words)


def _private(_context: Context, entry: Entry) -> str:
    return (
        "remove-private-AS" + (" all" if entry.has("all") else "") + (" replace-AS" if entry.has("replace-as") else "")
    )


def _prefix_list(context: Context, entry: Entry) -> str:
    return f"prefix-list {frrnames.prefix_list(context, entry['list'])} {entry['way']}"


def _distribute_list(context: Context, entry: Entry) -> str:
    return f"distribute-list {frrnames.access_list(context, entry['list'])} {entry['way']}"


_ROUTES: Mapping[str, Callable[[Context, Entry], str]] = {
    "next-hop-self": lambda _, entry: "next-hop-self" + (" force" if entry.has("all") else ""),
    "next-hop-unchanged": lambda *_: "attribute-unchanged next-hop",
    "route-reflector-client": lambda *_: "route-reflector-client",
    "as-override": lambda *_: "as-override",
    "soft-reconfiguration": lambda *_: "soft-reconfiguration inbound",
    "allowas-in": lambda _, entry: f"allowas-in {entry.get('times', 3)}",
    "default-originate": lambda _, entry: f"default-originate{_map(entry)}",
    "maximum-prefix": _limit,
    "weight": lambda _, entry: f"weight {entry['weight']}",
    "remove-private-as": _private,
    "unsuppress-map": lambda _, entry: f"unsuppress-map {entry['map']}",
    "route-map": lambda _, entry: f"route-map {entry['map']} {entry['way']}",
    "prefix-list": _prefix_list,
    "filter-list": lambda _, entry: f"filter-list {frrnames.as_path(entry['list'])} {entry['way']}",
    "distribute-list": _distribute_list,
}
