"""Cables that are sound at one moment and not at another one: under load, or in a part of each period."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_netbench.errors import MachineTooBusy
from pytest_netbench.faults.cables import RoutedCable
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.impairments import EVIDENT_BPS, rate, worse
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import Flow

BUSY_BPS: Final = 5_000_000
"""More than most cables carry of the demands."""
BUSY_LOSS: Final = 0.6
LINE_BPS: Final = 6_000_000
QUEUE_BYTES: Final = 400_000
"""Half a second of the line."""
DARK_MS: Final = 1000
PERIOD_MS: Final = 3000
"""Wall milliseconds. Routing protocols bear so long a time in lab time, too."""
HEAVY_BPS: Final = 10_000_000
"""The most that an agent can send."""
_LIGHT_BPS: Final = 200_000
_PORT: Final = 33_530
_LIGHT_S, _HEAVY_S, _LOOKS_S = 0.4, 0.8, 0.2
_EVIDENT_S: Final = 1.5
_SENDINGS: Final = 8
"""So often traffic is sent again that a busy machine could not send at its rate."""
_LOOKS: Final = 24
"""Series of pings in more than a period."""
_PAUSE_TRIES: Final = 12
_BURST: Final = r'"received_bps": [3-5]\d{6}\.'
_LATE: Final = r'"received_bps": [4-9]\d{6}\.\d+(?s:.*)"mean_delay_ms": (?:[6-9]\d|\d{3,})\.'
_PROMPT: Final = r'"mean_delay_ms": [1-3]?\d\.'
_ALL: Final = r'"received_bps": (?:1[89]\d{4}|2\d{5})\.'
_MOST: Final = r'"received_bps": (?:[89]\d{5}|1\d{6})\.'
_NOTHING: Final = r'"received_packets": 0\b'


def _sent(lab: Lab, p: RoutedCable, rate_bps: int, duration_s: float) -> tuple[float, float]:
    """Share of the packets that arrive at the other end of a cable, and their mean delay in milliseconds.

    Raises:
        MachineTooBusy: They could not be sent at this rate, several times.
    """
    fields = {"from": p.node, "to": p.peer_node, "port": _PORT, "rate_bps": rate_bps, "packet_bytes": 1000}
    for _ in range(_SENDINGS):
        (report,) = lab.prober.traffic([Flow.model_validate(fields)], [p.peer_address], duration_s=duration_s)
        if report.is_as_asked(rate_bps):
            return report.received_packets / max(1, report.sent_packets), report.mean_delay_ms or 0.0
    raise MachineTooBusy(rate_bps, report.offered_bps)


def _not_lossy_when_busy(lab: Lab, p: RoutedCable) -> Iterator[str]:
    light, _ = _sent(lab, p, _LIGHT_BPS, _LIGHT_S)
    heavy, delay_ms = _sent(lab, p, HEAVY_BPS, _HEAVY_S)
    if light < 0.8 or not 0.2 < heavy < 0.7:
        yield f"{p.way}: {light:.0%} arrive at a low rate, {heavy:.0%} at a high one after {delay_ms:.0f} ms"


def _busy(network: Observable, p: RoutedCable) -> Iterator[Observation]:
    hosts = network.across(p.node, p.peer_node)
    loses, sound = "Of 10 Mbit/s from {} to {}, about half is lost.", "At a low rate all from {} arrives at {}."
    yield from rate(hosts, HEAVY_BPS, _BURST, loses, tries=3, duration_s=_EVIDENT_S)
    yield from rate(hosts, _LIGHT_BPS, _ALL, sound, tries=3, duration_s=_EVIDENT_S)


LINK_LOSSY_WHEN_BUSY = worse(
    "link-lossy-when-busy",
    Defect(busy_bps=BUSY_BPS, busy_loss=BUSY_LOSS),
    about="A cable loses more than half of the packets while it carries more than 5 Mbit/s, and none below.",
    label="BUSY",
    check=_not_lossy_when_busy,
    pings=None,
    rates=_busy,
)


def _not_late_when_busy(lab: Lab, p: RoutedCable) -> Iterator[str]:
    share, delay_ms = _sent(lab, p, HEAVY_BPS, _HEAVY_S)
    if share < 0.3 or delay_ms < 60:
        yield f"{p.way}: {share:.0%} arrive at a high rate, after {delay_ms:.0f} ms"


def _bloated(network: Observable, p: RoutedCable) -> Iterator[Observation]:
    hosts = network.across(p.node, p.peer_node)
    late, prompt = (
        "Of 10 Mbit/s from {} to {}, more than 4 arrive, and late.",
        "At a low rate packets from {} reach {} in time.",
    )
    yield from rate(hosts, HEAVY_BPS, _LATE, late, tries=3, duration_s=_EVIDENT_S)
    yield from rate(hosts, _LIGHT_BPS, _PROMPT, prompt, tries=6)


LINK_QUEUE_LONG = worse(
    "link-queue-long",
    Defect(line_bps=LINE_BPS, queue_bytes=QUEUE_BYTES),
    about="A cable carries 6 Mbit/s, and packets of half a second wait before it: under load all are late.",
    label="BLOAT",
    check=_not_late_when_busy,
    pings=None,
    rates=_bloated,
)


def _steady(lab: Lab, p: RoutedCable) -> Iterator[str]:
    """Look for more than a period: some looks find nothing lost, and some all."""
    echo = Probe(source=p.node, target=p.peer_address, timeout_s=_LOOKS_S, repetitions=0)
    seen = set()
    for _ in range(_LOOKS):
        seen.add(_sent(lab, p, _LIGHT_BPS, _LOOKS_S)[0] > 0 and lab.prober.probe([echo])[0].delivered)
        if len(seen) == 2:
            return
    yield f"{p.way}: {'each' if seen == {True} else 'no'} look finds it in order"


def _dark(network: Observable, p: RoutedCable) -> Iterator[Observation]:
    hosts = network.across(p.node, p.peer_node)
    options: dict[str, Any] = {"tries": _PAUSE_TRIES, "duration_s": _LOOKS_S}
    yield from rate(hosts, EVIDENT_BPS, _NOTHING, "For moments nothing from {} arrives at {}.", **options)
    yield from rate(hosts, EVIDENT_BPS, _MOST, "At other moments all from {} arrives at {}.", **options)


LINK_DARK_AT_TIMES = worse(
    "link-dark-at-times",
    Defect(dark_ms=DARK_MS, period_ms=PERIOD_MS),
    about="A cable loses everything for a second, carries everything for two, and so on; its ends keep carrier.",
    label="DARK",
    check=_steady,
    pings=("some pings lost", "loses all packets for moments"),
    rates=_dark,
)
