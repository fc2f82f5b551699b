"""Requests of hosts to the services of a running network: which fail, or take too long."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from pytest_netbench.errors import NotReady
from pytest_netbench.families.diagnose.uses import SLOW_S, PageService, Tunnel, uses_of
from pytest_netbench.families.faulty.scene import BASELINE_S, PAUSE_S
from pytest_netbench.lab.clients import answers, get, look_up_all
from pytest_netbench.lab.marks import arrivals
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.diagnosis import Diagnose

_PATIENCE_S: Final = 1.25 * SLOW_S
"""Wall seconds after which a request has failed: it is too late already."""
TUNNELED_S: Final = 20.0
"""Wall seconds until a tunnel passes packets: wireguard-go sends from an address that its host lost for 15 s."""
_AT_ONCE: Final = 24
"""Most of the time a request that fails only waits."""
_OK: Final = 200
_User = Callable[[], list[str]]
"""Makes requests, and returns what failed."""


class Serving:
    """Asks the services of a network as its hosts do.

    Args:
        lab: The network.
        payload: Which services there are, and who uses them.
    """

    def __init__(self, lab: Lab, payload: Diagnose) -> None:
        self._lab = lab
        self._uses = uses_of(payload)
        self._lasting_s = TUNNELED_S if self._uses.tunnels else BASELINE_S

    @property
    def count(self) -> int:
        """How many requests there are; none without services."""
        return self._uses.count

    @property
    def has_servers(self) -> bool:
        """Whether there are servers that can be asked."""
        return bool(self._uses.clients)

    def await_healthy(self) -> None:
        """Return once no request fails.

        Raises:
            NotReady: One fails for too long.
        """
        if failed := self.lasting_failures():
            raise NotReady([f"services of the healthy network: {'; '.join(failed)}"], waited_s=self._lasting_s)

    def failures(self) -> tuple[str, ...]:
        """Make each request; return a phrase for each that fails or takes too long."""
        return _flat(_tried(self._users))

    def lasting_failures(self) -> tuple[str, ...]:
        """Make each request until it succeeds; return phrases for those that never do, which takes some seconds."""
        ends_at = time.monotonic() + self._lasting_s
        users = self._users
        while True:
            found = _tried(users)
            users = [user for user, failures in zip(users, found, strict=True) if failures]
            if not users or time.monotonic() > ends_at:
                return _flat(found)
            time.sleep(PAUSE_S)

    @property
    def _users(self) -> list[_User]:
        """Each makes requests. A name is looked up by one host, and each host looks one up."""
        clients, pages, dns = self._uses.clients, self._uses.pages, self._uses.dns
        getting = [partial(self._page, client, page) for client in clients for page in pages]
        names = list(dns.records.items()) if dns else []
        shares = [names[number :: len(clients)] for number in range(len(clients))]
        asking = [partial(self._names, client, share) for client, share in zip(clients, shares, strict=True) if share]
        joined = (partial(self._tunnel, tunnel) for tunnel in self._uses.tunnels)
        return [*getting, *asking, *joined, *([self._marks] if self._uses.marked else [])]

    def _page(self, client: str, page: PageService) -> list[str]:
        got = get(self._lab.nodes[client], page.url, timeout_s=_PATIENCE_S)
        wrong = got.error
        if wrong is None and (got.status, got.size, got.address) != (_OK, page.page_bytes, page.address):
            wrong = f"status {got.status}, {got.size} bytes from {got.address}"
        wrong = wrong or _late(got.total_ms)
        return [f"{client} {page.url}: {wrong}"] if wrong else []

    def _tunnel(self, tunnel: Tunnel) -> list[str]:
        # one after the other: handshakes that both ends begin at the same moment fail
        (one, other), (near, far) = tunnel.nodes, tunnel.addresses
        asked = ((one, far), (other, near))
        return [
            f"{node} {address}: no answer in the tunnel"
            for node, address in asked
            if not answers(self._lab.nodes[node], address, timeout_s=SLOW_S)
        ]

    def _marks(self) -> list[str]:
        """All at once: the prober does one thing at a time."""
        wanted = [(flow, one.dscp) for one in self._uses.marked for flow in one.flows()]
        found = arrivals(self._lab, [flow for flow, _ in wanted])
        return [
            f"{flow}: DSCP {'unknown' if got.received_dscp is None else got.received_dscp}"
            for (flow, dscp), got in zip(wanted, found, strict=True)
            if got.received_dscp != dscp
        ]

    def _names(self, client: str, share: Sequence[tuple[str, str]]) -> list[str]:
        found = look_up_all(self._lab.nodes[client], [name for name, _ in share], timeout_s=_PATIENCE_S)
        failures = []
        for (name, address), got in zip(share, found, strict=True):
            wrong = got.error
            if wrong is None and got.addresses != (address,):
                wrong = f"{got.status} {', '.join(got.addresses)}".rstrip()
            wrong = wrong or _late(got.time_ms or 0.0)
            failures += [f"{client} {name}: {wrong}"] if wrong else []
        return failures


def _tried(users: Sequence[_User]) -> list[list[str]]:
    """What fails of each. What succeeds is tried once more: a slow server may happen to be awake."""
    if not users:
        return []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(_made, users))
        content = [number for number, failures in enumerate(found) if not failures]
        for number, failures in zip(content, pool.map(_made, [users[one] for one in content]), strict=True):
            found[number] = failures
    return found


def _flat(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(failure for failures in found for failure in failures)


def _late(took_ms: float) -> str | None:
    return f"{took_ms:.0f} ms" if took_ms > 1000 * SLOW_S else None


def _made(user: _User) -> list[str]:
    return user()
