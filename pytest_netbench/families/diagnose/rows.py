"""Measured traffic as rows of telemetry. Pure."""

from __future__ import annotations

from typing import Any

from pytest_netbench.lab.probing import FlowReport
from pytest_netbench.model.demand import Demand


def lost(report: FlowReport, *, excused: int = 0) -> float:
    """Share of the packets that did not arrive, without some that are excused."""
    if not report.sent_packets:
        return 1.0
    return max(0, report.sent_packets - report.received_packets - excused) / report.sent_packets


def flow_row(demand: Demand, report: FlowReport) -> tuple[Any, ...]:
    """A row of the table ``flows`` without its moment."""
    loss, delay_ms = round(lost(report), 4), report.mean_delay_ms
    return (
        demand.source,
        demand.target,
        demand.port,
        round(report.offered_bps),
        round(report.received_bps),
        loss,
        None if delay_ms is None else round(delay_ms, 2),
        round(report.stalled_s * 1000),
    )
