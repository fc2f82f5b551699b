"""Compile layer-2 security for the service ``switch``. The grammar is in the area ``l2security``."""

from __future__ import annotations

from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.types import parse_vlans

_USUAL_AGEING = 0


def port(section: Section, *, trunk: bool) -> dict[str, Any] | None:
    """Return port security of a port, ``None`` if it is off."""
    if not section.has("port-security"):
        return None
    maximum, violation, ageing = (
        section.get(f"port-security {word}") for word in ("maximum", "violation", "aging time")
    )
    return {
        "maximum": int(maximum["maximum"]) if maximum else 1,
        "violation": next((word for word in ("protect", "restrict") if violation and violation.has(word)), "shutdown"),
        "sticky": section.has("port-security sticky"),
        "static": [colons(entry["mac"]) for entry in section.all("port-security mac")],
        "kept": [colons(entry["mac"]) for entry in section.all("port-security sticky mac")],
        "ageing": int(ageing["minutes"]) * 60 if ageing else _USUAL_AGEING,
        "inactivity": any(entry.has("inactivity") for entry in section.all("port-security aging type")),
        "trunk": trunk,
    }


def trusted(section: Section) -> frozenset[str]:
    """Return what a port is trusted for: ``dhcp``, ``arp``."""
    names = {"dhcp": "dhcp snooping trust", "arp": "arp inspection trust"}
    return frozenset(what for what, name in names.items() if section.has(name))


def snooping(config: Section) -> dict[str, Any] | None:
    """Return DHCP snooping, ``None`` if it is off."""
    if not config.has("dhcp snooping"):
        return None
    return {"vlans": _vlans(config, "dhcp snooping vlan"), "verify": not config.says_no("dhcp snooping verify")}


def bindings(config: Section) -> tuple[dict[str, Any], ...]:
    """Return the configured bindings."""
    return tuple(
        {
            "mac": colons(entry["mac"]),
            "address": str(entry["address"]),
            "vlan": int(entry["vlan"]),
            "port": interfaces.kernel_name(entry["interface"]),
        }
        for entry in config.all("source binding")
    )


def inspection(config: Section) -> dict[str, Any] | None:
    """Return ARP inspection, ``None`` if it is off."""
    vlans = _vlans(config, "arp inspection vlan")
    if not vlans:
        return None
    validate = config.get("arp inspection validate")
    words = [word for word in ("src-mac", "dst-mac", "ip") if validate is not None and validate.has(word)]
    return {"vlans": vlans, "validate": words, "filters": _filters(config)}


def _filters(config: Section) -> dict[str, dict[str, Any]]:
    """Return by VLAN the rules of its ARP access list, and whether the list is final (``static``)."""
    found = {}
    for entry in config.all("arp inspection filter"):
        access_list = config.get("arp access-list", name=entry["name"])
        rules = [] if access_list is None else [_rule(line) for line in access_list.body.all("permit arp", "deny arp")]
        for vlan in parse_vlans(entry["vlans"]):
            found[str(vlan)] = {"rules": rules, "static": entry.has("static")}
    return found


def _rule(entry: Entry) -> list[Any]:
    mac = entry.get("mac")
    return [entry.name == "permit arp", entry.get("address"), None if mac is None else colons(mac)]


def _vlans(config: Section, name: str) -> list[int]:
    return sorted({vlan for entry in config.all(name) for vlan in parse_vlans(entry["vlans"])})


def colons(mac: str) -> str:
    """Return ``aa:bb:cc:dd:ee:ff`` for ``aabb.ccdd.eeff``."""
    digits = mac.replace(".", "")
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))
