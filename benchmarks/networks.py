"""The networks that the benchmarks deploy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_netbench.model.task import Task


def _task(nodes: list[dict[str, str]], links: Sequence[tuple[str, ...]], configs: dict[str, str]) -> Task:
    def end(text: str) -> dict[str, str]:
        node, interface = text.split()
        return {"node": node, "interface": interface}

    return Task.model_validate(
        {
            "task_name": "benchmark",
            "slug": "benchmark",
            "platform": "frr",
            "intents": [{"text": "none"}],
            "topology": {"nodes": nodes, "links": [{"endpoints": [end(one) for one in ends]} for ends in links]},
            "startup_configs": configs,
        }
    )


def _router(number: int, interfaces: dict[str, str], stub: str | None = None) -> str:
    lines = [f"hostname R{number}"]
    for name, address in interfaces.items():
        lines += [f"interface {name}", f" ip address {address}", " ip ospf area 0"]
        lines += [" ip ospf passive" if name == stub else " ip ospf network point-to-point", "exit"]
    identifier = f"10.255.{number // 250}.{number % 250 + 1}"
    return "\n".join([*lines, "router ospf", f" ospf router-id {identifier}", "exit", ""])


def two_routers_two_hosts() -> Task:
    """h1 - R1 - R2 - h2 with OSPF between the routers."""
    configs = {
        "h1": "ip address add 10.1.0.10/24 dev eth0\nip route add default via 10.1.0.1\n",
        "h2": "ip address add 10.2.0.10/24 dev eth0\nip route add default via 10.2.0.1\n",
        "R1": _router(1, {"eth0": "10.0.12.1/30", "eth1": "10.1.0.1/24"}, stub="eth1"),
        "R2": _router(2, {"eth0": "10.0.12.2/30", "eth1": "10.2.0.1/24"}, stub="eth1"),
    }
    nodes = [{"name": "R1"}, {"name": "R2"}, {"name": "h1", "platform": "linux"}, {"name": "h2", "platform": "linux"}]
    return _task(nodes, [("R1 eth0", "R2 eth0"), ("R1 eth1", "h1 eth0"), ("R2 eth1", "h2 eth0")], configs)


def router_and_host() -> Task:
    """R1 - h1, where R1 runs OSPF."""
    configs = {
        "h1": "ip address add 10.1.0.10/24 dev eth0\nip route add default via 10.1.0.1\n",
        "R1": _router(1, {"eth1": "10.1.0.1/24"}, stub="eth1"),
    }
    return _task([{"name": "R1"}, {"name": "h1", "platform": "linux"}], [("R1 eth1", "h1 eth0")], configs)


def two_bgp_routers() -> Task:
    """R1 - R2 with a session of external BGP."""
    configs = {
        f"R{n}": (
            f"hostname R{n}\ninterface eth0\n ip address 10.0.12.{n}/30\nexit\n"
            f"router bgp 6500{n}\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\nexit\n"
        )
        for n in (1, 2)
    }
    return _task([{"name": "R1"}, {"name": "R2"}], [("R1 eth0", "R2 eth0")], configs)


def ospf_ring(routers: int) -> Task:
    """A ring of OSPF routers, each with the default timers."""
    numbers = range(routers)
    links = [(f"R{n} eth0", f"R{(n + 1) % routers} eth1") for n in numbers]
    # link n joins eth0 of router n (.1) and eth1 of the next one (.2)
    configs = {
        f"R{n}": _router(n, {"eth0": f"10.{n // 250}.{n % 250}.1/30", "eth1": _next(n, routers)}) for n in numbers
    }
    return _task([{"name": f"R{n}"} for n in numbers], links, configs)


def _next(number: int, routers: int) -> str:
    link = (number - 1) % routers
    return f"10.{link // 250}.{link % 250}.2/30"


def proportional_memory(pid: int) -> dict[str, Any]:
    """PSS in bytes of a process and all below it: the sum, and the count of processes."""
    total, count, waiting = 0, 0, [pid]
    while waiting:
        current = waiting.pop()
        try:
            with Path(f"/proc/{current}/smaps_rollup").open() as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024
            waiting += [int(child) for child in Path(f"/proc/{current}/task/{current}/children").read_text().split()]
        except (OSError, StopIteration):
            continue
        count += 1
    return {"bytes": total, "processes": count}


def star(subnets: int, hosts: int) -> Task:
    """NetArena's star: a Linux router ``r`` with one LAN for each subnet, and ``hosts`` hosts in each."""
    where = star_addresses(subnets, hosts)
    router = [f"ip address add 10.0.{subnet}.1/24 dev eth{subnet}" for subnet in range(subnets)]
    configs = {"r": "\n".join([*router, "sysctl -qw net.ipv4.ip_forward=1", ""])}
    links: list[tuple[str, ...]] = []
    for subnet in range(subnets):
        names = [f"h{subnet}x{host}" for host in range(hosts)]
        links.append((f"r eth{subnet}", *(f"{name} eth0" for name in names)))
        for name in names:
            configs[name] = f"ip address add {where[name]}/24 dev eth0\nip route add default via 10.0.{subnet}.1\n"
    return _task([{"name": name, "platform": "linux"} for name in where], links, configs)


def star_addresses(subnets: int, hosts: int) -> dict[str, str]:
    """Node to the address that others are told."""
    found = {"r": "10.0.0.1"}
    return found | {f"h{s}x{h}": f"10.0.{s}.{10 + h}" for s in range(subnets) for h in range(hosts)}
