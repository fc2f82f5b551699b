"""What the kernel of a node has configured, as lines, and the commands that lead from one state to another. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Self

_RULES: Final = (
    "-4 0: from all lookup local",
    "-4 32766: from all lookup main",
    "-4 32767: from all lookup default",
    "-6 0: from all lookup local",
    "-6 32766: from all lookup main",
)
_MTU: Final = 1500
_OF_LOOPBACK: Final = ("inet 127.0.0.1/8 scope host", "inet6 ::1/128 scope host")
_FIRST = ("all", "default")


@dataclass(frozen=True, kw_only=True)
class Link:
    """An interface: whether it is up, its MTU, the one that it is a port of."""

    up: bool = True
    mtu: int = _MTU
    master: str | None = None

    def __str__(self) -> str:
        return " ".join(
            ["up" if self.up else "down", f"mtu {self.mtu}", *([f"master {self.master}"] * bool(self.master))]
        )


@dataclass(frozen=True, kw_only=True)
class State:
    """All that a person or a program configures in the kernel, but for routes of routing daemons.

    Attributes:
        links: By name.
        addresses: By name of an interface, as ``ip address add`` takes them, in order.
        routes: As ``ip`` takes them, after ``-4`` or ``-6``.
        rules: As ``ip rule`` shows them, after ``-4`` or ``-6``.
        neighbors: The permanent ones, as ``ip neigh replace`` takes them.
        sysctls: By path below ``/proc/sys``.
        ruleset: The lines of nftables; ``None`` without a program that shows them.
    """

    links: Mapping[str, Link]
    addresses: Mapping[str, Sequence[str]] = field(default_factory=dict)
    routes: Sequence[str] = ()
    rules: Sequence[str] = _RULES
    neighbors: Sequence[str] = ()
    sysctls: Mapping[str, str] = field(default_factory=dict)
    ruleset: Sequence[str] | None = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """What ``plain`` made."""
        return cls(**{**data, "links": {name: Link(**one) for name, one in data["links"].items()}})

    def plain(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)

    def lines(self) -> list[str]:
        """All of it as lines; equal states have equal lines."""
        return [
            *(f"link {name} {link}" for name, link in sorted(self.links.items())),
            *(f"address {name} {one}" for name, several in sorted(self.addresses.items()) for one in several),
            *(f"route {one}" for one in sorted(self.routes)),
            *(f"rule {one}" for one in self.rules),
            *(f"neighbor {one}" for one in sorted(self.neighbors)),
            *(f"sysctl {path} {value}" for path, value in sorted(self.sysctls.items())),
            *(f"nft {line}" for line in self.ruleset or ()),
        ]

    def emptied(self, own: Iterable[str], fresh: Mapping[str, str], variables: Mapping[str, str]) -> State:
        """The state in which a task begins: its own interfaces up and empty, all others down, no rules.

        Args:
            own: Kernel names of the interfaces that the task has.
            fresh: By path: variables of the kernel of a network that nobody has configured.
            variables: Those that differ from that, with all that follow from them.
        """
        up = {*own, "lo"}
        links = {
            name: Link(mtu=link.mtu if name == "lo" else _MTU) if name in up else replace(link, up=False, master=None)
            for name, link in self.links.items()
        }
        return State(
            links=links,
            addresses={"lo": [one for one in self.addresses.get("lo", ()) if one in _OF_LOOPBACK]},
            sysctls={path: _usual(path, value, {**fresh, **variables}) for path, value in self.sysctls.items()},
            ruleset=None if self.ruleset is None else (),
        )


def _usual(path: str, value: str, known: Mapping[str, str]) -> str:
    """The value of a variable; that of an interface is the default, and forwarding is the same at all of them."""
    *before, _, name = path.split("/")
    if path.startswith("net/ipv4/conf/") and name == "forwarding":
        return known.get("net/ipv4/ip_forward", value)
    return known.get(path, known.get("/".join((*before, "default", name)), value))


def commands(now: State, wanted: State) -> list[str]:
    """Shell commands that make ``now`` what is ``wanted``; the ruleset apart. Some may fail, and need a second pass."""
    return [
        *_links(now, wanted),
        *_sysctls(now, wanted),
        *_addresses(now, wanted),
        *_rules(now, wanted),
        *_routes(now, wanted),
    ]


def _links(now: State, wanted: State) -> Iterator[str]:
    for name in now.links.keys() - wanted.links.keys():
        yield _line("ip", "link", "delete", name)
    for name in sorted(now.links.keys() & wanted.links.keys()):
        before, after = now.links[name], wanted.links[name]
        if before.master != after.master:
            yield _line("ip", "link", "set", name, *(("master", after.master) if after.master else ("nomaster",)))
        if before.mtu != after.mtu:
            yield _line("ip", "link", "set", name, "mtu", str(after.mtu))
        if before.up != after.up:
            yield _line("ip", "link", "set", name, "up" if after.up else "down")


def _sysctls(now: State, wanted: State) -> Iterator[str]:
    # what is set for all interfaces is set at each of them, so it comes first
    differing = [path for path, value in wanted.sysctls.items() if now.sysctls.get(path, value) != value]
    for path in sorted(differing, key=lambda one: (not any(f"/{first}/" in one for first in _FIRST), one)):
        yield f"echo {shlex.quote(wanted.sysctls[path])} > {shlex.quote(f'/proc/sys/{path}')}"


def _addresses(now: State, wanted: State) -> Iterator[str]:
    for name in sorted(now.links.keys() & wanted.links.keys()):
        before, after = (list(state.addresses.get(name, ())) for state in (now, wanted))
        if before == after:
            continue
        # the first of a subnet is its primary one, so those after a difference are added anew
        keep = 0
        while keep < min(len(before), len(after)) and before[keep] == after[keep]:
            keep += 1
        for one in reversed(before[keep:]):
            yield _line("ip", "address", "delete", *one.split()[1:2], "dev", name)
        for one in after[keep:]:
            yield _line(
                "ip", "address", "add", *one.split()[1:], "dev", name, *(["nodad"] if one.startswith("inet6") else [])
            )


def _rules(now: State, wanted: State) -> Iterator[str]:
    for action, rules in (("delete", _without(now.rules, wanted.rules)), ("add", _without(wanted.rules, now.rules))):
        for one in rules:
            family, priority, *words = one.split()
            yield _line("ip", family, "rule", action, *words, "pref", priority.rstrip(":"))


def _routes(now: State, wanted: State) -> Iterator[str]:
    for one in _without(now.routes, wanted.routes):
        family, *words = one.split()
        yield _line("ip", family, "route", "delete", *words)
    for one in _without(wanted.routes, now.routes):
        family, *words = one.split()
        yield _line("ip", family, "route", "replace", *words)
    for one in _without(now.neighbors, wanted.neighbors):
        yield _line("ip", "neigh", "delete", *one.split()[:3])
    for one in _without(wanted.neighbors, now.neighbors):
        yield _line("ip", "neigh", "replace", *one.split(), "nud", "permanent")


def _without(some: Sequence[str], others: Sequence[str]) -> list[str]:
    return [one for one in some if one not in others]


def _line(*words: str | None) -> str:
    return shlex.join(str(word) for word in words)


def differences(wanted: Sequence[str], found: Sequence[str]) -> list[str]:
    """The lines that are missing (``-``) and those that are too many (``+``)."""
    return [*(f"- {line}" for line in _without(wanted, found)), *(f"+ {line}" for line in _without(found, wanted))]
