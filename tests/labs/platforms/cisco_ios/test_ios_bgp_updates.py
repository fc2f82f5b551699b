"""What a BGP process makes of updates: those faster than they are sent, and those of its own aggregates."""

from __future__ import annotations

import threading
from typing import Any

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task, type_lines

ROUTER = """
interface Gi0/0
 ip address 10.0.12.{n} 255.255.255.0
 no shutdown
interface Loopback0
 ip address 172.16.{n}.1 255.255.255.0
interface Loopback1
 ip address 172.17.{n}.1 255.255.255.0
router bgp 6500{n}
 neighbor 10.0.12.{peer} remote-as 6500{peer}
 neighbor 10.0.12.{peer} advertisement-interval 30
 network 172.16.{n}.0 mask 255.255.255.0
"""


def two_routers(deploy_task: Any) -> Any:
    configs = {f"R{n}": ROUTER.format(n=n, peer=3 - n) for n in (1, 2)}
    return deploy_task(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))


def learned(lab: Any, name: str, prefix: str, words: str = "table entry") -> bool:
    session = Session(device_of(lab.nodes[name]))
    return eventually(lambda: words in session.enter(f"show ip bgp {prefix}"), within_s=10)


def test_a_route_that_is_back_before_its_withdrawal_was_sent_stays_with_the_neighbor(deploy_task) -> None:
    lab = two_routers(deploy_task)

    def advertise(line: str) -> None:
        type_lines(lab.nodes["R2"], "router bgp 65002", line)
        threading.Event().wait(0.05)  # bgpd would see nothing of a change that is taken back at once

    assert learned(lab, "R1", "172.16.2.0/24")
    # the first change is sent at once, the others when the advertisement interval has passed
    for word in ("no ", "", "no ", ""):
        advertise(f"{word}network 172.16.2.0 mask 255.255.255.0")
    advertise("network 172.17.2.0 mask 255.255.255.0")
    assert learned(lab, "R1", "172.17.2.0/24")
    assert learned(lab, "R1", "172.16.2.0/24")


def test_an_aggregate_is_created_although_a_neighbor_announced_the_same_prefix_first(deploy_task) -> None:
    lab = two_routers(deploy_task)
    static = [f"ip route 172.18.0.0 255.255.{mask}.0 Null0" for mask in (0, 255)]
    whole, part = (f"network 172.18.0.0 mask 255.255.{mask}.0" for mask in (0, 255))
    type_lines(lab.nodes["R1"], *static, "router bgp 65001", "no neighbor 10.0.12.2 advertisement-interval", whole)
    assert learned(lab, "R2", "172.18.0.0/16")
    type_lines(lab.nodes["R2"], "router bgp 65002", "aggregate-address 172.18.0.0 255.255.0.0")
    type_lines(lab.nodes["R1"], "router bgp 65001", part)
    assert learned(lab, "R2", "172.18.0.0/16", "aggregated by 65002")
    type_lines(lab.nodes["R1"], "router bgp 65001", f"no {whole}")
    assert learned(lab, "R1", "172.18.0.0/16", "aggregated by 65002")


def test_the_inbound_route_map_applies_beside_an_aggregate_and_after_it_is_gone(deploy_task) -> None:
    lab = two_routers(deploy_task)
    aggregate = "aggregate-address 172.16.0.0 255.254.0.0"
    type_lines(lab.nodes["R2"], "route-map IN permit 10", "set weight 7", "router bgp 65002", aggregate)
    type_lines(lab.nodes["R2"], "router bgp 65002", "neighbor 10.0.12.1 route-map IN in", "do clear ip bgp *")
    assert learned(lab, "R2", "172.16.1.0/24", "weight 7")
    type_lines(lab.nodes["R2"], "route-map IN permit 10", "set weight 9", "router bgp 65002", f"no {aggregate}")
    type_lines(lab.nodes["R2"], "do clear ip bgp *")
    assert learned(lab, "R2", "172.16.1.0/24", "weight 9")
    assert learned(lab, "R2", "172.16.0.0/15", "not in table")
