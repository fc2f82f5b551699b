"""Compile the lines of the area ``dhcp``."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import Option, addresses

_DAY_S = 86_400

_LISTS = {
    "default-router": Option.ROUTER,
    "dns-server": Option.DNS,
    "netbios-name-server": Option.NETBIOS_NAME_SERVER,
}

_NODE_TYPES = {"b-node": 1, "p-node": 2, "m-node": 4, "h-node": 8}


# -- compilation -----------------------------------------------------------------------------------------------------


def compile_dhcp(context: Context) -> None:
    """Add the DHCP services that the config requires."""
    config = context.config
    pools: dict[str, list[dict[str, Any]]] = {}
    for entry, body in config.sections("ip dhcp pool"):
        line = body.get("vrf")
        pools.setdefault(str(line["vrf"]) if line else "", []).extend(_pools(str(entry["name"]), body))
    relays: dict[str, dict[str, list[str]]] = {}
    clients: list[dict[str, Any]] = []
    for one in context.interfaces:
        helpers = [str(entry["address"]) for entry in one.section.all("ip helper-address")]
        if helpers:
            relays.setdefault(one.vrf, {})[one.kernel] = helpers
        wanted = next((entry for entry in one.section.all("ip address") if entry.has("dhcp")), None)
        if wanted is not None and one.vrf:
            context.unsupported(wanted, "DHCP addresses are not supported on interfaces of a VRF")
        elif wanted is not None and one.kernel in context.state.links:
            # a subinterface without a VLAN is no link
            host = str(wanted.get("hostname") or _hostname(context))
            clients.append({"interface": one.kernel, "label": one.name, "hostname": host, "distance": 254})
    for vrf in {**pools, **relays} if not config.says_no("service dhcp") else ():
        own, relayed = pools.get(vrf, []), relays.get(vrf, {})
        if (own or relayed) and _exists(config, vrf):
            reserved = [[pool["address"]] * 2 for pool in own if "address" in pool]
            excluded = [*_ranges(config, vrf), *reserved]
            name = f"dhcp@{vrf}" if vrf else "dhcp"
            context.state.services[name] = {"pools": own, "excluded": excluded, "relays": relayed, **_ping(config)}
    if clients:
        context.state.frr.lines.setdefault("staticd", {})
        context.state.services["dhcp_client"] = {"interfaces": clients, "daemon": speaker_of("staticd")}


def _exists(config: Section, vrf: str) -> bool:
    return not vrf or config.has("vrf definition", vrf=vrf) or config.has("ip vrf", vrf=vrf)


def _hostname(context: Context) -> str:
    entry = context.config.get("hostname")
    return str(entry["name"]) if entry else context.facts.name


def _ranges(config: Section, vrf: str) -> list[list[str]]:
    entries = [e for e in config.all("ip dhcp excluded-address") if (e.get("vrf") or "") == vrf]
    return [[str(e["low"]), str(e.get("high") or e["low"])] for e in entries]


def _ping(config: Section) -> dict[str, int]:
    packets, timeout = config.get("ip dhcp ping packets"), config.get("ip dhcp ping timeout")
    count = 0 if config.says_no("ip dhcp ping packets") else int(packets["value"]) if packets else 2
    return {"ping_packets": count, "ping_ms": int(timeout["value"]) if timeout else 500}


def _pools(name: str, body: Section) -> Iterator[dict[str, Any]]:
    """Return the pool, preceded by one host pool for each address that it reserves."""
    pool = _pool(name, body)
    for entry in body.all("address") if "address" not in pool else ():
        client = _identity(entry.get("identifier"), entry.get("mac"))
        if pool:
            yield {**pool, "address": str(entry["address"]), "client": client, "lease_s": None}
    if pool:
        yield pool


def _pool(name: str, body: Section) -> dict[str, Any]:
    network, host = body.get("network"), body.get("host")
    if network is not None:
        found = {"network": str(IPv4Network(f"{network['network']}/{network['mask']}"))}
    elif host is not None and (client := _client(body)):
        found = {
            "network": str(IPv4Network(f"{host['address']}/{host['mask']}", strict=False)),
            "address": str(host["address"]),
            "client": client,
        }
    else:
        return {}
    return {
        "name": name,
        **found,
        "lease_s": _lease(body.get("lease"), manual=host is not None),
        "options": _options(body),
    }


def _client(body: Section) -> str:
    identifier, hardware = body.get("client-identifier"), body.get("hardware-address")
    return _identity(identifier["identifier"] if identifier else None, hardware["mac"] if hardware else None)


def _identity(identifier: str | None, mac: str | None) -> str:
    """Return the client identifier in hexadecimal digits."""
    if identifier is not None:
        return identifier.replace(".", "").lower()
    return "" if mac is None else "01" + mac.replace(".", "").lower()


def _lease(entry: Entry | None, *, manual: bool) -> float | None:
    if entry is None:
        return None if manual else _DAY_S
    if entry.has("infinite"):
        return None
    return int(entry["days"]) * _DAY_S + int(entry.get("hours") or 0) * 3600 + int(entry.get("minutes") or 0) * 60


def _options(body: Section) -> dict[str, str]:
    found: dict[int, bytes] = {}
    for word, option in _LISTS.items():
        if (entry := body.get(word)) is not None:
            found[option] = addresses(*(str(address) for address in entry.many("address")))
    for word, option in (("domain-name", Option.DOMAIN), ("bootfile", Option.BOOTFILE)):
        if (entry := body.get(word)) is not None:
            found[option] = str(entry["value"]).encode()
    if (entry := body.get("netbios-node-type")) is not None:
        found[Option.NETBIOS_NODE_TYPE] = bytes((_NODE_TYPES[str(entry["value"])],))
    for entry in body.all("option"):
        found[int(entry["code"])] = _value(entry)
    return {str(int(code)): value.hex() for code, value in found.items()}


def _value(entry: Entry) -> bytes:
    if "hex" in entry.match.args:
        return bytes.fromhex(str(entry["hex"]).replace(".", ""))
    if "ascii" in entry.match.args:
        return str(entry["ascii"]).strip('"').encode()
    return addresses(*(str(address) for address in entry.many("address")))
