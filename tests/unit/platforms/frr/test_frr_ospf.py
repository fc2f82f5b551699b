"""Session ends of OSPF, and what the lab expects of them, on answers of FRR 8.4.4."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_interface
from typing import Any

import pytest

from pytest_netbench.lab.matching import absences, pairs
from pytest_netbench.platforms.frr import ospf


def interface(address: str = "10.0.0.1", router_id: str = "1.1.1.1", **changes: Any) -> dict[str, Any]:
    return {
        "ifUp": True,
        "mtuBytes": 1500,
        "ifFlags": "<UP,BROADCAST,RUNNING,MULTICAST>",
        "ospfEnabled": True,
        "ipAddress": address,
        "ipAddressPrefixlen": 24,
        "area": "0.0.0.0",
        "routerId": router_id,
        "networkType": "BROADCAST",
        "state": "Backup",
        "priority": 1,
        "timerMsecs": 10000,
        "timerDeadSecs": 40,
        "nbrCount": 1,
        "nbrAdjacentCount": 1,
        **changes,
    }


def sides(**second: Any) -> list[ospf.OspfInterface]:
    second = {"address": "10.0.0.2", "router_id": "2.2.2.2", **second}
    return [
        *ospf.interfaces("R1", {"interfaces": {"eth0": interface()}}),
        *ospf.interfaces("R2", {"interfaces": {"eth0": interface(**second)}}),
    ]


def neighbors(address: str, state: str) -> dict[tuple[str, str], str]:
    router = {"nbrState": state, "ifaceAddress": address, "address": address, "ifaceName": "eth0:10.0.0.1"}
    return ospf.neighbors({"neighbors": {"9.9.9.9": [router]}})


def phrases(found, one: str = "", other: str = "", configs=None, cables=None) -> list[str]:
    """What is missing between R1 and R2, which see each other in the states ``one`` and ``other``."""
    states = {
        "R1": neighbors("10.0.0.2", one) if one else {},
        "R2": neighbors("10.0.0.1", other) if other else {},
    }
    ends = [
        end
        for side in found
        for end in ospf.ends([side], states[side.node], None if configs is None else configs[side.node])
    ]
    return [absence.phrase for _, absence in absences(pairs(ends, cables or {}))]


def test_a_full_adjacency_seen_from_both_ends_is_not_missing():
    assert phrases(sides(), "Full/DR", "Full/Backup") == []


def test_a_half_formed_adjacency_is_named_with_its_state():
    assert phrases(sides(), "Full/DR", "Init/DROther") == ["R2: OSPF neighbor 10.0.0.1 on eth0 is Init, expected Full"]


def test_a_neighbor_nobody_has_heard_of_is_down():
    assert phrases(sides()) == [
        "R1: OSPF neighbor 10.0.0.2 on eth0 is Down, expected Full",
        "R2: OSPF neighbor 10.0.0.1 on eth0 is Down, expected Full",
    ]


@pytest.mark.parametrize(
    "mismatch",
    [
        {"area": "0.0.0.1"},
        {"timerMsecs": 5000},
        {"timerDeadSecs": 20},
        {"networkType": "POINTOPOINT"},
        {"ipAddressPrefixlen": 25},
        {"address": "10.9.0.2"},
        {"timerPassiveIface": True},
        {"router_id": "1.1.1.1"},
    ],
)
def test_ends_that_do_not_match_are_not_waited_for(mismatch):
    assert phrases(sides(**mismatch)) == []


def test_an_interface_that_is_down_has_no_address_and_is_not_waited_for():
    down = {"ifUp": False, "ospfEnabled": False, "ifFlags": "<BROADCAST,MULTICAST>"}
    assert ospf.interfaces("R1", {"interfaces": {"eth0": down}}) == []


def test_an_interface_that_zebra_knows_to_be_up_and_ospfd_not_is_late():
    answer = {"interfaces": {"eth0": {"ifUp": False, "ospfEnabled": True}, "eth1": {"ifUp": True, "ospfEnabled": True}}}
    assert ospf.late(answer, ["eth0", "eth1", "eth2"]) == ["eth0"]


def test_routers_that_are_both_other_on_a_lan_end_in_two_way():
    others = sides(state="DROther")
    others[0] = ospf.interfaces("R1", {"interfaces": {"eth0": interface(state="DROther")}})[0]
    assert phrases(others, "2-Way/DROther", "2-Way/DROther") == []
    assert phrases(others, "Init/DROther", "2-Way/DROther") != []


def test_two_way_is_not_enough_while_a_designated_router_is_elected():
    assert len(phrases(sides(state="Waiting"), "2-Way/DROther", "2-Way/DROther")) == 2


def test_the_nested_form_of_frr_10_is_read_too():
    details = interface()
    nested = {"mtuBytes": 1500, "ifUp": True, "interfaceIp": {details.pop("ipAddress"): details}}
    [found] = ospf.interfaces("R1", {"interfaces": {"eth0": nested}})
    assert (str(found.address), found.area, found.mtu) == ("10.0.0.1/24", "0.0.0.0", 1500)


CONFIG = """interface eth0
 ip ospf authentication message-digest
 ip ospf message-digest-key 1 md5 secret
