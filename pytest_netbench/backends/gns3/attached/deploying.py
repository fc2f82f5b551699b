"""Uses a project that exists already for a task, and lets go of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any, Final

from pytest_netbench.backends.gns3 import kinds
from pytest_netbench.backends.gns3.attached import project as projects
from pytest_netbench.backends.gns3.attached.cables import Cables
from pytest_netbench.backends.gns3.attached.held import HeldNode
from pytest_netbench.backends.gns3.attached.lab import AttachedLab
from pytest_netbench.backends.gns3.attached.project import Found, Known
from pytest_netbench.backends.gns3.attached.restoring import JOURNALS, close, put_back_left, restore
from pytest_netbench.backends.gns3.links import Gns3Links
from pytest_netbench.backends.gns3.ports import port_of
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.attaching.journal import Lock, key
from pytest_netbench.lab.attaching.matching import NoMatch, match
from pytest_netbench.lab.attaching.putting_back import side_by_side
from pytest_netbench.lab.capabilities import PROBES, unmet
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.platforms.vpcs.settings import beyond

_WAIT_S: Final = 600.0
_OWNER: Final = "backend gns3"
_SENDERS: Final = ("vpcs", "shell")


def lacks(server: Server, request: LabRequest, capabilities: Collection[str]) -> tuple[str, str | None] | None:
    """What a project lacks for a request; ``None`` if nothing. No console is opened.

    Args:
        server: Where it is.
        request: What is asked for.
        capabilities: Names of those that this backend has at most.

    Raises:
        UsageError: There is no such project, or its nodes can stand for those of the task in several ways.
        LabError: It is closed.
    """
    assert request.lab is not None
    found = projects.find(server, request.lab, request, kinds.table())
    try:
        chosen = _chosen(request, found)
    except RequirementMissing as missing:
        return missing.lack, missing.remedy
    sends = any(one.kind.console in _SENDERS for one in chosen.values())
    offered = [one for one in capabilities if one != PROBES.name or sends]
    if (lack := unmet(request.requirements, offered, owner=_OWNER)) is not None:
        return lack, None
    for node, one in chosen.items():
        config, interfaces = request.startup_configs.get(node, ""), request.topology.interfaces(node)
        if one.kind.console == "vpcs" and (why := beyond(config, interfaces)) is not None:
            return f"project {found.project.name}: {one.shown['name']} is a VPCS, which {node} cannot be: {why}", None
    return None


def deploy(server: Server, request: LabRequest) -> AttachedLab:
    """Use a project for a task; return when the task's network is ready there.

    Raises:
        RequirementMissing: The project lacks something; nothing was changed.
        LabError: It is in use for too long, or could not be made what the task asks for; it is put back.
    """
    began = time.monotonic()
    assert request.lab is not None
    found = projects.find(server, request.lab, request, kinds.table())
    name, shown = key(found.project.id), f"project {found.project.name}"
    lock = JOURNALS.lock(name, shown, wait_s=_WAIT_S)
    held: dict[str, HeldNode] = {}
    try:
        JOURNALS.refuse_kept(name, shown)
        put_back_left(server, name)
        for node, one in _chosen(request, found).items():
            held[node] = HeldNode(node, one, request.topology, server)
        cables = _used(request, found, held)
        saved = Cables(server, found.project).save(dict.fromkeys(cables.values()))
        links = Gns3Links(
            server, found.project, cables, {}, cut=[link for link, state in saved.items() if state["suspend"]]
        )
        lab = AttachedLab(
            found.project.name,
            place=server.place,
            release=server.release,
            request=request,
            held=held,
            links=links,
            put_back=lambda: _let_go(server, name, held, lock),
            leave=lambda: _leave(name, held, lock),
        )
        _write(server, name, found, held, saved)
    except BaseException:
        close(held, lock)
        raise
    try:
        _join(request, links, cables, filtered=[link for link, state in saved.items() if state["filters"]])
        side_by_side(held, lambda _, one: one.vacate())
        lab.refused_startup_lines, lab.readiness = bring_up(lab, request)
    except BaseException:
        lab.destroy()
        raise
    lab.deploy_s = time.monotonic() - began
    return lab


def _chosen(request: LabRequest, found: Found) -> dict[str, Known]:
    """The nodes that stand for those of a task, in the task's order.

    Raises:
        RequirementMissing: There are none.
    """
    try:
        devices = match(request.topology, request.dialects, found.site).devices
    except NoMatch as lack:
        raise RequirementMissing(f"project {found.project.name}: {lack}{found.beyond()}") from None
    return {node.name: found.nodes[devices[node.name]] for node in request.topology.nodes}


def _used(request: LabRequest, found: Found, held: Mapping[str, HeldNode]) -> dict[tuple[str, str], str]:
    """By node and interface of the task: the number of the link that ends there."""
    cables = {}
    for node, one in held.items():
        for interface in request.topology.interfaces(node):
            link = found.links.get((one.known.id, port_of(one.known.shown, interface)))
            if link is not None:
                cables[node, interface] = link
    return cables


def _join(
    request: LabRequest, links: Gns3Links, cables: Mapping[tuple[str, str], str], *, filtered: Collection[str]
) -> None:
    """Make links what the task says of them."""
    for link in request.topology.links:
        for end in link.endpoints:
            if (cable := cables.get((end.node, end.interface))) is None:
                continue
            links.restore(end.node, end.interface)
            if cable in filtered or not link.quality.is_plain:
                links.set_quality(end.node, end.interface, link.quality)


def _write(
    server: Server, name: str, found: Found, held: Mapping[str, HeldNode], links: Mapping[str, Mapping[str, Any]]
) -> None:
    saved = side_by_side(held, lambda _, one: one.save())
    nodes = {
        node: {
            "id": one.known.id,
            "dialect": one.known.dialect,
            "interfaces": list(one.node.interfaces),
            "saved": saved[node],
        }
        for node, one in held.items()
    }
    JOURNALS.write(
        name,
        {
            "owner": Owner.here().to_json(),
            "url": server.place.url,
            "project": found.project.name,
            "id": found.project.id,
            "links": links,
            "nodes": nodes,
        },
    )


def _let_go(server: Server, name: str, held: Mapping[str, HeldNode], lock: Lock) -> None:
    try:
        written = JOURNALS.read(name)
        assert written is not None
        restore(server, written, held)
        JOURNALS.forget(name)
    finally:
        close(held, lock)


def _leave(name: str, held: Mapping[str, HeldNode], lock: Lock) -> None:
    JOURNALS.keep(name)
    close(held, lock)
