"""Ready means ready whatever drivers meet: routers of two kinds, or of one, with a host behind each.

The first ping right after ``deploy`` must arrive. A table says for each protocol and pair of kinds what is tested, or
why there is nothing to wait for.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Final

import pytest

from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from tests.support.netns_networks import network

_ROUTERS = ("frr", "cisco_ios")
_ROOT = Path(__file__).parents[3]
_TIMES = 3  # one deploy of a lab that does not wait succeeds now and then


# -- configurations: of router n, whose neighbor is router 3 - n -------------------------------------------------------


def _frr(n: int, lines: str, *, link: str = "", lan: str = "") -> str:
    return (
        f"interface eth0\n ip address 10.0.12.{n}/30\n ipv6 address 2001:db8:12::{n}/64\n{link}exit\n"
        f"interface eth1\n ip address 10.{n}.0.1/24\n ipv6 address 2001:db8:{n}::1/64\n{lan}exit\n{lines}"
    )


def _ios(n: int, lines: str, *, link: str = "", lan: str = "") -> str:
    return (
        "ipv6 unicast-routing\n"
        f"interface Gi0/0\n ip address 10.0.12.{n} 255.255.255.252\n ipv6 address 2001:db8:12::{n}/64\n{link}"
        f" no shutdown\n"
        f"interface Gi0/1\n ip address 10.{n}.0.1 255.255.255.0\n ipv6 address 2001:db8:{n}::1/64\n{lan} no shutdown\n"
        f"{lines}"
    )


def _frr_ospf(n: int) -> str:
    return _frr(
        n,
        f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n",
        link=" ip ospf area 0\n",
        lan=" ip ospf area 0\n ip ospf passive\n",
    )


def _ios_ospf(n: int) -> str:
    lines = (
        f"router ospf 1\n router-id {n}.{n}.{n}.{n}\n passive-interface Gi0/1\n network 10.0.0.0 0.255.255.255 area 0\n"
    )
    return _ios(n, lines)


def _frr_ospf6(n: int) -> str:
    return _frr(
        n,
        f"router ospf6\n ospf6 router-id {n}.{n}.{n}.{n}\nexit\n",
        link=" ipv6 ospf6 area 0\n",
        lan=" ipv6 ospf6 area 0\n ipv6 ospf6 passive\n",
    )


def _ios_ospf6(n: int) -> str:
    lines = f"ipv6 router ospf 1\n router-id {n}.{n}.{n}.{n}\n passive-interface Gi0/1\n"
    return _ios(n, lines, link=" ipv6 ospf 1 area 0\n", lan=" ipv6 ospf 1 area 0\n")


def _frr_bgp(n: int) -> str:
    lines = (
        f"router bgp 6500{n}\n no bgp ebgp-requires-policy\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\n"
        f" address-family ipv4 unicast\n  network 10.{n}.0.0/24\n exit-address-family\nexit\n"
    )
    return _frr(n, lines)


def _ios_bgp(n: int) -> str:
    lines = (
        f"router bgp 6500{n}\n neighbor 10.0.12.{3 - n} remote-as 6500{3 - n}\n network 10.{n}.0.0 mask 255.255.255.0\n"
    )
    return _ios(n, lines)


def _frr_rip(n: int) -> str:
    return _frr(n, "router rip\n network eth0\n network eth1\n passive-interface eth1\nexit\n")


def _ios_rip(n: int) -> str:
    return _ios(n, "router rip\n version 2\n no auto-summary\n network 10.0.0.0\n passive-interface Gi0/1\n")


def _frr_isis(n: int) -> str:
    lines = f"router isis X\n net 49.0001.0000.0000.000{n}.00\n is-type level-2-only\nexit\n"
    return _frr(n, lines, link=" ip router isis X\n", lan=" ip router isis X\n isis passive\n")


def _ios_isis(n: int) -> str:
    lines = (
        f"router isis X\n net 49.0001.0000.0000.000{n}.00\n is-type level-2-only\n metric-style wide\n"
        " passive-interface Gi0/1\n"
    )
    return _ios(n, lines, link=" ip router isis X\n", lan=" ip router isis X\n")


def _frr_eigrp(n: int) -> str:
    return _frr(n, "router eigrp 1\n network 10.0.0.0/8\nexit\n")


def _ios_eigrp(n: int) -> str:
    return _ios(n, "router eigrp 1\n network 10.0.0.0\n no auto-summary\n")


def _in_vrf(lines: str, link: str = "") -> str:
    """An IOS router 1 whose ports are in a VRF. Its neighbor knows nothing of that."""
    return "ip vrf RED\n rd 65001:1\n" + _ios(1, lines).replace(
        " ip address", f"{link} ip vrf forwarding RED\n ip address"
    )


_CONFIGS: Final = {
    ("frr", "ospf"): _frr_ospf,
    ("cisco_ios", "ospf"): _ios_ospf,
    ("frr", "ospf6"): _frr_ospf6,
    ("cisco_ios", "ospf6"): _ios_ospf6,
    ("frr", "bgp"): _frr_bgp,
    ("cisco_ios", "bgp"): _ios_bgp,
    ("frr", "rip"): _frr_rip,
    ("cisco_ios", "rip"): _ios_rip,
    ("frr", "isis"): _frr_isis,
    ("cisco_ios", "isis"): _ios_isis,
    ("frr", "eigrp"): _frr_eigrp,
    ("cisco_ios", "eigrp"): _ios_eigrp,
}


_VRFS: Final = {
    "ospf": _in_vrf("router ospf 1 vrf RED\n router-id 1.1.1.1\n network 10.0.0.0 0.255.255.255 area 0\n"),
    "bgp": _in_vrf(
        "router bgp 65001\n address-family ipv4 vrf RED\n  neighbor 10.0.12.2 remote-as 65002\n"
        "  neighbor 10.0.12.2 activate\n  network 10.1.0.0 mask 255.255.255.0\n"
    ),
}


def _lab(protocol: str, one: str, other: str, first: str = "") -> Task:
    """h1 - R1 - R2 - h2; R1 is of kind ``one``, R2 of ``other``. ``first`` replaces the config of R1."""
    kinds = {"R1": one, "R2": other}
    names = {"frr": ("eth0", "eth1"), "cisco_ios": ("Gi0/0", "Gi0/1")}
    (link_1, lan_1), (link_2, lan_2) = names[one], names[other]
    hosts = {
        f"h{n}": f"ip address add 10.{n}.0.10/24 dev eth0\nip route add default via 10.{n}.0.1\n"
        f"ip address add 2001:db8:{n}::10/64 dev eth0 nodad\nip route add default via 2001:db8:{n}::1\n"
        for n in (1, 2)
    }
    routers = {name: _CONFIGS[kind, protocol](n) for n, (name, kind) in enumerate(kinds.items(), start=1)}
    if first:
        routers["R1"] = first
    links = [f"R1 {link_1} - R2 {link_2}", f"h1 eth0 - R1 {lan_1}", f"h2 eth0 - R2 {lan_2}"]
    return network({**kinds, "h1": "linux", "h2": "linux"}, links, {**routers, **hosts})


def _first_ping(lab, protocol: str) -> bool:
    target = "2001:db8:2::10" if protocol == "ospf6" else "10.2.0.10"
    [answer] = lab.prober.probe([Probe(source="h1", target=target, timeout_s=0.3, repetitions=0)])
    return answer.answered


_PROTOCOLS: Final = {
    "ospf": "OSPF",
    "ospf6": "OSPFv3",
    "bgp": "BGP",
    "rip": "RIP",
    "isis": "IS-IS",
    "eigrp": "EIGRP",
    "bfd": "BFD",
    "hsrp": "HSRP",
    "vrrp": "VRRP",
    "openflow": "OpenFlow",
}
_NONE: Final = {
    ("cisco_ios", "bfd"): "none: `cisco_ios` has no BFD",
    ("frr", "hsrp"): "none: FRR has no HSRP",
    ("frr", "vrrp"): "none: `vrrpd` needs a macvlan interface, which an FRR config cannot create",
    ("frr", "openflow"): "none: FRR speaks no OpenFlow",
    ("cisco_ios", "openflow"): "none: `cisco_ios` speaks no OpenFlow",
}
"""Why a kind of router has no end of a protocol."""
_ELSEWHERE: Final = {
    ("frr", "bfd"): "netns/test_readiness.py::test_bfd_sessions_are_waited_for",
    ("cisco_ios", "hsrp"): "platforms/cisco_ios/test_ios_fhrp_boot.py::test_the_higher_priority_is_active_although",
    ("cisco_ios", "vrrp"): "platforms/cisco_ios/test_ios_fhrp.py::test_vrrp_elects_and_says_so",
}
"""Where a protocol that only one kind speaks is tested, below ``tests/labs``."""
_PAIRS = list(combinations_with_replacement(_ROUTERS, 2))
_CASES = [(protocol, *pair) for protocol in dict.fromkeys(name for _, name in _CONFIGS) for pair in _PAIRS]


@pytest.mark.parametrize("protocol", _PROTOCOLS)
def test_each_protocol_is_tested_or_has_a_reason_and_the_docs_say_so(protocol) -> None:
    rows = (_ROOT / "docs/reference/platforms.md").read_text().splitlines()
    [row] = [line for line in rows if line.startswith(f"| {_PROTOCOLS[protocol]} | ")]
    *cells, switches = row.strip("| ").split(" | ")[1:]
    for pair, cell in zip(_PAIRS, cells, strict=True):
        reasons = [_NONE[kind, protocol] for kind in pair if (kind, protocol) in _NONE]
        assert cell in _reasons(reasons) if reasons else cell.startswith("yes")
    assert switches == "yes" if protocol == "openflow" else switches.startswith("none: they ")
    for kind in _ROUTERS:
        known = [table[kind, protocol] for table in (_CONFIGS, _NONE, _ELSEWHERE) if (kind, protocol) in table]
        assert len(known) == 1, (kind, protocol)
        if (kind, protocol) in _ELSEWHERE:
            path, _, name = _ELSEWHERE[kind, protocol].partition("::")
            assert f"def {name}" in (_ROOT / "tests/labs" / path).read_text()


def _reasons(reasons: list[str]) -> tuple[str, ...]:
    """What a cell may say about a pair of which one kind, or both, have no end."""
    return (*reasons, "none: routers speak no OpenFlow") if len(set(reasons)) > 1 else tuple(reasons)


@pytest.mark.parametrize(("protocol", "one", "other"), _CASES, ids=["-".join(case) for case in _CASES])
def test_the_first_ping_after_deploy_arrives(backend, protocol, one, other) -> None:
    assert _arrived(backend, protocol, _lab(protocol, one, other)) == [True] * _TIMES


@pytest.mark.parametrize("protocol", _VRFS)
def test_the_first_ping_after_deploy_arrives_through_a_vrf(backend, protocol) -> None:
    assert _arrived(backend, protocol, _lab(protocol, "cisco_ios", "frr", _VRFS[protocol])) == [True] * _TIMES


def _arrived(backend, protocol: str, task: Task) -> list[bool]:
    """Whether the first ping arrived, for each of some deploys."""
    arrived = []
    for _ in range(_TIMES):
        lab = backend.deploy(request_of(task))
        try:
            assert lab.refused_startup_lines == ()
            arrived.append(_first_ping(lab, protocol))
        finally:
            lab.destroy()
    return arrived
