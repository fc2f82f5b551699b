"""The runbooks of the expert, on the configs of drawn networks: nothing is wrong, or one fault is there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest

from pytest_netbench.agents.runbooks.expert import causes_of
from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.hosts import check_hosts
from pytest_netbench.agents.runbooks.links import check_links
from pytest_netbench.agents.runbooks.losses import Count, check_corruption, kind_of
from pytest_netbench.agents.runbooks.nodes import check_nodes, of_detached
from pytest_netbench.agents.runbooks.reading import read
from pytest_netbench.agents.runbooks.routing import check_routing
from pytest_netbench.families.diagnose.methods import fault_types_of
from pytest_netbench.generators.default_faults import DIAGNOSED, OF_QOS
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.model.diagnosis import Diagnose, RootCause
from pytest_netbench.model.faulty import InjectedFault, fault_of
from tests.support.ios import paper, typed

NETWORKS = [
    {"shape": "line", "routing": "ospf", "services": ["filter"]},
    {"shape": "line", "routing": "bgp"},
    {"shape": "line", "routing": "static"},
    {"shape": "ring", "routing": "ospf"},
    {"shape": "ring", "routing": "static"},
    {"shape": "tree", "routing": "static"},
    {"shape": "campus", "sizes": {"vlans": 3}},
    {"shape": "dual-homed-isp", "services": ["nat"]},
    {"shape": "dual-homed-isp"},
    {"shape": "leaf-spine", "routing": "bgp"},
    {"shape": "clos", "routing": "bgp"},
    {"shape": "tree", "routing": "ospf", "services": ["qos"]},
    {"shape": "campus", "services": ["qos"]},
    {"shape": "isp", "routing": "ospf"},
    {"shape": "isp", "routing": "bgp"},
]
BY_CONFIG = [
    "access-list-order",
    "address-duplicate",
    "bgp-as-number-wrong",
    "bgp-blackhole-leaked",
    "bgp-denied",
    "bgp-filter-wrong",
    "bgp-network-missing",
    "bgp-prefix-hijacked",
    "bgp-prefix-limit",
    "dscp-remarked",
    "ecmp-member-wrong",
    "fragments-denied",
    "host-address-duplicate",
    "host-address-missing",
    "host-address-taken",
    "host-address-wrong",
    "host-arp-denied",
    "host-gateway-wrong",
    "host-mask-wrong",
    "host-neighbor-wrong",
    "host-route-blackhole",
    "icmp-denied",
    "mask-wrong",
    "nat-mapping-missing",
    "nat-port-pool-exhausted",
    "nat-side-wrong",
    "ospf-area-wrong",
    "ospf-authentication-wrong",
    "ospf-cost-wrong",
    "ospf-denied",
    "ospf-interface-passive",
    "ospf-mtu-wrong",
    "ospf-network-missing",
    "ospf-network-type-wrong",
    "ospf-timers-wrong",
    "port-shutdown",
    "route-blackhole",
    "static-next-hop-wrong",
    "vlan-wrong",
]


class Neighbors:
    """Answers what the runbook of hosts asks: permanent neighbor entries."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._entries = entries

    def call(self, method: str, params: dict[str, Any]) -> dict[str, str]:
        assert (method, params["command"]) == ("execute-cmd", "ip -j neighbor show nud permanent")
        return {"output": self._entries.get(params["device"], "[]")}


@cache
def networks() -> list[DrawnNetwork]:
    fixed = {"platform": "cisco_ios", "managed_hosts": True, "names": "drawn", "seed": 5}
    return [draw_network(NetworkParameters.model_validate({**fixed, **one})) for one in NETWORKS]


def host_config(network: DrawnNetwork, host: str) -> str:
    lan = network.lan_of(host)
    (one,) = (one for one in lan.attachments if one.node == host)
    length = IPv4Network(lan.prefix).prefixlen
    head = f"interface {one.interface}\n address {one.address}/{length}\n"
    return f"{head}routes main\n default via {lan.gateway} dev {one.interface}\n"


@cache
def configs(number: int) -> dict[str, str]:
    network = networks()[number]
    return {
        node.name: host_config(network, node.name)
        if network.platform_of(node.name) == "linux"
        else device(network, node.name).running_config()
        for node in network.topology.nodes
        if network.topology.controls[node.name] != "foreign"
    }


def device(network: DrawnNetwork, node: str) -> Any:
    ports, role = network.topology.interfaces(node), network.topology.node(node).role
    return paper(interfaces=ports, role=role, startup=network.startup_configs[node])


def facts_of(number: int, changed: Mapping[str, str]) -> Facts:
    network = networks()[number]
    return Facts(
        devices={
            name: read(name, network.platform_of(name), text) for name, text in {**configs(number), **changed}.items()
        },
        links=tuple(tuple(End(end.node, end.interface) for end in link.endpoints) for link in network.topology.links),
        addresses={host: IPv4Address(network.addresses[host]) for host in network.hosts},
    )


