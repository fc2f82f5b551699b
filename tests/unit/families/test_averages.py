"""Averages of a monitoring system, from counters on paper."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.families.diagnose.averages import INEXACT, Averages
from pytest_netbench.families.diagnose.measuring import query_telemetry_spec
from pytest_netbench.families.diagnose.store import AVERAGED, Store
from pytest_netbench.model.monitoring import MonitoredPort, Monitoring
from pytest_netbench.platforms.capabilities import InterfaceCounters

END = ("r1", "eth0")
PORTS = (
    MonitoredPort(node="r1", interface="eth0", node_label="old-1", interface_label="eth1"),
    MonitoredPort(node="r2", interface="eth0", node_label="r2", interface_label="eth0"),
)


def counted(packets: int, octets: int, wrong: int = 0) -> InterfaceCounters:
    both = {f"{way}_{what}": value for way in ("received", "sent") for what, value in (("packets", packets),)}
    sums = {f"{way}_bytes": octets for way in ("received", "sent")}
    bad = {f"{way}_{what}": wrong for way in ("received", "sent") for what in ("errors", "drops")}
    return InterfaceCounters(**both, **sums, **bad)


def polls(count: int, *, other: bool = False, lab_s_per_wall_s: float = 1.0) -> list[list[tuple[Any, ...]]]:
    """The rows of some polls of the first port, and of the other one if it answers."""
    averages = Averages(Monitoring(seed=1, every_s=60, ports=PORTS))
    made = []
    for number in range(count):
        lab_s = 60.0 * number
        assert averages.is_due(lab_s)
        ends = [END, ("r2", "eth0")] if other else [END]
        now = (lab_s / lab_s_per_wall_s, lab_s)
        made.append(list(averages.rows(now, dict.fromkeys(ends, counted(600 * number, 60_000 * number, number)))))
        assert not averages.is_due(lab_s + 59)
    return made


def test_a_row_is_of_both_directions_and_nearly_exact() -> None:
    first, *others = polls(60)
    assert not first
    rows = [row for several in others for row in several]
    assert 35 <= len(rows) < 58, "about a fifth of the polls is missing"
    for node, interface, bps, packets_per_s, errors in rows:
        assert (node, interface) == ("old-1", "eth1")
        assert 1 - INEXACT - 0.01 <= bps / 16_000 <= 1 + INEXACT + 0.01
        assert 1 - INEXACT - 0.01 <= packets_per_s / 20 <= 1 + INEXACT + 0.01
        assert errors == 4
    assert max(row[2] for row in rows) - min(row[2] for row in rows) > 0.1 * 16_000


def test_rates_are_of_the_seconds_in_which_traffic_flows() -> None:
    slow, fast = (
        [row for rows in polls(20, lab_s_per_wall_s=factor) for row in rows if row[0] == "old-1"] for factor in (1, 12)
    )
    assert [row[3] for row in fast] == pytest.approx([12 * row[3] for row in slow], rel=0.01)


def test_an_interface_that_does_not_answer_changes_no_other_row() -> None:
    alone, beside = (
        [[row for row in rows if row[0] == "old-1"] for rows in polls(20, other=one)] for one in (False, True)
    )
    assert alone == beside
    assert any(row[0] == "r2" for rows in polls(20, other=True) for row in rows)


def test_a_store_of_averages_has_no_counters_and_no_neighbors() -> None:
    store = Store(AVERAGED)
    store.add("averages", [(60.0, 60.0, "r1", "eth0", 1.0, 1.0, 0)])
    assert store.query("SELECT node FROM averages").rows == (("r1",),)
    for table in ("interfaces", "neighbors"):
        with pytest.raises(ValueError, match="no such table"):
            store.query(f"SELECT * FROM {table}")
    store.forget()
    assert not store.query("SELECT node FROM averages").rows


def test_agents_are_told_that_names_and_values_may_be_wrong() -> None:
    told = query_telemetry_spec("short", Monitoring(seed=1, every_s=60)).description
    for words in (
        "averages(",
        "60 of the devices' seconds",
        "up to 15 % off",
        "under its old name",
        "no more than one end",
    ):
        assert words in told
    assert "neighbors(" not in told
    assert "interfaces(" in query_telemetry_spec("short").description


def test_a_port_or_a_label_is_there_once() -> None:
    for twice in ("node", "node_label"):
        other = PORTS[0].model_copy(update={"node": "r3", "node_label": "r3", twice: getattr(PORTS[0], twice)})
        with pytest.raises(ValidationError, match="twice"):
            Monitoring.model_validate({"seed": 1, "ports": [PORTS[0].model_dump(), other.model_dump()]})
