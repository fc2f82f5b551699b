"""Faults of servers on paper: where they fit, and that a repair writes back what was there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.faults import servers
from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.generators.default_faults import SERVED
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import DnsServer, Resolver, WebServer
from pytest_netbench.platforms.linux.services import DNS_RECORDS, RESOLV_CONF, records_text, resolver_text

FLOODS = ("tcp-syn-flood", "web-flood")
PROGRAMS = ("dns-server-down", "dns-server-slow", "web-server-down", "web-server-slow", "host-cpu-limited", *FLOODS)


def fault(name: str) -> Any:
    return fault_of(name)


def a_network(*services: str, shape: str = "dual-homed-isp") -> DrawnNetwork:
    given = {"shape": shape, "platform": "frr", "services": services, "names": "drawn", "managed_hosts": True}
    return draw_network(NetworkParameters.model_validate(given))


SERVING = a_network("dns", "web")


def placed(name: str) -> list[Any]:
    return list(fault(name).places(SERVING))


def served(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    for node in SERVING.topology.nodes:
        for one in node.services:
            if isinstance(one, kind):
                yield node.name, one


@pytest.mark.parametrize("name", SERVED)
def test_it_is_where_its_servers_are_and_nowhere_without_them(name: str) -> None:
    assert isinstance(fault(name), NetworkValue)
    assert list(fault(name).places(a_network())) == []
    kind = "web" if name.startswith(("web", "http")) else "dns"
    nodes = {one.node for one in placed(name)}
    if name in {"host-resolver-wrong", "host-receive-window-small"}:
        assert nodes == {node for node, _ in served(Resolver)}
    elif name == "host-cpu-limited":
        assert nodes == {*SERVING.topology.servers}
    elif name in FLOODS:
        assert nodes == {node for node, _ in served(Resolver)} - {node for node, _ in served(WebServer)}
    else:
        assert nodes == {node for node, kinds in SERVING.topology.servers.items() if kind in kinds}


@pytest.mark.parametrize("name", SERVED)
def test_programs_are_outside_what_commands_repair_and_the_others_are_not(name: str) -> None:
    one = placed(name)[0]
    assert isinstance(fault(name), OutsideValue) is (name in PROGRAMS)
    assert bool(fault(name).recover(one)) is (name not in PROGRAMS)


def test_faults_of_one_server_are_not_in_one_task() -> None:
    of_dns = ("dns-record-wrong", "dns-server-down", "dns-server-slow", "dns-port-blocked")
    touched = [fault(name).touches(placed(name)[0]) for name in of_dns]
    assert frozenset.intersection(*touched)


def in_files(commands: tuple[str, ...], tmp_path: Path) -> None:
    """Run commands, with the files of a node in a directory."""
    for command in commands:
        moved = command.replace("/etc/", f"{tmp_path}/etc/")
        subprocess.run(["/bin/sh", "-c", moved], check=True)


def test_a_wrong_record_is_the_only_change_and_a_repair_writes_the_file_as_it_was(tmp_path: Path) -> None:
    ((_, dns),) = served(DnsServer)
    path = tmp_path / DNS_RECORDS.lstrip("/")
    path.parent.mkdir(parents=True)
    text = records_text(dns.records, dns.domain)
    for one in placed("dns-record-wrong"):
        path.write_text(text)
        in_files(fault("dns-record-wrong").change(one).inject, tmp_path)
        changed = [
            pair for pair in zip(text.splitlines(), path.read_text().splitlines(), strict=True) if len({*pair}) > 1
        ]
        assert changed == [(f"{one.address} {one.name}", f"{one.instead} {one.name}")]
        in_files(fault("dns-record-wrong").change(one).repair, tmp_path)
        assert path.read_text() == text
        assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_records_are_wrong_for_each_host_and_by_an_address_of_another_or_of_nobody() -> None:
    ((_, dns),) = served(DnsServer)
    found = placed("dns-record-wrong")
    assert {one.name for one in found} == {f"{name}.{dns.domain}" for name in dns.records}
    assert {one.instead in dns.records.values() for one in found} == {True, False}
    assert all(one.instead != one.address for one in found)


def test_a_wrong_resolver_is_no_dns_server_and_a_repair_writes_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / RESOLV_CONF.lstrip("/")
    path.parent.mkdir()
    for one in placed("host-resolver-wrong"):
        assert one.instead != one.server
        in_files(fault("host-resolver-wrong").change(one).inject, tmp_path)
        assert path.read_text() == resolver_text(one.instead, one.domain)
        in_files(fault("host-resolver-wrong").change(one).repair, tmp_path)
        assert path.read_text() == resolver_text(one.server, one.domain)


def test_an_address_of_nobody_is_in_the_lan_and_free() -> None:
    for host in SERVING.hosts:
        lan = SERVING.lan_of(host)
        address = servers.nobodys_address(SERVING, host)
        assert IPv4Address(address) in list(IPv4Network(lan.prefix).hosts())
        assert address not in {lan.gateway, *(one.address for one in lan.attachments)}


@pytest.mark.parametrize("name", SERVED)
def test_it_says_in_words_where_it_is(name: str) -> None:
    one = placed(name)[0]
    assert one.node in fault(name).explain(one)
