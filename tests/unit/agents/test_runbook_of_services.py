"""The runbook of servers, on paper: each fault is found from what methods answer, and nothing else."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.runbooks.facts import End, Facts
from pytest_netbench.agents.runbooks.reading import read
from pytest_netbench.agents.runbooks.services import check_services
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.generators.default_faults import OF_LB, SERVED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.hosting import DnsServer, LoadBalancer, Resolver
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Node

HELD = ("lb-connections-held", "web-flood")
CHAIN = "table inet filter\n chain input\n  type filter hook input priority filter\n  policy accept\n"


def a_task(name: str) -> Task:
    services = ("dns", "web", "lb") if name in OF_LB else ("dns", "web")
    given = {"faults": (name,), "services": services, "shapes": ("tree",), "level": "1", "healthy": 0.0}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=3, index=0)


def config(node: Node, fault: str | None, place: dict[str, Any]) -> str:
    """The files and filters of a host as a running config has them."""
    text = ""
    here = place if place.get("node") == node.name else {}
    for one in node.services:
        if isinstance(one, Resolver):
            server = here["instead"] if here and fault == "host-resolver-wrong" else one.server
            text += f"file /etc/resolv.conf\n search {one.domain}\n nameserver {server}\n"
        if isinstance(one, DnsServer):
            records = {f"{name}.{one.domain}": address for name, address in one.records.items()}
            if here and fault == "dns-record-wrong":
                records[here["name"]] = here["instead"]
            text += "file /etc/dnsmasq.d/hosts\n" + "".join(f" {records[name]} {name}\n" for name in records)
        if isinstance(one, LoadBalancer):
            servers = {**one.servers, **({here["server"]: here["instead"]} if fault == "lb-backend-wrong" else {})}
            lines = "".join(f"     server {name} {socket}\n" for name, socket in servers.items())
            text += f"file /etc/haproxy/haproxy.cfg\n backend servers\n     balance roundrobin\n{lines}"
    if here and fault == "dns-port-blocked":
        text += f"{CHAIN}  udp dport 53 drop\n  tcp dport 53 drop\n"
    if here and fault == "http-denied":
        text += f"{CHAIN}  tcp dport 80 drop\n"
    return text


class Servers:
    """Answers requests as servers do of which one may be down, slow or flooded."""

    def __init__(self, fault: str | None, place: dict[str, Any]) -> None:
        self._broken = (fault, place["node"])
        self._place = place

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if "TIMEFORMAT" in params.get("command", ""):
            return {"output": "3.91\n" if self._broken == ("host-cpu-limited", params["device"]) else "97.40\n"}
        return self._answer(method, params)

    def _answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        is_flood, sources = self._broken[0] == "tcp-syn-flood", self._place.get("sources", ())
        if method == "execute-cmd" and "tcp_rmem" in params["command"]:
            is_small = self._broken == ("host-receive-window-small", params["device"])
            return {"output": "512\t512\t512\n" if is_small else "4096\t131072\t6291456\n"}
        if method == "execute-cmd" and "established" in params["command"]:
            is_held = self._broken[0] in HELD and params["device"] == self._place["victim"]
            peers = [self._place["address"] if is_held else "10.9.9.9"] * 128
            return {"output": "".join(f"0 0 10.0.2.10:80 {peer}:40000\n" for peer in peers)}
        if method == "execute-cmd":
            peers = sources if is_flood and params["device"] == self._place["victim"] else ()
            return {"output": "".join(f"0 0 {self._place['target']}:80 {peer}:40000\n" for peer in peers)}
        if method == "capture-packets":
            is_sent = params["node"] == self._place["node"] and any(one in params["filter"] for one in sources)
            return {"packets": ["0.0 IP"] if is_sent else []}
        kinds, took = {"lookup-name": (("dns",), "time_ms"), "http-get": (("web", "lb"), "total_ms")}[method]
        is_held = self._broken[0] in HELD and params["node"] == self._place["victim"]
        if is_held or self._broken in {(f"{kind}-server-down", params["node"]) for kind in kinds}:
            return {"error": "Connection refused", took: 0.2}
        is_slow = self._broken in {(f"{kind}-server-slow", params["node"]) for kind in kinds}
        return {took: 2900.0 if is_slow else 3.0}


def found(task: Task, fault: str | None) -> list[tuple[str, str]]:
    payload = diagnose_of(task)
    place = dict(payload.faults[0].parameters)
    devices = {
        node.name: read(node.name, "linux", config(node, fault, place))
        for node in payload.topology.nodes
        if node.services
    }
    addresses = {name: address for group in payload.flows for name, address in group.targets.items()}
    links = tuple(tuple(End(end.node, end.interface) for end in one.endpoints) for one in payload.topology.links)
    facts = Facts(
        devices=devices, links=links, addresses={name: IPv4Address(address) for name, address in addresses.items()}
    )
    ani: Any = Servers(fault, place)
    return [(one.fault_type, one.end.node) for one in check_services(DiagnoseFamily().brief(task), facts, ani)]


@pytest.mark.parametrize("name", [*SERVED, *OF_LB])
def test_each_fault_is_found_and_nothing_else(name: str) -> None:
    task = a_task(name)
    assert found(task, name) == [(name, diagnose_of(task).faults[0].parameters["node"])]
    assert found(task, None) == []


def test_networks_without_servers_are_not_asked() -> None:
    given = {"faults": ("link-down",), "level": "1", "healthy": 0.0}
    task = DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=3, index=0)
    assert list(check_services(DiagnoseFamily().brief(task), Facts(devices={}, links=(), addresses={}), None)) == []  # type: ignore[arg-type]


def test_each_fault_of_servers_is_a_part() -> None:
    assert {*SERVED, *OF_LB} <= {*parts.names("faults")}


def test_servers_that_have_crashed_are_not_asked() -> None:
    task = a_task("lb-server-down")
    silent = tuple(node.name for node in diagnose_of(task).topology.nodes)
    facts, nobody = Facts(devices={}, links=(), addresses={}, silent=silent), None
    assert list(check_services(DiagnoseFamily().brief(task), facts, nobody)) == []  # type: ignore[arg-type]
