"""The networks that the benchmarks deploy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.model.task import Task


def _end(text: str) -> dict[str, str]:
    node, interface = text.split()
    return {"node": node, "interface": interface}


def _task(nodes: list[dict[str, str]], links: Sequence[tuple[str, ...]], configs: dict[str, str], **more: Any) -> Task:
    return Task.model_validate(
        {
            "task_name": "benchmark",
            "slug": "benchmark",
            "platform": "frr",
            "intents": [{"text": "none"}],
            "topology": {"nodes": nodes, "links": [{"endpoints": [_end(one) for one in ends]} for ends in links]},
            "startup_configs": configs,
            **more,
        }
    )


def _router(number: int, interfaces: dict[str, str], stub: str | None = None, *, broadcast: bool = False) -> str:
    lines = [f"hostname R{number}"]
    for name, address in interfaces.items():
        lines += [f"interface {name}", f" ip address {address}", " ip ospf area 0"]
        if name == stub:
            lines.append(" ip ospf passive")
        elif not broadcast:
            lines.append(" ip ospf network point-to-point")
        lines.append("exit")
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


def ring_with_hosts(routers: int) -> Task:
    """A ring of OSPF routers with a host each, two events that cut its links, and a ground truth of one route."""
    numbers = range(routers)
    links = [(f"R{n} eth0", f"R{(n + 1) % routers} eth1") for n in numbers]
    links += [(f"R{n} eth2", f"h{n} eth0") for n in numbers]
    configs = {}
    for n in numbers:
        ends = {"eth0": f"10.0.{n}.1/30", "eth1": f"10.0.{(n - 1) % routers}.2/30", "eth2": f"10.1.{n}.1/24"}
        configs[f"R{n}"] = _router(n, ends, stub="eth2")
        configs[f"h{n}"] = f"ip address add 10.1.{n}.10/24 dev eth0\nip route add default via 10.1.{n}.1\n"
    nodes = [{"name": f"R{n}"} for n in numbers]
    nodes += [{"name": f"h{n}", "platform": "linux", "control": "observed"} for n in numbers]
    events = {"first-cut": "R0 eth0", "second-cut": f"R{routers // 2} eth0"}
    held = [{"name": f"as before: {under}", "kind": "reference", "under": under} for under in (None, *events)]
    more = {
        "events": {name: [{"cut": _end(end)}] for name, end in events.items()},
        "ground_truth_configs": {"R0": ["ip route 10.9.0.0/16 blackhole"]},
        "testcases": held,
    }
    return _task(nodes, links, configs, **more)


def line_of_hosts(count: int) -> tuple[Task, dict[str, str]]:
    """A line of Linux hosts that forward, with a route to the loopback of each other; and by node this address."""
    loopbacks = [f"10.9.{n}.1" for n in range(count)]
    configs = {}
    for n in range(count):
        lines = [f"address add {loopbacks[n]}/32 dev lo"]
        if n:
            lines.append(f"address add 10.0.{n - 1}.2/30 dev left")
            lines += [f"route add {one} via 10.0.{n - 1}.1 src {loopbacks[n]}" for one in loopbacks[:n]]
        if n < count - 1:
            lines.append(f"address add 10.0.{n}.1/30 dev right")
            lines += [f"route add {one} via 10.0.{n}.2 src {loopbacks[n]}" for one in loopbacks[n + 1 :]]
        configs[f"n{n}"] = "\n".join(["sysctl -qw net.ipv4.ip_forward=1", "ip -batch - <<END", *lines, "END", ""])
    nodes = [{"name": name, "platform": "linux"} for name in configs]
    links = [(f"n{n} right", f"n{n + 1} left") for n in range(count - 1)]
    return _task(nodes, links, configs), dict(zip(configs, loopbacks, strict=True))


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


def ospf_ring(routers: int, *, broadcast: bool = False) -> Task:
    """A ring of OSPF routers, each with the default timers. On ``broadcast`` links designated routers are elected."""
    numbers = range(routers)
    links = [(f"R{n} eth0", f"R{(n + 1) % routers} eth1") for n in numbers]
    # link n joins eth0 of router n (.1) and eth1 of the next one (.2)
    configs = {
        f"R{n}": _router(n, {"eth0": f"10.{n // 250}.{n % 250}.1/30", "eth1": _next(n, routers)}, broadcast=broadcast)
        for n in numbers
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


def star(subnets: int, hosts: int) -> tuple[Task, dict[str, str]]:
    """NetArena's star, with the Linux router ``r0``; and by node the address that others are told."""
    drawn = draw_network(NetworkParameters(shape="star", sizes={"subnets": subnets, "hosts": hosts}))
    task = Task.model_validate(
        {"task_name": "benchmark", "slug": "benchmark", "intents": [{"text": "none"}], **drawn.fields()}
    )
    return task, drawn.addresses
