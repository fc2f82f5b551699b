"""What a VPCS has been told, and what lines of Linux would change of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Interface
from typing import Final

from pytest_netbench.kernel.addresses import UNSPECIFIED

INTERFACES: Final = 1
"""A VPCS has so many."""
LIMIT: Final = "a VPCS has one IPv4 address and one default gateway"
_ADDRESS = re.compile(
    r"ip (?:-4 )?(?:addr|address|a) (?P<verb>add|replace|change|del|delete) (?P<value>\S+)(?: dev (?P<dev>\S+))?"
)
_ROUTE = re.compile(
    r"ip (?:-4 )?(?:route|r) (?P<verb>add|replace|change|append|del|delete) (?:default|0\.0\.0\.0/0)"
    r"(?: via (?P<value>\S+))?(?: dev (?P<dev>\S+))?"
)
_UP = re.compile(r"ip link set (?:dev )?(?P<dev>\S+) up")
_SHOWN = re.compile(r"^(IP/MASK|GATEWAY)\s*:\s*(\S+)", re.MULTILINE)
_NOTHING = UNSPECIFIED  # how a VPCS writes that it has none


class Refused(Exception):
    """A line that cannot be carried out; the text is what its author is told."""


@dataclass(frozen=True)
class Settings:
    """The address of a host and its default gateway."""

    address: IPv4Interface | None = None
    gateway: IPv4Address | None = None

    @classmethod
    def shown(cls, text: str) -> Settings:
        """What ``show ip`` prints."""
        found = dict(_SHOWN.findall(text))
        address, gateway = found.get("IP/MASK", ""), found.get("GATEWAY", _NOTHING)
        return cls(
            IPv4Interface(address) if address.partition("/")[0] not in ("", _NOTHING) else None,
            IPv4Address(gateway) if gateway != _NOTHING else None,
        )

    @property
    def command(self) -> str:
        """What is typed for these settings."""
        if self.address is None:
            return "clear ip"
        return f"ip {self.address}" + (f" {self.gateway}" if self.gateway is not None else "")

    def after(self, line: str, interface: str) -> Settings:
        """These settings and a line of Linux on the host whose interface has this name.

        Raises:
            Refused: A VPCS cannot do it, or Linux would not.
        """
        words = " ".join(line.split())
        if (
            (found := _UP.fullmatch(words))
            or (found := _ADDRESS.fullmatch(words))
            or (found := _ROUTE.fullmatch(words))
        ):
            if found["dev"] not in (None, interface):
                raise Refused(f'Cannot find device "{found["dev"]}"')
            if found.re is _UP:
                return self
            try:
                change = self._addressed if found.re is _ADDRESS else self._routed
                return change(found["verb"], found["value"])
            except ValueError:
                raise Refused(f"Error: {found['value']!r} is not an IPv4 address") from None
        raise Refused(f"not possible on this host: {LIMIT}")

    def _addressed(self, verb: str, value: str) -> Settings:
        address = IPv4Interface(value)
        if verb in ("del", "delete"):
            if address != self.address:
                raise Refused("RTNETLINK answers: Cannot assign requested address")
            return Settings()
        if self.address is not None:
            if address != self.address:
                raise Refused(f"not possible on this host: {LIMIT}, and it has {self.address}")
            if verb == "add":
                raise Refused("RTNETLINK answers: File exists")
        return replace(self, address=address)

    def _routed(self, verb: str, value: str | None) -> Settings:
        gateway = None if value is None else IPv4Address(value)
        if verb in ("del", "delete"):
            if self.gateway is None or gateway not in (None, self.gateway):
                raise Refused("RTNETLINK answers: No such process")
            return replace(self, gateway=None)
        if gateway is None:
            raise Refused(f"not possible on this host: {LIMIT}")
        if verb in ("add", "append") and self.gateway is not None:
            raise Refused("RTNETLINK answers: File exists")
        if self.address is None or gateway not in self.address.network:
            raise Refused("Error: Nexthop has invalid gateway.")
        return replace(self, gateway=gateway)


def lines(config: str) -> Iterable[tuple[int, str]]:
    """The lines of a startup config that say something, each with its 1-based number."""
    for number, line in enumerate(config.splitlines(), 1):
        if line.strip() and not line.strip().startswith("#"):
            yield number, line.strip()


def beyond(config: str, interfaces: Sequence[str]) -> str | None:
    """Why a host cannot be a VPCS, in a phrase; ``None`` if it can."""
    if len(interfaces) > INTERFACES:
        return f"a VPCS has one interface, and it has {', '.join(interfaces)}"
    settings = Settings()
    for number, line in lines(config):
        try:
            settings = settings.after(line, interfaces[0] if interfaces else "")
        except Refused as error:
            return f"startup config line {number}: {line!r}: {error}"
    return None
