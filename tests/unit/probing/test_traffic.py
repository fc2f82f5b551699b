"""Traffic of the prober, over loopback: what is counted, and whether the sender ran in time."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from pytest_netbench.probing.traffic import Traffic


class Loopback:
    """Makes sockets of this machine, as the prober makes those of nodes. One receiver may be slow."""

    def __init__(self, *, asleep_s: float = 0.0) -> None:
        self._asleep_s = asleep_s

    def open(self, node: str, protocol: str, version: int) -> socket.socket:
        assert (protocol, version) == ("udp", 4)
        made = _Slow(self._asleep_s) if node == "h2" else socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setblocking(False)
        return made


class _Slow(socket.socket):
    """Sleeps once, when the first packet has arrived."""

    def __init__(self, asleep_s: float) -> None:
        super().__init__(socket.AF_INET, socket.SOCK_DGRAM)
        self._asleep_s = asleep_s

    def recvmsg(self, *args: Any) -> Any:
        asleep_s, self._asleep_s = self._asleep_s, 0.0
        time.sleep(asleep_s)
        return super().recvmsg(*args)


def report(*, asleep_s: float = 0.0, **given: Any) -> dict[str, Any]:
    flow = {
        "source": "h1",
        "target": "h2",
        "protocol": "udp",
        "port": 20_999,
        "rate_bps": 800_000,
        "packet_bytes": 1000,
        "dscp": 0,
        "source_address": None,
        **given,
    }
    (found,) = Traffic(
        Loopback(asleep_s=asleep_s),  # type: ignore[arg-type]  # it makes sockets as the original does
        {"duration_s": 0.4, "flows": [flow], "targets": ["127.0.0.1"]},
    ).run()
    return found


def test_what_is_offered_arrives() -> None:
    found = report()
    assert 10 < found["sent_packets"] <= 31, "100 packets a second, of which a busy machine sends fewer"
    assert found["received_packets"] == pytest.approx(found["sent_packets"], abs=3)


def test_bursts_have_the_rate_of_packets_one_by_one() -> None:
    found = report(burst_packets=10)
    assert found["sent_packets"] in (20, 30, 40), "whole bursts of 10"
    assert found["received_packets"] == pytest.approx(found["sent_packets"], abs=10)


def test_a_sender_that_could_not_run_says_for_how_long() -> None:
    assert report(asleep_s=0.25)["stalled_s"] == pytest.approx(0.25, abs=0.15)
    assert min(report()["stalled_s"] for _ in range(5)) < 0.1


def test_what_a_held_up_receiver_reads_late_has_come_in_time() -> None:
    found = report(asleep_s=0.15)
    assert found["received_packets"] == pytest.approx(found["sent_packets"], abs=3)
    assert found["mean_delay_ms"] < 5, "the first packet was read 150 ms after it had come"
