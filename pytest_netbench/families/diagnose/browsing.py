"""Hosts of a network that ask its web servers for pages all the time."""

from __future__ import annotations

import threading
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.families.diagnose.telemetry import Telemetry
from pytest_netbench.families.diagnose.uses import PageService, uses_of
from pytest_netbench.lab.capabilities import crashed
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.lab.turn_access import looking_at
from pytest_netbench.model.diagnosis import Browsing as Schedule
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.randomness import seeded

PATIENCE_S: Final = 2.0
"""Wall seconds after which a request has failed."""
_SLICE_S: Final = 0.25


class Browsing:
    """Asks one request after the other, and notes what came of it.

    Args:
        lab: The network.
        payload: Who asks for what, and when. Without a schedule nobody does.
        telemetry: Where it is noted.
    """

    def __init__(self, lab: Lab, payload: Diagnose, telemetry: Telemetry) -> None:
        self._lab = lab
        self._uses = uses_of(payload)
        self._telemetry = telemetry
        self._schedule = payload.browsing
        self._stopwatch = stopwatch_of(lab)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Let the requests begin."""
        if self._schedule is not None and self._uses.pages:
            args = (self._schedule,)
            self._thread = threading.Thread(target=self._run, args=args, name="netbench-browsing", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Let them end, once the one that runs is complete. Idempotent."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, schedule: Schedule) -> None:
        source = seeded(schedule.seed)
        while self._waited(source.expovariate(schedule.per_s)):
            # drawn for a client that has crashed as well: the others ask as they would without the fault
            client, page = source.choice(self._uses.clients), source.choice(self._uses.pages)
            with looking_at(self._lab):
                if client not in crashed(self._lab):
                    self._ask(client, page)

    def _waited(self, seconds: float) -> bool:
        """Wait for some wall seconds in which the lab does not stand still; whether it has not ended by then."""
        ends_at = self._stopwatch.wall_s() + seconds
        while (left_s := ends_at - self._stopwatch.wall_s()) > 0:
            with looking_at(self._lab):
                if self._ended.wait(min(left_s, _SLICE_S)):
                    return False
        return not self._ended.is_set()

    def _ask(self, client: str, page: PageService) -> None:
        now = self._telemetry.moment
        try:
            got = get(self._lab.nodes[client], page.url, timeout_s=PATIENCE_S)
        except LabError as error:
            found: tuple[Any, ...] = (None, None, str(error))
        else:
            found = (got.status, got.total_ms, got.error)
        self._telemetry.add_request(client, now, (page.url, *found))
