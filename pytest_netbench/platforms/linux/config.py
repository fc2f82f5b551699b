"""The running config of a Linux node: one hierarchical text of what differs from a fresh node."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostNode
from pytest_netbench.platforms.linux import links, nft, routing, services, sysctls, tc
from pytest_netbench.platforms.linux.listing import entries, shown

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
    blocks = links.link_blocks(described, node.interfaces)
    extras = routing.neighbour_lines(entries(answers[4]))
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
