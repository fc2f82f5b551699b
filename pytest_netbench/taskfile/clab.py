"""Reads topology files of containerlab: nodes with their kinds and images, cables and LANs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from pytest_netbench.documents import reading
from pytest_netbench.documents.problems import unknown
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import InputError, UsageError
from pytest_netbench.model.topology import Endpoint

BRIDGES: Final = ("bridge", "ovs-bridge")
"""Kinds of nodes that are no devices: what they join is a LAN."""
_NO_DEVICES: Final = ("host", "ext-container", "k8s-kind")
_ELSEWHERE: Final = ("host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch")
_DUMMY: Final = "dummy"
_EXAMPLE: Final = "name: lab"
_DIALECTS: Final[dict[str, str]] = {
    **dict.fromkeys(("cisco_iol", "cisco_csr1000v", "cisco_c8000v", "cisco_cat8000v", "cisco_vios"), "cisco_ios"),
    **dict.fromkeys(("arista_ceos", "ceos", "arista_veos"), "arista_eos"),
    **dict.fromkeys(("juniper_crpd", "crpd", "juniper_vjunos", "juniper_vmx", "juniper_vsrx"), "juniper_junos"),
}


@dataclass(frozen=True, kw_only=True)
class ClabNode:
    """A device: its kind and image, with what its group and the defaults say; and its line in the file."""

    name: str
    kind: str
    image: str
    line: int


@dataclass(frozen=True, kw_only=True)
class ClabFile:
    """What a topology file says of a network.

    Attributes:
        name: Of the lab.
        nodes: The devices, in order.
        links: The ends of each cable, of each LAN of a bridge, and of each interface that leads nowhere.
    """

    name: str
    nodes: tuple[ClabNode, ...]
    links: tuple[tuple[Endpoint, ...], ...]


def read_clab(path: Path, *, error: type[InputError] = UsageError, data: bytes | None = None) -> ClabFile:
    """Read a topology file.

    Args:
        path: The file.
        error: What is raised.
        data: Its content, if it is not on the disk.

    Raises:
        InputError: Of class ``error``: what is wrong, or cannot be a network of a task, and where.
    """
    tree = reading.read(path, error=error, example=_EXAMPLE, data=data)
    return _Reader(path, tree, error).file()


class _Reader:
    def __init__(self, path: Path, tree: Tree, error: type[InputError]) -> None:
        self._path = path
        self._tree = tree
        self._error = error
        self._topology = self._mapping(tree, "topology", 1)

    def file(self) -> ClabFile:
        name = self._tree.at(("name",))
        if name is None or not isinstance(name.value, str):
            self._refuse("has no `name:` of the lab", 1)
        written = self._mapping(self._topology, "nodes", self._topology.line)
        if not written.value:
            self._refuse("has no nodes", written.line)
        nodes = [self._node(one, tree, written.lines[one]) for one, tree in written.value.items()]
        bridges = {node.name for node in nodes if node.kind in BRIDGES}
        ends = [found for found in self._links({node.name for node in nodes}) if found]
        return ClabFile(
            name=self._text(name),
            nodes=tuple(node for node in nodes if node.name not in bridges),
            links=tuple(joined(ends, bridges)),
        )

    def _node(self, name: str, tree: Tree, line: int) -> ClabNode:
        group = self._inherited(tree, "group", ())
        above = [("groups", group)] if group is not None else []
        kind = self._inherited(tree, "kind", [*above, ("defaults",)])
        if kind is None:
            self._refuse(f"node {name!r} has no kind: neither its own, nor of its group or the defaults", line)
        if kind in _NO_DEVICES:
            self._refuse(f"node {name!r} is of kind {kind}, which is no device of a network of a task", line)
        image = self._inherited(tree, "image", [*above, ("kinds", kind), ("defaults",)]) or ""
        mode = self._inherited(tree, "network-mode", [*above, ("kinds", kind), ("defaults",)]) or ""
        if mode.startswith(("container:", "host")):
            self._refuse(f"node {name!r} has no network of its own (network-mode: {mode})", line)
        return ClabNode(name=name, kind=kind, image=image, line=line)

    def _inherited(self, node: Tree, key: str, above: Iterable[tuple[str, ...]]) -> str | None:
        for tree in (node, *(self._topology.at(where) for where in above)):
            found = tree.at((key,)) if tree is not None else None
            if found is not None and found.value is not None:
                return self._text(found)
        return None

    def _links(self, names: Collection[str]) -> Iterator[tuple[Endpoint, ...]]:
        written = self._topology.at(("links",))
        for one in written.value or () if written is not None else ():
            kind = one.at(("type",))
            said = "veth" if kind is None else self._text(kind)
            if said in _ELSEWHERE:
                self._refuse(f"a link of type {said} leads out of the lab, which a network of a task cannot", one.line)
            if said not in ("veth", _DUMMY):
                self._refuse(unknown("type of link", said, ("veth", _DUMMY)), one.line)
            several = one.at(("endpoints",)) or one.at(("endpoint",))
            if several is None:
                self._refuse("a link has no endpoints", one.line)
            given = several.value if isinstance(several.value, list) else [several]
            if len(given) != (1 if said == _DUMMY else 2):
                self._refuse(f"a link of type {said} has {len(given)} endpoints", one.line)
            yield tuple(self._end(end, names) for end in given)

    def _end(self, tree: Tree, names: Collection[str]) -> Endpoint:
        if isinstance(tree.value, dict):
            words = [self._text(found) for key in ("node", "interface") if (found := tree.at((key,))) is not None]
        else:
            words = [word.strip() for word in self._text(tree).split(":", 1)]
        if len(words) != 2 or not all(words):
            self._refuse(f"an endpoint must name a node and an interface, as `r1:eth1`: {tree.plain()}", tree.line)
        node, interface = words
        if node in _ELSEWHERE and node not in names:
            self._refuse(
                f"endpoint {node}:{interface} leads out of the lab, which a network of a task cannot", tree.line
            )
        if node == _DUMMY and node not in names:
            self._refuse("an endpoint `dummy` is written as a link of `type: dummy` here", tree.line)
        if node not in names:
            self._refuse(f"endpoint {node}:{interface}: {unknown('node', node, names)}", tree.line)
        return Endpoint(node=node, interface=interface)

    def _mapping(self, tree: Tree, key: str, line: int) -> Tree:
        found = tree.at((key,))
        if found is None or not isinstance(found.value, dict):
            self._refuse(f"is no topology file of containerlab: it has no mapping `{key}:`", line)
        return found

    def _text(self, tree: Tree) -> str:
        text = str(tree.value)
        if "${" in text or "{{" in text:
            self._refuse(f"{text!r} is filled in by containerlab only: write the value itself", tree.line)
        return text

    def _refuse(self, message: str, line: int) -> NoReturn:
        raise self._error(message, path=self._path, line=line)


def joined(links: Sequence[tuple[Endpoint, ...]], bridges: Collection[str]) -> Iterator[tuple[Endpoint, ...]]:
    """The ends of each cable, and of one LAN for each bridge, without the bridge's own.

    Bridges with a cable between them are one.
    """
    same = {bridge: bridge for bridge in bridges}
    for ends in links:
        first, *others = [same[end.node] for end in ends if end.node in bridges] or [""]
        for other in others:
            same = {bridge: first if one == other else one for bridge, one in same.items()}
    lans: dict[str, list[Endpoint]] = {}
    for ends in links:
        at = next((same[end.node] for end in ends if end.node in bridges), None)
        if at is None:
            yield ends
        else:
            lans.setdefault(at, []).extend(end for end in ends if end.node not in bridges)
    yield from (tuple(ends) for ends in lans.values() if ends)


def dialect_of(kind: str, image: str) -> str | None:
    """The dialect of a node; ``None`` if nothing is known of its kind.

    An image of FRR is known by its name.
    """
    if kind == "linux":
        return "frr" if "frr" in image.lower() else "linux"
    return next((dialect for prefix, dialect in _DIALECTS.items() if kind.startswith(prefix)), None)
