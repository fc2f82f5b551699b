"""Routes of EOS and Junos in JSON, in the form in which public collections of their output have them."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.platforms.cli_ssh.json_routes import eos_parse, eos_request, junos_parse, junos_request

HOP = {"interface": "Ethernet1", "nexthopAddr": "192.168.1.2"}
EOS = {
    "10.203.0.0/16": {"routeType": "bgpAggregate", "routeAction": "drop", "directlyConnected": True, "vias": []},
    "10.1.1.1/32": {"routeType": "connected", "routeAction": "forward", "vias": [{"interface": "Loopback0"}]},
    "10.2.0.0/16": {"routeType": "eBGP", "routeAction": "forward", "preference": 200, "metric": 0, "vias": [HOP]},
    "10.3.0.0/16": {
        "routeType": "ospfInterArea",
        "routeAction": "forward",
        "preference": 110,
        "metric": 20,
        "vias": [HOP],
    },
}


def eos(routes: dict) -> str:
    return json.dumps({"vrfs": {"default": {"routes": routes}}})


def word(text: str) -> list[dict]:
    return [{"data": text}]


def junos(prefix: str, *entries: dict, table: str = "inet.0") -> str:
    rows = [{"rt-destination": word(prefix), "rt-entry": list(entries)}]
    return json.dumps({"route-information": [{"route-table": [{"table-name": word(table), "rt": rows}]}]})


def entry(protocol: str, **more) -> dict:
    return {"active-tag": word("*"), "protocol-name": word(protocol), "preference": word("10"), **more}


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("10.203.0.0/16", ("bgp", (), (), 0, 0, {"blackhole": True})),
        ("10.1.1.1/32", ("connected", (), ("Loopback0",), 0, 0, {})),
        ("10.2.0.0/16", ("bgp", ("192.168.1.2",), ("Ethernet1",), 200, 0, {})),
        ("10.3.0.0/16", ("ospf", ("192.168.1.2",), ("Ethernet1",), 110, 20, {})),
    ],
)
def test_a_route_of_eos(prefix, expected):
    (one,) = eos_parse(eos(EOS), prefix)
    assert one.prefix == prefix
    assert (one.protocol, one.next_hops, one.interfaces, one.distance, one.metric, one.extra) == expected


@pytest.mark.parametrize("text", [eos(EOS), eos({}), "% Invalid input\n", "[]"])
def test_what_is_no_route_to_exactly_the_prefix_is_none_of_eos(text):
    assert eos_parse(text, "10.3.0.0/24") == []


def test_a_route_of_junos_has_the_active_path_only():
    hop = {"to": word("10.0.0.2"), "via": word("ge-0/0/0.0")}
    passive = entry("BGP") | {"active-tag": word("")}
    (one,) = junos_parse(junos("10.9.0.0/16", entry("OSPF", metric=word("2"), nh=[hop]), passive), "10.9.0.0/16")
    assert (one.protocol, one.next_hops, one.interfaces) == ("ospf", ("10.0.0.2",), ("ge-0/0/0.0",))
    assert (one.distance, one.metric, one.extra) == (10, 2, {})


def test_direct_and_discarded_routes_of_junos():
    (direct,) = junos_parse(junos("10.0.0.0/24", entry("Direct", nh=[{"via": word("ge-0/0/0.0")}])), "10.0.0.0/24")
    assert (direct.protocol, direct.interfaces) == ("connected", ("ge-0/0/0.0",))
    (nowhere,) = junos_parse(junos("10.5.0.0/16", entry("Static", **{"nh-type": word("Discard")})), "10.5.0.0/16")
    assert (nowhere.protocol, nowhere.interfaces, nowhere.extra) == ("static", (), {"blackhole": True})


@pytest.mark.parametrize(
    "text",
    [
        junos("10.0.0.0/8", entry("Static")),
        junos("10.3.0.0/24", entry("Static"), table="A.inet.0"),
        "\nsyntax error.\n",
    ],
)
def test_what_is_no_route_to_exactly_the_prefix_is_none_of_junos(text):
    assert junos_parse(text, "10.3.0.0/24") == []


def test_requests():
    assert eos_request("10.0.0.0/8") == "show ip route 10.0.0.0/8 | json"
    assert eos_request("2001:db8::/32") == "show ipv6 route 2001:db8::/32 | json"
    assert junos_request("10.0.0.0/8") == "show route 10.0.0.0/8 exact active-path | display json"
