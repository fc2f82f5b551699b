"""The driver on command lines that behave as the manuals of EOS and Junos say, over a pseudo-terminal.

No device was ever asked: these tests show that the driver does what it should with such a command line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.cli_ssh.pasting import asks
from tests.support.cli_device import LOCKED, SECRET, PtyCommandLine

CONFIG = [
    "hostname s1",
    "interface Ethernet1",
    "   ip address 10.0.0.1/24",
    *(f"ip route 10.{n}.0.0/16 Null0" for n in range(30)),
]
JUNOS = ["set system host-name r1", *(f"set routing-options static route 10.{n}.0.0/16 discard" for n in range(30))]


class Node:
    """Implements ``NodeAccess``: a command line, and nothing else."""

    name = "s1"

    def __init__(self, line: PtyCommandLine) -> None:
        self.memory: dict[str, Any] = {}
        self.line = line

    def capability(self, kind):
        return kind.of({CLI.name: self.line}, owner="node s1")


def node_of(system: str, file: Path, lines: list[str], secret: str = SECRET) -> Node:
    file.write_text(json.dumps(lines))
    return Node(PtyCommandLine(system, file, secret))


@pytest.fixture
def eos(tmp_path) -> Iterator[Node]:
    node = node_of("eos", tmp_path / "config.json", CONFIG)
    yield node
    node.line.close()


@pytest.fixture
def junos(tmp_path) -> Iterator[Node]:
    node = node_of("junos", tmp_path / "config.json", JUNOS)
    yield node
    node.line.close()


def driver(name: str) -> Any:
    return parts.load("drivers", name)()


@pytest.mark.parametrize(("name", "dialect"), [("arista_eos", "arista_eos"), ("juniper_junos", "juniper_junos")])
def test_a_backend_asks_for_a_driver_by_the_name_of_the_dialect(name, dialect):
    assert (driver(name).name, driver(name).dialect) == (name, dialect)
    assert driver(name).requires == (CLI.name,)


def test_eos_a_config_of_several_pages_is_read_whole_and_without_its_preamble(eos):
    assert driver("arista_eos").running_config(eos) == "\n".join(["!", *CONFIG, "end"]) + "\n"


def test_eos_version_and_routes(eos):
    assert driver("arista_eos").version(eos) == "4.23.0.1F"
    (route,) = driver("arista_eos").routes(eos, "192.0.2.0/24")
    assert (route.protocol, route.next_hops, route.interfaces, route.distance) == (
        "static",
        ("10.0.0.2",),
        ("Ethernet1",),
        1,
    )
    assert driver("arista_eos").routes(eos, "198.51.100.0/24") == []


def test_eos_lines_take_effect_one_by_one_and_a_refused_one_does_not_keep_others(eos):
    lines = [
        "interface Ethernet2",
        "   ip adress 10.0.1.1/24",
        "   description two",
        "router bgp 1",
        "   router-id 1.1.1.1",
    ]
    statuses = driver("arista_eos").apply(eos, lines)
    assert [one.status for one in statuses] == ["success", "error", "success", "success", "success"]
    assert statuses[1].message == "% Invalid input"
    config = driver("arista_eos").running_config(eos)
    assert "interface Ethernet2\n   description two\nrouter bgp 1\n   router-id 1.1.1.1\n" in config


def test_eos_a_banner_is_typed_to_its_end_and_the_lines_behind_it_are_commands(eos):
    banner = "banner login\n!!! s1(config)#no EOF !!!\n% not an error of its own\nEOF"
    statuses = driver("arista_eos").apply(eos, ["ip routing", banner, "wrong", "no ip routing"])
    assert [one.status for one in statuses] == ["success", "success", "error", "success"]
    config = driver("arista_eos").running_config(eos)
    assert f"{banner}\n" in config
    assert "ip routing" not in config


def test_eos_a_banner_without_its_end_is_not_sent(eos):
    statuses = driver("arista_eos").apply(eos, ["ip routing", "banner login", "text"])
    assert [one.status for one in statuses] == ["success", "success", "error"]
    assert statuses[-1].message == "% The text has no line EOF"
    assert "banner" not in driver("arista_eos").running_config(eos)


def test_eos_a_startup_config_with_a_banner_is_typed_as_it_is(eos):
    config = "!\nbanner login\n!!!\n\nlast words\nEOF\n!\ninterface Ethernet3\n   shutdownn\n   shutdown\n!\nend\n"
    (refused,) = driver("arista_eos").boot(eos, config)
    assert (refused.line_number, refused.line, refused.message) == (9, "   shutdownn", "% Invalid input")
    shown = driver("arista_eos").running_config(eos)
    assert "banner login\n!!!\n\nlast words\nEOF\n" in shown
    assert "interface Ethernet3\n   shutdown\n" in shown


@pytest.mark.parametrize(
    "command",
    [
        "configure terminal",
        "clear ip route *",
        "show version | redirect flash:x",
        "show version | sh",
        "show version > flash:x",
        "show version; reload",
        "show version | include $(reload)",
        "show version\nreload",
    ],
)
def test_eos_what_is_not_only_read_is_refused(eos, command):
    assert driver("arista_eos").execute(eos, command).startswith("% ")


def test_eos_what_is_only_read_is_answered(eos):
    assert "hostname s1" in driver("arista_eos").execute(eos, "show running-config")
    assert "0% packet loss" in driver("arista_eos").execute(eos, "ping 10.0.0.2")


@pytest.mark.parametrize("line", ["reload", "bash", "zerotouch cancel"])
def test_eos_what_ends_the_session_is_never_sent(eos, line):
    (status,) = driver("arista_eos").apply(eos, [line])
    assert status.status == "error"
    assert not any(line in one.typed for one in eos.line.lines)


def test_eos_a_wrong_enable_secret_is_an_error_of_the_login(tmp_path):
    node = node_of("eos", tmp_path / "config.json", CONFIG, secret="wrong")
    try:
        with pytest.raises(LabError, match="refused its enable secret"):
            driver("arista_eos").running_config(node)
    finally:
        node.line.close()


def test_eos_a_login_in_privileged_mode_reads_in_user_mode(tmp_path):
    node = node_of("eos-privileged", tmp_path / "config.json", CONFIG)
    try:
        assert "privileged mode required" in driver("arista_eos").execute(node, "clear ip route *")
        assert "hostname s1" in driver("arista_eos").execute(node, "show running-config")
        assert [one.status for one in driver("arista_eos").apply(node, ["ip routing"])] == ["success"]
    finally:
        node.line.close()


def test_junos_a_config_that_another_person_edits_is_an_error_of_the_lab(tmp_path):
    node = node_of("junos", tmp_path / "config.json", [*JUNOS, LOCKED])
    try:
        with pytest.raises(LabError, match=r"s1: the device did not enter configuration mode: error: .* locked by"):
            driver("juniper_junos").apply(node, ["set system host-name r2"])
    finally:
        node.line.close()


def test_junos_config_version_and_routes(junos):
    assert driver("juniper_junos").running_config(junos) == "\n".join(["version 21.4R1.12;", *JUNOS]) + "\n"
    assert driver("juniper_junos").version(junos) == "21.4R1.12"
    (route,) = driver("juniper_junos").routes(junos, "192.0.2.0/24")
    assert (route.protocol, route.next_hops, route.interfaces, route.distance) == (
        "static",
        ("10.0.0.2",),
        ("ge-0/0/0.0",),
        5,
    )
    assert driver("juniper_junos").routes(junos, "198.51.100.0/24") == []


@pytest.mark.parametrize("around", [[], ["configure"]])
def test_junos_a_batch_is_committed_as_a_whole(junos, around):
    lines = [f"set interfaces ge-0/0/{n} unit 0 family inet address 10.9.{n}.1/24" for n in range(3)]
    batch = [*around, *lines, "delete system host-name", *(["commit"] if around else [])]
    statuses = driver("juniper_junos").apply(junos, batch)
    assert [one.status for one in statuses] == ["success"] * len(batch)
    config = driver("juniper_junos").running_config(junos)
    assert all(line in config for line in lines)
    assert "host-name" not in config


def test_junos_lines_of_a_section_are_typed_there(junos):
    lines = [
        "edit protocols bgp group G",
        "set type external",
        "set neighbor 10.0.0.2",
        "top",
        "set system host-name r5",
    ]
    assert [one.status for one in driver("juniper_junos").apply(junos, lines)] == ["success"] * 5
    config = driver("juniper_junos").running_config(junos)
    assert "set protocols bgp group G type external\nset protocols bgp group G neighbor 10.0.0.2\n" in config
    assert "set system host-name r5\n" in config


def test_junos_a_refused_line_leaves_nothing_of_its_batch(junos):
    lines = ["set system host-name r2", "set nonsense", "set system host-name r3"]
    statuses = driver("juniper_junos").apply(junos, lines)
    assert [one.status for one in statuses] == ["error"] * 3
    assert statuses[1].message == "^\nsyntax error."
    assert statuses[0].message.startswith("not committed, as command 2 of the batch was refused: set nonsense: ")
    assert "set system host-name r1\n" in driver("juniper_junos").running_config(junos)
    assert [one.status for one in driver("juniper_junos").apply(junos, ["set system host-name r4"])] == ["success"]


def test_junos_a_refused_commit_leaves_nothing_either(junos):
    lines = ["set system host-name r2", "set interfaces ge-0/0/0 unit 0 family inet address 10.0.0.999/24"]
    statuses = driver("juniper_junos").apply(junos, lines)
    assert [one.status for one in statuses] == ["error", "error"]
    assert "configuration check-out failed" in statuses[0].message
    assert "set system host-name r1\n" in driver("juniper_junos").running_config(junos)
    assert [one.status for one in driver("juniper_junos").apply(junos, ["set system host-name r4"])] == ["success"]


@pytest.mark.parametrize(
    "line", ["run request system reboot", "load factory-default", "commit confirmed", "rollback 1"]
)
def test_junos_a_batch_has_configuration_lines_only(junos, line):
    statuses = driver("juniper_junos").apply(junos, ["set system host-name r2", line, "set system host-name r3"])
    assert [one.status for one in statuses] == ["error"] * 3
    assert not any(line in one.typed for one in junos.line.lines)


@pytest.mark.parametrize(
    "command",
    ["configure", "set system host-name r2", "show configuration | save x", "request system reboot", "clear log x"],
)
def test_junos_what_is_not_only_read_is_refused(junos, command):
    assert driver("juniper_junos").execute(junos, command).startswith("% ")
    assert not any(command in one.typed for one in junos.line.lines)


def test_junos_what_is_only_read_is_answered(junos):
    assert "host-name" in driver("juniper_junos").execute(junos, "show configuration")
    assert "0% packet loss" in driver("juniper_junos").execute(junos, "ping 10.0.0.2 count 5")


def test_junos_ages_of_routes_do_not_count(junos):
    pending = driver("juniper_junos").pending({"s1": junos})
    assert "Direct/0" in pending.fingerprint
    assert "03:04" not in pending.fingerprint


@pytest.mark.parametrize("text", ["Discard uncommitted changes? [yes,no] (yes) ", "Overwrite? [confirm]", "Password:"])
def test_questions_are_known(text):
    assert asks(text)
    assert not asks(f"{text}\nno")


def test_spaces_between_words_are_one_and_those_in_quotes_stay(junos):
    (status,) = driver("juniper_junos").apply(junos, ['set   system  login\tmessage "two  spaces  "  '])
    assert status.status == "success"
    assert 'set system login message "two  spaces  "\n' in driver("juniper_junos").running_config(junos)
