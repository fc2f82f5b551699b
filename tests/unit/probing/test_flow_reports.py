from __future__ import annotations

import pytest

from pytest_netbench.probing.records import FlowReport


@pytest.mark.parametrize(
    ("offered_bps", "sent", "stalled_s", "is_as_asked"),
    [
        (10e6, 1000, 0.0, True),
        (8e6, 800, 0.1, True),
        (7e6, 700, 0.0, False),
        (10e6, 1000, 0.3, False),
        (7.5e6, 3, 0.0, True),
        (0.0, 0, 0.0, False),
    ],
)
def test_a_rate_that_was_not_sent_is_told_from_one_that_was(offered_bps, sent, stalled_s, is_as_asked):
    report = FlowReport(
        offered_bps=offered_bps, received_bps=0.0, sent_packets=sent, received_packets=0, stalled_s=stalled_s
    )
    assert report.is_as_asked(10e6) is is_as_asked
