"""Which routers advertise a prefix in OSPF, as the database of the running daemon says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Any

from pytest_netbench.platforms.cisco_ios.device.exec import Exec

_STUB = "Stub Network"
_PREFIXES = ("summaryAddress", "route")


class Advertisers:
    """The routers that advertise each prefix, by router ID. Of the global table.

    Args:
        at: The command that asks.
    """

    def __init__(self, at: Exec) -> None:
        self._own = ""
        self._stubs: dict[IPv4Network, list[str]] = {}
        self._shared: list[tuple[IPv4Address, str]] = []
        for network, router in (*self._of_routers(at), *self._of_others(at)):
            self._stubs.setdefault(network, []).append(router)

    def of(self, network: IPv4Network) -> list[str]:
        """Return the other routers that advertise a prefix."""
        found = [*self._stubs.get(network, ()), *(router for address, router in self._shared if address in network)]
        return [router for router in dict.fromkeys(found) if router != self._own]

    def _of_routers(self, at: Exec) -> Iterator[tuple[IPv4Network, str]]:
        answer = at.ask_json("ospfd", "show ip ospf database router json")
        for advertisements in (answer.get("routerLinkStates") or {}).get("areas", {}).values():
            for one in advertisements:
                for link in one.get("routerLinks", {}).values():
                    if link.get("linkType") == _STUB:
                        text = f"{link['networkAddress']}/{link['networkMask']}"
                        yield IPv4Network(text, strict=False), one["advertisingRouter"]

    def _of_others(self, at: Exec) -> Iterator[tuple[IPv4Network, str]]:
        answer = at.ask_json("ospfd", "show ip ospf database json")
        self._own = str(answer.get("routerId", ""))
        for one in _advertisements(answer):
            prefix = next((str(one[key]) for key in _PREFIXES if key in one), None)
            if prefix is not None:
                yield IPv4Network(ip_network(prefix, strict=False)), one["advertisedRouter"]
        for area in answer.get("areas", {}).values():
            for one in area.get("networkLinkStates", ()):
                self._shared.append((IPv4Address(one["lsId"]), one["advertisedRouter"]))


def _advertisements(value: Any) -> Iterator[Mapping[str, Any]]:
    """All advertisements of an answer, however deep."""
    if isinstance(value, Mapping):
        if "advertisedRouter" in value:
            yield value
        for inner in value.values():
            yield from _advertisements(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _advertisements(inner)
