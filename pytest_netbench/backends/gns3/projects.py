"""Projects of labs on a server. Each names its owner, and one whose owner has ended can be removed by anybody."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.backends.gns3.server import Refused, Server
from pytest_netbench.errors import LabError
from pytest_netbench.lab.owners import Owner

_OWNER: Final = "netbench-owner"
"""The variable of a project that names the owner. A project without it is never touched."""
_KEPT: Final = "netbench-kept"
"""The variable of a project that was kept instead; it has no owner any more."""
_REMOVAL_S = 60.0


class Project(NamedTuple):
    """A project on a server."""

    name: str
    id: str

    @property
    def path(self) -> str:
        """Where it is in the server's interface."""
        return f"/projects/{self.id}"


def create(server: Server, slug: str) -> Project:
    """Make a project for a lab, with a name of its own; this process owns it.

    Raises:
        LabError: The server does not make it.
    """
    stem = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:24] or "lab"
    name = f"netbench-{stem}-{secrets.token_hex(4)}"
    # the owner comes with the project, so nobody ever sees one without
    asked = {"name": name, "auto_close": False, "variables": [{"name": _OWNER, "value": Owner.here().to_json()}]}
    return Project(name, str(server.post("/projects", asked)["project_id"]))


def remove(server: Server, project: Project) -> None:
    """Stop the nodes of a project and delete it with its files; without effect if there is none any more.

    Raises:
        LabError: It is still there.
    """
    # a project that is closed cannot be deleted by every release
    for path in ("/open", "/nodes/stop"):
        try:
            server.post(f"{project.path}{path}", timeout_s=_REMOVAL_S)
        except Refused:
            continue  # what counts is whether it can be deleted
    server.delete(project.path, timeout_s=_REMOVAL_S)
    if any(one["project_id"] == project.id for one in server.get("/projects")):
        raise LabError(f"project {project.name} of {server.place.url} could not be deleted")


def keep(server: Server, project: Project) -> None:
    """Let a project stay when its owner has ended.

    Raises:
        LabError: The server does not take note of that.
    """
    server.put(project.path, {"variables": [{"name": _KEPT, "value": "yes"}]})


def kept(server: Server) -> Iterator[Project]:
    """The projects of labs that were kept."""
    for one in server.get("/projects"):
        if any(variable.get("name") == _KEPT for variable in one.get("variables") or ()):
            yield Project(str(one["name"]), str(one["project_id"]))


def is_ours(shown: Mapping[str, Any]) -> bool:
    """Whether a project, as the server shows it, was made for a lab, kept or not."""
    return any(variable.get("name") in (_OWNER, _KEPT) for variable in shown.get("variables") or ())


def owned(server: Server) -> Iterator[tuple[Project, Owner]]:
    """The projects of labs, each with who owns it."""
    for one in server.get("/projects"):
        owner = _owner(one)
        if owner is not None:
            yield Project(str(one["name"]), str(one["project_id"])), owner


def _owner(project: Mapping[str, Any]) -> Owner | None:
    for variable in project.get("variables") or ():
        if variable.get("name") == _OWNER:
            try:
                return Owner.from_json(str(variable.get("value")))
            except ValueError:
                return None
    return None
