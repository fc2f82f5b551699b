"""The commands whose output is the state of a booted node, by platform.

They show routes, adjacencies, roles and what the dialect of the platform names as states. Tables that only traffic
fills (ARP, MAC addresses, translations) are left out: they depend on who sent a packet, not on the boot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench import parts
from pytest_netbench.dialects.mutations import Mutable

_KERNEL: Final = (
    "ip -br link; ip -br address; ip rule; ip -4 route show table all; ip -6 route show table all; "
    "nft -s list ruleset; tc qdisc show; tc class show; bridge vlan"
)
"""In one shell: a read-only shell is a sandbox of its own, which takes its time to start."""
_FLOWS: Final = "for one in $(ovs-vsctl list-br); do ovs-ofctl -O OpenFlow13 dump-flows $one; done"
_COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "cisco_ios": (
        "show running-config",
        "show ip interface brief",
        "show ipv6 interface brief",
        "show interfaces status",
        "show ip route",
        "show ipv6 route",
        "show ip route summary",
        "show ip cef",
        "show ip protocols",
        "show ipv6 protocols",
        "show ip ospf",
        "show ip ospf interface",
        "show ip ospf interface brief",
        "show ip ospf neighbor detail",
        "show ip ospf virtual-links",
        "show ip ospf border-routers",
        "show ip ospf database",
        "show ipv6 ospf",
        "show ipv6 ospf interface",
        "show ipv6 ospf neighbor",
        "show ipv6 ospf database",
        "show ip bgp",
        "show ip bgp neighbors",
        "show bgp ipv6 unicast",
        "show ip rip database",
        "show ip eigrp interfaces",
        "show ip eigrp topology all-links",
        "show isis neighbors",
        "show isis database",
        "show clns neighbors",
        "show standby all",
        "show vrrp",
        "show spanning-tree",
        "show spanning-tree root",
        "show spanning-tree blockedports",
        "show vlan brief",
        "show interfaces trunk",
        "show cdp neighbors",
        "show lldp neighbors",
        "show access-lists",
        "show zone-pair security",
        "show netbench unsupported",
    ),
    "frr": (
        "show running-config",
        "show interface brief",
        "show ip route",
        "show ipv6 route",
        "show ip ospf",
        "show ip ospf interface",
        "show ip ospf neighbor detail",
        "show ip ospf border-routers",
        "show ip ospf database",
        "show ipv6 ospf6",
        "show ipv6 ospf6 interface",
        "show ipv6 ospf6 neighbor",
        "show ipv6 ospf6 database",
        "show bgp ipv4 unicast",
        "show bgp ipv6 unicast",
        "show bgp neighbors",
        "show isis neighbor",
        "show isis interface",
        "show isis database",
        "show ip rip",
        "show ip eigrp neighbor",
        "show ip eigrp topology",
        "show vrrp",
    ),
    "linux": (_KERNEL,),
    "openvswitch": (_FLOWS, "ovs-vsctl show", _KERNEL),
    "openflow_controller": (_KERNEL,),
}
_IN_VRF: Final = {"cisco_ios": ("show ip route vrf {}",), "frr": ("show ip route vrf {}",)}


def commands(platform: str) -> tuple[str, ...]:
    """The commands for a node of ``platform``, each once."""
    dialect = parts.load("dialects", platform)()
    states = dialect.mutations().states if isinstance(dialect, Mutable) else ()
    return tuple(dict.fromkeys((*states, *_COMMANDS.get(platform, ()))))


def commands_of_vrfs(platform: str, vrfs: list[str]) -> tuple[str, ...]:
    """The same for VRFs of the node."""
    return tuple(command.format(vrf) for vrf in vrfs for command in _IN_VRF.get(platform, ()))
