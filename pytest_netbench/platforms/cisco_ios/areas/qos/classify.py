"""Compile class maps to nftables: a packet passes through the chains until a class matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.platforms.cisco_ios.areas.acl import lists
from pytest_netbench.platforms.cisco_ios.areas.acl import match as acl_match
from pytest_netbench.platforms.cisco_ios.areas.qos.values import PROTOCOLS
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Entry

GROUP_SHIFT = 20
GROUP_MASK = 0x7F00000
"""The bits of the packet mark that hold the qos-group, plus one."""
_LINK_HEADER = 14


class Classifier:
    """Adds the chains of one policy. ``prefix`` is the beginning of their names."""

    def __init__(self, context: Context, prefix: str) -> None:
        self._context = context
        self._prefix = prefix
        self._count = 0
        self._above: list[str] = []

    def send(self, here: Chain, name: str, there: str, *, negated: bool = False) -> None:
        """Add rules that send packets from ``here`` to the chain ``there``; others continue.

        These are the packets of class ``name``, or with ``negated`` all other packets.
        """
        entry = self._context.config.get("class-map", name=name)
        lines = [line for line in entry.body if line.name.startswith("match")] if entry is not None else []
        if entry is None or not lines or name in self._above:
            if negated:
                self._context.state.nft.rule(here, f"jump {there}")
            return
        self._above.append(name)
        # a packet that not all lines match is one that some line does not match
        if entry.has("match-any") != negated:
            for line in lines:
                self._test(here, line, there, negated=negated)
        else:
            self._all(here, lines, there, negated=negated)
        self._above.pop()

    def _all(self, here: Chain, lines: Sequence[Entry], there: str, *, negated: bool) -> None:
        for line in lines[:-1]:
            step = self._new()
            self._test(here, line, step.name, negated=negated)
            here = step
        self._test(here, lines[-1], there, negated=negated)

    def _test(self, here: Chain, line: Entry, there: str, *, negated: bool) -> None:
        negated = negated != line.has("not")
        if line.name == "match class-map":
            self.send(here, str(line["other"]), there, negated=negated)
        elif negated:
            self._unless(here, line, there)
        else:
            self._when(here, line, there)

    def _when(self, here: Chain, line: Entry, there: str) -> None:
        """Add rules for a line that needs to match.

        A packet that a later line of the class does not match returns and is tested against the next class.
        """
        nft = self._context.state.nft
        if line.name == "match access-group":
            for family, name in self._lists(line):
                nft.rule(here, f"jump {acl_match.chain(self._context, name, permit=f'goto {there}', family=family)}")
        else:
            for expression in expressions(line):
                nft.rule(here, f"{expression} jump {there}".strip())

    def _unless(self, here: Chain, line: Entry, there: str) -> None:
        """Add rules for a line that must not match. Packets that it matches return to ``here`` from an inner chain."""
        nft, inner = self._context.state.nft, self._new()
        nft.rule(here, f"jump {inner.name}")
        if line.name == "match access-group":
            for family, name in self._lists(line):
                onward = acl_match.chain(self._context, name, permit="return", deny=f"goto {there}", family=family)
                nft.rule(inner, f"meta nfproto ipv{family} goto {onward}")
        else:
            for expression in expressions(line):
                nft.rule(inner, f"{expression} return".strip())
        nft.rule(inner, f"goto {there}")

    def _lists(self, line: Entry) -> Iterator[tuple[int, str]]:
        """Return the families in which the list of a line exists, with its name."""
        name = str(line.get("acl") or line["number"])
        for family in (4, 6):
            if lists.find(self._context.config, name, family=family) is not None:
                yield family, name

    def _new(self) -> Chain:
        self._count += 1
        chain = Chain("inet", f"{self._prefix}_t{self._count}")
        self._context.state.nft.chain(chain)
        return chain


def expressions(line: Entry) -> Iterator[str]:
    """Return alternative nft expressions for a ``match`` line that needs no chain."""
    if line.name in _EXPRESSIONS:
        yield from _EXPRESSIONS[line.name](line)


def _dscp(line: Entry) -> Iterator[str]:
    return _of_code_points(line, (_code_point(value) for value in line.many("dscp")))


def _precedence(line: Entry) -> Iterator[str]:
    return _of_code_points(line, (8 * int(value) + low for value in line.many("prec") for low in range(8)))


def _of_code_points(line: Entry, points: Iterable[object]) -> Iterator[str]:
    wanted = ", ".join(map(str, points))
    yield f"ip dscp {{ {wanted} }}"
    if not line.has("ip"):
        yield f"ip6 dscp {{ {wanted} }}"


def _packet_length(line: Entry) -> Iterator[str]:
    bounds = [f"meta length >= {int(line['least'])}"] if "least" in line.match.args else []
    bounds += [f"meta length <= {int(line['most'])}"] if "most" in line.match.args else []
    yield " ".join(bounds)


def _rtp(line: Entry) -> Iterator[str]:
    first = int(line["first"])
    # RTP has even ports; the odd ones are those of RTCP
    yield f"udp dport {first}-{min(65535, first + int(line['range']))} udp dport & 1 == 0"


def _protocol(what: str) -> Iterator[str]:
    kind, _, value = what.partition(" ")
    if kind == "ip":
        yield "meta nfproto ipv4"
    elif kind == "ip6":
        yield "meta nfproto ipv6"
    elif kind == "l4":
        yield f"meta l4proto {value}"
    elif kind:
        for transport in ("tcp", "udp") if kind == "th" else (kind,):
            yield f"{transport} dport {value}"
            yield f"{transport} sport {value}"


def _code_point(value: str) -> int:
    return DSCP[value] if value in DSCP else int(value)


_EXPRESSIONS: Mapping[str, Callable[[Entry], Iterable[str]]] = {
    "match any": lambda _: ("",),
    "match dscp": _dscp,
    "match precedence": _precedence,
    "match protocol": lambda line: _protocol(PROTOCOLS[line["protocol"]]),
    "match input-interface": lambda line: (f'iifname "{interfaces.kernel_name(line["interface"])}"',),
    "match packet length": _packet_length,
    "match qos-group": lambda line: (f"meta mark & {GROUP_MASK:#x} == {(int(line['group']) + 1) << GROUP_SHIFT:#x}",),
    "match ip rtp": _rtp,
}
"""Alternative nft expressions for the lines that need no chain."""