def findings(facts: Facts, neighbors: Mapping[str, str] = {}) -> list[Finding]:
    return [*check_hosts(facts, Neighbors(neighbors)), *check_links(facts), *check_routing(facts)]


def task_of(number: int, name: str, one: Any) -> Diagnose:
    network = networks()[number]
    fault = InjectedFault(fault=name, parameters=one.model_dump(mode="json", exclude_none=True))
    fields = {
        **network.fields(),
        "flows": flow_groups(network),
        "faults": [fault],
        "fault_types": (*DIAGNOSED, *OF_QOS),
    }
    return Diagnose.model_validate(fields)


def broken_host(text: str, commands: tuple[str, ...]) -> tuple[str, str]:
    """The config of a host after commands, and its permanent neighbors."""
    lines, neighbors = text.splitlines(), "[]"
    for command in commands:
        words = command.replace("'", "").split()
        match words[1:3]:
            case ["address", "del"]:
                lines = [line for line in lines if line != f" address {words[3]}"]
                lines = lines if any(line.startswith(" address ") for line in lines) else []
            case ["address", "add"]:
                lines[:1] = ["interface eth0", f" address {words[3]}"]
            case ["route", "replace"]:
                lines = [line for line in lines if "default" not in line and line != "routes main"]
                lines += ["routes main", f" default via {words[5]} dev eth0"]
            case ["route", "add"]:
                lines.append(f" blackhole {words[4]}")
            case ["add", "table"]:
                lines += [f"table arp {words[4]}", " chain input"]
            case ["add", "chain" | "rule"] | ["neighbor", "flush"]:
                pass
            case ["neighbor", "replace"]:
                neighbors = f'[{{"dst": "{words[3]}", "lladdr": "{words[5]}", "dev": "{words[7]}"}}]'
            case _:
                raise AssertionError(command)
    return "\n".join(lines), neighbors


@pytest.mark.parametrize("number", range(len(NETWORKS)))
def test_nothing_is_found_where_nothing_is_wrong(number: int) -> None:
    assert findings(facts_of(number, {})) == []


