"""Answers the ANI methods that ask services, with real clients in the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose import requesting
from pytest_netbench.lab.clients import get, look_up
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.platforms.driver import HostsServers
from pytest_netbench.rpccodes import Code


class Requests:
    """Answers the methods on a running network.

    Args:
        lab: The network.
        test_hosts: The clients; without any, all hosts that can be looked at.
    """

    def __init__(self, lab: Lab, test_hosts: Sequence[str] = ()) -> None:
        controls = lab.topology.controls
        clients = test_hosts or [name for name in lab.nodes if controls[name] != "foreign"]
        self._hosts = {name: lab.nodes[name] for name in clients if isinstance(lab.driver(name), HostsServers)}

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """What is offered to the agent."""
        return (
            FamilyMethod(spec=requesting.HTTP_GET_SPEC, params=requesting.HttpGetParams, answer=self._get),
            FamilyMethod(spec=requesting.LOOKUP_NAME_SPEC, params=requesting.LookupNameParams, answer=self._look_up),
        )

    def _get(self, params: requesting.HttpGetParams) -> requesting.HttpGetResult:
        node = self._host(requesting.HTTP_GET, params.node)
        return requesting.HttpGetResult(**asdict(get(node, params.url, timeout_s=params.timeout_s)))

    def _look_up(self, params: requesting.LookupNameParams) -> requesting.LookupNameResult:
        node = self._host(requesting.LOOKUP_NAME, params.node)
        found = look_up(node, params.name, server=params.server, timeout_s=params.timeout_s)
        return requesting.LookupNameResult(**asdict(found))

    def _host(self, method: str, name: str) -> LabNode:
        if name not in self._hosts:
            known = ", ".join(self._hosts)
            raise AniError(f"{method}: {name!r} is not one of the hosts ({known})", code=Code.INVALID_PARAMS)
        return self._hosts[name]
