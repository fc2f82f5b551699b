"""Puts projects back as they were: at the end of a trial, or after a run that was killed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.backends.gns3 import kinds
from pytest_netbench.backends.gns3.attached import project as projects
from pytest_netbench.backends.gns3.attached.cables import Cables
from pytest_netbench.backends.gns3.attached.held import HeldNode
from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.journal import Journals, Lock
from pytest_netbench.lab.attaching.putting_back import put_back_all, side_by_side
from pytest_netbench.lab.attaching.site import alone
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.protocols import Cleaned

JOURNALS: Final = Journals("gns3-attached", what="a project")
"""By number of a project."""


def clean(server: Server | None) -> Cleaned:
    """Put projects back that killed runs have changed.

    Args:
        server: That which the environment names; ``None`` if none answers.

    Raises:
        LabError: One cannot be put back; its journal stays.
    """
    restored, left_alone = [], []
    for name in JOURNALS.names():
        saved = JOURNALS.read(name)
        if saved is None or JOURNALS.is_kept(name):
            continue
        owner = Owner.from_json(saved["owner"])
        if owner.lives() is not False:
            left_alone.append(f"project {saved['project']}: {owner} uses it, or nobody can tell from here")
        elif server is None or server.place.url != saved["url"]:
            left_alone.append(
                f"project {saved['project']}: a killed run has changed it on {saved['url']}: name this server"
            )
        else:
            restored.append(_cleaned(server, name, saved["project"]))
    return Cleaned(tuple(restored), tuple(left_alone))


def remove_kept(server: Server) -> Cleaned:
    """Put projects of a server back that were kept.

    Raises:
        LabError: One cannot be put back; its journal stays.
    """
    kept = {name: JOURNALS.read(name) for name in JOURNALS.names() if JOURNALS.is_kept(name)}
    return Cleaned(
        tuple(
            _cleaned(server, name, saved["project"])
            for name, saved in kept.items()
            if saved is not None and saved["url"] == server.place.url
        )
    )


def _cleaned(server: Server, name: str, project: str) -> str:
    """Put a project back that nobody uses; says so."""
    lock = JOURNALS.lock(name, f"project {project}", wait_s=0)
    try:
        put_back_left(server, name)
    finally:
        lock.release()
    return f"what a run had configured in project {project}"


def close(held: Mapping[str, HeldNode], lock: Lock | None = None) -> None:
    """Let go of all consoles, and of a lock. Idempotent."""
    for one in held.values():
        one.close()
    if lock is not None:
        lock.release()


def restore(server: Server, written: Mapping[str, Any], held: Mapping[str, HeldNode]) -> None:
    """Put all links and nodes back.

    Raises:
        LabError: Some are not as they were; the text names all.
    """
    Cables(server, Project(written["project"], written["id"])).restore(written["links"])
    side_by_side(held, lambda _, one: one.vacate())
    put_back_all(held, lambda node, one: one.configs.restore(written["nodes"][node]["saved"]))


def put_back_left(server: Server, name: str) -> None:
    """Put back what a run has changed that ended without doing so. The project is locked.

    Raises:
        LabError: It is not as it was, or a run elsewhere has changed it; the journal stays.
    """
    written = JOURNALS.read(name)
    if written is None:
        return
    project = written["project"]
    if Owner.from_json(written["owner"]).lives() is None:
        raise LabError(f"project {project}: a run on another machine or in another container has changed it")
    there = next((one for one in server.get("/projects") if one["project_id"] == written["id"]), None)
    if there is not None:
        projects.require_open(there)
        held = _reopened(server, written)
        try:
            restore(server, written, held)
        finally:
            close(held)
    JOURNALS.forget(name)


def _reopened(server: Server, written: Mapping[str, Any]) -> dict[str, HeldNode]:
    """The nodes of a journal that run; one that was stopped since has nothing of the run any more."""
    path = Project(written["project"], written["id"]).path
    shown = {str(one["node_id"]): one for one in server.get(f"{path}/nodes")}
    known = projects.known_nodes(server, shown, kinds.table())
    held = {}
    for node, one in written["nodes"].items():
        if one["id"] not in shown:
            continue
        there = known.get(one["id"])
        if there is None or there.dialect != one["dialect"]:
            raise LabError(
                f"project {written['project']}: {shown[one['id']]['name']} was used as {one['dialect']}, and is that no"
                f" longer by the table of kinds (fix: set {kinds.VARIABLE} as in the run that was killed)"
            )
        if there.runs:
            held[node] = HeldNode(node, there, alone(node, one["interfaces"]), server)
    return held
