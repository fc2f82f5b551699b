"""When a lab counts as ready: what is waited for, and what the policy of a task changes about it."""

from __future__ import annotations

import json
import time

import pytest

from pytest_netbench.errors import NotReady
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.ready import ExpectedDown, Ready
from tests.support.netns_networks import network, pair


def routers(lines, *, links=("R1 eth0 - R2 eth0",), count=2, **fields):
    """FRR routers R1, R2 …; ``lines`` makes the config of each from its number."""
    numbers = range(1, count + 1)
    configs = {f"R{n}": lines(n) for n in numbers}
    return network(dict.fromkeys(configs, "frr"), links, configs, **fields)


def ask(lab, node, daemon, command):
    text = lab.nodes[node].vty([(daemon, command)])[0][0]
    start = min(at for at in (text.find("{"), text.find("[")) if at >= 0)
    return json.loads(text[start:])


def expected_down(*sessions):
    words = ("node", "protocol", "neighbor")
    return Ready(expected_down=tuple(ExpectedDown(**dict(zip(words, one.split(), strict=True))) for one in sessions))


def test_where_no_daemon_runs_nothing_is_waited_for_however_slow_lab_time_is(backend) -> None:
    began = time.monotonic()
    lab = backend.deploy(request_of(pair(), time_scale=1))
    took_s = time.monotonic() - began
    lab.destroy()
    assert took_s < 2.5  # three lab seconds of quiet are for routing daemons


def unnumbered(n):
    return (
        f"interface lo\n ip address 10.255.0.{n}/32\n ip ospf area 0\nexit\n"
        f"interface eth0\n ip address 10.255.0.{n}/32\n ip ospf area 0\n ip ospf network point-to-point\nexit\n"
        f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
    )


def test_unnumbered_ospf_is_waited_for(deploy) -> None:
    lab = deploy(routers(unnumbered), time_scale=10)
    (neighbor,) = ask(lab, "R1", "ospfd", "show ip ospf neighbor json")["neighbors"]["2.2.2.2"]
    assert neighbor["nbrState"].startswith("Full")
    assert lab.nodes["R1"].vty([("zebra", "show ip route 10.255.0.2")])[0][0].count('Known via "ospf"') == 1


def many_links(n):
    interfaces = "".join(
        f"interface eth{link}\n ip address 10.0.{link}.{n}/30\n ip ospf area 0\n ip ospf network point-to-point\nexit\n"
        for link in range(_MANY)
    )
    return f"{interfaces}router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"


_MANY = 24  # a fresh network namespace lets a socket join twenty groups


def test_a_router_may_have_more_than_twenty_ospf_interfaces(deploy) -> None:
    lab = deploy(routers(many_links, links=tuple(f"R1 eth{link} - R2 eth{link}" for link in range(_MANY))))
    neighbors = ask(lab, "R1", "ospfd", "show ip ospf neighbor json")["neighbors"]["2.2.2.2"]
    assert [one["nbrState"].split("/")[0] for one in neighbors] == ["Full"] * _MANY


def link_local_ospf6(n):
    """OSPFv3 with no global address on the link; each router has a loopback network."""
    return (
        f"interface lo\n ipv6 address 2001:db8:{n}::1/128\n ipv6 ospf6 area 0\nexit\n"
        "interface eth0\n ipv6 ospf6 area 0\nexit\n"
        f"router ospf6\n ospf6 router-id {n}.{n}.{n}.{n}\nexit\n"
    )


def test_ospfv3_over_link_local_addresses_is_waited_for(deploy) -> None:
    lab = deploy(routers(link_local_ospf6), time_scale=10)
    neighbors = ask(lab, "R1", "ospf6d", "show ipv6 ospf6 neighbor json")["neighbors"]
    # one that changed its router ID while it booted is listed twice until its old self is dead
    assert ("2.2.2.2", "Full") in {(one["neighborId"], one["state"]) for one in neighbors}
    assert '"ospf6"' in lab.nodes["R1"].vty([("zebra", "show ipv6 route 2001:db8:2::1")])[0][0]


def bfd(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\n ip ospf area 0\n ip ospf bfd\n ip ospf network point-to-point\n"
        f"exit\nrouter ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
        f"router bgp 6500{n}\n no bgp ebgp-requires-policy\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\n"
        f" neighbor 10.0.12.{3 - n} bfd\nexit\n"
    )


def test_bfd_sessions_are_waited_for(deploy) -> None:
    lab = deploy(routers(bfd), time_scale=1)
    for node in ("R1", "R2"):
        assert {peer["status"] for peer in ask(lab, node, "bfdd", "show bfd peers json")} == {"up"}


def unnumbered_bgp(n):
    return (
        f"interface lo\n ip address 10.255.0.{n}/32\nexit\n"
        f"router bgp 6500{n}\n no bgp ebgp-requires-policy\n neighbor eth0 interface remote-as external\n"
        f" address-family ipv4 unicast\n  network 10.255.0.{n}/32\n exit-address-family\nexit\n"
    )


def test_unnumbered_bgp_is_waited_for(deploy) -> None:
    lab = deploy(routers(unnumbered_bgp))
    assert ask(lab, "R1", "bgpd", "show bgp summary json")["ipv4Unicast"]["peers"]["eth0"]["state"] == "Established"


def isis6(n):
    return (
        f"interface lo\n ipv6 address 2001:db8:{n}::1/128\n ipv6 router isis X\nexit\n"
        "interface eth0\n ipv6 router isis X\n isis network point-to-point\nexit\n"
        f"router isis X\n net 49.0001.0000.0000.000{n}.00\n is-type level-2-only\nexit\n"
    )