@pytest.mark.parametrize("name", BY_CONFIG)
def test_each_fault_that_configs_show_is_found_and_nothing_else(name: str) -> None:
    known, tried = fault_of(name), 0
    for number, network in enumerate(networks()):
        # of a neighbor in the network of others nobody knows the AS
        every = [
            one for one in known.places(network) if network.topology.controls.get(getattr(one, "peer", "")) != "foreign"
        ]
        for one in every[:: max(1, len(every) // 4)]:
            neighbors = {}
            if one.platform == "linux":
                text, neighbors[one.node] = broken_host(configs(number)[one.node], known.change(one).inject)
            else:
                text = typed(device(network, one.node), known.change(one).inject)
            facts, task = facts_of(number, {one.node: text}), task_of(number, name, one)
            lists = {
                "fault_types": [kind.model_dump() for kind in fault_types_of((*DIAGNOSED, *OF_QOS))],
                "resources": task.resources,
            }
            ((_, places, _),) = task.causes
            found = list(dict.fromkeys(causes_of(facts, findings(facts, neighbors), lists)))
            assert found in [[RootCause(resource_id=place, fault_type=name)] for place in places], (number, one)
            tried += 1
    # hosts whose routers are of IOS have no harmful mask
    assert tried or name == "host-mask-wrong"


@pytest.mark.parametrize(
    ("sent", "arrived", "losses", "kind"),
    [
        ((200, 200_000), (100, 100_000), (0.4, 0.3), "link-lossy"),
        ((200, 200_000), (100, 100_000), (0.0, 1.0), "link-flows-lost"),
        ((200, 200_000), (20, 1_500), (1.0, 1.0), "link-mtu-low"),
        ((200, 200_000), (0, 0), (1.0,), "link-mtu-low"),
        ((200, 200_000), (60, 60_000), (0.7,), "link-slow"),
    ],
)
def test_what_arrives_tells_what_is_wrong_with_a_cable(sent: Any, arrived: Any, losses: Any, kind: str) -> None:
    assert kind_of(Count(*sent), Count(*arrived), 1.0, losses) == kind


class Answers:
    """Answers commands that show interfaces."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self._said = said

    def call(self, method: str, params: dict[str, str]) -> dict[str, str]:
        assert method == "execute-cmd"
        return {"output": self._said[params["device"]]}


FRR_INTERFACES = """\
Interface lo is up, line protocol is up
  Link ups:       0    last: (never)
Interface eth0 is up, line protocol is up
  HWaddr: 5a:0c:11:22:33:44
Interface eth1 is up, line protocol is up
  HWaddr: 5a:0c:11:22:33:45
"""
IOS_INTERFACES = """\
GigabitEthernet0/0 is up, line protocol is up
  Hardware is iGbE, address is 5a0c.1122.3344 (bia 5a0c.1122.3344)
Loopback0 is up, line protocol is up
  Hardware is Loopback
"""


@pytest.mark.parametrize(
    ("platform", "interface", "said"),
    [("frr", "eth0", FRR_INTERFACES), ("cisco_ios", "GigabitEthernet0/0", IOS_INTERFACES)],
)
def test_a_hardware_address_of_two_nodes_is_found_at_the_host(platform: str, interface: str, said: str) -> None:
    ends = (End("r1", interface), End("h1", "eth0"), End("h2", "eth0"))
    facts = Facts(
        devices={"r1": read("r1", platform, ""), "h1": read("h1", "linux", ""), "h2": read("h2", "linux", "")},
        links=(ends,),
        addresses={},
        silent=("r2",),
    )
    links = '[{{"ifname": "lo", "address": "00:00:00:00:00:00"}}, {{"ifname": "eth0", "address": "{}"}}]'
    hosts = {"h1": links.format("5a:0c:11:22:33:44"), "h2": links.format("5a:0c:11:22:33:99")}
    found = [(one.fault_type, one.end) for one in check_nodes(facts, Answers({"r1": said, **hosts}))]
    assert found == [("node-crashed", End("r2", "")), ("host-mac-duplicate", ends[1])]


@pytest.mark.parametrize(
    ("links", "shown", "missing"),
    [
        ('[{"ifname": "lo", "address": "00:00:00:00:00:00"}]', FRR_INTERFACES, End("h1", "eth0")),
        (
            '[{"ifname": "eth0", "address": "5a:0c:11:22:33:99"}]',
            FRR_INTERFACES.replace("  HWaddr: 5a:0c:11:22:33:44\n", "  pseudo interface\n"),
            End("r1", "eth0"),
        ),
    ],
)
def test_a_port_that_is_not_there_is_found_and_explains_its_cable(links: str, shown: str, missing: End) -> None:
    ends = (End("r1", "eth0"), End("h1", "eth0"))
    devices = {"r1": read("r1", "frr", ""), "h1": read("h1", "linux", "")}
    facts = Facts(devices=devices, links=(ends,), addresses={})
    (found,) = check_nodes(facts, Answers({"r1": shown, "h1": links}))
    assert (found.fault_type, found.end) == ("interface-detached", missing)
    assert set(of_detached(facts, found)) == {
        ("host-address-missing", missing),
        *(("link-down", end) for end in ends),
    }


@pytest.mark.parametrize(("name", "protocol"), [("ospf", "ospf"), ("bgp", "bgp")])
def test_a_router_of_frr_without_a_protocol_that_its_neighbor_runs_has_lost_its_daemon(
    name: str, protocol: str
) -> None:
    given = {"shape": "line", "routing": name, "platform": "frr", "sizes": {"routers": 2}, "managed_hosts": True}
    network = draw_network(NetworkParameters.model_validate(given))
    texts = dict(network.startup_configs) | {host: host_config(network, host) for host in network.hosts}
    kept, is_kept = [], True
    for line in texts["r1"].splitlines():
        is_kept = not line.startswith(f"router {protocol}") if line and line[0] != " " else is_kept
        kept.append(line if is_kept else "!")
    for changed, expected in (({}, []), ({"r1": "\n".join(kept)}, [("routing-daemon-stopped", End("r1", ""))])):
        facts = Facts(
            devices={one: read(one, network.platform_of(one), text) for one, text in {**texts, **changed}.items()},
            links=tuple(
                tuple(End(end.node, end.interface) for end in link.endpoints) for link in network.topology.links
            ),
            addresses={host: IPv4Address(network.addresses[host]) for host in network.hosts},
        )
        assert [(one.fault_type, one.end) for one in findings(facts)] == expected


class Pings:
    """Answers pings of which some are lost."""

    def call(self, method: str, params: dict[str, str]) -> dict[str, str]:
        assert method == "execute-cmd"
        assert "10.0.0.2" in params["command"]
        return {"output": "Success rate is 70 percent (28/40)" if params["device"] == "r1" else ""}


def test_a_cable_over_which_some_pings_are_lost_corrupts_packets() -> None:
    config = "interface GigabitEthernet0/0\n ip address 10.0.0.{} 255.255.255.0\n"
    devices = {f"r{number}": read(f"r{number}", "cisco_ios", config.format(number)) for number in (1, 2)}
    cable = End("r1", "GigabitEthernet0/0"), End("r2", "GigabitEthernet0/0")
    facts, ani = Facts(devices=devices, links=(cable,), addresses={}), Pings()
    found = check_corruption(facts, ani, [cable])  # type: ignore[arg-type]
    assert [(one.fault_type, one.end) for one in found] == [("link-corrupting", cable[0])]
