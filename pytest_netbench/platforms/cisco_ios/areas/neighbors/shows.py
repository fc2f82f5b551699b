"""The exec commands of the area ``neighbors``: show and clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac, ports

_MODELS = {"router": "netbench-L3", "switch": "netbench-L2"}

_CDP_LETTERS = {"router": "R B", "switch": "S I"}

_CDP_WORDS = {"router": "Router Source-Route-Bridge", "switch": "Switch IGMP"}

_LLDP_LETTERS = {"router": "R", "switch": "B"}

_SOFTWARE = (
    "Cisco IOS Software, netbench Software (NETBENCH-UNIVERSALK9-M), RELEASE SOFTWARE (fc1)\nTechnical Support: none"
)

_HOLD = {"cdp": 180, "lldp": 120}

_WORN = 0.25
"""The part of the hold time that shows as elapsed. A real device shows a value that varies between two messages."""


@dataclass(frozen=True)
class Neighbor:
    """A device at the other end of a cable."""

    device: Device
    local: Interface
    port: Interface
    mac: str

    @property
    def name(self) -> str:
        """The name that the device announces: with its domain, if it has one."""
        domain = self.device.config.get("ip domain name")
        return f"{self.device.hostname}.{domain['domain']}" if domain is not None else self.device.hostname

    @property
    def address(self) -> str:
        """An IPv4 address to reach it: that of its port, else its first one, else ""."""
        for one in (self.port, *self.device.context().interfaces):
            if one.addresses and one.enabled:
                return one.addresses[0].split("/")[0]
        return ""


def _neighbors(at: Exec, protocol: str, match: Match) -> list[Neighbor]:
    if not _runs(at.device.config, protocol):
        return []
    wanted = match.get("interface")
    found = []
    for state in ports(at):
        speaks = state.protocol == "up" and _enabled(state.interface, protocol)
        if speaks and wanted in (None, state.name):
            found += list(_behind(at, protocol, state.interface))
    return found


def _behind(at: Exec, protocol: str, local: Interface) -> Iterator[Neighbor]:
    peers = {interfaces.canonical(name): ends for name, ends in at.node.peers.items()}
    for end in peers.get(local.name, ()):
        device = at.device.lab_devices.get(end.node)
        if device is None or not _runs(device.config, protocol):
            continue
        port = device.context().interface(interfaces.canonical(end.interface))
        if port is None or not port.enabled or not _enabled(port, protocol):
            continue
        link = device.node.run(["ip", "-br", "link", "show", "dev", port.kernel]).stdout.split()
        if "LOWER_UP" in link[-1]:
            yield Neighbor(device, local, port, cisco_mac(link[2]))


def _runs(config: Section, protocol: str) -> bool:
    return not config.says_no("cdp run") if protocol == "cdp" else config.has("lldp run")


def _enabled(one: Interface, protocol: str) -> bool:
    if one.parsed.is_virtual:
        return False
    words = ("cdp enable",) if protocol == "cdp" else ("lldp transmit", "lldp receive")
    return not any(one.section.says_no(word) for word in words)


def _left(at: Exec, protocol: str) -> int:
    entry = at.config.get(f"{protocol} holdtime")
    return round((int(entry["seconds"]) if entry is not None else _HOLD[protocol]) * (1 - _WORN))


# ---- CDP ----


def _cdp_neighbors(at: Exec, match: Match) -> str:
    if not _runs(at.config, "cdp"):
        return "% CDP is not enabled\n"
    found = _neighbors(at, "cdp", match)
    if match.has("detail"):
        return _cdp_details(at, found)
    lines = [
        "Capability Codes: R - Router, T - Trans Bridge, B - Source Route Bridge",
        "                  S - Switch, H - Host, I - IGMP, r - Repeater, P - Phone, ",
        "                  D - Remote, C - CVTA, M - Two-port Mac Relay ",
        "",
        "Device ID        Local Intrfce     Holdtme    Capability  Platform  Port ID",
    ]
    for one in found:
        rest = (
            f"{_three(one.local):<18}{_left(at, 'cdp'):<11}{_CDP_LETTERS[one.device.role]:>10}  "
            f"{_MODELS[one.device.role]} {_three(one.port)}"
        )
        lines += [f"{one.name:<17}{rest}"] if len(one.name) < 17 else [one.name, f"{'':<17}{rest}"]
    return "\n".join([*lines, "", f"Total cdp entries displayed : {len(found)}", ""])


def _three(one: Interface) -> str:
    return f"{one.parsed.kind[:3]} {one.parsed.number}"


def _cdp_entry(at: Exec, match: Match) -> str:
    found = [one for one in _neighbors(at, "cdp", match) if match["name"] in ("*", one.name)]
    return _cdp_details(at, found)


def _cdp_details(at: Exec, found: list[Neighbor]) -> str:
    lines = [line for one in found for line in _cdp_detail(at, one)]
    return "\n".join([*lines, "", f"Total cdp entries displayed : {len(found)}", ""])


def _cdp_detail(at: Exec, one: Neighbor) -> Iterator[str]:
    yield "-------------------------"
    yield f"Device ID: {one.name}"
    yield "Entry address(es): "
    if one.address:
        yield f"  IP address: {one.address}"
    yield f"Platform: Cisco {_MODELS[one.device.role]},  Capabilities: {_CDP_WORDS[one.device.role]} "
    yield f"Interface: {one.local.name},  Port ID (outgoing port): {one.port.name}"
    yield f"Holdtime : {_left(at, 'cdp')} sec"
    yield ""
    yield "Version :"
    yield _SOFTWARE
    yield ""
    yield "advertisement version: 2"
    yield "Duplex: full"
    if one.address:
        yield "Management address(es): "
        yield f"  IP address: {one.address}"
    yield ""


def _cdp(at: Exec, _match: Match) -> str:
    if not _runs(at.config, "cdp"):
        return "% CDP is not enabled\n"
    timer, hold = at.config.get("cdp timer"), at.config.get("cdp holdtime")
    return (
        "Global CDP information:\n"
        f"\tSending CDP packets every {timer['seconds'] if timer else 60} seconds\n"
        f"\tSending a holdtime value of {hold['seconds'] if hold else 180} seconds\n"
        "\tSending CDPv2 advertisements is  enabled\n"
    )


# ---- LLDP ----


def _lldp_neighbors(at: Exec, match: Match) -> str:
    if not _runs(at.config, "lldp"):
        return "% LLDP is not enabled\n"
    found = _neighbors(at, "lldp", match)
    if match.has("detail"):
        lines = [line for one in found for line in _lldp_detail(at, one)]
        return "\n".join([*lines, "", f"Total entries displayed: {len(found)}", ""])
    lines = [
        "Capability codes:",
        "    (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device",
        "    (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other",
        "",
        "Device ID           Local Intf     Hold-time  Capability      Port ID",
    ]
    lines += [
        f"{one.name[:20]:<20}{one.local.parsed.short:<15}{_left(at, 'lldp'):<11}"
        f"{_LLDP_LETTERS[one.device.role]:<16}{one.port.parsed.short}"
        for one in found
    ]
    return "\n".join([*lines, "", f"Total entries displayed: {len(found)}", ""])


def _lldp_detail(at: Exec, one: Neighbor) -> Iterator[str]:
    description = one.port.section.get("description")
    yield "------------------------------------------------"
    yield f"Local Intf: {one.local.parsed.short}"
    yield f"Chassis id: {one.mac}"
    yield f"Port id: {one.port.parsed.short}"
    yield f"Port Description: {description['text'] if description is not None else one.port.name}"
    yield f"System Name: {one.name}"
    yield ""
    yield "System Description: "
    yield _SOFTWARE.splitlines()[0]
    yield ""
    yield f"Time remaining: {_left(at, 'lldp')} seconds"
    yield f"System Capabilities: {'B,R' if one.device.role == 'router' else 'B'}"
    yield f"Enabled Capabilities: {_LLDP_LETTERS[one.device.role]}"
    if one.address:
        yield "Management Addresses:"
        yield f"    IP: {one.address}"
    else:
        yield "Management Addresses - not advertised"
    yield "Auto Negotiation - not supported"
    yield "Physical media capabilities - not advertised"
    yield "Media Attachment Unit type - not advertised"
    yield "Vlan ID: - not advertised"
    yield ""


SHOWS = (
    show("cdp", _cdp, "CDP information"),
    show("cdp neighbors [ {interface:interface} ] [ detail ]", _cdp_neighbors, "CDP neighbor entries"),
    show("cdp entry {name:word}", _cdp_entry, "Information for specific neighbor entry"),
    show("lldp neighbors [ {interface:interface} ] [ detail ]", _lldp_neighbors, "LLDP neighbor entries"),
)