def test_isis_without_ipv4_is_waited_for(deploy) -> None:
    lab = deploy(routers(isis6), time_scale=10)
    assert '"isis"' in lab.nodes["R1"].vty([("zebra", "show ipv6 route 2001:db8:2::1")])[0][0]


# -- policies ----------------------------------------------------------------------------------------------------------


def same_router_id(n):
    """An internal BGP session that cannot come up, beside OSPF that can."""
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\n ip ospf area 0\n ip ospf network point-to-point\nexit\n"
        f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
        f"router bgp 65000\n bgp router-id 9.9.9.9\n neighbor 10.0.12.{3 - n} remote-as 65000\nexit\n"
    )


def short_hold_time(n):
    """R1 refuses hold times below 60 s, R2 offers 9 s."""
    own = "bgp minimum-holdtime 60\n" if n == 1 else "timers bgp 3 9\n"
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\nexit\nrouter bgp 6500{n}\n {own} no bgp ebgp-requires-policy\n"
        f" neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\nexit\n"
    )


def role_mismatch(n):
    """Both ends say that they are the provider (RFC 9234)."""
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\nexit\n"
        f"router bgp 6500{n}\n no bgp ebgp-requires-policy\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\n"
        f" neighbor 10.0.12.{3 - n} local-role provider\nexit\n"
    )


def duplicate_system_id(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\n ip router isis X\n isis network point-to-point\nexit\n"
        "router isis X\n net 49.0001.0000.0000.0001.00\n is-type level-2-only\nexit\n"
    )


IMPOSSIBLE = {
    "same router id": (same_router_id, "R1 bgp 10.0.12.2"),
    "minimum hold time": (short_hold_time, "R1 bgp 10.0.12.2"),
    "roles": (role_mismatch, "R2 bgp 10.0.12.1"),
    "duplicate system id": (duplicate_system_id, "R1 isis eth0"),
}


def deployed(backend, task):
    """A deployed lab; skips what this FRR does not know."""
    from pytest_netbench.errors import StartupConfigRejected

    try:
        return backend.deploy(request_of(task))
    except StartupConfigRejected as error:
        pytest.skip(f"this FRR does not know {error.line.strip()!r}")


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_session_that_the_configs_make_impossible_can_be_expected_down(backend, case) -> None:
    lines, session = IMPOSSIBLE[case]
    lab = deployed(backend, routers(lines, ready=expected_down(session)))
    try:
        assert lab.readiness.missing == ()
        assert lab.readiness.unexpectedly_up == ()
        assert lab.readiness.waited_s < 20
    finally:
        lab.destroy()


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_lab_is_as_stable_as_it_gets_at_the_deadline(backend, case) -> None:
    lines, _ = IMPOSSIBLE[case]
    lab = deployed(backend, routers(lines, ready=Ready(until="stable", deadline_s=60)))
    try:
        assert any("neighbor" in phrase for phrase in lab.readiness.missing), lab.readiness
    finally:
        lab.destroy()


def test_what_else_is_missing_is_still_waited_for(deploy) -> None:
    """The session that is expected down does not hide that OSPF, and what is asked after BGP, must be up."""
    lab = deploy(routers(same_router_id, ready=expected_down("R1 bgp 10.0.12.2")), time_scale=10)
    (neighbor,) = ask(lab, "R1", "ospfd", "show ip ospf neighbor json")["neighbors"]["2.2.2.2"]
    assert neighbor["nbrState"].startswith("Full")


def test_a_session_that_comes_up_all_the_same_is_reported(deploy) -> None:
    lab = deploy(routers(bfd, ready=expected_down("R1 bgp R2")))
    assert lab.readiness.unexpectedly_up == ("R1 bgp R2",)


def test_boot_waits_for_no_session(deploy) -> None:
    lab = deploy(routers(same_router_id, ready=Ready(until="boot")), time_scale=1)
    assert lab.readiness.waited_s == 0
    assert "neighbor 10.0.12.2" in lab.nodes["R1"].vty([("bgpd", "enable"), ("bgpd", "show running-config")])[1][0]


def test_by_default_an_impossible_session_is_an_error_that_names_it(backend) -> None:
    with pytest.raises(NotReady) as caught:
        backend.deploy(request_of(routers(same_router_id, ready=Ready(deadline_s=1))))
    ends = ("R1: BGP neighbor 10.0.12.2 is ", "R2: BGP neighbor 10.0.12.1 is ")
    assert any(phrase.startswith(ends) for phrase in caught.value.missing), caught.value.missing


def fast_hellos(n):
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\n ip ospf area 0\n ip ospf network point-to-point\n"
        " ip ospf hello-interval 1\n ip ospf dead-interval 4\nexit\n"
        f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
    )


def test_short_dead_intervals_slow_lab_time_down_and_nothing_drops(deploy) -> None:
    lab = deploy(routers(fast_hellos))
    assert lab.time_scale <= 4 / 0.5
    before = ask(lab, "R1", "ospfd", "show ip ospf neighbor json")["neighbors"]["2.2.2.2"][0]["upTimeInMsec"]
    time.sleep(2)
    after = ask(lab, "R1", "ospfd", "show ip ospf neighbor json")["neighbors"]["2.2.2.2"][0]["upTimeInMsec"]
    assert after - before >= 2000 * lab.time_scale * 0.9  # the same adjacency went on all the time
