"""The service ``sla``: IP SLA operations, tracked objects, and routes that depend on them.

Configuration: ``{"operations": […], "tracks": […], "routes": [{"track": 1, "daemon": "staticd", "up": line, "down":
line}, …]}``, with operations and tracks as documented in ``Operation`` and ``Track``. A route's ``up`` is entered in
FRR's daemon when its object comes up, ``down`` when it goes down or the route is removed. State: ``{"operations",
"tracks", "waiting"}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import frr
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.pinger import Pinger
from pytest_netbench.platforms.cisco_ios.services.programs.sla.operation import Operation
from pytest_netbench.platforms.cisco_ios.services.programs.sla.tracks import Judge, Track

_LISTS = ("list", "threshold")


class Service:
    """All IP SLA operations and tracked objects of a router."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._pinger = Pinger(shared.loop)
        self._operations: dict[int, Operation] = {}
        self._tracks: dict[int, Track] = {}
        self._judge = Judge(shared, self._operations, self._tracks)
        self._routes: list[Mapping[str, Any]] = []
        self._installed: list[Mapping[str, Any]] = []
        self._busy = False
        shared.links.listen(self._refresh)

    def configure(self, config: dict[str, Any]) -> None:
        self._configure_operations({entry["number"]: entry for entry in config.get("operations", ())})
        wanted = {entry["number"]: entry for entry in config.get("tracks", ())}
        for number, track in list(self._tracks.items()):
            if track.config != wanted.get(number):
                track.close()
                del self._tracks[number]
        # lists last: their state depends on the others
        for entry in sorted(wanted.values(), key=lambda entry: entry["kind"] in _LISTS):
            if entry["number"] not in self._tracks:
                self._tracks[entry["number"]] = Track(self._shared, entry, self._judge, self._publish)
        self._routes = list(config.get("routes", ()))
        self._refresh()
        self._publish()

    def _configure_operations(self, wanted: Mapping[int, Mapping[str, Any]]) -> None:
        for number, operation in list(self._operations.items()):
            if operation.config != wanted.get(number):
                operation.close()
                del self._operations[number]
        for number, entry in wanted.items():
            if number not in self._operations:
                made = Operation(self._shared.loop, self._shared.links, self._pinger, entry, self._refresh)
                self._operations[number] = made
                made.start()

    def _refresh(self) -> None:
        for track in list(self._tracks.values()):
            track.refresh()

    def _publish(self) -> None:
        """Handle a change of an object: update lists that contain it, then routes and other listeners."""
        if self._busy:
            return
        self._busy = True
        try:
            for track in self._tracks.values():
                if track.config["kind"] in _LISTS:
                    track.refresh()
        finally:
            self._busy = False
        self._install()
        self._shared.tracks.publish({number: track.up for number, track in self._tracks.items()})

    def _install(self) -> None:
        wanted = [route for route in self._routes if self._is_up(route["track"])]
        gone = [route for route in self._installed if route not in wanted]
        new = [route for route in wanted if route not in self._installed]
        if not gone and not new:
            return
        self._installed = wanted
        lines = [(route["daemon"], route["down"]) for route in gone] + [(route["daemon"], route["up"]) for route in new]
        refused = frr.configure(lines)
        if refused:
            raise ValueError("; ".join(refused))

    def _is_up(self, number: int) -> bool:
        track = self._tracks.get(number)
        return track is not None and track.up

    def state(self) -> dict[str, Any]:
        return {
            "operations": [operation.report() for _, operation in sorted(self._operations.items())],
            "tracks": [track.report() for _, track in sorted(self._tracks.items())],
            "waiting": [
                f"IP SLA operation {number} has no result yet"
                for number, one in self._operations.items()
                if one.waiting
            ],
        }

    def command(self, words: list[str]) -> str:
        raise ValueError(f"the service sla knows no command {' '.join(words)!r}")
