"""The running config of a Linux node: one hierarchical text of what differs from a fresh node."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostNode
from pytest_netbench.platforms.linux import nft, routing, services, sysctls, tc
from pytest_netbench.platforms.linux.listing import entries, shown

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


_READS = (
    ("ip", "-j", "-d", "addr", "show"),
    ("ip", "-j", "route", "show", "table", "all"),
    ("ip", "-j", "rule", "show"),
    ("ip", "-6", "-j", "rule", "show"),
    ("ip", "-j", "neigh", "show", "nud", "permanent"),
    ("nft", "-s", "list", "ruleset"),
    ("tc", "qdisc", "show"),
    ("/bin/sh", "-c", sysctls.read_command()),
    sysctls.fresh_command(),
    ("/bin/sh", "-c", services.read_command()),
)
_LONGEST = 8 * 2**20
_END = "@@netbench-end-of-answer@@"
_ENDS = re.compile(rf"^{_END} (\d+)\n", re.MULTILINE)


def running_config(node: HostNode) -> str:
    """Read everything in two round trips and write it down."""
    answers = _read(node, _READS)
    devices = tc.qdiscs(answers[6])
    shaping = _shaping(node, devices)
    described = entries(answers[0])
    blocks = link_blocks(described, node.interfaces)
    extras = routing.neighbor_lines(entries(answers[4]))
    lines: list[str] = []
    for name in [*blocks, *(name for name in {**extras, **shaping} if name not in blocks)]:
        lines += _block(f"interface {name}", [*blocks.get(name, ()), *extras.get(name, ()), *shaping.get(name, ())])
    for table, routes in routing.route_blocks(entries(answers[1])).items():
        lines += _block(f"routes {table}", routes)
    lines += routing.rule_lines(entries(answers[2]), family="ip")
    lines += routing.rule_lines(entries(answers[3]), family="ipv6")
    names = [link["ifname"] for link in described if link["ifname"] != "lo"]
    lines += sysctls.lines(sysctls.parse(answers[7]), sysctls.parse(answers[8]), names)
    lines += nft.ruleset_lines(answers[5])
    lines += services.lines(answers[9])
    return "".join(f"{shown(line)}\n" for line in lines)


def _shaping(node: HostNode, devices: dict[str, list[str]]) -> dict[str, list[str]]:
    """Interface to its qdiscs, classes and filters; asked only where there is a qdisc of somebody's making."""
    asked = [
        (name, kind, tuple(command))
        for name, qdiscs in devices.items()
        for kind, command in (
            ("class", ["tc", "class", "show", "dev", name]),
            *(("filter", ["tc", "filter", "show", "dev", name, *place]) for place in _hooks(qdiscs)),
        )
    ]
    texts = _read(node, [command for _, _, command in asked]) if asked else []
    found = {name: list(qdiscs) for name, qdiscs in devices.items()}
    for (name, kind, _), text in zip(asked, texts, strict=True):
        found[name] += tc.class_lines(text) if kind == "class" else tc.filter_lines(text)
    return found


def _hooks(qdiscs: Iterable[str]) -> list[list[str]]:
    """Where filters may hang: on the root qdisc, on inner ones, on packets coming in."""
    places: list[list[str]] = [[]]
    for qdisc in qdiscs:
        words = qdisc.split()
        if words[1] == "ingress":
            places.append(["ingress"])
        elif words[1] == "clsact":
            places += [["ingress"], ["egress"]]
        elif "parent" in words:
            places.append(["parent", words[2]])
    return places


def _read(node: HostNode, commands: Iterable[tuple[str, ...]]) -> list[str]:
    """What each command prints; one shell runs them all, since a process asked for from outside costs three."""
    asked = list(commands)
    script = "\n".join(f'{shlex.join(command)}; echo "{_END} $?"' for command in asked)
    done = node.run(["/bin/sh", "-c", script])
    if done.truncated or len(done.stdout) > _LONGEST:
        raise LabError(f"{node.name}: cannot read the config: the node holds more than {_LONGEST >> 20} MiB of it")
    parts = _ENDS.split(done.stdout)
    texts, statuses = parts[0:-1:2], parts[1::2]
    for command, status in zip(asked, statuses, strict=False):
        if status != "0":
            raise LabError(f"{node.name}: cannot read the config: {' '.join(command[:5])}: {done.stderr.strip()}")
    if len(texts) != len(asked):
        raise LabError(f"{node.name}: cannot read the config: {done.stderr.strip() or 'the shell ended early'}")
    return texts


def _block(head: str, lines: Iterable[str]) -> list[str]:
    return [head, *(f" {line}" for line in lines)]
