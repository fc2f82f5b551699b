"""The network of a Linux host as lines of text, each of which is one fact. Pure; its input is what programs print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv6Address
from typing import Any, Final

from pytest_netbench.platforms.linux import sysctls, tc
from pytest_netbench.platforms.linux.listing import entries

_VARIABLES: Final = f"{sysctls.read_command()}; for one; do grep -s '' /dev/null /proc/sys/$one; done; true"
READS: Final[Sequence[Sequence[str]]] = (
    ("ip", "-j", "-d", "address", "show"),
    ("ip", "-4", "-o", "route", "show", "table", "all"),
    ("ip", "-6", "-o", "route", "show", "table", "all"),
    ("ip", "-4", "rule", "show"),
    ("ip", "-6", "rule", "show"),
    ("ip", "neighbor", "show", "nud", "permanent"),
    ("/bin/sh", "-c", "command -v tc >/dev/null || exit 0; exec tc qdisc show"),
    ("/bin/sh", "-c", _VARIABLES, "sh"),
    ("/bin/sh", "-c", "command -v nft >/dev/null || exit 0; exec nft -s list ruleset"),
)
"""What is run on the host, in this order."""
SYSCTLS: Final = 7
"""The place of the kernel settings among these; it takes paths of further ones, below ``/proc/sys``."""
LOOPBACK: Final = ("address lo 127.0.0.1/8 scope host", "address lo ::1/128 scope host")
"""How the addresses begin that the kernel gives ``lo``; they do not come back by themselves."""
LINK_LOCAL: Final = "generated"
"""In place of the address that the kernel gives each interface itself."""
_FALLBACKS: Final = frozenset(
    {"tunl0", "gre0", "gretap0", "erspan0", "sit0", "ip6tnl0", "ip6gre0", "ip_vti0", "ip6_vti0"}
)
"""Interfaces that the kernel makes with a module."""
_NOT_MADE_BY_HAND: Final = re.compile(
    r" (?:proto (?:kernel|ra|redirect|dhcp|zebra|bird|bgp|isis|ospf|rip|ripng|babel|nhrp|eigrp|ldp|sharp|pbr|openfabric"
    r"|zstatic|srte|1[89]\d)|table local|expires \d+sec)\b"
)
_STATE: Final = re.compile(r" (?:nhid \d+|linkdown|dead|offload|trap|rt_trap|error -\d+|\[\w+\])(?= |$)")
_NO_MAC: Final = frozenset({"bridge", "vrf", "bond", "team"})
_FLAGS: Final = ("noprefixroute", "nodad", "home", "mngtmpaddr", "autojoin")


def facts(answers: Sequence[str], management: str | None) -> list[str]:
    """Return the facts of a host.

    Args:
        answers: What ``READS`` printed.
        management: The interface by which the host is reached: nothing is said of its state and addresses.
    """
    links = [one for one in entries(answers[0]) if one["ifname"] not in _FALLBACKS]
    lines = [line for link in links if link["ifname"] != management for line in (_link(link), *_addresses(link))]
    for version, text in ((4, answers[1]), (6, answers[2])):
        lines += [f"route -{version} {one}" for one in _routes(text)]
    for version, text in ((4, answers[3]), (6, answers[4])):
        lines += [f"rule -{version} {one}" for one in _rules(text)]
    lines += [f"neighbor {one}" for one in _neighbors(answers[5])]
    lines += [f"qdisc {name} {one}" for name, found in tc.qdiscs(answers[6]).items() for one in found]
    lines += [f"sysctl {path}={value}" for path, value in sysctls.parse(answers[7]).items()]
    return [*lines, *(f"nft {line}".rstrip() for line in answers[8].splitlines())]


def leased(answer: str, interfaces: Sequence[str]) -> list[str]:
    """Those of the interfaces that a DHCP client gives addresses to.

    Args:
        answer: What the first of ``READS`` printed.
        interfaces: Names of interfaces.
    """
    return [
        link["ifname"]
        for link in entries(answer)
        if link["ifname"] in interfaces
        and any(one.get("family") == "inet" and one.get("dynamic") for one in link.get("addr_info") or ())
    ]


def _link(link: Mapping[str, Any]) -> str:
    info = link.get("linkinfo") or {}
    kind = info.get("info_kind")
    words = ["link", link["ifname"], "up" if "UP" in link.get("flags", ()) else "down", f"mtu {link['mtu']}"]
    if "master" in link:
        words.append(f"master {link['master']}")
    if link.get("address") and link.get("link_type") == "ether" and kind not in _NO_MAC:
        words.append(f"address {link['address']}")
    return " ".join([*words, *_made(link, kind, info.get("info_data") or {})])


def _made(link: Mapping[str, Any], kind: str | None, data: Mapping[str, Any]) -> list[str]:
    """How a link is made, as far as it can be made again with these words; else its kind alone."""
    if kind is None:
        return []
    details = {
        "vlan": [f"link {link.get('link')}", f"id {data.get('id')}"],
        "vrf": [f"table {data.get('table')}"],
    }
    first, last = (details.get(kind, [])[:1], details.get(kind, [])[1:]) if kind == "vlan" else ([], details.get(kind))
    return [*first, "type", kind, *(last or ())]


def _addresses(link: Mapping[str, Any]) -> Iterator[str]:
    name = link["ifname"]
    own = _eui64(str(link.get("address", "")))
    for one in link.get("addr_info") or ():
        if one.get("dynamic") or one.get("temporary"):
            continue
        if one.get("scope") == "link" and (one.get("protocol") == "kernel_ll" or one["local"] == own):
            yield f"address {name} {LINK_LOCAL}"
            continue
        peer, length = one.get("address"), one["prefixlen"]
        words = [f"{one['local']} peer {peer}/{length}" if peer else f"{one['local']}/{length}"]
        words += [f"broadcast {one['broadcast']}"] if one.get("broadcast") else []
        words += [f"scope {one['scope']}"] if one.get("scope") not in {None, "global"} else []
        words += [f"label {one['label']}"] if one.get("label") not in {None, name} else []
        words += [f"metric {one['metric']}"] if one.get("metric") else []
        yield " ".join(["address", name, *words, *(flag for flag in _FLAGS if one.get(flag))])


def _eui64(mac: str) -> str | None:
    parts = mac.split(":")
    if len(parts) != 6:
        return None
    octets = [int(one, 16) for one in parts]
    octets[0] ^= 2
    whole = [0xFE, 0x80, *[0] * 6, *octets[:3], 0xFF, 0xFE, *octets[3:]]
    return str(IPv6Address(bytes(whole)))


def _routes(text: str) -> Iterator[str]:
    """Routes that somebody made by hand, in the words of ``ip route add``; each after those that it needs."""
    found = []
    for raw in text.splitlines():
        line = " ".join(raw.replace("\\", " ").split())
        if line and not _NOT_MADE_BY_HAND.search(f" {line} "):
            found.append(_STATE.sub("", f" {line}").strip())
    yield from sorted(found, key=lambda line: " via " in f"{line} ")


def _rules(text: str) -> Iterator[str]:
    for line in text.splitlines():
        priority, separator, rest = line.partition(":")
        if separator:
            yield f"pref {priority} {_STATE.sub('', ' ' + ' '.join(rest.split())).strip()}"


def _neighbors(text: str) -> Iterator[str]:
    for line in text.splitlines():
        words = line.split()
        if "lladdr" in words and "lo" not in words:
            yield " ".join(word for word in words if word not in {"PERMANENT", "router", "proxy"})
