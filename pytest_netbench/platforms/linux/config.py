"""The running config of a Linux node: one hierarchical text of what differs from a fresh node."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.base import Completed, NodeAccess
from pytest_netbench.platforms.linux import links, nft, routing, sysctls, tc

_READS = (
    ("ip", "-j", "-d", "addr", "show"),
    ("ip", "-j", "route", "show", "table", "all"),
    ("ip", "-j", "rule", "show"),
    ("ip", "-6", "-j", "rule", "show"),
    ("ip", "-j", "neigh", "show", "nud", "permanent"),
    ("nft", "-s", "list", "ruleset"),
    ("tc", "qdisc", "show"),
    ("/bin/sh", "-c", sysctls.read_command()),
    ("/bin/sh", "-c", sysctls.fresh_command()),
)


def running_config(node: NodeAccess) -> str:
    """Read everything in two round trips and write it down."""
    answers = _read(node, _READS)
    devices = tc.qdiscs(answers[6])
    shaping = _shaping(node, devices)
    described = _list(answers[0])
    blocks = links.link_blocks(described, node.interfaces)
    extras = routing.neighbour_lines(_list(answers[4]))
    lines: list[str] = []
    for name in [*blocks, *(name for name in {**extras, **shaping} if name not in blocks)]:
        lines += _block(f"interface {name}", [*blocks.get(name, ()), *extras.get(name, ()), *shaping.get(name, ())])
    for table, entries in routing.route_blocks(_list(answers[1])).items():
        lines += _block(f"routes {table}", entries)
    lines += routing.rule_lines(_list(answers[2]), family="ip")
    lines += routing.rule_lines(_list(answers[3]), family="ipv6")
    names = [link["ifname"] for link in described if link["ifname"] != "lo"]
    lines += sysctls.lines(sysctls.parse(answers[7]), sysctls.parse(answers[8]), names)
    lines += nft.ruleset_lines(answers[5])
    return "".join(f"{line}\n" for line in lines)


def _shaping(node: NodeAccess, devices: dict[str, list[str]]) -> dict[str, list[str]]:
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


def _read(node: NodeAccess, commands: Iterable[tuple[str, ...]]) -> list[str]:
    asked = list(commands)
    return [_text(node, command, done) for command, done in zip(asked, node.run_many(asked), strict=True)]


def _text(node: NodeAccess, command: tuple[str, ...], done: Completed) -> str:
    if done.returncode != 0:
        raise LabError(f"{node.name}: cannot read the running config: {' '.join(command[:5])}: {done.stderr.strip()}")
    return done.stdout


def _list(text: str) -> list[dict[str, Any]]:
    return [entry for entry in json.loads(text or "[]") if entry]


def _block(head: str, lines: Iterable[str]) -> list[str]:
    return [head, *(f" {line}" for line in lines)]
