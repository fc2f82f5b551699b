"""Switches on plain Linux nodes: the data plane of ``cisco_ios`` without its command line."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pytest_netbench.model.task import Task
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.cisco_ios.apply import links, nft
from pytest_netbench.platforms.cisco_ios.areas.switching.state import Subinterface, SwitchPort, SwitchState
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, Link
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import ios_task
from tests.support.netns_networks import network


def access(name: str, vlan: int = 1, **more: Any) -> SwitchPort:
    """An access port; its number is the digit at the end of its name."""
    return SwitchPort(name=name, number=int(name[-1]) + 1, vlan=vlan, **more)


def trunk(name: str, *allowed: int, native: int = 1, **more: Any) -> SwitchPort:
    """A trunk of all VLANs, or of those ``allowed``."""
    vlans = frozenset(allowed) if allowed else None
    return SwitchPort(name=name, number=int(name[-1]) + 1, trunk=True, native=native, allowed=vlans, **more)


def plan_of(state: SwitchState, addresses: Mapping[str, str] = {}) -> DesiredState:
    """The plan of a switch; ``addresses`` of its SVIs and subinterfaces by kernel name."""
    plan = DesiredState()
    for name in (*state.svis, *(sub.name for sub in state.subinterfaces)):
        plan.links[name] = Link(kind="loopback", addresses=(addresses[name],) if name in addresses else ())
    state.add_to(plan)
    return plan


class Switch:
    """A Linux node that switches."""

    def __init__(self, node: NodeAccess) -> None:
        self.node = node
        self._plan = DesiredState()

    def configure(self, state: SwitchState, addresses: Mapping[str, str] = {}) -> None:
        """Bring the node to ``state``."""
        plan = plan_of(state, addresses)
        problems = [*links.apply(self.node, self._plan, plan), *nft.apply(self.node, self._plan.nft, plan.nft)]
        assert not problems, problems
        runner.apply(self.node, self._plan.services, plan.services)
        self._plan = plan

    def state(self) -> dict[str, Any]:
        """What the service says; it must have had no error."""
        state = runner.state(self.node, "switch")
        assert state["errors"] == []
        return state

    def tree(self, vlan: int) -> dict[str, Any]:
        return self.state()["trees"][str(vlan)]

    def ports(self, vlan: int) -> dict[str, tuple[str, str]]:
        """Role and state of each port in a tree."""
        return {name: (port["role"], port["state"]) for name, port in self.tree(vlan)["ports"].items()}

    def addresses(self) -> list[dict[str, Any]]:
        return json.loads(runner.command(self.node, "switch", "addresses"))


_TAP = """
import os, select, socket, struct, sys, time
tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
tap.setsockopt(263, 8, 1)
tap.bind((sys.argv[1], 3))
open("/run/tap", "w").close()
ends = time.monotonic() + 20
while not os.path.exists('/run/tap.stop') and time.monotonic() < ends:
    if not select.select([tap], [], [], 0.05)[0]:
        continue
    data, ancillary, _, sender = tap.recvmsg(65535, 64)
    if sender[2] == socket.PACKET_OUTGOING:
        continue
    tag = 0
    for _, _, value in ancillary:
        status, _, _, _, _, tci, _ = struct.unpack("IIIHHHH", value[:20])
        tag = tci & 0xfff if status & 0x10 else 0
    print(tag, data.hex(), flush=True)
"""


@contextlib.contextmanager
def tapped(node: NodeAccess, interface: str) -> Iterator[list[tuple[int, bytes]]]:
    """(tag, frame) of all that arrives on an interface meanwhile; the list is filled at the end."""
    caught: list[tuple[int, bytes]] = []
    node.run(["rm", "-f", "/run/tap", "/run/tap.stop"])
    with ThreadPoolExecutor(1) as pool:
        tap = pool.submit(node.run, ["/usr/bin/python3", "-I", "-S", "-c", _TAP, interface])
        while node.run(["test", "-e", "/run/tap"]).returncode:
            time.sleep(0.01)
        yield caught
        time.sleep(0.1)
        node.run(["touch", "/run/tap.stop"])
        for line in tap.result().stdout.splitlines():
            tag, data = line.split()
            caught.append((int(tag), bytes.fromhex(data)))


def hosts_and_switches(hosts: Mapping[str, str], switches: Sequence[str], links: Sequence[str], **fields: Any) -> Task:
    """A task of hosts (name to address on eth0) and nodes that will switch."""
    nodes = {**dict.fromkeys(hosts, "linux"), **dict.fromkeys(switches, "linux")}
    configs = {name: f"ip address add {address} dev eth0\n" for name, address in hosts.items()}
    return network(nodes, links, {**configs, **dict.fromkeys(switches, "")}, **fields)


def switched_task(
    configs: Mapping[str, str],
    links: Sequence[str],
    *,
    switches: Sequence[str],
    hosts: Mapping[str, str] = {},
    **fields: Any,
) -> Task:
    """A task of IOS devices, some of which are switches, and of hosts (name to address and gateway on eth0)."""
    lines = {
        name: "\n".join(
            [
                f"ip address add {where.split()[0]} dev eth0",
                *(f"ip route add default via {hop}" for hop in where.split()[1:]),
                "",
            ]
        )
        for name, where in hosts.items()
    }
    task = ios_task(configs, links, hosts=lines, **fields)
    nodes = tuple(
        node.model_copy(update={"role": "switch"}) if node.name in switches else node
        for node in task.network.topology.nodes
    )
    return task.with_payload(topology=task.network.topology.model_copy(update={"nodes": nodes}))


def reaches(node: NodeAccess, address: str, *, count: int = 2) -> bool:
    """Whether a node's pings are answered, one at least."""
    return node.run(["ping", "-n", "-c", str(count), "-i", "0.05", "-W", "1", address]).returncode == 0


__all__ = [
    "Subinterface",
    "Switch",
    "SwitchState",
    "access",
    "hosts_and_switches",
    "plan_of",
    "reaches",
    "tapped",
    "trunk",
]
