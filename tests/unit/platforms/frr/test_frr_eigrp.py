"""Session ends of EIGRP, on answers of FRR 8.4.4."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from pytest_netbench.lab.matching import absences, pairs
from pytest_netbench.platforms.frr import eigrp

INTERFACES = """
EIGRP interfaces for AS(1)

Interface        Bandwidth  Delay     Peers  Xmit Queue   Mean    Pacing Time    Multicast    Pending  Hello    Holdtime
                                              Un/Reliable  SRTT    Un/Reliable    Flow Timer   Routes
eth0             100000     10         1      0 / 0         0       0              0            0       5        15
eth1             100000     10         0      0 / 0         0       0              0            0       5        15
"""
NEIGHBOR = """
EIGRP neighbors for AS(1)

H   Address           Interface            Hold   Uptime   SRTT   RTO   Q     Seq
                                           (sec)           (ms)        Cnt    Num
0   10.0.12.2         eth0                 10     0        0      2    {queued}      2
"""
CONFIG = "interface eth0\nexit\nrouter eigrp 1\n passive-interface eth1\n network 10.0.0.0/8\nexit\n"
WHERE = {"eth0": (ip_interface("10.0.12.1/30"),), "eth1": (ip_interface("10.1.0.1/24"),)}


NEIGHBORS = NEIGHBOR.format(queued=0)


def phrases(neighbors=NEIGHBORS, config=CONFIG, **words):
    ends = eigrp.ends("R1", INTERFACES, neighbors, WHERE, config)
    other = {"asn": "1", "weights": "", "secret": "", **words}
    far = eigrp.end("R2", "gi0-0", (ip_interface("10.0.12.2/30"),), [("10.0.12.1", 0)], **other)
    return [absence.phrase for _, absence in absences(pairs([*ends, far], {}))]


def test_an_interface_that_is_passive_has_no_end():
    assert [end.interface for end in eigrp.ends("R1", INTERFACES, "", WHERE, CONFIG)] == ["eth0"]


def test_a_neighbor_that_is_up_with_nothing_queued_is_not_missed():
    assert phrases() == []
    assert phrases(NEIGHBOR.format(queued=2)) == ["R1: EIGRP neighbor 10.0.12.2 has 2 packets queued"]
    assert phrases("") == ["R1: EIGRP neighbor R2 on eth0 is not there yet"]


@pytest.mark.parametrize("words", [{"asn": "2"}, {"weights": "metric weights 0 1 1 1 0 0"}, {"secret": "x"}])
def test_ends_that_do_not_match_are_not_waited_for(words):
    assert phrases("", **words) == []
