"""``no`` and the line as it was typed remove the line, in whatever form the config has it."""

from __future__ import annotations

import pytest

from tests.support.ios import paper, typed


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ((), "enable secret 0 swordfish"),
        ((), "enable password 0 swordfish"),
        ((), "enable algorithm-type scrypt secret swordfish"),
        ((), "username ann privilege 2 secret 0 swordfish"),
        ((), "username ann privilege 5 algorithm-type scrypt secret swordfish"),
        ((), "username ann password swordfish"),
        (("line con 0",), "password 0 swordfish"),
        (("ip dhcp pool LAN",), "network 10.0.13.0"),
        (("ip dhcp pool LAN",), "network 10.0.13.0 /24"),
        (("ip dhcp pool LAN",), "host 10.0.13.5"),
        (("interface Gi0/0",), "vrrp 1 authentication text fish"),
        (("interface Gi0/0",), "standby 1 authentication text fish"),
    ],
)
def test_no_and_the_line_as_it_was_typed_remove_it(place, line):
    without = paper(*place)
    device = paper(*place)
    assert typed(device, (*place, line)) != without.running_config()
    assert typed(device, (*place, f"no {line}")) == without.running_config()


@pytest.mark.parametrize("kind", ["debug", "log"])
def test_time_stamps_of_messages_stand_where_they_stood_after_they_were_changed(kind):
    line = f"service timestamps {kind} uptime"
    device = paper(line, f"service timestamps {kind}")
    assert device.running_config() == paper(startup=f"service timestamps {kind}\n").running_config()
    assert typed(device, [line]) == paper(startup=f"{line}\n").running_config()


def test_an_absolute_time_is_removed_by_the_abbreviated_month_that_was_typed():
    line = "absolute start 13:45 03 Jan 1993"
    assert "absolute" not in paper("time-range T", line, f"no {line}").running_config()
