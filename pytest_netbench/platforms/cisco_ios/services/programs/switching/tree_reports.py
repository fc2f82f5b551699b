"""What a switch is told of its trees, and what it tells: settings of ports, and states for ``show``."""

from __future__ import annotations

from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.classic import Classic
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.instance import (
    ADDRESS_BITS,
    DISCARDING,
    Port,
    PortSettings,
    Tree,
)
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.rapid import Rapid

_STATES = ("blocking", "learning", "forwarding")


def port_settings(config: dict[str, Any], vlan: int, *, trunk: bool) -> PortSettings:
    """Return the configuration of a port in the tree of ``vlan``."""
    costs, priorities = config.get("costs", {}), config.get("priorities", {})
    return PortSettings(
        cost=costs.get(str(vlan), costs.get("", config.get("cost", 4))),
        priority=priorities.get(str(vlan), priorities.get("", 128)),
        edge=bool(config.get("trunk_edge" if trunk else "edge")),
        guard=config.get("guard", ""),
        silent=config.get("silent", False),
    )


def tree_state(tree: Tree) -> dict[str, Any]:
    """Return the state of a tree."""
    max_age, hello, delay = tree.times
    return {
        "mode": "rapid-pvst" if isinstance(tree.mode, Rapid) else "pvst",
        "root": _identifier(tree.root)
        | {
            "cost": tree.cost,
            "port": tree.root_port.name if tree.root_port else "",
            "max_age": max_age,
            "hello": hello,
            "forward_delay": delay,
        },
        "bridge": _identifier(tree.identifier)
        | {
            "max_age": tree.settings.max_age,
            "hello": tree.settings.hello,
            "forward_delay": tree.settings.forward_delay,
        },
        "changes": tree.changes,
        "changed_s": tree.loop.now() - tree.changed_at,
        "changed_by": tree.changed_by,
        "ports": {name: _port_state(tree, port) for name, port in tree.ports.items()},
    }


def _identifier(number: int) -> dict[str, Any]:
    address = (number & ((1 << ADDRESS_BITS) - 1)).to_bytes(6, "big")
    return {"priority": number >> ADDRESS_BITS, "address": packets.mac_text(address)}


def _port_state(tree: Tree, port: Port) -> dict[str, Any]:
    state = _STATES[port.state]
    if port.state == DISCARDING and isinstance(tree.mode, Classic) and port.step is not None:
        state = "listening"
    designated = port.heard if port.heard is not None and port.role not in {"designated", "disabled"} else None
    bridge = designated.bridge if designated else tree.identifier
    return {
        "role": port.role,
        "state": state,
        "cost": port.settings.cost,
        "priority": port.settings.priority,
        "number": port.number,
        "edge": port.edge,
        "legacy": port.legacy,
        "inconsistent": port.inconsistent,
        "designated": _identifier(bridge)
        | {
            "port": designated.port if designated else port.identifier,
            "cost": designated.cost if designated else tree.cost,
        },
        "sent": port.sent,
        "received": port.received,
        "transitions": port.transitions,
    }
