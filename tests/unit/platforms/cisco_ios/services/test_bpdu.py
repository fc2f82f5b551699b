"""Spanning tree BPDUs: packing and unpacking, also compared with tcpdump."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree import bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu
from tests.support.wiretap import decoded

SOURCE = bytes.fromhex("aabbcc000102")
UNIT = Bpdu(
    root=(4096 + 10) << 48 | 0xAABBCC000001,
    cost=4,
    bridge=(32768 + 10) << 48 | 0xAABBCC000002,
    port=0x8003,
    proposal=True,
    learning=True,
    topology_change=True,
    message_age=1,
)

units = st.builds(
    Bpdu,
    root=st.integers(0, 2**64 - 1),
    cost=st.integers(0, 2**32 - 1),
    bridge=st.integers(0, 2**64 - 1),
    port=st.integers(0, 2**16 - 1),
    role=st.sampled_from([bpdu.DESIGNATED, bpdu.ROOT, bpdu.ALTERNATE]),
    **dict.fromkeys(
        ("topology_change", "acknowledged", "proposal", "agreement", "learning", "forwarding"), st.booleans()
    ),
    message_age=st.integers(0, 20).map(float),
)


@given(units)
def test_a_rapid_unit_is_read_back(unit):
    assert Bpdu.unpack(unit.pack()) == unit


@given(units, st.integers(1, 4094))
def test_frames_of_both_kinds_carry_the_unit(unit, vlan):
    assert bpdu.parse(bpdu.ieee_frame(SOURCE, unit)) == (False, unit)
    assert bpdu.parse(bpdu.cisco_frame(SOURCE, unit, vlan)) == (True, replace(unit, vlan=vlan))


@given(st.binary(max_size=80))
def test_noise_is_no_unit(data):
    assert bpdu.parse(data) is None
    bpdu.parse(bpdu.IEEE_GROUP + SOURCE + len(data).to_bytes(2, "big") + bytes.fromhex("424203") + data)


def test_a_classic_unit_says_less():
    classic = replace(UNIT, version=bpdu.STP, kind=bpdu.CONFIG)
    read = Bpdu.unpack(classic.pack())
    assert read is not None
    assert (read.role, read.proposal, read.learning, read.topology_change) == (bpdu.DESIGNATED, False, False, True)
    assert Bpdu.unpack(Bpdu(version=bpdu.STP, kind=bpdu.TCN).pack()) == Bpdu(version=bpdu.STP, kind=bpdu.TCN)


@pytest.mark.skipif(shutil.which("tcpdump") is None, reason="no tcpdump; apt-get install tcpdump")
def test_tcpdump_reads_what_is_sent():
    text = decoded([bpdu.ieee_frame(SOURCE, UNIT)])
    assert (
        "STP 802.1w, Rapid STP, Flags [Topology change, Proposal, Learn], bridge-id 800a.aa:bb:cc:00:00:02.8003" in text
    )
    assert "root-id 100a.aa:bb:cc:00:00:01, root-pathcost 4, port-role Designated" in text
    text = decoded([bpdu.cisco_frame(SOURCE, replace(UNIT, version=bpdu.STP, kind=bpdu.CONFIG), 10)])
    assert "PVST" in text
    assert "root-id 100a.aa:bb:cc:00:00:01" in text
