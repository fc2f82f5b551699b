"""What IOS prints of a route to one prefix, read back."""

from __future__ import annotations

from pytest_netbench.platforms.cli_ssh.cisco_routes import parse

# as IOS 15.9 prints it (Cisco, IPv6 command reference, "show ipv6 route")
OSPF = """Routing entry for ::/0
  Known via "ospf 1", distance 110, metric 1, type extern 2
  Route count is 1/1, share count 0
  Routing paths:
    FE80::A8BB:CCFF:FE00:200, GigabitEthernet0/0
      Last updated 00:00:10 ago
"""


def test_protocols_of_ipv6_are_called_as_on_every_platform() -> None:
    (route,) = parse(OSPF, "::/0")
    assert (route.protocol, route.distance, route.metric) == ("ospf6", 110, 1)
    assert route.next_hops == ("fe80::a8bb:ccff:fe00:200",)
    (rip,) = parse(OSPF.replace('"ospf 1"', '"rip Campus"'), "::/0")
    assert rip.protocol == "ripng"
    (static,) = parse(OSPF.replace('"ospf 1"', '"static"'), "::/0")
    assert static.protocol == "static"
