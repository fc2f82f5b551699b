"""Switching: VLANs, trunks, SVIs, dot1Q subinterfaces, spanning tree."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.switching import mac_table, ranges, tree_shows, trees, vlan_shows, vlans
from pytest_netbench.platforms.cisco_ios.areas.switching.compile import compile_switching
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Mode

AREA = Area(
    name="switching",
    modes=(Mode(name=vlans.VLAN_MODE, prompt="config-vlan", help="VLAN"),),
    types={"ifrange": ranges.RANGE},
    commands=(*vlans.COMMANDS, *trees.COMMANDS, *vlan_shows.COMMANDS, *mac_table.COMMANDS, *tree_shows.COMMANDS),
    compile=compile_switching,
    help={
        "switchport": "Set switching mode characteristics",
        "spanning-tree": "Spanning Tree Subsystem",
        "vlan": "Vlan commands",
        "vtp": "Configure global VTP state",
    },
    scope=(
        (
            "VLANs, access ports, trunks with allowed list and native VLAN, voice VLAN, protected ports",
            "yes: real 802.1Q tags",
        ),
        ("SVIs (up while a port of their VLAN forwards), routed ports", "yes"),
        ("dot1Q subinterfaces, native ones too (router on a stick)", "yes"),
        (
            "PVST+ and Rapid PVST+: priority, cost, timers, portfast, BPDU guard and filter, root and loop guard",
            "yes: real BPDUs",
        ),
        ("trunks agreed with the neighbor (DTP)", "yes"),
        ("VTP, storm control", "accepted without effect"),
        ("EtherChannel, MST, private VLANs", "refused"),
    ),
)