exit
!
router ospf
 area 1 stub no-summary
 area 0.0.0.2 nssa
 area 3 authentication
exit
"""


def test_the_config_tells_stub_areas_and_secrets():
    config = ospf.parse_config(CONFIG)
    assert config.area_kinds == {"0.0.0.1": "stub", "0.0.0.2": "nssa"}
    assert config.area_authentication == {"0.0.0.3": "simple"}
    assert config.authentication["eth0"][1] == "ip ospf message-digest-key 1 md5 secret"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 2),
        ("router ospf\n area 0 authentication\n", "", 0),
        (CONFIG, CONFIG, 2),
        (CONFIG, CONFIG.replace("secret", "other"), 0),
        (CONFIG, "", 0),
    ],
)
def test_ends_with_different_secrets_are_not_waited_for(one, other, expected):
    configs = {"R1": ospf.parse_config(one), "R2": ospf.parse_config(other)}
    assert len(phrases(sides(), configs=configs)) == expected


def test_a_different_mtu_is_waited_for_only_if_it_is_ignored():
    plain = {"R1": ospf.parse_config(""), "R2": ospf.parse_config("")}
    ignoring = plain | {"R1": ospf.parse_config("interface eth0\n ip ospf mtu-ignore\n")}
    assert phrases(sides(mtuBytes=1400), configs=plain) == []
    assert len(phrases(sides(mtuBytes=1400), configs=ignoring)) == 2


def test_a_vrf_has_areas_of_its_own():
    text = "router ospf\n area 1 stub\nexit\nrouter ospf vrf RED\n area 2 stub\nexit\n"
    assert ospf.parse_config(text).area_kinds == {"0.0.0.1": "stub"}
    assert ospf.parse_config(text, "RED").area_kinds == {"0.0.0.2": "stub"}


def area(checksum: int) -> dict[str, Any]:
    return {"areas": {"0.0.0.0": {"lsaRouterNumber": 2, "lsaRouterChecksum": checksum}}}


def test_databases_with_other_checksums_differ():
    assert ospf.database(area(1), "0.0.0.0") == ospf.database(area(1), "0.0.0.0")
    assert ospf.database(area(1), "0.0.0.0") != ospf.database(area(2), "0.0.0.0")
    assert ospf.database(area(1), "0.0.0.7") is None


def test_a_neighbor_that_changed_its_router_id_counts_once_it_is_full_under_the_new_one():
    def entry(state: str) -> dict[str, str]:
        return {"nbrState": state, "ifaceAddress": "10.0.0.2", "ifaceName": "eth0:10.0.0.1"}

    answer = {"neighbors": {"2.2.2.2": [entry("Full/-")], "10.0.0.2": [entry("Init/-")]}}

    assert ospf.neighbors(answer) == {("eth0", "10.0.0.2"): "Full/-"}


def test_unnumbered_interfaces_are_neighbors_if_a_cable_joins_them():
    def answer():
        entry = {
            "ifUp": True,
            "ifUnnumbered": True,
            "area": "0.0.0.0",
            "networkType": "POINTOPOINT",
            "timerMsecs": 10000,
        }
        return {"interfaces": {"eth0": {**entry, "timerDeadSecs": 40, "state": "Point-To-Point"}}}

    found = []
    for number in (1, 2):
        owned = {"eth0": (ip_interface(f"10.255.0.{number}/32"),)}
        (side,) = ospf.interfaces(f"R{number}", answer(), owned)
        found.append(replace(side, router_id=f"{number}.{number}.{number}.{number}"))
    cables = {("R1", "eth0"): frozenset({("R2", "eth0")}), ("R2", "eth0"): frozenset({("R1", "eth0")})}
    assert phrases(found, cables=cables) == [
        "R1: OSPF neighbor 10.255.0.2 on eth0 is Down, expected Full",
        "R2: OSPF neighbor 10.255.0.1 on eth0 is Down, expected Full",
    ]
    assert phrases(found) == []


def test_an_interface_that_waits_before_an_election_is_named() -> None:
    """RFC 2328, 9.1: no designated router is elected before the wait timer has ended, with neighbors or without."""
    answer = {
        "interfaces": {
            "eth0": {"state": "Waiting"},
            "eth1": {"state": "DR"},
            "eth2": {"interfaceIp": {"10.0.2.1": {"state": "DR"}, "10.0.3.1": {"state": "Waiting"}}},
        }
    }
    assert ospf.waiting("R1", answer, {}) == [
        "R1: OSPF waits on eth0 before a designated router is elected",
        "R1: OSPF waits on eth2 before a designated router is elected",
    ]


@pytest.mark.parametrize(("bits", "passive", "waits"), [(32, True, 0), (24, True, 1), (32, False, 1)])
def test_nobody_is_waited_for_on_a_passive_host_address(bits: int, passive: bool, waits: int) -> None:
    details = {"state": "Waiting", "ipAddressPrefixlen": bits, "timerPassiveIface": passive}
    answer = {"interfaces": {"Loopback7": {"interfaceIp": {"172.20.5.1": details}}}}
    assert len(ospf.waiting("R1", answer, {})) == waits


@pytest.mark.parametrize(
    ("state", "since_ms", "waits"),
    [("ExStart/-", 100, True), ("Loading/DR", 5_000, True), ("ExStart/-", 60_000, False), ("Full/DR", 100, False)],
)
def test_an_exchange_is_waited_for_unless_it_lasts(state, since_ms, waits) -> None:
    entry = {"nbrState": state, "ifaceAddress": "10.0.0.2", "ifaceName": "eth0:10.0.0.1", "upTimeInMsec": since_ms}
    phrases = ["R1 vrf RED: OSPF exchanges its database with 10.0.0.2"]
    assert ospf.waiting("R1", {}, {"neighbors": {"2.2.2.2": [entry]}}, vrf="RED") == (phrases if waits else [])


@pytest.mark.parametrize(
    ("dr", "backup", "since_ms", "waits"),
    [
        ("10.0.0.3", "10.0.0.2", 14_000, False),
        ("10.0.0.3", "0.0.0.0", 14_000, True),  # it is designated itself, and has not yet made another one its backup
        ("10.0.0.2", "10.0.0.3", 14_000, True),
        ("10.0.0.2", "10.0.0.3", 90_000, False),  # two that do not hear each other never agree
        ("0.0.0.0", "0.0.0.0", 14_000, False),  # a neighbor at whose end the link is point-to-point elects nobody
    ],
)
def test_an_election_lasts_until_all_name_the_same_designated_router_and_backup(dr, backup, since_ms, waits) -> None:
    """RFC 2328, 9.4: a router that has become designated elects its backup again, and tells so by its next hello."""
    own = interface() | {"drAddress": "10.0.0.3", "bdrAddress": "10.0.0.2"}
    said = {
        "ifaceName": "eth0",
        "routerDesignatedId": dr,
        "routerDesignatedBackupId": backup,
        "lastPrgrsvChangeMsec": since_ms,
    }
    for shown in (own, {**own, "interfaceIp": {"10.0.0.1": own}}):
        found = ospf.waiting("R1", {"interfaces": {"eth0": shown}}, {}, {"neighbors": {"3.3.3.3": [said]}})
        assert found == (["R1: OSPF elects a designated router on eth0"] if waits else [])
