"""Finds a lab that runs: its containers, and the cables between them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_netbench.backends.containerlab import commands, networks
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.backends.containerlab.topology import OWNER
from pytest_netbench.errors import LabError, UsageError
from pytest_netbench.kernel.processes import started
from pytest_netbench.lab.attaching.site import Cable, Device, Site
from pytest_netbench.model.topology import Endpoint
from pytest_netbench.taskfile.clab import BRIDGES, joined, read_clab

NODE: Final = "netbench-node"
"""The label of a node that says which node of tasks it stands for."""
_FILES: Final = (".yml", ".yaml")
_TOPOLOGY: Final = "topology-data.json"
_MANAGEMENT: Final = "eth0"


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container of a lab.

    Attributes:
        node: Its name in the lab.
        place: Where it runs.
        id: The engine's name of it.
        started_at: When it was started, as the engine says.
        image: Its image.
        kind: containerlab's kind of node.
        stands_for: The node of tasks that its label names.
    """

    node: str
    place: Place
    id: str
    started_at: str
    image: str
    kind: str
    stands_for: str | None

    @property
    def root(self) -> Path:
        """Its files, as this machine sees them."""
        return Path(f"/proc/{self.place.pid}/root")

    @property
    def dialect(self) -> str | None:
        """The dialect of its configuration: ``frr`` where zebra runs; ``None`` if it is no Linux host."""
        if self.kind != "linux":
            return None
        return "frr" if self._has("run/frr/zebra.vty", "var/run/frr/zebra.vty") else "linux"

    @property
    def has_idle_frr(self) -> bool:
        """Whether FRR is in its image and does not run."""
        return self.dialect == "linux" and self._has("usr/bin/vtysh", "usr/local/bin/vtysh")

    def _has(self, *paths: str) -> bool:
        return any(os.path.lexists(self.root / path) for path in paths)


@dataclass(frozen=True, kw_only=True)
class RunningLab:
    """A lab that runs.

    Attributes:
        name: Its name.
        containers: By node.
        cables: What joins their interfaces.
    """

    name: str
    containers: Mapping[str, Container]
    cables: tuple[Cable, ...]

    @property
    def site(self) -> Site:
        """Its Linux hosts and routers, as devices that exist."""
        cabled = {(end.node, end.interface) for cable in self.cables for end in cable.ends}
        devices = {
            node: Device(
                name=node,
                dialect=dialect,
                node=one.stands_for,
                interfaces=networks.names(one.place.pid),
                management=None if (node, _MANAGEMENT) in cabled else _MANAGEMENT,
            )
            for node, one in self.containers.items()
            if (dialect := one.dialect) is not None
        }
        cables = tuple(cable for cable in self.cables if all(end.node in devices for end in cable.ends))
        return Site(
            devices=devices,
            cables=cables,
            called=f"lab {self.name}",
            naming=f"the label `{NODE}: {{node}}` at one of these nodes of the lab's file",
        )

    def beyond(self) -> str:
        """What of the lab cannot stand for nodes of tasks, and why; empty if nothing."""
        others = [f"{node} ({one.kind})" for node, one in self.containers.items() if one.dialect is None]
        idle = [node for node, one in self.containers.items() if one.has_idle_frr]
        said = [f"; not used: {', '.join(others)}"] if others else []
        said += [f"; FRR is installed and zebra does not run in {', '.join(idle)}"] if idle else []
        return "".join(said)


def find(lab: str) -> RunningLab:
    """Find a lab by its name, or by its topology file.

    Raises:
        UsageError: There is no such file, or no such lab runs.
        LabError: It runs in part, or cannot be asked.
    """
    file = Path(lab) if lab.endswith(_FILES) else None
    name = lab if file is None else read_clab(file).name
    try:
        listed = commands.containerlab("inspect", "--name", name, "--format", "json") or {}
    except commands.Failed:
        listed = {}
    entries = listed.get(name, ()) if isinstance(listed, dict) else ()
    if not entries:
        others = ", ".join(names()) or "none"
        raise UsageError(f"no lab {name!r} of containerlab runs here (running: {others})")
    inspected = json.loads(commands.engine("inspect", "--type", "container", *(one["name"] for one in entries)))
    containers = {one.node: one for one in map(container, inspected)}
    if owned := [one["Name"] for one in inspected if OWNER in one["Config"]["Labels"]]:
        raise UsageError(
            f"lab {name!r} was deployed by pytest-netbench ({owned[0].lstrip('/')}): it is not attached to"
        )
    folder = Path(inspected[0]["Config"]["Labels"].get("clab-node-lab-dir", "")).parent
    return RunningLab(name=name, containers=containers, cables=_cables(name, folder, file))


def names() -> list[str]:
    """The names of the labs that run, whoever deployed them."""
    try:
        return sorted(commands.containerlab("inspect", "--all", "--format", "json") or {})
    except commands.Failed:
        return []


def container(one: Mapping[str, Any]) -> Container:
    """A container as the engine describes it.

    Raises:
        LabError: It does not run.
    """
    labels, state, name = one["Config"]["Labels"], one["State"], one["Name"].lstrip("/")
    if not state["Running"]:
        raise LabError(f"{labels['clab-node-name']}: its container {name} does not run (fix: docker start {name})")
    return Container(
        node=labels["clab-node-name"],
        place=Place(name, state["Pid"], started(state["Pid"])),
        id=one["Id"],
        started_at=state["StartedAt"],
        image=one["Config"]["Image"],
        kind=labels["clab-node-kind"],
        stands_for=labels.get(NODE) or None,
    )


def _cables(name: str, folder: Path, file: Path | None) -> tuple[Cable, ...]:
    """The cables and LANs, from what containerlab keeps in the lab's folder, else from the topology file."""
    try:
        kept = json.loads((folder / _TOPOLOGY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        if file is None:
            raise UsageError(
                f"lab {name!r}: its folder {folder} has no {_TOPOLOGY}: give the lab's topology file in place of its"
                " name"
            ) from None
        return tuple(map(Cable, read_clab(file).links))
    bridges = {node for node, one in kept["nodes"].items() if one.get("kind") in BRIDGES}
    return tuple(map(Cable, joined([tuple(_ends(link)) for link in kept.get("links") or ()], bridges)))


def _ends(link: Mapping[str, Any]) -> Iterator[Endpoint]:
    ends = link.get("endpoints", link)
    for key in ("a", "z"):
        yield Endpoint(node=ends[key]["node"], interface=ends[key]["interface"])
