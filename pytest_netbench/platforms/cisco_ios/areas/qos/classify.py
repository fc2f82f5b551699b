"""Compile class maps to nftables: a packet passes through the chains until a class matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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

    def send(self, here: Chain, name: str, there: str) -> None:
        """Add rules that send packets of class ``name`` from ``here`` to the chain ``there``; others continue."""
        entry = self._context.config.get("class-map", name=name)
        if entry is None or name in self._above:
            return
        self._above.append(name)
        self._lines(here, entry, there)
        self._above.pop()

    def _lines(self, here: Chain, entry: Entry, there: str) -> None:
        lines = [line for line in entry.body if line.name.startswith("match")]
        if entry.has("match-any"):
            for line in lines:
                self._test(here, line, there)
        elif lines:
            self._all(here, lines, there)

    def _all(self, here: Chain, lines: Sequence[Entry], there: str) -> None:
        for line in lines[:-1]:
            step = self._new()
            self._test(here, line, step.name)
            here = step
        self._test(here, lines[-1], there)

    def _test(self, here: Chain, line: Entry, there: str) -> None:
        nft = self._context.state.nft
        if line.has("not"):
            # matching packets return from the inner chain, others go on to ``there``
            inner, fits = self._new(), self._new()
            nft.rule(here, f"jump {inner.name}")
            self._plain(inner, line, fits.name, verb="goto")
            nft.rule(inner, f"goto {there}")
            nft.rule(fits, "return")
        else:
            self._plain(here, line, there)

    def _plain(self, here: Chain, line: Entry, there: str, *, verb: str = "jump") -> None:
        """Add rules for one positive match.

        With ``jump``, a packet that a later line of the class does not match returns and is tested against
        the next class.
        """
        nft = self._context.state.nft
        if line.name == "match class-map":
            self.send(here, str(line["other"]), there)
        elif line.name == "match access-group":
            name = str(line.get("acl") or line["number"])
            for family in (4, 6):
                if lists.find(self._context.config, name, family=family) is not None:
                    nft.rule(
                        here, f"jump {acl_match.chain(self._context, name, permit=f'goto {there}', family=family)}"
                    )
        else:
            for expression in expressions(line):
                nft.rule(here, f"{expression} {verb} {there}".strip())

    def _new(self) -> Chain:
        self._count += 1
        chain = Chain("inet", f"{self._prefix}_t{self._count}")
        self._context.state.nft.chain(chain)
        return chain


def expressions(line: Entry) -> Iterator[str]:  # noqa: C901 - one branch per kind of line
    """Return alternative nft expressions for a ``match`` line that needs no chain."""
    if line.name == "match any":
        yield ""
    elif line.name == "match dscp":
        wanted = ", ".join(str(_code_point(value)) for value in line.many("dscp"))
        yield f"ip dscp {{ {wanted} }}"
        if not line.has("ip"):
            yield f"ip6 dscp {{ {wanted} }}"
    elif line.name == "match precedence":
        points = ", ".join(str(8 * int(value) + low) for value in line.many("prec") for low in range(8))
        yield f"ip dscp {{ {points} }}"
        if not line.has("ip"):
            yield f"ip6 dscp {{ {points} }}"
    elif line.name == "match protocol":
        yield from _protocol(PROTOCOLS[line["protocol"]])
    elif line.name == "match input-interface":
        yield f'iifname "{interfaces.kernel_name(line["interface"])}"'
    elif line.name == "match packet length":
        bounds = [f"meta length >= {int(line['least'])}"] if "least" in line.match.args else []
        bounds += [f"meta length <= {int(line['most'])}"] if "most" in line.match.args else []
        yield " ".join(bounds)
    elif line.name == "match qos-group":
        yield f"meta mark & {GROUP_MASK:#x} == {(int(line['group']) + 1) << GROUP_SHIFT:#x}"
    elif line.name == "match ip rtp":
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
