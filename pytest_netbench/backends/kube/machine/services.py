"""The service proxy of a machine: service addresses become addresses of pods. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.kubernetes.stores import Key
from pytest_netbench.lab.kubernetes.workloads import SERVICE_OF

TABLE: Final = "netbench-services"
_PROTOCOLS: Final = {"TCP": "tcp", "UDP": "udp", "SCTP": "sctp"}


def ruleset(services: Mapping[Key, Object], slices: Iterable[Object], *, local: Collection[str], addresses: str) -> str:
    """The commands of ``nft`` that replace the table.

    Args:
        services: All services.
        slices: All endpoint slices.
        local: Addresses of the machine's own pods.
        addresses: The prefix of all service addresses.
    """
    endpoints = _endpoints(slices)
    translated: list[str] = []
    refused: list[str] = []
    for key in sorted(services):
        for match, port, protocol in _ports(services[key]):
            found = endpoints.get((key, port, protocol), ())
            if found:
                translated.append(f"{match} dnat to {_target(sorted(found))}")
            else:
                refused.append(f"{match} reject")
    hairpins = [f"ip saddr {one} ip daddr {one} masquerade" for one in sorted(local)]
    return "\n".join(
        [
            f"table ip {TABLE}",
            f"delete table ip {TABLE}",
            f"table ip {TABLE} {{",
            *_chain("services", (), translated),
            *_chain("prerouting", ("type nat hook prerouting priority dstnat; policy accept;",), ("jump services",)),
            *_chain("output", ("type nat hook output priority -100; policy accept;",), ("jump services",)),
            *_chain("postrouting", ("type nat hook postrouting priority srcnat; policy accept;",), hairpins),
            *_chain(
                "forward",
                ("type filter hook forward priority -5; policy accept;",),
                (*refused, f"ip daddr {addresses} drop"),
            ),
            "}",
            "",
        ]
    )


def _chain(name: str, head: Iterable[str], rules: Iterable[str]) -> Iterator[str]:
    yield f"  chain {name} {{"
    for line in (*head, *rules):
        yield f"    {line}"
    yield "  }"


def _ports(service: Object) -> Iterator[tuple[str, str, str]]:
    """For each port with a cluster address: how packets to it are matched, its name, and its protocol."""
    spec = service["spec"]
    address = spec.get("clusterIP", "None")
    if address in ("", "None"):
        return
    for port in spec.get("ports") or ():
        protocol = port.get("protocol", "TCP")
        match = f"ip daddr {address} {_PROTOCOLS[protocol]} dport {port['port']}"
        yield match, port.get("name") or "", protocol


def _endpoints(slices: Iterable[Object]) -> dict[tuple[Key, str, str], set[str]]:
    """By service, port name and protocol: ready endpoints, as ``address:port``."""
    found: dict[tuple[Key, str, str], set[str]] = defaultdict(set)
    for one in slices:
        metadata = one["metadata"]
        service = (metadata.get("labels") or {}).get(SERVICE_OF)
        if service is None or one.get("addressType") != "IPv4":
            continue
        for port in one.get("ports") or ():
            key = ((metadata.get("namespace", ""), service), port.get("name") or "", port.get("protocol", "TCP"))
            for endpoint in one.get("endpoints") or ():
                if (endpoint.get("conditions") or {}).get("ready", True) and port.get("port"):
                    found[key] |= {f"{address}:{port['port']}" for address in endpoint["addresses"]}
    return found


def _target(endpoints: list[str]) -> str:
    if len(endpoints) == 1:
        return endpoints[0]
    pairs = [one.rsplit(":", 1) for one in endpoints]
    choices = ", ".join(f"{number} : {address} . {port}" for number, (address, port) in enumerate(pairs))
    return f"numgen random mod {len(pairs)} map {{ {choices} }}"
