"""What a device runs, as lines that devices with the same config share: daemons, filters, queues, addresses, routes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from typing import Any, Final

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.frr import processes
from tests.support.ios import Session
from tests.support.ios_histories import ELECTED

_HEAD = re.compile(r"(Building|Current|frr |hostname|log |(no )?ip(v6)? forwarding|service|!|end$|exit)")
_SYSCTLS: Final = r"^net\.ipv[46]\.(conf|icmp|ip_|neigh|route)"
_CHANGING: Final = re.compile(r"stable_secret|\.neigh\.|mc_forwarding|base_reachable|gc_|flush|nf_|hop_limit|\.mtu")
_ASKED: Final = ("show ip interface brief", "show ip protocols", "show ip ospf interface", "show ip route static")
_ELEMENTS = re.compile(r"elements = \{([^}]*)\}")
_SEEN = re.compile(r"^table (?:inet|arp) seen \{.*?^\}\n", re.MULTILINE | re.DOTALL)
"""What packets fill: which interfaces sent and received any."""
_EMPTY = re.compile(r"interface \S+( vrf \S+)?$")
_COUNTED = re.compile(r"direct_packets_stat \d+|\b[89a-f][0-9a-f]{3}:")
"""In queues: how many packets passed, and handles that the kernel counts up."""
_LAPSES = re.compile(r"(\d+[:.]\d\d[:.]\d\d(\.\d+)?|\d+ (milli)?secs?\b|\d+ (milli)?seconds?|never)")


def state(device: Device) -> dict[str, list[str]]:
    """Return the lines of each part."""
    found = {daemon: sorted(_config(device, daemon)) for daemon in sorted(processes.running(device.node))}
    rules = _SEEN.sub("", "".join(f"{line}\n" for line in _run(device, ["nft", "-s", "list", "ruleset"])))
    found["nft"] = _ELEMENTS.sub(_in_order, rules).splitlines()
    names = sorted(device.applied.links)
    for name in names:
        found[f"tc {name}"] = [
            _COUNTED.sub("N", line)
            for kind in ("qdisc", "class", "filter")
            for line in _run(device, ["tc", kind, "show", "dev", name])
        ]
    found["addresses"] = sorted(_addresses(json.loads("".join(_run(device, ["ip", "-j", "addr"])) or "[]")))
    for words in (["rule"], ["-6", "rule"], ["route", "show", "table", "all"], ["-6", "route", "show", "table", "all"]):
        lines = _run(device, ["ip", *words])
        found[" ".join(words)] = sorted({_route(line) for line in lines if not re.search("fe80|ff00|_", line)})
    sysctls = _run(device, ["sysctl", "-a", "-e", "-r", _SYSCTLS])
    found["sysctl"] = [line for line in sysctls if not _CHANGING.search(line)]
    for command in _ASKED:
        lines = Session(device).enter(command).splitlines()
        found[command] = [_LAPSES.sub("T", line) for line in lines if not ELECTED.search(line)]
    return {name: lines for name, lines in found.items() if lines}


def differences(typed: dict[str, list[str]], booted: dict[str, list[str]]) -> Iterator[str]:
    """Return the lines that differ; ``-`` is before, what was typed, ``+`` what a boot has."""
    for part in sorted({*typed, *booted}):
        for line in unified_diff(typed.get(part, []), booted.get(part, []), n=0, lineterm=""):
            if line[:3] not in {"---", "+++"} and not line.startswith("@@"):
                yield f"{part}: {line}"


def _config(device: Device, daemon: str) -> Iterator[str]:
    """Yield the lines of a daemon, each behind those that open its section."""
    at: list[str] = []
    for line in device.node.vty([(daemon, "show running-config")])[0][0].splitlines():
        if not line.strip() or _HEAD.match(line.strip()):
            continue
        indent = len(line) - len(line.lstrip())
        at = [*at[:indent], line.strip()]
        if indent or not _EMPTY.match(line):  # ripd keeps the section of an interface that has no lines any more
            yield " / ".join(at)


def _in_order(elements: re.Match[str]) -> str:
    """Return the elements of a set, which nft lists in the order of their hashes, on one line in alphabetical order."""
    return "elements = { " + ", ".join(sorted(" ".join(one.split()) for one in elements[1].split(","))) + " }"


def _run(device: Device, argv: Sequence[str]) -> list[str]:
    return device.node.run(argv).stdout.splitlines()


def _addresses(links: Iterable[dict[str, Any]]) -> Iterator[str]:
    for link in links:
        if link["ifname"].endswith("_"):
            continue
        up = "UP" if "UP" in link["flags"] else "down"
        mac = "" if link["ifname"].startswith(("lo", "vl")) else link["address"]  # another one at each boot
        yield f"{link['ifname']} {up} mtu {link['mtu']} {mac}"
        for one in link["addr_info"]:
            if one["scope"] != "link":
                yield f"{link['ifname']} {one['local']}/{one['prefixlen']}"


def _route(line: str) -> str:
    return re.sub(r" (nhid|expires) \d+\w*| linkdown| onlink", "", line).strip()
