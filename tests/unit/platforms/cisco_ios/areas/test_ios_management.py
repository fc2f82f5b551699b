"""Management lines with several spellings, and those that only have an effect with real servers."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper


def config(*lines):
    return paper(*lines).running_config().splitlines()


def test_the_algorithm_of_a_secret_shows_in_its_number_alone():
    lines = config(
        "username bob privilege 15 algorithm-type scrypt secret hello", "enable algorithm-type sha256 secret hello"
    )
    assert any(line.startswith("username bob privilege 15 secret 9 $9$") for line in lines)
    assert any(line.startswith("enable secret 9 $9$") for line in lines)
    assert lines[lines.index("!") :].count("algorithm-type") == 0


def test_a_user_made_with_an_algorithm_is_the_user_without():
    lines = config("username bob secret old", "username bob algorithm-type scrypt secret new", "no username bob")
    assert not any(line.startswith("username") for line in lines)


def test_messages_can_go_to_another_port():
    device = paper("logging host 10.0.0.5 transport udp port 5514", "logging host 10.0.0.6")
    hosts = compile_state(device.book, device.config, device.facts).services["syslog"]["hosts"]
    assert hosts == [{"address": "10.0.0.5", "port": 5514}, {"address": "10.0.0.6", "port": 514}]
    assert "Logging to 10.0.0.5  (udp port 5514," in Session(device).enter("show logging")


@pytest.mark.parametrize(
    "lines",
    [
        ("tacacs server T", " address ipv4 10.0.0.1", " key 7 0822455D0A16"),
        ("radius server R", " address ipv4 10.0.0.1 auth-port 1812 acct-port 1813", " key secret"),
        ("aaa group server tacacs+ G", " server name T"),
    ],
)
def test_servers_of_logins_are_kept_and_listed_as_without_effect(lines):
    device = paper("aaa new-model", *lines)
    text = device.running_config()
    assert "\n".join(lines) in text
    again = paper(startup=text)
    assert again.running_config() == text
    listed = dict(compile_state(device.book, device.config, device.facts).unsupported)
    assert {line.strip() for line in lines} <= listed.keys()


def test_default_of_one_line_leaves_the_others_alone():
    device = paper("line con 0", "logging synchronous", "line aux 3", "default line aux 3")
    text = device.running_config()
    assert "line con 0\n logging synchronous\nline aux 0\nline vty 0 4\n" in text
    assert "aux 3" not in text


def test_a_server_leaves_its_group():
    text = paper(
        "aaa group server tacacs+ G", "server 10.0.0.1", "server 10.0.0.2 auth-port 5", "no server 10.0.0.1"
    ).running_config()
    assert "aaa group server tacacs+ G\n server 10.0.0.2 auth-port 5\n!" in text
