"""One observation of the network for a testcase, and the view that all testcases of a round share."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from pytest_netbench.dialects.syntax import Path, syntax_of
from pytest_netbench.errors import LabError, NetbenchError
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.evaluation.stream import StreamReport
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import Devices, UnknownDevice, unknown
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult, Samples
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.model.testcase import Flow
from pytest_netbench.platforms.driver import Driver, ListsRoutes, Route

PROBE_TIMEOUT_S = 0.5
PROBE_REPETITIONS = 1
MAX_PROBE_TIMEOUT_S = 5.0

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Observation:
    """Whether the condition of a testcase holds now.

    ``final``: it never will, because the testcase is invalid. ``brief``: it does not, by a look that ended
    before all was known. ``confirmed``: what it shows was seen more than once, so that it needs no second look.
    ``measured``: the share of what was to be compared that could be measured; ``None`` is all of it.
    """

    holds: bool
    command: str = ""
    actual: str = ""
    final: bool = False
    brief: bool = False
    confirmed: bool = False
    measured: float | None = None


class WatchedWork(Protocol):
    """What was seen of flows while the agent worked."""

    @property
    def found(self) -> Mapping[str, str]:
        """By testcase of kind ``unbroken``: when its flow did not get through."""
        ...

    @property
    def looks(self) -> int:
        """How often the flows were looked at."""
        ...


class BadTestcase(Exception):
    """The testcase cannot be run on this network, now or later."""


class NotThere(Exception):
    """Something that the testcase needs (e.g. an address) is missing now, but may appear."""


Losses = Mapping[str, tuple[Probe, StreamReport] | str]
"""By testcase of kind ``loss``: what was sent and what came of it, or why nothing could be sent."""


class View:
    """The network in one round of observations; each value is read once per round.

    Args:
        lab: The running network.
        devices: Its nodes and platforms.
        losses: What streams of probes showed while the present event happened.
        reference: The recorded behaviour that the network is held to, if there is one.
        brief: What does not hold will be looked at again, so that a few differences are enough.
        unbroken: What was seen of flows while the agent worked, if somebody watched.
    """

    def __init__(
        self,
        lab: Lab,
        devices: Devices,
        *,
        losses: Losses | None = None,
        reference: Reference | None = None,
        brief: bool = False,
        unbroken: WatchedWork | None = None,
    ) -> None:
        self.losses: Losses = losses or {}
        self.unbroken = unbroken
        self.brief = brief
        self._lab = lab
        self.reference = reference
        self._devices = devices
        self._outputs: dict[tuple[str, str], str] = {}
        self._configs: dict[str, str] = {}
        self._addresses: dict[str, tuple[str, ...]] = {}

    def output(self, device: str, command: str) -> str:
        """What the device prints for a read-only command."""
        key = (device, command)
        if key not in self._outputs:
            text = self._device(device, command, lambda platform, node: platform.execute(node, command))
            self._outputs[key] = text.replace("\r\n", "\n")
        return self._outputs[key]

    def running_config(self, device: str) -> str:
        """The running config of the device."""
        if device not in self._configs:
            what = "reading its running config"
            self._configs[device] = self._device(device, what, lambda platform, node: platform.running_config(node))
        return self._configs[device]

    def config_paths(self, device: str) -> Sequence[Path]:
        """The lines of the running config of the device, each with the lines above it."""
        return syntax_of(self._devices.driver(device).dialect).paths(self.running_config(device))

    def routes(self, device: str, prefix: str) -> list[Route]:
        """Installed routes of the device to exactly ``prefix``."""
        what = f"reading its routes to {prefix}"
        return self._device(device, what, lambda platform, node: platform.routes(node, prefix))

    def table(self, device: str) -> list[Route] | None:
        """All installed routes of the device; ``None`` if its driver does not list them."""

        def read(platform: Driver[Any], node: LabNode) -> list[Route] | None:
            return platform.table(node) if isinstance(platform, ListsRoutes) else None

        return self._device(device, "reading its routes", read)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of all nodes, in topology order."""
        return self._devices.names

    def node(self, name: str) -> str:
        """``name`` if there is such a node.

        Raises:
            BadTestcase: There is none.
        """
        if name not in self._devices.names:
            raise BadTestcase(unknown("node", name, self._devices.names))
        return name

    def addresses(self, node: str) -> tuple[str, ...]:
        """Addresses of the node that others can use."""
        if node not in self._addresses:
            self._addresses[node] = self._probing("reading addresses", lambda: self._lab.prober.addresses(node))
        return self._addresses[node]

    def owner(self, address: str, *, among: Sequence[str] = ()) -> str | None:
        """The node that has ``address``, of all or of those given."""
        return next(iter(self.owners(address, among=among)), None)

    def owners(self, address: str, *, among: Sequence[str] = ()) -> tuple[str, ...]:
        """The nodes that have ``address``, of all or of those given."""
        wanted = ipaddress.ip_address(address)
        return tuple(
            node
            for node in among or self._devices.names
            if any(ipaddress.ip_address(one) == wanted for one in self.addresses(node))
        )

    def address(self, target: str, *, version: int | None = None) -> str:
        """``target`` itself if it is an address, else the first address of the node (IPv4 unless ``version`` is 6).

        Raises:
            BadTestcase: It is neither a node nor an address.
            NotThere: The node has no such address now.
        """
        if target not in self._devices.names:
            if not is_address(target):
                raise BadTestcase(f"{unknown('node', target, self._devices.names)} It is not an address either.")
            return target
        candidates = self.addresses(target)
        wanted = [one for one in candidates if ipaddress.ip_address(one).version == (version or 4)]
        if not wanted and version is None:
            wanted = list(candidates)
        if not wanted:
            raise NotThere(f"{target} has no {f'IPv{version} ' if version else ''}address")
        return wanted[0]

    def source(self, node: str, source_address: str | None) -> int | None:
        """The IP version that ``source_address`` asks for; ``None`` if it is not given.

        Raises:
            BadTestcase: There is no such node, or it is not an address.
            NotThere: The node does not have it now, so nothing can be sent from it.
        """
        self.node(node)
        version = version_of(source_address)
        if source_address is not None and self.owner(source_address, among=(node,)) is None:
            raise NotThere(f"{node} does not have the source address {source_address}")
        return version

    @cached_property
    def samples(self) -> Samples | None:
        """The prober, if it measures only a sample of what may be asked."""
        prober = self._lab.prober
        return prober if isinstance(prober, Samples) else None

    @cached_property
    def probe_timeout_s(self) -> float:
        """How long each packet of a probe waits.

        All packets of a probe together wait longer than the links of the topology delay a packet in both directions. A
        late answer to the first packet counts as long as the last one waits.
        """
        return min(MAX_PROBE_TIMEOUT_S, PROBE_TIMEOUT_S + self.delay_s) / (1 + PROBE_REPETITIONS)

    @cached_property
    def delay_s(self) -> float:
        """By how much the links of the topology delay a packet in both directions together."""
        return sum(2 * (link.quality.delay_ms + link.quality.jitter_ms) / 1000 for link in self._lab.topology.links)

    @cached_property
    def is_slow(self) -> bool:
        """Whether links of the topology have a rate or lose packets, so that many packets at once are lost."""
        return any(link.quality.rate_bps is not None or link.quality.loss > 0 for link in self._lab.topology.links)

    def probe(self, probes: Sequence[Probe]) -> list[ProbeResult]:
        """Try probes side by side, and those without an answer once more.

        A probe from a port on which its node listens for another probe is tried after the others: two sockets cannot
        have the port. So is a segment that would belong to the session of a TCP probe.
        """
        listening = {(one.listen_on, one.protocol, one.listen_port or one.port) for one in probes}
        sessions = {(one.source, one.source_port, one.target, one.port) for one in probes if one.protocol == "tcp"}
        later = [
            index
            for index, one in enumerate(probes)
            if one.source_port is not None
            and (
                (one.source, one.protocol, one.source_port) in listening
                or (one.protocol == "segment" and (one.source, one.source_port, one.target, one.port) in sessions)
            )
        ]
        now = [index for index in range(len(probes)) if index not in later]
        found: dict[int, ProbeResult] = {}
        for part in (now, later):
            found.update(zip(part, self._probe([probes[index] for index in part]), strict=True))
        return [found[index] for index in range(len(probes))]

    def _probe(self, probes: Sequence[Probe]) -> list[ProbeResult]:
        if not probes:
            return []
        return self._probing("probing", lambda: self._lab.prober.probe(probes, repetitions=PROBE_REPETITIONS))

    def path(self, source: str, target: str, *, max_hops: int) -> list[Hop]:
        """Hops from a node to an address."""
        return self._probing("tracing a path", lambda: self._lab.prober.path(source, target, max_hops=max_hops))

    def traffic(
        self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        """Run all flows at once."""
        prober = self._lab.prober
        return self._probing(
            "sending traffic", lambda: prober.traffic(flows, targets, duration_s=duration_s, warmup_s=warmup_s)
        )

    def _device(self, device: str, what: str, question: Callable[[Driver[Any], LabNode], T]) -> T:
        try:
            return self._devices.ask(device, what, question)
        except UnknownDevice as error:
            raise BadTestcase(str(error)) from None
        except LabError as error:
            if not agent_may_have_caused(error, self._devices.node(device)):
                raise
            raise NotThere(f"{device} does not answer {what}: {error}") from error

    def _probing(self, what: str, question: Callable[[], T]) -> T:
        try:
            return question()
        except LabError as error:
            if not agent_may_have_caused(error, *self._lab.nodes.values()):
                raise
            raise NotThere(f"{what} failed: {error}") from error
        except NetbenchError:
            raise
        except Exception as error:
            raise LabError(f"the prober failed at {what}: {error!r}") from error


def is_address(text: str) -> bool:
    """Whether ``text`` is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def version_of(address: str | None) -> int | None:
    """4 or 6, or ``None`` for no address.

    Raises:
        BadTestcase: It is not an address.
    """
    if address is None:
        return None
    if not is_address(address):
        raise BadTestcase(f"{address!r} is not an address")
    return ipaddress.ip_address(address).version
