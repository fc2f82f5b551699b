"""Compile zones to nftables.

A zone pair is a chain. It first accepts packets of sessions that its policy, or the policy of the opposite pair, has
inspected; the connection mark identifies them. Then it tests the classes in order. The mark names pair and class, so
a session ends when its class no longer exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from pytest_netbench.platforms.cisco_ios.areas.acl import lists
from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.areas.zbf.grammar import ACTIONS, CLASS_MAP, DEFAULT, PAIR, POLICY_MAP, SELF
from pytest_netbench.platforms.cisco_ios.areas.zbf.protocols import PROTOCOLS
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import Chain, merged
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

THROUGH = Chain("inet", "zone_through", hook="forward", priority=10)
TO_ROUTER = Chain("inet", "zone_to_router", hook="input", priority=10)
FROM_ROUTER = Chain("inet", "zone_from_router", hook="output", priority=10)
"""Separate base chains: the verdict of a class is final here, and must not skip the rules of other areas."""
_MARK = 0x40000000
_MARK_BITS = 0x7FFF0000
STRAY = "zone_stray"


@dataclass(frozen=True)
class Pair:
    """A zone pair with the classes of its policy."""

    name: str
    source: str
    destination: str
    policy: str
    classes: tuple[Class, ...]

    @property
    def chain(self) -> Chain:
        """The chain that its packets pass through."""
        return Chain("inet", f"zone_{slug(self.name)}")

    @property
    def inspected(self) -> list[Class]:
        """The classes whose sessions are inspected."""
        return [one for one in self.classes if one.action == "inspect"]


@dataclass(frozen=True)
class Class:
    """A class of a policy. ``name`` is "" for ``class-default``."""

    pair: str
    name: str
    action: str
    log: bool = False

    @property
    def counter(self) -> str:
        """The name of the counter of its packets."""
        return f"zone_{slug(self.pair)}_{slug(self.name or 'class-default')}"

    @property
    def began(self) -> str:
        """The name of the counter of the sessions that it accepted."""
        return f"{self.counter}_began"

    @property
    def mark(self) -> int:
        """The mark of its connections."""
        return _MARK | (crc32(f"{self.pair}|{self.name}".encode()) & 0x3FFF) << 16


def pairs(config: Section) -> list[Pair]:
    """Return the zone pairs that have a policy."""
    found = []
    for entry, body in config.sections(PAIR):
        policy = body.get("service-policy type inspect")
        name = policy["policy"] if policy is not None else ""
        classes = tuple(_classes(config, entry["pair"], name))
        found.append(Pair(entry["pair"], entry["source"], entry["destination"], name, classes))
    return found


def _classes(config: Section, pair: str, policy: str) -> Iterator[Class]:
    entry = config.get(POLICY_MAP, name=policy)
    for one in entry.body.all("class type inspect", DEFAULT) if entry is not None else ():
        action = next((line for line in one.body if line.name in ACTIONS), None)
        # a class without an action drops
        yield Class(
            pair, one.get("name", ""), action.name if action else "drop", action is not None and action.has("log")
        )


def members(context: Context) -> dict[str, list[str]]:
    """Return the kernel interfaces of each zone."""
    zones: dict[str, list[str]] = {}
    for one in context.interfaces:
        entry = one.section.get("zone-member security")
        if entry is not None:
            zones.setdefault(entry["zone"], []).append(one.kernel)
    return zones


def compile_zones(context: Context) -> None:
    """Add rules between zones, and between zones and the router for pairs that include ``self``."""
    zones = members(context)
    if not zones:
        return
    found = pairs(context.config)
    for pair in found:
        _write_pair(context, pair, _reverse(found, pair))
    _between(context, zones, found)
    for zone, inside in zones.items():
        _router(context, zone, merged(inside), found)


def _reverse(found: Sequence[Pair], pair: Pair) -> Pair | None:
    return _pair(found, pair.destination, pair.source)


def _pair(found: Sequence[Pair], source: str, destination: str) -> Pair | None:
    return next((one for one in found if (one.source, one.destination) == (source, destination)), None)


def _between(context: Context, zones: dict[str, list[str]], found: Sequence[Pair]) -> None:
    add = context.state.nft.rule
    for source, come_in in zones.items():
        for destination, go_out in zones.items():
            where = f"iifname {merged(come_in)} oifname {merged(go_out)}"
            pair, back = _pair(found, source, destination), _pair(found, destination, source)
            if pair is not None:
                add(THROUGH, f"{where} goto {pair.chain.name}")
            elif source == destination:
                add(THROUGH, f"{where} accept")
            elif back is not None:
                for one in back.inspected:
                    add(THROUGH, f"{where} {_answers(context, one)}")
    everyone = merged(name for names in zones.values() for name in names)
    stray = context.state.nft.counter("inet", STRAY)
    add(THROUGH, f"iifname {everyone} {stray} drop")
    add(THROUGH, f"oifname {everyone} {stray} drop")


def _router(context: Context, zone: str, interfaces: str, found: Sequence[Pair]) -> None:
    """Add rules for the router's own traffic: permitted unless a pair with ``self`` decides otherwise."""
    to, out = _pair(found, zone, SELF), _pair(found, SELF, zone)
    if to is not None:
        context.state.nft.rule(TO_ROUTER, f"iifname {interfaces} goto {to.chain.name}")
    if out is not None:
        context.state.nft.rule(FROM_ROUTER, f"oifname {interfaces} goto {out.chain.name}")


