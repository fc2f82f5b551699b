"""The lab below a cluster: hosts outside are on the LAN of the machines, which have routes to their addresses."""

from __future__ import annotations

from pytest_netbench.backends.kube import plan

WORKERS = plan.machines(2, slots=1)
CARD = plan.Outside("card", 1, "ip address add 203.0.113.10/24 dev eth0\nip addr add 203.0.113.11/24 dev eth0\n")
MUTE = plan.Outside("mute", 2, "")


def test_hosts_outside_are_on_the_lan_of_the_machines() -> None:
    lan = plan.topology(WORKERS, (CARD, MUTE)).links[0]
    names = [end.node for end in lan.endpoints]
    assert names == ["control-plane", "worker-1", "worker-2", "outside-1", "outside-2"]
    assert len(plan.topology(WORKERS).links[0].endpoints) == 3


def test_each_machine_has_a_route_to_each_address_outside_and_the_host_one_back_from_it() -> None:
    configs = plan.startup_configs(WORKERS, (CARD, MUTE))
    for worker in WORKERS:
        lines = configs[worker.name].splitlines()
        assert "ip route add 203.0.113.10/32 via 172.18.0.101" in lines
        assert "ip route add 203.0.113.11/32 via 172.18.0.101" in lines
    host = configs["outside-1"].splitlines()
    assert "ip address add 203.0.113.10/24 dev eth0" in host
    assert host[-2:] == [
        "ip route add 10.244.1.0/24 via 172.18.0.11 src 203.0.113.10",
        "ip route add 10.244.2.0/24 via 172.18.0.12 src 203.0.113.10",
    ]
    assert configs["outside-2"].splitlines()[-1] == "ip route add 10.244.2.0/24 via 172.18.0.12"


def test_a_cluster_without_hosts_outside_is_as_before() -> None:
    assert plan.startup_configs(WORKERS) == plan.startup_configs(WORKERS, ())
    assert not any("203.0.113" in text for text in plan.startup_configs(WORKERS).values())
