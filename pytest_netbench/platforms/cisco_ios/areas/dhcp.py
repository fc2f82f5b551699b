"""DHCP: pools, relaying and addresses got by DHCP, run by the services ``dhcp`` and ``dhcp_client``."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.areas import dhcp_shows as shows
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import matching
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import Option, addresses

_POOL = "dhcp-pool"
_DAY_S = 86_400
_LISTS = {
    "default-router": Option.ROUTER, "dns-server": Option.DNS, "netbios-name-server": Option.NETBIOS_NAME_SERVER,
}  # fmt: skip
_NODE_TYPES = {"b-node": 1, "p-node": 2, "m-node": 4, "h-node": 8}


# -- storing ---------------------------------------------------------------------------------------------------------


def _network(edit: Edit, match: Match) -> str | None:
    """Stored with a mask in dots; without one, the class of the address says."""
    if match.negated or match.reset:
        return edit.keep(match)
    mask = match.get("mask") or (str(match["length"]) if "length" in match.args else f"/{_classful(match['network'])}")
    network = IPv4Network(f"{match['network']}/{mask.removeprefix('/')}", strict=False)
    for entry in [e for e in edit.section if e.name == "host"]:
        edit.section.remove(entry)
    edit.put(f"network {network.network_address} {network.netmask}")
    return None


def _classful(address: str) -> int:
    first = int(address.split(".", maxsplit=1)[0])
    return 8 if first < 128 else 16 if first < 192 else 24


def _host(edit: Edit, match: Match) -> str | None:
    if match.negated or match.reset:
        return edit.keep(match)
    mask = match.get("mask") or str(IPv4Network(f"0.0.0.0/{_classful(match['address'])}").netmask)
    for entry in [e for e in edit.section if e.name == "network"]:
        edit.section.remove(entry)
    edit.put(f"host {match['address']} {mask}")
    return None


def _excluded(_edit: Edit, match: Match) -> str | None:
    if "high" in match.args and IPv4Address(match["high"]) < IPv4Address(match["low"]):
        return "% Range start address is greater than range end address"
    return None


def _address(edit: Edit, match: Match) -> str | None:
    """``ip address dhcp`` takes the place of every other address."""
    entries = [e for e in edit.section if e.name == "ip address"]
    if match.negated and not any(e.has("dhcp") for e in entries):
        return None
    for entry in entries:
        edit.section.remove(entry)
    edit.put("no ip address" if match.negated or match.reset else match.text)
    return None


# -- compilation -----------------------------------------------------------------------------------------------------


def _compile(context: Context) -> None:
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
            context.unsupported(wanted, "interfaces of a VRF get no address by DHCP")
        elif wanted is not None:
            host = str(wanted.get("hostname") or _hostname(context))
            clients.append({"interface": one.kernel, "label": one.name, "hostname": host, "distance": 254})
    for vrf in {**pools, **relays} if not config.says_no("service dhcp") else ():
        own, relayed = pools.get(vrf, []), relays.get(vrf, {})
        if (own or relayed) and _exists(config, vrf):
            reserved = [[pool["address"]] * 2 for pool in own if "address" in pool]
            excluded = [*_ranges(config, vrf), *reserved]
            name = f"dhcp@{vrf}" if vrf else "dhcp"
            context.plan.services[name] = {"pools": own, "excluded": excluded, "relays": relayed, **_ping(config)}
    if clients:
        context.plan.frr.lines.setdefault("staticd", {})
        context.plan.services["dhcp_client"] = {"interfaces": clients, "daemon": speaker_of("staticd")}


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
    """The pool, and before it one for each address that it reserves."""
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
    """Who a client is, in hexadecimal digits."""
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


# -- grammar ---------------------------------------------------------------------------------------------------------


def _line(pattern: str, help: str = "", **more: Any) -> Command:
    return Command(pattern=pattern, mode=_POOL, help=help, **more)


_CONFIG = (
    Command(
        pattern="ip dhcp excluded-address [ vrf {vrf!:word} ] {low!:ipv4} [ {high!:ipv4} ]", name="ip dhcp excluded-address", check=_excluded,
        help="Prevent DHCP from assigning certain addresses",
    ),
    Command(pattern="ip dhcp pool {name!:name}", name="ip dhcp pool", opens=_POOL, help="Configure DHCP address pools"),
    Command(pattern="ip dhcp ping packets {value:0-10}", keeps_no=True, default=("ip dhcp ping packets 2",), help="Specify number of ping packets"),
    Command(pattern="ip dhcp ping timeout {value:100-10000}", default=("ip dhcp ping timeout 500",), help="Specify ping timeout"),
    Command(pattern="ip dhcp conflict logging", keeps_no=True, default=("ip dhcp conflict logging",)),
    Command(pattern="ip dhcp relay information ( option | trust-all | policy keep )", name="ip dhcp relay information", marked="the relay passes messages on as they are"),
    Command(pattern="ip dhcp database {url:word}", marked="bindings live as long as the device runs"),
    Command(pattern="ip dhcp use vrf ( connected | remote )", marked="DHCP runs in the global table alone"),
    Command(pattern="ip dhcp bootp ignore", default=("ip dhcp bootp ignore",), help="BOOTP requests are ignored here anyway"),
)  # fmt: skip
_LINES = (
    _line("network {network:ipv4} [ {mask:mask} | {length:slash} ]", "Network number and mask", edit=_network),
    _line("host {address:ipv4} [ {mask:mask} ]", "Client IP address and mask", edit=_host),
    _line("client-identifier {identifier:dottedhex}", "Client identifier"),
    _line("hardware-address {mac:mac} [ ethernet | ieee802 | {hardware:1-255} ]", "Client hardware address"),
    _line("address {address!:ipv4} ( client-id {identifier:dottedhex} | hardware-address {mac:mac} )", "Reserve an address", name="address"),
    _line("client-name {value:word}", "Client name"),
    _line("vrf {vrf:word}", "Associate this pool with a VRF"),
    _line("default-router {address:ipv4}+", "Default routers"),
    _line("dns-server {address:ipv4}+", "DNS servers"),
    _line("domain-name {value:word}", "Domain name"),
    _line("netbios-name-server {address:ipv4}+", "NetBIOS (WINS) name servers"),
    _line("netbios-node-type {value:nodetype}", "NetBIOS node type"),
    _line("next-server {address:ipv4}+", "Next server in boot process", marked="nodes do not boot over the network"),
    _line("bootfile {value:word}", "Boot file name"),
    _line("option {code!:2-254} ( hex {hex:dottedhex} | ascii {ascii:line} | ip {address:ipv4}+ )", "Raw DHCP options", name="option"),
    _line("lease ( infinite | {days:0-365} [ {hours:0-23} [ {minutes:0-59} ] ] )", "Address lease time", default=("lease 1",)),
    _line("utilization mark ( high | low ) {percent:0-100} [ log ]", marked="nothing watches the utilization"),
    _line("update arp", marked="no binding is put into the ARP table"),
    _line("import all", "Programatically importing DHCP option parameters", marked="options are not taken over from another server"),
)  # fmt: skip
_INTERFACE = (
    Command(pattern="ip dhcp relay information trusted", mode="if", marked="the relay passes messages on as they are"),
    Command(pattern="ip helper-address {address!:ipv4}", mode="if", name="ip helper-address", help="Specify a destination address for UDP broadcasts"),
    Command(
        pattern="ip address dhcp < client-id {clientid:interface} | hostname {hostname:word} >", mode="if", name="ip address", edit=_address,
        help="IP Address negotiated via DHCP",
    ),
)  # fmt: skip


AREA = Area(
    name="dhcp",
    commands=(*_CONFIG, *_LINES, *_INTERFACE, *shows.COMMANDS),
    modes=(Mode(name=_POOL, prompt="dhcp-config", help="DHCP pool"),),
    types={
        "slash": matching("/nn", r"/([1-9]|[12]\d|3[0-2])", "Network mask or prefix length"),
        "dottedhex": matching("Hex-data", r"([0-9A-Fa-f]{2})+(\.([0-9A-Fa-f]{2})+)*", "Dotted-hexadecimal string"),
        "nodetype": matching("Hex|node type", "[bpmh]-node"),
    },
    compile=_compile,
    help={"dhcp": "Configure DHCP server and relay parameters"},
    scope=(
        ("DHCP server", "pools, hosts, exclusions, options, conflicts by ping; leases run in lab time"),
        ("DHCP relay", "ip helper-address relays DHCP and nothing else"),
        ("DHCP client", "ip address dhcp, with the default route at distance 254"),
    ),
)
