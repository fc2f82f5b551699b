"""``topology: {clab: FILE}``: the nodes and links of a topology file of containerlab that lies beside the task."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.documents import reading
from pytest_netbench.documents.problems import Problems, unknown
from pytest_netbench.errors import TaskFileError
from pytest_netbench.taskfile.clab import ClabFile, ClabNode, dialect_of, read_clab

FIELD: Final = "clab"
_WHERE: Final = ("topology", FIELD)
Beside = Mapping[str, bytes]
"""Files that are not on the disk, by their paths from the task's folder."""


def named_file(path: Path) -> str | None:
    """The topology file that a task file names; ``None`` if it has nodes and links of its own.

    Raises:
        TaskFileError: The task file cannot be read.
    """
    named = reading.read(path, error=TaskFileError, example="task_name: …").at(_WHERE)
    return named.value if named is not None and isinstance(named.value, str) else None


def with_nodes_and_links(raw: dict[str, Any], path: Path, problems: Problems, beside: Beside | None) -> dict[str, Any]:
    """The mapping of a task file, with ``nodes`` and ``links`` in place of the name of a topology file.

    Args:
        raw: The mapping.
        path: The task file.
        problems: Takes what is wrong with the task file.
        beside: Files that are not on the disk.

    Raises:
        TaskFileError: The topology file cannot be used; the error has the place in it.
    """
    topology = raw.get("topology")
    if not isinstance(topology, dict) or FIELD not in topology:
        return raw
    if (file := _read(topology[FIELD], path, problems, beside)) is None:
        return {key: value for key, value in raw.items() if key != "topology"}
    if "links" in topology:
        problems.add(
            ("topology", "links"), f"the links are those of {topology[FIELD]}: leave `links` out, or `{FIELD}`"
        )
    rest = {key: value for key, value in topology.items() if key not in (FIELD, "links")}
    links = [{"endpoints": [end.model_dump() for end in ends]} for ends in file.links]
    return raw | {"topology": rest | {"nodes": _nodes(file, topology.get("nodes", []), path, problems), "links": links}}


def _read(named: Any, path: Path, problems: Problems, beside: Beside | None) -> ClabFile | None:
    if not isinstance(named, str) or not named.strip():
        problems.add(_WHERE, f"`{FIELD}` must name a topology file of containerlab, e.g. `{FIELD}: lab.clab.yml`")
        return None
    folder = path.absolute().parent
    file = folder / named
    if Path(named).is_absolute() or not file.resolve().is_relative_to(folder.resolve()):
        problems.add(_WHERE, f"{named!r} must lie in the folder of the task, or below it")
        return None
    if beside is not None:
        if named not in beside:
            problems.add(_WHERE, f"there is no file {named!r} beside the task")
            return None
        return read_clab(file, error=TaskFileError, data=beside[named])
    if not file.is_file():
        problems.add(_WHERE, f"there is no file {file}")
        return None
    return read_clab(file, error=TaskFileError)


def _nodes(file: ClabFile, given: Any, path: Path, problems: Problems) -> list[dict[str, Any]]:
    """The nodes of a topology file, with what the task says of each by its name."""
    own: dict[str, dict[str, Any]] = {}
    known = [node.name for node in file.nodes]
    for index, one in enumerate(given if isinstance(given, list) else []):
        name = one.get("name") if isinstance(one, dict) else one
        if not isinstance(name, str) or name not in known:
            problems.add(
                ("topology", "nodes", index), f"the topology file has no such node: {unknown('node', str(name), known)}"
            )
        elif isinstance(one, dict):
            own[name] = one
    return [{**_node(node, own.get(node.name, {}), path), **own.get(node.name, {})} for node in file.nodes]


def _node(node: ClabNode, own: Mapping[str, Any], path: Path) -> dict[str, Any]:
    dialect = dialect_of(node.kind, node.image)
    if dialect is None and "platform" not in own:
        raise TaskFileError(
            f"node {node.name!r}: nothing is known of kind {node.kind!r}: say its platform in the task, by"
            f" `nodes: [{{name: {node.name}, platform: …}}]`",
            path=path,
        )
    return {"name": node.name, "platform": dialect, "role": "host" if dialect == "linux" else "router"}
