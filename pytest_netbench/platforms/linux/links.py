"""Links and addresses as lines of a running config. Pure; input is what ``ip -j -d addr`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_USUAL_MTU = {"lo": 65536}
_PLAIN_KINDS = {None, "veth"}
# per kind: what a person sets when making such a device
_SETTINGS: dict[str, tuple[str, ...]] = {
    "bridge": ("stp_state", "vlan_filtering", "priority", "forward_delay", "hello_time", "max_age", "ageing_time"),
    "vlan": ("protocol", "id"),
    "vxlan": ("id", "group", "group6", "remote", "remote6", "local", "local6", "link", "port", "learning"),
    "macvlan": ("mode",),
    "ipvlan": ("mode",),
    "vrf": ("table",),
    "bond": ("mode", "miimon", "xmit_hash_policy"),
    "gre": ("remote", "local", "link", "ttl", "ikey", "okey"),
    "gretap": ("remote", "local", "link", "ttl", "ikey", "okey"),
    "ipip": ("remote", "local", "link", "ttl"),
    "sit": ("remote", "local", "link", "ttl"),
    "ip6tnl": ("remote", "local", "link", "ttl"),
    "vti": ("remote", "local", "link", "ikey", "okey"),
}
_USUAL: dict[str, dict[str, Any]] = {
    "bridge": {
        "stp_state": 0,
        "vlan_filtering": 0,
        "priority": 32768,
        "forward_delay": 1500,
        "hello_time": 200,
        "max_age": 2000,
        "ageing_time": 30000,
    },
    "vxlan": {"learning": True},
    "vlan": {"protocol": "802.1Q"},
}
_PORT = {"hairpin": False, "isolated": False, "guard": False, "learning": True, "flood": True, "priority": 32}


def link_blocks(links: Iterable[Mapping[str, Any]], own: tuple[str, ...]) -> dict[str, list[str]]:
    """Interface name to the lines under it, only for interfaces of which there is something to say.

    Args:
        links: From ``ip -j -d addr``.
        own: The node's cabled interfaces; they are plain and up on a fresh node.
    """
    blocks = {}
    for link in sorted(links, key=lambda link: _place(link["ifname"], own)):
        lines = [*_device(link, own), *_addresses(link)]
        if lines or link["ifname"] in own:
            blocks[link["ifname"]] = lines
    return {name: lines for name, lines in blocks.items() if lines}


def _place(name: str, own: tuple[str, ...]) -> tuple[int, int, str]:
    if name == "lo":
        return 0, 0, name
    return (1, own.index(name), name) if name in own else (2, 0, name)


def _device(link: Mapping[str, Any], own: tuple[str, ...]) -> list[str]:
    name, info = link["ifname"], link.get("linkinfo") or {}
    kind = info.get("info_kind")
    lines = []
    if name != "lo" and name not in own:
        lines.append(" ".join(["type", str(kind or link.get("link_type")), *_settings(kind, info, link)]))
        if kind not in _PLAIN_KINDS and "link" in link and kind != "vxlan":
            lines.append(f"link {link['link']}")
    if "master" in link:
        lines.append(" ".join([f"master {link['master']}", *_port(info)]))
    if link.get("mtu") != _USUAL_MTU.get(name, 1500) and not _inherits_mtu(link):
        lines.append(f"mtu {link['mtu']}")
    up = "UP" in link.get("flags", ())
    if up != (name == "lo" or name in own):
        lines.append(f"state {'up' if up else 'down'}")
    return lines


def _inherits_mtu(link: Mapping[str, Any]) -> bool:
    return (link.get("linkinfo") or {}).get("info_kind") in {"macvlan", "ipvlan", "vlan", "bridge", "vrf", "ifb"}


def _settings(kind: str | None, info: Mapping[str, Any], link: Mapping[str, Any]) -> list[str]:
    data = {**(info.get("info_data") or {}), **({"link": link["link"]} if "link" in link else {})}
    usual = _USUAL.get(kind or "", {})
    return [
        f"{key} {_word(data[key])}"
        for key in _SETTINGS.get(kind or "", ())
        if key in data and data[key] not in (None, "", usual.get(key), "any")
    ]


def _port(info: Mapping[str, Any]) -> list[str]:
    data = info.get("info_slave_data") or {}
    return [f"{key} {_word(data[key])}" for key, usual in _PORT.items() if key in data and data[key] != usual]


def _addresses(link: Mapping[str, Any]) -> list[str]:
    lines = []
    for entry in link.get("addr_info") or ():
        if entry.get("scope") == "host" and link["ifname"] == "lo":
            continue
        if entry.get("scope") == "link" and entry.get("family") == "inet6":
            continue
        if entry.get("dynamic") or entry.get("temporary"):
            continue
        peer = f" peer {entry['address']}" if entry.get("address") else ""
        scope = "" if entry.get("scope") in {"global", "host"} else f" scope {entry['scope']}"
        lines.append(f"address {entry['local']}/{entry['prefixlen']}{peer}{scope}")
    return lines


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
