"""The lab that a cluster runs on: machines, slots for pods, and the workstation. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_netbench.model.topology import Topology

CONTROL_PLANE: Final = "control-plane"
CONTROL_PLANE_ADDRESS: Final = "172.18.0.2"
API_PORT: Final = 6443
MACHINE_PORT: Final = 8080
"""Where machines reach the API, without TLS."""
KUBELET_PORT: Final = 10250
"""Where machines serve logs of their pods and commands in them."""
WORKSTATION: Final = "workstation"
_DESK: Final = "172.19.0"  # the network of the workstation
DESK_ADDRESS: Final = f"{_DESK}.1"
DNS_ADDRESS: Final = "10.96.0.10"
API_ADDRESS: Final = "10.96.0.1"
SERVICES: Final = "10.96.0.0/16"
PODS: Final = "10.244.0.0/16"
GATEWAY: Final = "169.254.1.1"
"""The next hop of pods, which each machine has towards each of them."""
_FIRST_POD: Final = 10
_GIVEN: Final = re.compile(r"^ip addr(?:ess)? add (\d+\.\d+\.\d+\.\d+)/\d+ dev eth0\b", re.MULTILINE)


@dataclass(frozen=True)
class Slot:
    """A node of the lab that can be a pod.

    Attributes:
        node: Its name in the lab.
        interface: Of the machine towards it.
        address: Of the pod.
    """

    node: str
    interface: str
    address: str


@dataclass(frozen=True)
class Machine:
    """A machine of the cluster.

    Attributes:
        name: Its name in the lab and in the cluster.
        number: From 1.
        address: Among machines.
        slots: For pods.
    """

    name: str
    number: int
    address: str
    slots: tuple[Slot, ...]

    @property
    def pods(self) -> str:
        """The prefix of its pods."""
        return f"10.244.{self.number}.0/24"


@dataclass(frozen=True)
class Outside:
    """A host outside of the cluster, on the LAN of the machines.

    Attributes:
        name: In the task.
        number: From 1.
        config: Its startup config, which gives ``eth0`` an address.
    """

    name: str
    number: int
    config: str

    @property
    def node(self) -> str:
        """Its name in the lab."""
        return f"outside-{self.number}"

    @property
    def gateway(self) -> str:
        """Its address among machines."""
        return f"172.18.0.{100 + self.number}"

    @property
    def addresses(self) -> tuple[str, ...]:
        """Those that its config gives it."""
        return tuple(_GIVEN.findall(self.config))


def machines(count: int, *, slots: int) -> tuple[Machine, ...]:
    """``count`` machines with ``slots`` slots each."""
    return tuple(_machine(number, slots) for number in range(1, count + 1))


def _machine(number: int, slots: int) -> Machine:
    return Machine(
        name=f"worker-{number}",
        number=number,
        address=f"172.18.0.{10 + number}",
        slots=tuple(
            Slot(f"pod-{number}-{index}", f"pod{index}", f"10.244.{number}.{_FIRST_POD + index}")
            for index in range(slots)
        ),
    )


def topology(workers: tuple[Machine, ...], outside: tuple[Outside, ...] = ()) -> Topology:
    """The lab's topology: machines on a LAN, each slot at its machine, the workstation at the control plane."""
    names = [CONTROL_PLANE, WORKSTATION, *(one.name for one in workers), *(one.node for one in outside)]
    slots = [(one.name, slot) for one in workers for slot in one.slots]
    lan = [_end(CONTROL_PLANE, "eth0"), *(_end(one.name, "eth0") for one in workers)]
    lan += [_end(one.node, "eth0") for one in outside]
    desk = [_end(CONTROL_PLANE, "eth1"), _end(WORKSTATION, "eth0")]
    cables = [[_end(machine, slot.interface), _end(slot.node, "eth0")] for machine, slot in slots]
    return Topology.model_validate(
        {
            "nodes": [{"name": name} for name in (*names, *(slot.node for _, slot in slots))],
            "links": [{"endpoints": ends} for ends in (lan, desk, *cables)],
        }
    )


def _end(node: str, interface: str) -> dict[str, str]:
    return {"node": node, "interface": interface}


def startup_configs(workers: tuple[Machine, ...], outside: tuple[Outside, ...] = ()) -> dict[str, str]:
    """By node: its addresses and routes."""
    found = {
        CONTROL_PLANE: _lines(
            *_address("eth0", f"{CONTROL_PLANE_ADDRESS}/24"),
            *_address("eth1", f"{DESK_ADDRESS}/24"),
            *(f"ip route add {one.pods} via {one.address}" for one in workers),
        ),
        WORKSTATION: _lines(
            *_address("eth0", f"{_DESK}.2/24"), f"ip route add {CONTROL_PLANE_ADDRESS}/32 via {DESK_ADDRESS}"
        ),
    }
    found |= {one.node: _lines(*_outside_lines(one, workers)) for one in outside}
    for one in workers:
        found[one.name] = _lines(*_machine_lines(one, workers), *_routes_to(outside))
        for slot in one.slots:
            found[slot.node] = _lines(
                # as container runtimes set it
                "sysctl -w net.ipv4.ip_unprivileged_port_start=0",
                *_address("eth0", f"{slot.address}/32"),
                f"ip route add {GATEWAY}/32 dev eth0",
                f"ip route add default via {GATEWAY}",
            )
    return found


def _machine_lines(one: Machine, workers: tuple[Machine, ...]) -> Iterator[str]:
    yield from _address("eth0", f"{one.address}/24")
    yield "sysctl -w net.ipv4.ip_forward=1"
    for other in workers:
        if other is not one:
            yield f"ip route add {other.pods} via {other.address}"
    for slot in one.slots:
        yield from _address(slot.interface, f"{GATEWAY}/32")
        yield f"ip route add {slot.address}/32 dev {slot.interface}"


def _outside_lines(one: Outside, workers: tuple[Machine, ...]) -> Iterator[str]:
    yield from _address("eth0", f"{one.gateway}/24")
    yield from one.config.splitlines()
    source = f" src {one.addresses[0]}" if one.addresses else ""
    for worker in workers:
        yield f"ip route add {worker.pods} via {worker.address}{source}"


def _routes_to(outside: tuple[Outside, ...]) -> Iterator[str]:
    for one in outside:
        yield from (f"ip route add {address}/32 via {one.gateway}" for address in one.addresses)


def _address(interface: str, address: str) -> tuple[str, str]:
    return f"ip link set {interface} up", f"ip addr add {address} dev {interface}"


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
