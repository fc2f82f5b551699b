"""Nodes and links as a file writes them, to the model's mappings."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from pytest_netbench.documents.problems import Problems, Where, unknown
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology
from pytest_netbench.taskfile.fields import known_fields, list_of, mapping_of
from pytest_netbench.taskfile.names import known_platforms
from pytest_netbench.taskfile.units import QUANTITIES

NODE_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$"
LINK: Final = r"^\s*\S+\s+\S.*<->\s*\S+\s+\S.*$"
_EXAMPLE: Final = '"R1 eth1 <-> R2 eth1"'
QUALITY: Final = {QUANTITIES[name].name for name in LinkQuality.model_fields}


def topology_form(value: Any, where: Where, problems: Problems) -> dict[str, Any]:
    """``topology`` with every node and link as a mapping of the model."""
    raw = mapping_of(value, where, problems, "topology")
    if raw is None:
        return {}
    known_fields(raw, Topology, where, problems, what="topology")
    result: dict[str, Any] = {}
    names: dict[str, None] = {}
    if "nodes" in raw:
        result["nodes"] = _nodes(raw["nodes"], (*where, "nodes"), problems)
        names = {node["name"]: None for node in result["nodes"] if isinstance(node.get("name"), str)}
    if "links" in raw:
        at = (*where, "links")
        given = list_of(raw["links"], at, problems, "links")
        result["links"] = [_link(one, (*at, index), problems) for index, one in enumerate(given)]
        if names:
            _check_links(result["links"], names, at, problems)
    return result


def _nodes(value: Any, where: Where, problems: Problems) -> list[dict[str, Any]]:
    result = []
    first: dict[str, int] = {}
    for index, item in enumerate(list_of(value, where, problems, "nodes")):
        at = (*where, index)
        raw = {"name": item} if isinstance(item, str) else mapping_of(item, at, problems, "a node")
        if raw is None:
            continue
        node = known_fields(raw, Node, at, problems, what="node")
        name, platform = node.get("name"), node.get("platform")
        if isinstance(name, str):
            if re.fullmatch(NODE_NAME, name) is None:
                problems.add(at, f"{name!r} is no node name: letters, digits, '_', '.', '-', at most 63, no space")
            if name in first:
                problems.add(at, f"node {name!r} is defined twice; give it another name")
            first.setdefault(name, index)
        if isinstance(platform, str) and platform not in known_platforms():
            problems.add((*at, "platform"), unknown("platform", platform, known_platforms()))
        result.append(node)
    return result


def _link(item: Any, where: Where, problems: Problems) -> dict[str, Any]:
    if isinstance(item, str):
        if "<->" not in item:
            message = f"link {item.strip()!r} needs two or more endpoints, e.g. {_EXAMPLE}"
            problems.add(where, f"{message}; a stub is written as 'endpoints: [{item.strip()}]'")
            return {}
        return {"endpoints": _ends(item.split("<->"), item, where, problems)}
    raw = mapping_of(item, where, problems, f"a link that is no text like {_EXAMPLE}")
    if raw is None:
        return {}
    flat = {key: value for key, value in raw.items() if key in QUALITY}
    rest = known_fields(raw, Link, where, problems, what="link", skip=tuple(QUALITY))
    if "endpoints" in rest:
        given = rest["endpoints"]
        pieces = given.split("<->") if isinstance(given, str) else given
        at = (*where, "endpoints")
        rest["endpoints"] = _ends(list_of(pieces, at, problems, "endpoints"), str(given), at, problems)
    quality = mapping_of(rest.pop("quality", {}), (*where, "quality"), problems, "quality") or {}
    for twice in sorted(flat.keys() & quality.keys()):
        problems.add((*where, twice), f"{twice!r} is given twice: here and in 'quality'")
    rest["quality"] = known_fields(flat, LinkQuality, where, problems, what="link") | known_fields(
        quality, LinkQuality, (*where, "quality"), problems, what="link quality"
    )
    return rest


def _ends(pieces: list[Any], written: str, where: Where, problems: Problems) -> list[dict[str, Any]]:
    if not pieces:
        problems.add(where, f"link {written.strip()!r} needs two or more endpoints, or one for a stub, e.g. {_EXAMPLE}")
    return [_end(piece, where, problems) for piece in pieces]


def _end(piece: Any, where: Where, problems: Problems) -> dict[str, Any]:
    if isinstance(piece, dict):
        return known_fields(piece, Endpoint, where, problems, what="endpoint")
    words = piece.split() if isinstance(piece, str) else []
    if len(words) < 2:
        written = piece.strip() if isinstance(piece, str) else piece
        problems.add(where, f"endpoint {written!r} must name a node and an interface, e.g. {_EXAMPLE}")
        return {}
    return {"node": words[0], "interface": "".join(words[1:])}


def _check_links(links: list[dict[str, Any]], names: Collection[str], where: Where, problems: Problems) -> None:
    seen: dict[tuple[Any, Any], str] = {}
    for index, link in enumerate(links):
        ends = link.get("endpoints", [])
        written = " <-> ".join(f"{end.get('node')} {end.get('interface')}" for end in ends)
        for end in ends:
            node, interface = end.get("node"), end.get("interface")
            if not isinstance(node, str) or not isinstance(interface, str):
                continue
            if node not in names:
                problems.add((*where, index), f"link {written!r}: {unknown('node', node, names)}")
            elif (node, interface) in seen:
                other = seen[node, interface]
                problems.add(
                    (*where, index),
                    f"interface '{node} {interface}' is used twice: in {other!r} and in {written!r};"
                    " a segment of more than two is one link, e.g. 'A e0 <-> B e0 <-> C e0'",
                )
            else:
                seen[node, interface] = written
