"""The blast radius: changes that did not bring the healthy network back."""

from __future__ import annotations

from typing import Any

from pytest_netbench.scorers.blast_radius import BlastRadiusScorer
from tests.support.records import Rules, record

HEALTHY = "area 1\n link a\n  up\n cost 10\n"
FAULTY = "area 1\n link a\n  down\n cost 10\n"


def scored(final: str, *, initial: str = FAULTY, healthy: str = HEALTHY, **changes: Any):
    whole = record(
        initial_configs={"R1": initial}, final_configs={"R1": final}, healthy_configs={"R1": healthy}, **changes
    )
    return BlastRadiusScorer(dialects={"small": Rules()}).score(whole)


def test_a_repair_that_brings_the_healthy_config_back_has_none():
    found = scored(HEALTHY)
    assert (found.value, found.evidence["nodes"]) == (0.0, [])


def test_doing_nothing_has_none():
    assert scored(FAULTY).value == 0.0


def test_every_other_changed_line_counts_with_its_place():
    found = scored("area 1\n link a\n  up\n cost 20\n")
    assert found.value == 2.0
    assert found.evidence["lines"] == ["R1: - area 1 / cost 10", "R1: + area 1 / cost 20"]
    assert found.explanation == "2 lines and 0 routes changed that did not need to be on R1"


def test_the_same_line_in_another_place_is_another_line():
    assert scored("area 1\n link a\n  down\n cost 10\n up\n").evidence["lines"] == ["R1: + area 1 / up"]


def test_a_line_that_is_added_twice_but_was_needed_once_counts_once():
    assert scored("one\none\n", initial="", healthy="one\n").value == 1.0


def test_routes_count_unless_they_are_as_before_or_as_in_the_healthy_network():
    tables = {
        "healthy": {"R1": {"10.0.1.0/24": ("static", "a"), "10.0.2.0/24": ("static", "a")}},
        "initial": {"R1": {"10.0.1.0/24": ("static", "b"), "10.0.3.0/24": ("static", "a")}},
        "final": {"R1": {"10.0.1.0/24": ("static", "a"), "10.0.4.0/24": ("static", "c")}},
    }
    found = scored(HEALTHY, routes=tables)
    # 10.0.1.0/24 was brought back, 10.0.2.0/24 was gone before, 10.0.3.0/24 is not in the healthy network
    assert (found.value, found.evidence["routes"]) == (1.0, ["R1: 10.0.4.0/24 static c"])


def test_it_is_not_measured_without_the_healthy_configs():
    found = BlastRadiusScorer(dialects={"small": Rules()}).score(record())
    assert found.value is None