def _answers(context: Context, one: Class) -> str:
    counter = context.state.nft.counter("inet", one.counter)
    return f"ct direction reply ct mark & {_MARK_BITS:#x} == {one.mark:#x} {counter} accept"


def _write_pair(context: Context, pair: Pair, back: Pair | None) -> None:
    nft, here = context.state.nft, pair.chain
    nft.chain(here)
    for one in pair.inspected:
        # ICMP errors of a session come from either direction
        nft.rule(
            here,
            f"ct direction original ct mark & {_MARK_BITS:#x} == {one.mark:#x} {nft.counter('inet', one.counter)}"
            " accept",
        )
    for one in back.inspected if back is not None else ():
        nft.rule(here, _answers(context, one))
    classifier = _Classifier(context, here.name)
    for number, one in enumerate(pair.classes):
        act = Chain("inet", f"{here.name}_{number}")
        nft.chain(act)
        for words in _acts(context, one):
            nft.rule(act, words)
        if one.name:
            classifier.send(here, one.name, act.name)
        else:
            nft.rule(here, f"goto {act.name}")
    nft.rule(here, "drop")


def _acts(context: Context, one: Class) -> Iterator[str]:
    counter = context.state.nft.counter("inet", one.counter)
    if one.log:
        yield acl.log_statement(context, f"z|{one.pair}|{one.name or 'class-default'}|{one.action}|z")
    if one.action == "drop":
        yield f"{counter} drop"
    elif one.action == "pass":
        yield f"{counter} accept"
    else:
        yield "ct state invalid drop"
        # only a SYN opens a TCP session
        yield "meta l4proto tcp tcp flags & (fin | syn | rst | ack) != syn drop"
        yield "ct direction reply accept"
        began = context.state.nft.counter("inet", one.began)
        yield f"ct mark set ct mark & {0xFFFFFFFF ^ _MARK_BITS:#x} | {one.mark:#x} {began} {counter} accept"


class _Classifier:
    """Adds rules that send packets of a class from one chain to another."""

    def __init__(self, context: Context, prefix: str) -> None:
        self._context, self._prefix, self._count = context, prefix, 0

    def send(self, here: Chain, name: str, there: str, above: tuple[str, ...] = ()) -> None:
        """Add rules that send packets of class ``name`` from ``here`` to ``there``; others continue in ``here``."""
        entry = self._context.config.get(CLASS_MAP, name=name)
        lines = [line for line in entry.body if line.name.startswith("match")] if entry is not None else []
        if entry is None or not lines or name in above:
            return
        if entry.has("match-any"):
            for line in lines:
                self._test(here, line, there, (*above, name))
            return
        for line in lines[:-1]:
            self._count += 1
            step = Chain("inet", f"{self._prefix}_t{self._count}")
            self._context.state.nft.chain(step)
            self._test(here, line, step.name, (*above, name))
            here = step
        self._test(here, lines[-1], there, (*above, name))

    def _test(self, here: Chain, line: Entry, there: str, above: tuple[str, ...]) -> None:
        add = self._context.state.nft.rule
        if line.name == "match protocol":
            for words in PROTOCOLS[line["protocol"]]:
                # not goto: packets that a later line of the class does not match must return
                add(here, f"{words} jump {there}")
        elif line.name == "match class-map":
            self.send(here, line["name"], there, above)
        else:
            for family in (4, 6):
                if lists.find(self._context.config, str(line["list"]), family=family) is not None:
                    chosen = acl.chain(self._context, str(line["list"]), permit=f"goto {there}", family=family)
                    add(here, f"jump {chosen}")
