"""Usual commands that show faults: ``python benchmarks/sightings.py [--jobs N] [--only FAULT…] [--platform NAME]``.

Each fault is injected into a drawn network. Usual commands are entered on each node, in the healthy network and with
the fault, and so is ``get-running-cfg``. A row has the commands that show the fault. A fault that is shown in the
healthy network is an error: what is said to be seen must have been seen.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, NetbenchError, UsageError
from pytest_netbench.generators.default_faults import (
    DIAGNOSED,
    OF_BURSTS,
    OF_DHCP,
    OF_LB,
    OF_QOS,
    OF_RPKI,
    OF_VPN,
    SERVED,
)
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.process.requests import Request, requests_of
from pytest_netbench.process.sightings import Known, causes_shown
from pytest_netbench.trial.stage import Stage

READ_CONFIG = "get-running-cfg"
NOTHING = "-"
_ROUTER = ("show run", "show ip route", "show ip ospf neighbor", "show ip ospf interface", "show ip ospf")
USUAL = {
    "frr": (*_ROUTER, "show interface", "show interface brief", "show bgp summary", "show ip bgp"),
    "cisco_ios": (
        *_ROUTER,
        *("sh int", "show ip int brief", "show ip bgp summary", "show access-lists", "show ip nat statistics"),
        *("show logging", "show vlan brief", "show policy-map interface"),
    ),
    "linux": (
        *("ip addr", "ip route", "ip neigh", "ip -s link", "ss -tulpn", "ss -tn", "cat /etc/resolv.conf"),
        *("nft list ruleset", "wg show", "cat /etc/dnsmasq-dhcp.conf", "cat /proc/sys/net/ipv4/tcp_rmem"),
    ),
    "openvswitch": ("ovs-vsctl show", "ovs-ofctl dump-flows br0", "ip link"),
    "openflow_controller": ("controller status", "ss -tuln", "nft list ruleset"),
}
_SERVICES = (
    (SERVED, ("dns", "web")),
    (OF_DHCP, ("dns", "web", "dhcp")),
    (OF_LB, ("dns", "web", "lb")),
    (OF_VPN, ("vpn",)),
    (OF_QOS, ("qos",)),
    (OF_RPKI, ("rpki",)),
)


def drawn(fault: str, platform: str) -> Task | None:
    """A small network with a fault; of the platform, if there is a place for the fault."""
    services = next((wanted for faults, wanted in _SERVICES if fault in faults), ("filter", "nat"))
    chosen: dict[str, Any] = {"faults": (fault,), "level": "1", "size": "1", "healthy": 0.0, "services": services}
    chosen |= {"traffic": "bursts"} if fault in OF_BURSTS else {}
    for platforms in ((platform,), ("frr",), ("cisco_ios",), ("openvswitch",)):
        for index in range(6):
            with contextlib.suppress(UsageError, ValueError):
                parameters = DiagnoseParameters.model_validate({**chosen, "platforms": platforms})
                return DiagnoseGenerator().draw(parameters, seed=5, index=index)
    return None


def looked(scene: Any, task: Task) -> tuple[dict[str, str], tuple[Request, ...]]:
    """The configs of all nodes, and what usual commands print."""
    payload, configs = diagnose_of(task), {}
    ani = AgentInterface(scene.lab, policy=Policy(), budget=UNLIMITED, methods=scene.methods)
    try:
        for node in payload.topology.nodes:
            with contextlib.suppress(AniError):
                configs[node.name] = ani.get_running_cfg(node.name)["running_config"]
            for command in USUAL.get(payload.platform_of(node.name), ()):
                with contextlib.suppress(AniError):
                    ani.execute_cmd(node.name, command)
        return configs, requests_of(ani.steps)
    finally:
        ani.close()


def shown(known: Known, requests: Sequence[Request]) -> Iterator[str]:
    """By which of some requests, each by itself, each fault of a network is shown."""
    alone = [causes_shown(known, [one], until=None) for one in requests]
    for number in range(len(known.payload.faults)):
        by = [one for one, found in zip(requests, alone, strict=True) if found[number] is not None]
        yield ", ".join(dict.fromkeys(one.command or one.method for one in by)) or NOTHING


def row(fault: str, platform: str) -> tuple[str, str, str, str]:
    """By what usual commands and the config show a fault, and whether something does in the healthy network."""
    task = drawn(fault, platform)
    if task is None:
        return fault, "no place", "", ""
    before: list[Any] = []
    try:
        with Stage(task, when_healthy=lambda scene: before.append(looked(scene, task))) as stage:
            stage.scene.observe()
            time.sleep(1.0)
            configs, requests = looked(stage.scene, task)
    except NetbenchError as error:
        return fault, f"ERROR {error}", "", ""
    (healthy, earlier), payload = before[0], diagnose_of(task)
    of_commands = [one for one in requests if one.method != READ_CONFIG]
    of_configs = [one for one in requests if one.method == READ_CONFIG]
    known = Known(payload=payload, healthy=healthy, initial=configs)
    false = list(shown(Known(payload=payload, healthy=healthy, initial=healthy), earlier))
    cells = (list(shown(known, some)) for some in (of_commands, of_configs))
    return fault, *(" + ".join(one) for one in cells), " + ".join(one for one in false if one != NOTHING)


def main() -> None:
    """Print the table; the exit status tells whether a healthy network showed a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="labs side by side (2)")
    parser.add_argument("--platform", default="frr", help="cisco_ios or frr")
    every = tuple(dict.fromkeys((*DIAGNOSED, *SERVED, *OF_DHCP, *OF_LB, *OF_VPN, *OF_QOS, *OF_RPKI, *OF_BURSTS)))
    parser.add_argument("--only", nargs="*", default=every, help="these faults (all)")
    chosen = parser.parse_args()
    print("| fault | shown by a command | by the config | in the healthy network |\n| --- | --- | --- | --- |")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        rows = []
        for one in pool.map(partial(row, platform=chosen.platform), chosen.only):
            rows.append(one)
            print(f"| {' | '.join(one)} |", flush=True)
    made = [one for one in rows if one[1] != "no place" and not one[1].startswith("ERROR")]
    by_command, by_config = (sum(one[at] != NOTHING for one in made) for at in (1, 2))
    false = sum(bool(one[3]) for one in made)
    print(f"{len(made)} faults: {by_command} shown by commands, {by_config} by configs, {false} in healthy networks")
    sys.exit(bool(false))


if __name__ == "__main__":
    main()
