"""Reading of MALT models: entities and relationships in protocol buffers' text format (Mogul et al., NSDI 2020).

Google publishes one example model (github.com/google/malt-example-models), which NetArena uses under the name
``malt-graph.textproto.txt``. An entity of MALT is identified by its kind and its name, so a chassis, its control point
and its packet switch may share a name. NetArena merges them into one node with a list of types, and so loses edges and
gets edges from a node to itself. Here each entity is a node: the switch keeps the name, the others get a suffix.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pytest_netbench.datacenter_graph.graph import CHASSIS, CONTROL_POINT, HIERARCHY, PACKET_SWITCH, Graph
from pytest_netbench.errors import InputError

_SPELLING: Final = {
    "EK_SUPERBLOCK": "EK_SUPER_BLOCK",
    "EK_SPINEBLOCK": "EK_SPINE_BLOCK",
    "RK_CONTROLS": "RK_CONTROL",
}
"""The paper's spelling of the words that the file spells in another way."""
_SUFFIXES: Final = {CHASSIS: ".chassis", CONTROL_POINT: ".cp"}
_TOKEN: Final = re.compile(
    r'\s*(?:(?P<open>\w+)\s*:?\s*\{|(?P<close>\})|(?P<key>\w+)\s*:\s*(?P<value>"[^"\n]*"|[^\s{}]+))'
)


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of the file, in hexadecimal.

    Raises:
        InputError: It cannot be read.
    """
    return hashlib.sha256(_read(path).encode()).hexdigest()


@lru_cache(maxsize=2)
def read(path: Path, digest: str) -> Graph:
    """Return the graph of a MALT model. It is shared: copy it before you change it.

    Args:
        path: The file.
        digest: Its SHA-256.

    Raises:
        InputError: The file cannot be read, is another one, or is no such model.
    """
    text = _read(path)
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != digest:
        raise InputError(f"it is not the graph of the task: its SHA-256 is {found}, expected {digest}", path=path)
    return parsed(text, path)


def parsed(text: str, path: Path) -> Graph:
    """Return the graph that ``text`` describes; ``path`` is for messages.

    Raises:
        InputError: It is no such model.
    """
    try:
        return _graph(list(_messages(text)))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"it is no MALT model in protocol buffers' text format: {error}. Expected: blocks `entity {{ id {{ kind:"
            " EK_… name: … } … }` and `relationship { kind: RK_… a { … } z { … } }`",
            path=path,
        ) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the graph cannot be read: {error}", path=path) from None


def _messages(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The blocks of the top level, each with its name."""
    stack: list[dict[str, Any]] = []
    names: list[str] = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        token = _TOKEN.match(text, position)
        if token is None:
            raise ValueError(f"line {text.count(chr(10), 0, position) + 1} cannot be read")
        position = token.end()
        if token["open"]:
            inner: dict[str, Any] = {}
            if stack:
                stack[-1][token["open"]] = inner
            stack.append(inner)
            names.append(token["open"])
        elif token["key"] and stack:
            stack[-1][token["key"]] = _value(token["value"])
        elif token["close"] and stack:
            block, name = stack.pop(), names.pop()
            if not stack:
                yield name, block
        else:
            raise ValueError(f"line {text.count(chr(10), 0, position) + 1} is outside of a block")
    if stack:
        raise ValueError("the last block does not end")


def _value(text: str) -> Any:
    if text.startswith('"'):
        return json.loads(text)
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _graph(messages: list[tuple[str, dict[str, Any]]]) -> Graph:
    graph = Graph()
    switches = {
        block["id"]["name"] for name, block in messages if name == "entity" and block["id"]["kind"] == PACKET_SWITCH
    }
    for name, block in messages:
        if name == "entity":
            key, kind = _key(block["id"], switches)
            if kind not in HIERARCHY:
                raise ValueError(f"unknown kind of entity {kind!r}")
            if key in graph.nodes:
                raise ValueError(f"there are two entities {key!r}")
            graph.add(key, kind, **_attributes(block))
        elif name == "relationship":
            ends = _key(block["a"], switches)[0], _key(block["z"], switches)[0]
            if any(end not in graph.nodes for end in ends):
                raise ValueError(f"a relationship of {ends[0]!r} and {ends[1]!r} names no entity")
            graph.edges[ends] = _SPELLING.get(block["kind"], block["kind"])
        else:
            raise ValueError(f"unknown block {name!r}")
    return graph


def _key(identity: dict[str, Any], switches: set[str]) -> tuple[str, str]:
    name, kind = identity["name"], _SPELLING.get(identity["kind"], identity["kind"])
    return (f"{name}{_SUFFIXES[kind]}" if kind in _SUFFIXES and name in switches else name), kind


def _attributes(block: dict[str, Any]) -> dict[str, Any]:
    return {name: value for key, inner in block.items() if key != "id" for name, value in inner.items()}
