"""The runbook of DHCP, on paper: what servers are configured with, and what clients have."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest

from pytest_netbench.agents.runbooks.expert import without_consequences
from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.hosts import check_hosts
from pytest_netbench.agents.runbooks.leases import check_leases, of_leases
from pytest_netbench.agents.runbooks.reading import read

INTENTS = (
    "- DHCP on h1 for 10.0.1.0/24: gateway 10.0.1.1, DNS server 10.0.2.9; h2 10.0.1.12, h3 10.0.1.13.",
    "- DHCP on h5 for 10.0.2.0/24: gateway 10.0.2.1; h6 10.0.2.16.",
)


class Servers:
    """Hosts that say which ports are open: those of ``silent`` have no DHCP server."""

    def __init__(self, *silent: str) -> None:
        self._silent = silent

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert (method, params["command"]) == ("execute-cmd", "ss -Hlnu")
        return {"output": "" if params["device"] in self._silent else "UNCONN 0 0 0.0.0.0%eth0:67 0.0.0.0:*\n"}


class Brief:
    intents = INTENTS


def conf(prefix: str = "10.0.1.0", gateway: str = "10.0.1.1", resolver: str = "10.0.2.9") -> str:
    options = f" dhcp-option=option:router,{gateway}\n dhcp-option=option:dns-server,{resolver}\n"
    return f"file /etc/dnsmasq-dhcp.conf\n port=0\n dhcp-range={prefix},static,255.255.255.0,12h\n{options}"


def facts(**changed: str) -> Facts:
    configs = {
        "h1": "interface eth0\n address 10.0.1.11/24\n" + conf(),
        "h2": "interface eth0\n address 10.0.1.12/24\n",
        "h3": "interface eth0\n address 10.0.1.13/24\n",
        "h5": "interface eth0\n address 10.0.2.15/24\n" + conf("10.0.2.0", "10.0.2.1"),
        "h6": "interface eth0\n address 10.0.2.16/24\n",
    }
    own = {"h1": "10.0.1.11", "h2": "10.0.1.12", "h3": "10.0.1.13", "h5": "10.0.2.15", "h6": "10.0.2.16"}
    return Facts(
        devices={name: read(name, "linux", text) for name, text in {**configs, **changed}.items()},
        links=tuple((End(name, "eth0"), End("r1", f"eth{number}")) for number, name in enumerate(configs)),
        addresses={name: IPv4Address(address) for name, address in own.items()},
    )


TUNNEL = "interface wg0\n type tun\n address 172.31.9.1/24\n"
ROGUE = "interface eth0\n address 10.0.1.12/24\n"


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"h2": ""}, []),
        ({"h2": "", "h3": ""}, [("dhcp-server-down", "h1")]),
        ({"h6": ""}, [("dhcp-server-down", "h5")]),
        ({"h6": TUNNEL}, [("dhcp-server-down", "h5")]),
        ({"h1": conf("10.0.2.0"), "h2": "", "h3": ""}, [("dhcp-subnet-missing", "h1")]),
        ({"h2": ROGUE + conf(gateway="10.0.1.12")}, [("dhcp-gateway-spoofed", "h2")]),
        ({"h2": ROGUE + conf(resolver="10.0.1.12")}, [("dhcp-dns-spoofed", "h2")]),
        ({"h2": ROGUE + conf("192.168.88.0", "192.168.88.1")}, [("dhcp-subnet-spoofed", "h2")]),
    ],
)
def test_what_is_wrong_with_dhcp_is_found(changed: dict[str, str], found: list[Any]) -> None:
    brief: Any = Brief()
    ani: Any = Servers(*(node for kind, node in found if kind == "dhcp-server-down"))
    assert [(one.fault_type, one.end.node) for one in check_leases(brief, facts(**changed), ani)] == found


def test_clients_without_addresses_of_a_server_that_runs_are_what_is_wrong() -> None:
    brief, ani = Brief(), Servers()
    given: Any = (brief, facts(h2="", h3=""), ani)
    assert list(check_leases(*given)) == []


def test_what_clients_lack_follows_from_their_server_and_not_from_another_one() -> None:
    brief: Any = Brief()
    explained = set(of_leases(brief, facts(), Finding("dhcp-server-down", End("h1", ""), "")))
    assert ("host-address-missing", End("h2", "eth0")) in explained
    assert ("host-resolver-wrong", End("h3", "")) in explained
    assert not any(end.node in {"h1", "h5", "h6"} for _, end in explained)
    assert not set(of_leases(brief, facts(), Finding("host-address-missing", End("h2", "eth0"), "")))


def test_consequences_are_no_findings() -> None:
    down = Finding("dhcp-server-down", End("h1", ""), "down")
    follows, other = (Finding("host-address-missing", End(node, "eth0"), "none") for node in ("h2", "h6"))
    brief: Any = Brief()
    assert list(without_consequences((down, follows, other), brief, facts())) == [down, other]


def test_the_address_of_a_tunnel_is_not_that_of_its_host() -> None:
    nobody: Any = None  # a host without an address is asked nothing
    lan = facts(h1="", h2="", h3="", h5="", h6=TUNNEL)
    assert {(one.fault_type, one.end.node) for one in check_hosts(lan, nobody)} == {
        ("host-address-missing", host) for host in lan.addresses
    }
