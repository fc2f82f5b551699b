"""A router whose daemons are asked while one of them ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.frr import daemons, neighbors

SUMMARY = {"ipv4Unicast": {"peers": {"10.0.0.2": {"state": "Established"}}}}


class Router:
    """Its BGP daemon answers, or not.

    Args:
        enabled: The daemons that run, each time somebody asks.
        is_silent: Whether the BGP daemon does not answer.
    """

    def __init__(self, *enabled: tuple[str, ...], is_silent: bool) -> None:
        self.memory: dict[str, Any] = {}
        self._enabled = list(enabled)
        self._is_silent = is_silent

    def read_file(self, path: str) -> str:
        assert path == "/etc/frr/daemons"
        return daemons.format_enabled(self._enabled.pop(0))

    def vty(self, questions: Any) -> list[tuple[str, int]]:
        assert questions == [("bgpd", "show bgp summary json")]
        if self._is_silent:
            raise LabError("r1: bgpd does not answer")
        return [(json.dumps(SUMMARY), 0)]


def neighbors_of(router: Router) -> list[str]:
    return [one.address for one in neighbors.neighbors(router)]  # type: ignore[arg-type]


def test_a_daemon_that_runs_is_asked():
    assert neighbors_of(Router(("zebra", "bgpd"), is_silent=False)) == ["10.0.0.2"]
    assert neighbors_of(Router(("zebra",), is_silent=True)) == []


def test_a_daemon_that_ends_while_it_is_asked_has_no_neighbors():
    assert neighbors_of(Router(("zebra", "bgpd"), ("zebra",), is_silent=True)) == []


def test_a_daemon_that_runs_and_does_not_answer_is_an_error():
    with pytest.raises(LabError, match="does not answer"):
        neighbors_of(Router(("zebra", "bgpd"), ("zebra", "bgpd"), is_silent=True))
