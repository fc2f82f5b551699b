"""Configuration speed of the ``cisco_ios`` platform: one line, and 300 lines at once.

python benchmarks/ios.py
"""

from __future__ import annotations

import statistics
import time

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task

LINES = 300
ROUNDS = 40


def task() -> Task:
    """Two routers on a cable."""
    return Task.model_validate(
        {
            "task_name": "ios",
            "slug": "ios",
            "platform": "cisco_ios",
            "intents": [{"text": "none"}],
            "topology": {
                "nodes": [{"name": "R1"}, {"name": "R2"}],
                "links": [{"endpoints": [{"node": "R1", "interface": "Gi0/0"}, {"node": "R2", "interface": "Gi0/0"}]}],
            },
            "startup_configs": {
                name: (
                    f"interface Gi0/0\n ip address 10.0.0.{n} 255.255.255.0\nrouter ospf 1\n network 10.0.0.0"
                    " 0.255.255.255 area 0\n"
                )
                for n, name in enumerate(("R1", "R2"), 1)
            },
        }
    )


def paste() -> list[str]:
    """A config of some 300 lines of many kinds, as a text editor holds it."""
    lines = ["hostname R1"]
    for n in range(20):
        lines += [
            f"interface Loopback{n}",
            f" description loopback {n}",
            f" ip address 172.16.{n}.1 255.255.255.0",
            " ip ospf cost 5",
        ]
    lines += ["router ospf 1", *(f" network 172.16.{n}.0 0.0.0.255 area 0" for n in range(20))]
    lines += [
        "router bgp 65001",
        *(f" network 172.16.{n}.0 mask 255.255.255.0" for n in range(20)),
        " neighbor 10.0.0.2 remote-as 65002",
    ]
    lines += [f"ip route 10.{n}.0.0 255.255.0.0 10.0.0.2" for n in range(60)]
    lines += [
        "ip access-list extended EDGE",
        *(f" permit tcp any host 172.16.{n}.1 eq {1000 + n}" for n in range(40)),
        " deny ip any any",
    ]
    lines += [f"ip prefix-list P seq {5 * n} permit 10.{n}.0.0/16" for n in range(1, 21)]
    lines += ["class-map match-any VOICE", " match dscp ef", "policy-map EDGE", " class VOICE", "  priority 256"]
    lines += ["interface Gi0/0", " ip access-group EDGE in", " service-policy output EDGE"]
    return [*lines, *(f"ip host host{n} 10.0.0.{n}" for n in range(1, LINES + 1 - len(lines)))]


def main() -> None:
    """Measure and print."""
    lab = parts.load("backends", "netns")().deploy(request_of(task()))
    platform = parts.load("drivers", "cisco_ios")()
    node = lab.nodes["R1"]
    try:
        lines = paste()
        began = time.perf_counter()
        statuses = platform.apply(node, lines)
        took = time.perf_counter() - began
        refused = [status for status in statuses if status.status == "error"]
        print(f"{len(lines)} lines at once: {took:.3f} s ({len(refused)} refused {refused[:3]})")
        print("problems:", node.memory["cisco_ios"].problems[:3])
        for what, make in {
            "a static route": lambda n: f"ip route 192.168.{n}.0 255.255.255.0 10.0.0.2",
            "a line of an access list": lambda n: f"access-list 110 permit tcp any any eq {2000 + n}",
            "a network of OSPF": lambda n: f"interface Loopback0\nip ospf cost {n + 10}",
        }.items():
            times = []
            for n in range(ROUNDS):
                began = time.perf_counter()
                platform.apply(node, [make(n)])
                times.append(time.perf_counter() - began)
            print(
                f"{what}, on top of that: median {1000 * statistics.median(times):.1f} ms, worst"
                f" {1000 * max(times):.1f} ms"
            )
        before = platform.running_config(node)
        began = time.perf_counter()
        node.memory["cisco_ios"].startup_config = before
        node.memory["cisco_ios"].reload()
        print(
            f"reload: {time.perf_counter() - began:.3f} s, running config the same:"
            f" {platform.running_config(node) == before}"
        )
    finally:
        lab.destroy()


if __name__ == "__main__":
    main()
