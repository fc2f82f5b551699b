"""Key chains without a lab."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.keychain import secrets
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

CHAIN = (
    "key chain WAN",
    "key 2",
    "key-string 7 0822455D0A16",
    "accept-lifetime 00:00:00 january 1 2020 infinite",
    "send-lifetime 00:00:00 Jan 1 2020 12:00:00 Feb 3 2030",
    "key 1",
    "key-string two words",
)
RIP = (
    "interface gi0/0",
    "ip address 10.0.0.1 255.255.255.0",
    "ip rip authentication key-chain WAN",
    "router rip",
    "network 10.0.0.0",
)


def plan_of(device):
    return compile_state(device.grammar, device.config, device.facts)


def told(device):
    return [" / ".join(line.path) for line in plan_of(device).frr.of("ripd")]


def test_a_chain_is_stored_as_ios_prints_it_and_survives_a_reload():
    device = paper(*CHAIN)
    text = device.running_config()
    assert (
        " key 2\n  key-string 7 0822455D0A16\n  accept-lifetime 00:00:00 Jan 1 2020 infinite\n  send-lifetime 00:00:00"
        " Jan 1 2020 12:00:00 Feb 3 2030\n" in text
    )
    assert paper(startup=text).running_config() == text


def test_keys_are_read_in_the_clear():
    assert secrets(paper(*CHAIN).config, "WAN") == [(1, "two words"), (2, "cisco")]
    assert secrets(paper().config, "WAN") == []


def test_a_daemon_is_told_a_chain_that_is_used():
    assert not any("key chain" in line for line in told(paper(*CHAIN, *RIP[:2], *RIP[3:])))
    lines = told(paper(*CHAIN, *RIP))
    assert "key chain WAN / key 2 / key-string cisco" in lines
    assert "key chain WAN / key 2 / accept-lifetime 00:00:00 Jan 1 2020 infinite" in lines
    assert "interface gi0-0 / ip rip authentication mode text" in lines
    assert "interface gi0-0 / ip rip authentication key-chain WAN" in lines


def test_show_key_chain_tells_texts_and_lifetimes():
    shown = Session(paper(*CHAIN)).enter("show key chain")
    assert shown.startswith(
        'Key-chain WAN:\n    key 1 -- text "two words"\n        accept lifetime (always valid) - (always valid) [valid'
        " now]"
    )
    assert "send lifetime (00:00:00 Jan 1 2020 12:00:00 Feb 3 2030)" in shown
