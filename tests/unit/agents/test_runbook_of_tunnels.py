"""The runbook of tunnels, on paper: each fault is found from what ``wg show`` prints of the two ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from pytest_netbench.agents.runbooks.facts import Facts
from pytest_netbench.agents.runbooks.tunnels import check_tunnels
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.faults.tunnels import with_key, with_prefix
from pytest_netbench.generators.default_faults import OF_VPN
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import VpnEnd, VpnPeer
from pytest_netbench.model.task import Task

NOTHING_KNOWN = Facts(devices={}, links=(), addresses={})
WRONG: Final[Mapping[str, Callable[[Any, VpnPeer], VpnPeer | None]]] = {
    "vpn-peer-key-wrong": with_key,
    "vpn-allowed-ips-wrong": with_prefix,
    "vpn-peer-missing": lambda *_: None,
}
"""By fault: what an end has in place of its peer."""
HANDSHAKE = "  latest handshake: 4 seconds ago\n  transfer: 180 B received, 692 B sent\n"


def a_task(**parameters: Any) -> Task:
    given = {"services": ("vpn",), "shapes": ("tree",), "level": "1", "healthy": 0.0, **parameters}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=3, index=0)


class Ends:
    """Answers ``wg show wg0`` as wg does, of two ends of which one may be wrong."""

    def __init__(self, task: Task, fault: str | None) -> None:
        payload = diagnose_of(task)
        self._ends = {
            node.name: one for node in payload.topology.nodes for one in node.services if isinstance(one, VpnEnd)
        }
        self._wrong: dict[str, VpnPeer | None] = {}
        if fault is not None:
            place: Any = fault_of(fault).parameters.model_validate(payload.faults[0].parameters)
            self._wrong[place.node] = WRONG[fault](place, self._ends[place.node].peers[place.peer])

    def call(self, method: str, params: dict[str, str]) -> dict[str, str]:
        assert (method, params["command"]) == ("execute-cmd", "wg show wg0")
        node = params["device"]
        ((other, peer),) = self._ends[node].peers.items()
        text = f"interface: wg0\n  public key: {self._ends[other].peers[node].public_key}\n"
        text += "  private key: (hidden)\n  listening port: 51820\n"
        one = self._wrong.get(node, peer)
        if one is not None:
            text += f"\npeer: {one.public_key}\n  endpoint: {one.endpoint}\n  allowed ips: {one.allowed_ips[0]}\n"
        return {"output": text + ("" if self._wrong or one is None else HANDSHAKE)}


@pytest.mark.parametrize("name", OF_VPN)
def test_each_fault_is_found_and_nothing_else(name: str) -> None:
    task = a_task(faults=(name,))
    brief = DiagnoseFamily().brief(task)
    found = list(check_tunnels(brief, NOTHING_KNOWN, Ends(task, name)))  # type: ignore[arg-type]
    assert [(one.fault_type, one.end.node) for one in found] == [(name, diagnose_of(task).faults[0].parameters["node"])]
    assert list(check_tunnels(brief, NOTHING_KNOWN, Ends(task, None))) == []  # type: ignore[arg-type]


def test_networks_without_tunnels_are_not_asked() -> None:
    brief = DiagnoseFamily().brief(a_task(services=(), faults=("link-down",)))
    assert list(check_tunnels(brief, NOTHING_KNOWN, None)) == []  # type: ignore[arg-type]


def test_a_node_that_has_crashed_is_not_asked() -> None:
    task = a_task()
    node = next(node.name for node in diagnose_of(task).topology.nodes if node.services)
    facts = Facts(devices={}, links=(), addresses={}, silent=(node,))
    nobody: Any = None
    assert list(check_tunnels(DiagnoseFamily().brief(task), facts, nobody)) == []
