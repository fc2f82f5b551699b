"""Qualities of links as filters of a GNS3 server."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.gns3.links import filters_of
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.model.topology import LinkQuality


@pytest.mark.parametrize(
    ("quality", "filters"),
    [
        (LinkQuality(), {}),
        (LinkQuality(delay_ms=50, jitter_ms=5), {"delay": [50, 5]}),
        (LinkQuality(loss=0.07), {"packet_loss": [7]}),
        (LinkQuality(delay_ms=1, loss=0.29), {"delay": [1, 0], "packet_loss": [29]}),
        (LinkQuality(loss=1, delay_ms=9), {"frequency_drop": [-1]}),
    ],
)
def test_a_quality_becomes_filters(quality: LinkQuality, filters: dict[str, list[int]]) -> None:
    assert filters_of(quality) == filters


@pytest.mark.parametrize(
    ("quality", "what"),
    [
        (LinkQuality(rate_bps=1000), "limit the rate"),
        (LinkQuality(delay_ms=0.5), "other than whole milliseconds"),
        (LinkQuality(loss=0.005), "other than a whole per cent"),
        (LinkQuality(delay_ms=1, jitter_ms=2), "vary by more than itself"),
    ],
)
def test_what_no_filter_does_is_said(quality: LinkQuality, what: str) -> None:
    with pytest.raises(RequirementMissing, match=f"backend gns3 cannot .*{what}"):
        filters_of(quality)
