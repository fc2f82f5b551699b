"""Packet captures of nodes."""

from __future__ import annotations

import struct
import subprocess
import time
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import CAPTURES

EVERYTHING = struct.pack("=HBBI", 6, 0, 0, 0xFFFF)
NOTHING = struct.pack("=HBBI", 6, 0, 0, 0)


def read(pcap: bytes) -> list[str]:
    done = subprocess.run(["tcpdump", "-nn", "-e", "-r", "-"], input=pcap, capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def captured(lab: Any, **changes: Any) -> bytes:
    wanted = {"program": EVERYTHING, "packets": 8, "duration_s": 0.5, **changes}
    return lab.nodes["a"].capability(CAPTURES).capture(wanted.pop("interface", "eth0"), **wanted)


@pytest.fixture
def pinged(lab: Any) -> Any:
    """The lab while a pings b ten times a second."""
    node = lab.nodes["a"]
    node.start(["ping", "-q", "-i", "0.1", "10.0.0.2"], lab_time=False)
    yield lab
    node.run(["pkill", "ping"])


def test_it_ends_with_the_packets_or_with_the_time(pinged: Any) -> None:
    assert len(read(captured(pinged, packets=4, duration_s=5.0))) == 4
    began = time.monotonic()
    assert 1 < len(read(captured(pinged, packets=1000))) < 40
    assert 0.5 <= time.monotonic() - began < 3


def test_a_filter_chooses_and_long_packets_are_cut_off(pinged: Any) -> None:
    assert read(captured(pinged, program=NOTHING)) == []
    whole, short = captured(pinged, packets=1, duration_s=5.0), captured(pinged, packets=1, duration_s=5.0, snapped=34)
    assert len(whole) > len(short) == 24 + 16 + 34


def test_what_is_not_there_cannot_be_captured(lab: Any) -> None:
    with pytest.raises(LabError, match="a has no interface 'eth7'"):
        captured(lab, interface="eth7")
    with pytest.raises(LabError, match="Invalid argument"):
        captured(lab, program=struct.pack("=HBBI", 0x15, 200, 200, 0))
