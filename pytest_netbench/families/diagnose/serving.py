"""Requests of hosts to the services of a running network: which fail, or take too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from pytest_netbench.errors import NotReady
from pytest_netbench.families.diagnose.uses import SLOW_S, PageService, uses_of
from pytest_netbench.families.faulty.scene import BASELINE_S, PAUSE_S
from pytest_netbench.lab.clients import get, look_up
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.diagnosis import Diagnose

_PATIENCE_S: Final = 1.5
"""Wall seconds after which a request has failed."""
_AT_ONCE: Final = 16
_OK: Final = 200


class Serving:
    """Asks the services of a network as its hosts do.

    Args:
        lab: The network.
        payload: Which services there are, and who uses them.
    """

    def __init__(self, lab: Lab, payload: Diagnose) -> None:
        self._lab = lab
        self._uses = uses_of(payload)

    @property
    def count(self) -> int:
        """How many requests there are; none without services."""
        return self._uses.count

    def await_healthy(self) -> None:
        """Return once no request fails.

        Raises:
            NotReady: One fails for too long.
        """
        ends_at = time.monotonic() + BASELINE_S
        while failed := self.failures():
            if time.monotonic() > ends_at:
                raise NotReady([f"services of the healthy network: {'; '.join(failed)}"], waited_s=BASELINE_S)
            time.sleep(PAUSE_S)

    def failures(self) -> tuple[str, ...]:
        """Make each request; return a phrase for each that fails or takes too long.

        What succeeds is tried once more: a slow server may happen to be awake.
        """
        if not self.count:
            return ()
        requests = self._requests
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = list(pool.map(_made, requests))
            passed = [number for number, failure in enumerate(found) if failure is None]
            for number, failure in zip(passed, pool.map(_made, [requests[one] for one in passed]), strict=True):
                found[number] = failure
        return tuple(one for one in found if one is not None)

    @property
    def _requests(self) -> list[Callable[[], str | None]]:
        clients, pages = self._uses.clients, self._uses.pages
        if pages:
            return [partial(self._page, client, page) for client in clients for page in pages]
        return [partial(self._name, client) for client in clients]

    def _page(self, client: str, page: PageService) -> str | None:
        got = get(self._lab.nodes[client], page.url, timeout_s=_PATIENCE_S)
        wrong = got.error
        if wrong is None and (got.status, got.size, got.address) != (_OK, page.page_bytes, page.address):
            wrong = f"status {got.status}, {got.size} bytes from {got.address}"
        if wrong is None and got.total_ms > 1000 * SLOW_S:
            wrong = f"{got.total_ms:.0f} ms"
        return wrong and f"{client} {page.url}: {wrong}"

    def _name(self, client: str) -> str | None:
        assert self._uses.dns is not None
        name, address = self._uses.dns.example
        got = look_up(self._lab.nodes[client], name, timeout_s=_PATIENCE_S)
        wrong = got.error
        if wrong is None and got.addresses != (address,):
            wrong = f"{got.status} {', '.join(got.addresses)}"
        if wrong is None and (got.time_ms or 0.0) > 1000 * SLOW_S:
            wrong = f"{got.time_ms:.0f} ms"
        return wrong and f"{client} {name}: {wrong}"


def _made(request: Callable[[], str | None]) -> str | None:
    return request()
