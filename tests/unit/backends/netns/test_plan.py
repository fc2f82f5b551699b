"""What the supervisor is told to build."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.backends.netns import plan
from pytest_netbench.errors import LabError
from pytest_netbench.lab.request import request_of
from tests.support.netns_networks import network, pair

DRIVERS = {"linux": parts.load("drivers", "linux")()}


def specified(task: Any) -> dict[str, Any]:
    return plan.specification(request_of(task), DRIVERS, time_scale=4.0)


def test_a_plain_cable_has_no_wire() -> None:
    spec = specified(pair())
    assert spec["nodes"] == [{"name": "a", "interfaces": ["eth0"]}, {"name": "b", "interfaces": ["eth0"]}]
    assert spec["links"] == [{"endpoints": [["a", "eth0"], ["b", "eth0"]], "wire": None}]
    assert "wire" in spec["shared"]  # the link may be shaped while the lab runs
    assert spec["time_scale"] == 4.0


def test_quality_becomes_the_arguments_of_the_wire() -> None:
    spec = specified(pair({"delay_ms": 2.5, "jitter_ms": 1, "loss": 0.01, "rate_bps": 2_000_000}))
    assert spec["links"][0]["wire"] == [
        "--delay-us",
        "2500",
        "--jitter-us",
        "1000",
        "--loss-ppm",
        "10000",
        "--rate-bps",
        "2000000",
        "--queue-bytes",
        "30000",
    ]
    assert spec["shared"]["wire"].endswith("wire") or "wire" in spec["shared"]["wire"]


def test_each_port_of_a_segment_does_half() -> None:
    """A packet passes two ports: two halves of the delay, and two losses that make the one asked for."""
    task = network(dict.fromkeys("abc", "linux"), [("a eth0 - b eth0 - c eth0", {"delay_ms": 10, "loss": 0.19})], {})
    assert specified(task)["links"][0]["wire"] == ["--delay-us", "5000", "--loss-ppm", "100000"]


def test_a_fast_link_has_a_queue_of_fifty_milliseconds() -> None:
    wire = specified(pair({"rate_bps": 100_000_000}))["links"][0]["wire"]
    assert wire[-2:] == ["--queue-bytes", "625000"]


def test_every_lab_has_the_program_that_switches() -> None:
    assert specified(pair())["shared"]["switch"].endswith("/switch")


def test_an_interface_that_the_platform_cannot_have_names_its_node() -> None:
    with pytest.raises(LabError, match=r"^a: "):
        specified(network({"a": "linux", "b": "linux"}, ["a no/such - b eth0"], {}))


def test_what_lies_below_usr_and_is_ours_is_hidden() -> None:
    assert "/usr/src" in plan.hidden_directories()
    assert all(path.startswith("/usr/") for path in plan.hidden_directories())


def test_labs_of_one_run_have_a_uid_that_no_account_has() -> None:
    assert 0x70000000 <= specified(pair())["uid"] < 0x80000000
