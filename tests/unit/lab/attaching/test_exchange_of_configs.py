"""Configurations of EOS and Junos exchanged and put back, on command lines that behave as the manuals say.

No device was ever asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.batch_configs import BatchConfigs
from pytest_netbench.lab.attaching.configs import Configs
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.platforms.capabilities import CLI
from tests.support.cli_device import LOCKED, PtyCommandLine

EOS = [
    "hostname s1",
    "interface Ethernet1",
    "   ip address 10.0.0.1/24",
    "   shutdown",
    "interface Ethernet9",
    "   ip address 192.0.2.1/24",
    "router bgp 65001",
    "   router-id 10.0.0.1",
    "   neighbor 10.0.0.2 remote-as 65002",
    "ip route 10.9.0.0/16 Null0",
]
JUNOS = [
    "set system host-name r1",
    'set system login message "keep out"',
    "set interfaces fxp0 unit 0 family inet address 192.0.2.1/24",
    "set interfaces ge-0/0/0 unit 0 family inet address 10.0.0.1/24",
    "set routing-options static route 10.9.0.0/16 discard",
    "set protocols ospf area 0.0.0.0 interface ge-0/0/0.0",
]


class Node:
    """Implements ``NodeAccess``: a command line, and nothing else."""

    name = "r1"

    def __init__(self, line: PtyCommandLine) -> None:
        self.memory: dict[str, Any] = {}
        self._line = line

    def capability(self, kind: Any) -> Any:
        return kind.of({CLI.name: self._line}, owner="node r1")


@pytest.fixture
def configs(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    lines = []

    def made(system: str, dialect: str, management: str, config: list[str]) -> Any:
        file = tmp_path / "config.json"
        file.write_text(json.dumps(config))
        lines.append(PtyCommandLine(system, file))
        device = Device(name="r1", dialect=dialect, management=management)
        kind = BatchConfigs if system == "junos" else Configs
        found = kind(device, parts.load("drivers", dialect)(), Node(lines[-1]))
        found.kept = lambda: json.loads(file.read_text())  # type: ignore[attr-defined]
        return found

    yield made
    for line in lines:
        line.close()


def test_eos_keeps_its_management_and_is_put_back(configs: Any) -> None:
    eos = configs("eos", "arista_eos", "Ethernet9", EOS)
    saved = eos.running()
    wanted = (
        "interface Ethernet1\n   ip address 10.7.0.1/24\ninterface Ethernet9\n   shutdown\nip route 10.7.0.0/16 Null0\n"
    )
    refused = eos.load(wanted)
    assert [(one.line_number, one.line.strip()) for one in refused] == [(4, "shutdown")]
    there = [line.strip() for line in eos.kept()]
    kept = ["hostname s1", "interface Ethernet1", "interface Ethernet9", "ip address 192.0.2.1/24"]
    assert sorted(there) == sorted([*kept, "ip address 10.7.0.1/24", "ip route 10.7.0.0/16 Null0"])
    eos.restore(saved)
    assert sorted(map(str.strip, eos.kept())) == sorted(map(str.strip, EOS))


def test_junos_keeps_its_management_and_is_put_back(configs: Any) -> None:
    junos = configs("junos", "juniper_junos", "fxp0", JUNOS)
    saved = junos.running()
    wanted = """
    system { host-name task; login { message "another"; } }
    interfaces { fxp0 { unit 0 { family inet { address 10.66.0.1/24; } } }
                 ge-0/0/1 { unit 0 { family inet { address 10.7.0.1/24; } } } }
    protocols { ospf { area 0.0.0.1 { interface ge-0/0/1.0; } } }
    """
    refused = junos.load(wanted)
    assert [one.line for one in refused] == [
        "set system login message another",
        "set interfaces fxp0 unit 0 family inet address 10.66.0.1/24",
    ]
    assert sorted(junos.kept()) == sorted(
        [
            'set system login message "keep out"',
            "set system host-name task",
            JUNOS[2],
            "set interfaces ge-0/0/1 unit 0 family inet address 10.7.0.1/24",
            "set protocols ospf area 0.0.0.1 interface ge-0/0/1.0",
        ]
    )
    junos.restore(saved)
    assert sorted(junos.kept()) == sorted(JUNOS)


def test_a_commit_that_junos_refuses_is_an_error_and_changes_nothing(configs: Any) -> None:
    junos = configs("junos", "juniper_junos", "fxp0", JUNOS)
    with pytest.raises(LabError, match=r"r1: the device does not commit (?s:.*)invalid address"):
        junos.restore("\n".join([*JUNOS, "set interfaces ge-0/0/0 unit 0 family inet address 10.0.0.999/24"]))
    assert sorted(junos.kept()) == sorted(JUNOS)


def test_junos_that_somebody_else_edits_is_an_error(configs: Any) -> None:
    junos = configs("junos", "juniper_junos", "fxp0", [*JUNOS, LOCKED])
    with pytest.raises(LabError, match="did not enter configuration mode: error: configuration database locked"):
        junos.restore("set system host-name other")
