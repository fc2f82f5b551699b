"""Control of the links of a GNS3 lab, by the server's own means: a suspended link, and filters of packets."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from pytest_netbench.backends.gns3.projects import Project
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.model.topology import LinkQuality

_ALL: Final = {"frequency_drop": [-1]}
NO_FILTER: Final = {"bpf": ["ether proto 0xffff"]}
"""Drops what nobody sends. GNS3 3.0 forgets to take the last filter away, so one is always there once there was one."""
_PERCENT = 100


def lack_of(quality: LinkQuality) -> str | None:
    """What of a quality no filter of GNS3 does, in a phrase; it counts whole milliseconds and per cents."""
    if quality.rate_bps is not None:
        return "limit the rate of a link"
    if quality.delay_ms % 1 or quality.jitter_ms % 1 or round(quality.loss * _PERCENT, 6) % 1:
        return "delay packets by other than whole milliseconds, or lose other than a whole per cent of them"
    if quality.jitter_ms > quality.delay_ms:
        return "let the delay of a link vary by more than itself"
    return None


def filters_of(quality: LinkQuality) -> dict[str, list[Any]]:
    """The filters of the server for a quality.

    Raises:
        RequirementMissing: There is none for it.
    """
    if (lack := lack_of(quality)) is not None:
        raise RequirementMissing(f"backend gns3 cannot {lack}")
    if quality.loss >= 1:
        return dict(_ALL)
    found: dict[str, list[Any]] = {}
    if quality.delay_ms:
        found["delay"] = [round(quality.delay_ms), round(quality.jitter_ms)]
    if quality.loss:
        found["packet_loss"] = [round(quality.loss * _PERCENT)]
    return found


class Gns3Links:
    """Implements ``lab.capabilities.LinkControl``. What it cannot do raises ``RequirementMissing``.

    Args:
        server: The server.
        project: Of the lab.
        cables: By node and interface: the number of the link on the server. In a LAN each end has a link of its own.
        qualities: By number of a link: its quality in the topology.
        cut: The numbers of the links that are suspended at first.
    """

    def __init__(
        self,
        server: Server,
        project: Project,
        cables: Mapping[tuple[str, str], str],
        qualities: Mapping[str, LinkQuality],
        *,
        cut: Collection[str] = (),
    ) -> None:
        self._server = server
        self._project = project
        self._cables = cables
        self._qualities = dict(qualities)
        self._cut = set(cut)
        self._crashed: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def cut(self, node: str, interface: str) -> None:
        self._suspend(self._cable(node, interface), suspended=True)

    def restore(self, node: str, interface: str) -> None:
        self._suspend(self._cable(node, interface), suspended=False)

    def is_cut(self, node: str, interface: str) -> bool:
        return self._cable(node, interface) in self._cut

    def quality(self, node: str, interface: str) -> LinkQuality:
        return self._qualities.get(self._cable(node, interface), LinkQuality())

    def set_quality(self, node: str, interface: str, quality: LinkQuality) -> None:
        cable = self._cable(node, interface)
        filters_of(quality)
        with self._lock:
            self._qualities[cable] = quality
            self._filter(cable)

    def set_crashed(self, crashed: Collection[str]) -> None:
        """Let no frame pass on the links of these nodes, and on those of all others again.

        Raises:
            LabError: The server does not do it.
        """
        with self._lock:
            before, self._crashed = self._crashed, frozenset(crashed)
            changed = before ^ self._crashed
            for cable in dict.fromkeys(cable for (node, _), cable in self._cables.items() if node in changed):
                self._filter(cable)

    @contextlib.contextmanager
    def unplugged(self, node: str) -> Iterator[None]:
        """Let the links of a node be cut for a moment; those that are cut stay so."""
        cables = {cable for (owner, _), cable in self._cables.items() if owner == node and cable not in self._cut}
        for cable in cables:
            self._suspend(cable, suspended=True)
        try:
            yield
        finally:
            for cable in cables:
                self._suspend(cable, suspended=False)

    def flap(self, node: str, interface: str, *, down_s: float, up_s: float) -> None:
        self._cable(node, interface)
        raise _cannot("let a link flap")

    def detach(self, node: str, interface: str) -> None:
        self._cable(node, interface)
        raise _cannot("take out an interface")

    def attach(self, node: str, interface: str) -> None:
        self._cable(node, interface)

    def set_defect(self, node: str, interface: str, defect: Defect) -> None:
        self._cable(node, interface)
        if defect != Defect():
            raise _cannot("give a cable a defect")

    def _suspend(self, cable: str, *, suspended: bool) -> None:
        with self._lock:
            if (cable in self._cut) == suspended:
                return
            self._change(cable, {"suspend": suspended})
            if not suspended and self._server.is_new:
                # GNS3 3.0 forgets to tell the node's emulator; a link that is made anew has carrier
                self._server.post(f"{self._project.path}/links/{cable}/reset")
            (self._cut.add if suspended else self._cut.discard)(cable)

    def _filter(self, cable: str) -> None:
        crashed = any(node in self._crashed for (node, _), one in self._cables.items() if one == cable)
        quality = self._qualities.get(cable, LinkQuality())
        self._change(cable, {"filters": dict(_ALL) if crashed else filters_of(quality) or dict(NO_FILTER)})

    def _change(self, cable: str, change: Mapping[str, Any]) -> None:
        self._server.put(f"{self._project.path}/links/{cable}", change)

    def _cable(self, node: str, interface: str) -> str:
        try:
            return self._cables[node, interface]
        except KeyError:
            known = ", ".join(name for owner, name in self._cables if owner == node) or "no such node"
            raise LabError(f"{node} has no interface {interface!r} (known: {known})") from None


def _cannot(what: str) -> RequirementMissing:
    """Not an error of the lab: that could be taken for what an agent left."""
    return RequirementMissing(f"backend gns3 cannot {what}")
