"""The links of a project that a run uses: what they were is saved, and put back at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_netbench.backends.gns3.links import NO_FILTER
from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError

State = Mapping[str, Any]
"""Whether a link is suspended, and its filters, as the server shows them."""


class Cables:
    """The links of a project.

    Args:
        server: Where.
        project: Which.
    """

    def __init__(self, server: Server, project: Project) -> None:
        self._server = server
        self._project = project

    def save(self, links: Iterable[str]) -> dict[str, State]:
        """By number of a link: its state."""
        now = self._now()
        return {link: now[link] for link in links}

    def restore(self, saved: Mapping[str, State]) -> None:
        """Make links what they were; one that is there no longer is nobody's.

        Raises:
            LabError: One is not.
        """
        now = self._now()
        for link, state in saved.items():
            if link in now and now[link] != state:
                self._change(link, now[link], state)
        now = self._now()
        if wrong := [link for link, state in saved.items() if link in now and now[link] != state]:
            raise LabError(f"links of project {self._project.name} are not as they were: {', '.join(wrong)}")

    def _now(self) -> dict[str, State]:
        shown = self._server.get(f"{self._project.path}/links")
        return {
            str(one["link_id"]): {"suspend": bool(one.get("suspend")), "filters": one.get("filters") or {}}
            for one in shown
        }

    def _change(self, link: str, now: State, wanted: State) -> None:
        path = f"{self._project.path}/links/{link}"
        if now["filters"] != wanted["filters"]:
            if not wanted["filters"]:
                # GNS3 3.0 forgets to take the last filter away, so that is one which drops nothing
                self._server.put(path, {"filters": dict(NO_FILTER)})
            self._server.put(path, {"filters": wanted["filters"]})
        if now["suspend"] != wanted["suspend"]:
            self._server.put(path, {"suspend": wanted["suspend"]})
            if not wanted["suspend"] and self._server.is_new:
                self._server.post(f"{path}/reset")
