"""One line of an access list: its meaning, independent of the typed form, and its text in IOS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from ipaddress import IPv4Address, IPv6Interface
from typing import Literal

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.dialects.markings import PRECEDENCES
from pytest_netbench.platforms.cisco_ios.areas.acl import names
from pytest_netbench.platforms.cisco_ios.areas.acl.types import icmp_text
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_ALL = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class Address:
    """One end of an ACL line: ``any``, IPv4 address and wildcard, IPv6 prefix, or object group."""

    kind: Literal["any", "net", "prefix", "group"] = "any"
    value: str = ""
    wildcard: int = 0

    def text(self, *, standard: bool = False) -> str:
        """The text in a running config."""
        if self.kind == "any":
            return "any"
        if self.kind == "group":
            return f"object-group {self.value}"
        if self.kind == "prefix":
            address, _, length = self.value.partition("/")
            return f"host {address}" if length == "128" else self.value
        if self.wildcard == 0:
            return self.value if standard else f"host {self.value}"
        return f"{self.value} {IPv4Address(self.wildcard)}"


@dataclass(frozen=True, kw_only=True)
class Ports:
    """The ports of one end. ``operator``: eq, neq, lt, gt or range."""

    operator: str
    values: tuple[int, ...]

    def text(self, by_number: dict[int, str]) -> str:
        """The text in a running config."""
        return " ".join([self.operator, *(by_number.get(port, str(port)) for port in self.values)])


@dataclass(frozen=True, kw_only=True)
class Ace:
    """A line that permits or denies.

    Args:
        permit: Whether it permits.
        family: 4 or 6.
        standard: Whether it belongs to a standard list.
        protocol: ``ip`` (``ipv6``), a name, or a number as text; "" where ``service`` is an object group.
        service: Name of a service object group.
        established: TCP with ACK or RST set.
        flags: TCP flags as typed: ``("match-any", "+syn", "-ack")`` or plain ones.
        during: The name of its time range.
        log: ``log``, ``log-input`` or "".
        reflect: Name of the reflexive list that remembers sessions; ``reflect_s``: its timeout, if configured.
        evaluate: Name of the reflexive list whose sessions' answers are all that it permits.
    """

    permit: bool
    family: int = 4
    standard: bool = False
    protocol: str = "ip"
    service: str = ""
    source: Address = Address()
    destination: Address = Address()
    source_ports: Ports | None = None
    ports: Ports | None = None
    icmp: names.Icmp | None = None
    established: bool = False
    flags: tuple[str, ...] = ()
    dscp: int | None = None
    precedence: int | None = None
    tos: int | None = None
    ttl: tuple[str, int] | None = None
    fragments: bool = False
    during: str = ""
    log: str = ""
    cookie: str = ""
    reflect: str = ""
    reflect_s: int | None = None
    evaluate: str = ""

    @property
    def action(self) -> str:
        """The action: ``permit`` or ``deny``."""
        return "permit" if self.permit else "deny"

    @cached_property
    def text(self) -> str:
        """The line as a running config prints it, without its number."""
        if self.evaluate:
            return f"evaluate {self.evaluate}"
        if self.standard:
            words = [self.action, self.source.text(standard=True)]
        else:
            words = [self.action, self._protocol_text(), *self._ends(), *self._conditions()]
        return " ".join([*words, self.log, self.cookie]).rstrip() if self.log else " ".join(words)

    def _protocol_text(self) -> str:
        return f"object-group {self.service}" if self.service else self.protocol

    def _ends(self) -> list[str]:
        by_number = dict(names.TCP_NAMES if self.protocol == "tcp" else names.UDP_NAMES)
        words = []
        for address, ports in ((self.source, self.source_ports), (self.destination, self.ports)):
            words += [address.text(), *([ports.text(by_number)] if ports else [])]
        return words

    def _conditions(self) -> list[str]:
        by_pair = {pair: name for name, pair in (names.ICMP if self.family == 4 else names.ICMP6).items()}
        words = [icmp_text(self.icmp, by_pair)] if self.icmp else []
        words += ["established"] if self.established else []
        words += self.flags
        for word, value, known in (
            ("dscp", self.dscp, DSCP),
            ("precedence", self.precedence, PRECEDENCES),
            ("tos", self.tos, names.TOS),
        ):
            if value is not None:
                words += [word, next((name for name, number in known.items() if number == value), str(value))]
        words += ["ttl", self.ttl[0], str(self.ttl[1])] if self.ttl else []
        words += ["fragments"] if self.fragments else []
        words += ["time-range", self.during] if self.during else []
        words += ["reflect", self.reflect] if self.reflect else []
        return [*words, "timeout", str(self.reflect_s)] if self.reflect_s else words


@lru_cache(maxsize=8192)
def ace(match: Match) -> Ace:
    """Return the meaning of an access list line."""
    if match.name == "ace evaluate":
        return Ace(permit=True, evaluate=match["reflect"])
    six = match.name.endswith("ipv6")
    return Ace(
        permit=match.has("permit"),
        family=6 if six else 4,
        standard=match.name.endswith("standard"),
        protocol=_protocol(match, six=six),
        service=match.get("service", ""),
        source=_address(match, "src", six=six),
        destination=_address(match, "dst", six=six),
        source_ports=_ports_of(match, "src"),
        ports=_ports_of(match, "dst"),
        icmp=match.get("icmp"),
        established=match.has("established"),
        flags=_flags(match),
        dscp=match.get("dscp"),
        precedence=match.get("precedence"),
        tos=match.get("tos"),
        ttl=next(
            ((word, match[f"ttl_{word}"]) for word in ("eq", "gt", "lt", "neq") if f"ttl_{word}" in match.args), None
        ),
        fragments=match.has("fragments"),
        during=match.get("during", ""),
        log="log-input" if match.has("log-input") else "log" if match.has("log") else "",
        cookie=match.get("cookie", ""),
        reflect=match.get("reflect", ""),
        reflect_s=match.get("reflect_s"),
    )


def _protocol(match: Match, *, six: bool) -> str:
    if match.name.endswith("standard"):
        return "ip"
    if match.get("service"):
        return ""
    if "protocol" in match.args:
        known = names.PROTOCOL_NAMES6 if six else names.PROTOCOL_NAMES
        return known.get(match["protocol"], str(match["protocol"]))
    words = ("ipv6", *names.PROTOCOLS6) if six else ("ip", *names.PROTOCOLS)
    return next(word for word in words if match.has(word))


def _address(match: Match, side: str, *, six: bool) -> Address:
    if f"{side}_group" in match.args:
        return Address(kind="group", value=match[f"{side}_group"])
    if f"{side}_prefix" in match.args:
        prefix = IPv6Interface(match[f"{side}_prefix"]).network
        return Address(kind="prefix", value=str(prefix).upper()) if prefix.prefixlen else Address()
    if f"{side}_host" in match.args:
        host = match[f"{side}_host"]
        return Address(kind="prefix", value=f"{host}/128") if six else Address(kind="net", value=host)
    if f"{side}_net" in match.args:
        wildcard = int(IPv4Address(match.get(f"{side}_wild", 0)))
        if wildcard == _ALL:
            return Address()
        value = IPv4Address(int(IPv4Address(match[f"{side}_net"])) & (_ALL ^ wildcard))
        return Address(kind="net", value=str(value), wildcard=wildcard)
    return Address()


def _ports_of(match: Match, side: str) -> Ports | None:
    for operator in ("eq", "neq", "lt", "gt"):
        values = match.many(f"{side}_{operator}")
        if values:
            return Ports(operator=operator, values=tuple(values))
    if f"{side}_from" in match.args:
        low, high = sorted((match[f"{side}_from"], match[f"{side}_to"]))
        return Ports(operator="range", values=(low, high))
    return None


def _flags(match: Match) -> tuple[str, ...]:
    mode = next((word for word in ("match-any", "match-all") if match.has(word)), None)
    if mode is not None:
        return (mode, *match.many("flags"))
    return tuple(flag for flag in names.FLAGS if match.has(flag))
