"""Probes that are typed on the consoles of nodes."""

from __future__ import annotations

import ipaddress
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.lab.shells.consoles import Accepted, Console, Heard, Listeners, Port
from pytest_netbench.model.testcase import Flow
from pytest_netbench.randomness import seeded

_THREADS = 16
_PROBES_PER_S = 4.0
_LISTENED = ("tcp", "udp")
_PORTS = (20_000, 30_000)
_SETTLE_S = 0.1
_ANSWERS = {"icmp": "echo reply", "udp": "answered", "tcp": "answered"}


class ConsoleProber:
    """Implements ``lab.probing.Prober`` and ``lab.probing.Samples``.

    What a sender hears and a listener accepts is measured. Whether a packet arrives that nobody listens for is not: an
    echo counts as accepted by the node that has its target address.

    Args:
        consoles: By name, the nodes that can be told to send.
    """

    probes_per_s = _PROBES_PER_S

    def __init__(self, consoles: Mapping[str, Console]) -> None:
        self._consoles = consoles

    def beyond(self, probe: Probe) -> str | None:
        """Why a probe cannot be measured at all, in a phrase; ``None`` if it can."""
        if probe.source not in self._consoles:
            return f"{probe.source} has no console that sends probes"
        phrases = (
            (probe.protocol not in _ANSWERS, f"packets of {probe.protocol} cannot be typed on a console"),
            (probe.stand_in is not None, "a console cannot take packets to an address that nobody has"),
            (bool(probe.follow), "a console does not see what passes a node"),
            (
                bool(probe.dscp) and not (probe.protocol == "udp" and probe.listen_on),
                "the marking is seen on arrival only of datagrams to a listener",
            ),
        )
        found = next((phrase for applies, phrase in phrases if applies), None)
        return found or self._unheard(probe) or self._consoles[probe.source].lacks(probe)

    def _unheard(self, probe: Probe) -> str | None:
        if probe.listen_on is not None:
            if probe.listen_on not in self._consoles:
                return f"{probe.listen_on} has no console on which something could listen"
            if (why := self._consoles[probe.listen_on].cannot_listen(probe)) is not None:
                return why
        others = set(probe.arrives_at) - {probe.listen_on}
        if probe.arrives_at and probe.listen_on not in probe.arrives_at and others:
            owners = [name for name in sorted(others) if name in self._consoles]
            if not any(probe.target in self.addresses(name) for name in owners):
                return f"no console of {' or '.join(sorted(others))} has {probe.target}, to tell whether it arrives"
        return None

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        """Try all probes; results in order. Those of one node go one after the other, or in small groups.

        Raises:
            RequirementMissing: One of them cannot be measured, see ``beyond``.
            LabError: A node does not answer.
        """
        for one in probes:
            if (why := self.beyond(one)) is not None:
                raise RequirementMissing(f"a probe from {one.source} to {one.target} cannot be measured: {why}")
        draw = seeded(seed)
        given = [_with_port(one, draw) for one in probes]
        tries = [1 + (repetitions if one.repetitions is None else one.repetitions) for one in given]
        with ExitStack() as stack:
            listeners = self._listening(given, stack)
            heard = self._sent(given, tries)
            if listeners:
                time.sleep(_SETTLE_S)  # what is on its way has to come, and nothing tells that it has
            accepted = {node: one.accepted() for node, one in listeners.items()}
            return [_result(one, got, *_at(one, listeners, accepted)) for one, got in zip(given, heard, strict=True)]

    def _listening(self, probes: Sequence[Probe], stack: ExitStack) -> dict[str, Listeners]:
        """By node: what listens for probes. All of a node is one program, since each takes a while to start."""
        wanted: dict[str, dict[Port, None]] = {}
        for one in probes:
            if (place := _listener(one)) is not None:
                wanted.setdefault(place[0], {})[place[1]] = None
        if not wanted:
            return {}
        found: dict[str, Listeners] = {}

        def listen(node: str) -> None:
            found[node] = self._consoles[node].listen(tuple(wanted[node]))

        pool = stack.enter_context(_pool(len(wanted)))
        stack.callback(lambda: list(pool.map(lambda one: one.close(), found.values())))
        list(pool.map(listen, wanted))
        return found

    def _sent(self, probes: Sequence[Probe], tries: Sequence[int]) -> list[Heard]:
        places: dict[str, list[int]] = {}
        for place, one in enumerate(probes):
            places.setdefault(one.source, []).append(place)

        def send(source: str) -> Iterable[tuple[int, Heard]]:
            own = places[source]
            got = self._consoles[source].send([probes[place] for place in own], [tries[place] for place in own])
            return zip(own, got, strict=True)

        if not places:
            return []
        with _pool(len(places)) as pool:
            found = dict(pair for pairs in pool.map(send, places) for pair in pairs)
        return [found[place] for place in range(len(probes))]

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        """Hops from ``source`` to the address ``target``, the target last if it answered.

        Raises:
            RequirementMissing: The node has no console, or no program for it.
        """
        return self._console(source).path(target, max_hops=max_hops, timeout_s=timeout_s)

    def traffic(
        self,
        flows: Sequence[Flow],
        targets: Sequence[str],  # of the protocol
        *,
        duration_s: float,
        warmup_s: float | None = None,
    ) -> list[FlowReport]:
        """Nothing: rates are not measured by consoles.

        Raises:
            RequirementMissing: Always, if there are flows.
        """
        if flows:
            raise RequirementMissing("rates of traffic are not measured by consoles")
        return []

    def addresses(self, node: str) -> tuple[str, ...]:
        """Addresses of ``node`` that others can use.

        Raises:
            RequirementMissing: The node has no console.
        """
        return self._console(node).addresses()

    def _console(self, node: str) -> Console:
        if node not in self._consoles:
            raise RequirementMissing(f"{node} has no console that sends probes")
        return self._consoles[node]


def _with_port(probe: Probe, draw: random.Random) -> Probe:
    if probe.protocol not in _LISTENED or probe.port is not None:
        return probe
    return replace(probe, port=draw.randrange(*_PORTS))


def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=min(_THREADS, size), thread_name_prefix="netbench-probe")


def _listener(probe: Probe) -> tuple[str, Port] | None:
    if probe.listen_on is None or probe.protocol not in _LISTENED:
        return None
    number = probe.listen_port or probe.port
    if number is None:
        raise LabError(f"a probe to {probe.target} has no port to listen on")
    return probe.listen_on, Port(probe.protocol, ipaddress.ip_address(probe.target).version, number)


def _at(
    probe: Probe,
    listeners: Mapping[str, Listeners],
    accepted: Mapping[str, Mapping[Port, Mapping[str, Accepted]]],
) -> tuple[Mapping[str, Accepted], bool]:
    """What was accepted where a probe should arrive, and whether we listened there."""
    place = _listener(probe)
    if place is None:
        return {}, False
    node, port = place
    return accepted[node].get(port, {}), port not in listeners[node].occupied


def _result(probe: Probe, heard: Heard, accepted: Mapping[str, Accepted], is_heard: bool) -> ProbeResult:
    arrival = accepted.get(heard.token) if heard.token else None
    answered = heard.answer_ms is not None
    delivered = answered and (arrival is not None or not is_heard)
    silence = f"no answer in {probe.timeout_s * heard.tries:g} s ({heard.tries} tries)"
    if delivered:
        detail = f"{_ANSWERS[probe.protocol]} after {heard.answer_ms:.1f} ms"
    elif answered:
        detail = f"answered in place of {probe.listen_on}, which did not accept it"
    else:
        detail = heard.complaint or (silence if arrival is None else f"{silence}, but {probe.listen_on} accepted it")
    return ProbeResult(
        delivered=delivered,
        detail=detail,
        received_dscp=getattr(arrival, "dscp", None),
        seen_source=getattr(arrival, "source", None),
        sent=heard.sent,
        arrived=arrival is not None if is_heard else None,
        answered=answered,
        arrived_at=probe.listen_on if arrival is not None else None,
        round_trip_ms=heard.answer_ms,
    )
