"""Graphs of backbone networks: SNDlib's native format, and the shipped graphs."""

from __future__ import annotations

import networkx as nx
import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.graphs import Demand, Graph, GraphLink, GraphNode, read_sndlib, shipped
from pytest_netbench.generators.networks.shapes.isp import build_graph

HEADER = "?SNDlib native format; type: network; version: 1.0\n"
NODES = "NODES (\n  Berlin ( 13.40 52.52 )\n  Hamburg (9.99 53.55) () ()\n  Bonn ( 7.1 -50.7 )\n)\n"
LINKS = (
    "LINKS (\n  L1 ( Berlin Hamburg ) 0.00 0.00 289.00 0.00 ( 622.00 2.5 155.00 1.00 )\n"
    "  L2 ( Hamburg Bonn ) 40.00 1.00 0.00 0.00 ( UNLIMITED 1.0 ) # the second one\n)\n"
)
DEMANDS = "DEMANDS ( D1 ( Berlin Bonn ) 2 1.5 UNLIMITED\n D2 ( Bonn Hamburg ) 1 0.25 3 )\n"


def read(*sections: str) -> Graph:
    return read_sndlib(HEADER + "".join(sections), origin="net.txt")


def test_a_network_has_the_places_links_and_demands_of_its_file():
    meta = "# recorded\nMETA (\n  granularity = 15min\n  unit = MBITPERSEC\n)\n"
    paths = "ADMISSIBLE_PATHS ( D1 ( P_0 ( L1 L2 ) ) )\n"
    graph = read(meta, NODES, LINKS, DEMANDS, paths)
    assert graph.nodes == (
        GraphNode(name="Berlin", x=13.4, y=52.52),
        GraphNode(name="Hamburg", x=9.99, y=53.55),
        GraphNode(name="Bonn", x=7.1, y=-50.7),
    )
    assert graph.links == (
        GraphLink(name="L1", one="Berlin", other="Hamburg", capacity=155.0, cost=289.0),
        GraphLink(name="L2", one="Hamburg", other="Bonn", capacity=40.0, cost=None),
    )
    assert graph.demands == (
        Demand(source="Berlin", target="Bonn", value=3.0),
        Demand(source="Bonn", target="Hamburg", value=0.25),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file is empty"),
        ("<network/>", "line 1: the first line is not '?SNDlib native format"),
        (HEADER.replace("network", "model"), "type 'model' in version '1.0' is not read"),
        (HEADER + "NODES (\n A ( 1 2 )", "line 3: the file ends inside a section"),
        (HEADER + "NODES ( A ( 1 2 ) )", "fewer than two nodes"),
        (HEADER + "ROUTERS ( )", "'ROUTERS' is no section"),
        (HEADER + "NODES ( A ( one 2 ) )", "'one' is no number"),
        (HEADER + "NODES ( A ( nan 2 ) )", "'nan' is no number that a network has"),
        (HEADER + "NODES (\n A ( 1 2 )\n A ( 1 2 )\n)", "line 4: there are two of the name 'A'"),
        (HEADER + NODES + "LINKS ( L ( Berlin Rome ) 0 0 0 0 ( ) )", "there is no node 'Rome'"),
        (HEADER + NODES + "LINKS ( L ( Bonn Bonn ) 0 0 0 0 ( ) )", "both ends are 'Bonn'"),
        (HEADER + NODES + "LINKS ( L Berlin Bonn )", "'(' is expected, not 'Berlin'"),
        (HEADER + NODES + "LINKS ( L ( Berlin Bonn ) 0 0 0 0 ( ) )", "the network is not connected"),
        (HEADER + NODES + LINKS + "DEMANDS ( D ( Bonn Berlin ) 1 2 )", "has no maximum length"),
        (HEADER + NODES + "LINKS ( ( Bonn Berlin ) )", "'(' stands where a name is expected"),
        (HEADER + "#" * 4_000_001, "more than 4000000 characters"),
    ],
)
def test_a_file_that_is_no_network_is_refused_with_its_line(text, words):
    with pytest.raises(UsageError, match=r"^net\.txt, line \d+: ") as caught:
        read_sndlib(text, origin="net.txt")
    assert words in str(caught.value)


@pytest.mark.parametrize(("routers", "links"), [(12, 15), (22, 36), (50, 88)])
def test_shipped_graphs_have_as_many_links_as_those_of_sndlib_and_reach_every_place(routers, links):
    graph = shipped(routers)
    assert (len(graph.nodes), len(graph.links)) == (routers, links)
    checked = nx.Graph((link.one, link.other) for link in graph.links)
    assert nx.is_connected(checked)
    assert len(checked) == routers
    assert len(list(nx.bridges(checked))) <= 1
    assert all(link.capacity and link.cost for link in graph.links)
    assert len(graph.demands) >= 2 * routers


@pytest.mark.parametrize(("routers", "links"), [(62, 100), (124, 196)])
def test_no_link_alone_holds_two_parts_of_a_large_graph_together(routers, links):
    graph = shipped(routers)
    assert (len(graph.nodes), len(graph.links)) == (routers, links)
    checked = nx.Graph((link.one, link.other) for link in graph.links)
    assert nx.is_connected(checked)
    assert not list(nx.bridges(checked))
    assert max(degree for _, degree in checked.degree) <= 7
    assert all(link.capacity and link.cost for link in graph.links)


def test_a_backbone_has_the_links_of_its_graph_and_metrics_by_length_or_capacity():
    for by_capacity in (0, 1):
        network = draw_network(NetworkParameters(shape="isp", sizes={"by_capacity": by_capacity}, platform="frr"))
        graph = shipped(12)
        ends = {frozenset(one.node for one in subnet.attachments) for subnet in network.transits}
        assert ends == {frozenset((link.one.lower(), link.other.lower())) for link in graph.links}
        config = network.startup_configs["oslo"].split("exit\n")
        (toward,) = [section for section in config if "description bergen" in section]
        assert f" ip ospf cost {40 if by_capacity else 305}\n" in toward


def test_a_graph_of_any_file_can_be_built():
    draft = Draft("frr")
    build_graph(draft, read(NODES, LINKS), hosts=2, by_capacity=False)
    assert [device.name for device in draft.devices[:3]] == ["berlin", "hamburg", "bonn"]
    assert [net.cost for net in draft.nets if net.kind == "transit"] == [289, None]


def test_shipped_sizes_are_the_only_ones():
    with pytest.raises(UsageError, match="there are graphs with 12, 22, 50, 62, 124 routers"):
        draw_network(NetworkParameters(shape="isp", sizes={"routers": 13}))


def test_two_routers_reflect_the_routes_of_all_others():
    network = draw_network(NetworkParameters(shape="isp", routing="ibgp"))
    degrees = nx.Graph((link.one.lower(), link.other.lower()) for link in shipped(12).links).degree
    reflectors = {node for node, text in network.startup_configs.items() if "route-reflector-client" in text}
    assert len(reflectors) == 2
    assert min(degrees[node] for node in reflectors) >= max(
        degrees[node] for node in network.routers if node not in reflectors
    )
    for node in network.routers:
        config = network.startup_configs[node]
        sessions = config.count("remote-as 65010")
        assert sessions == (11 if node in reflectors else 2)
        assert config.count("route-reflector-client") == (10 if node in reflectors else 0)
    assert set(network.autonomous_systems.values()) == {65010}


def test_is_is_is_written_for_frr_and_refused_for_others():
    drawn = draw_network(NetworkParameters(shape="isp", routing="isis"))
    config = drawn.startup_configs["oslo"]
    assert "router isis CORE\n net 49.0001.1921.6800.0001.00\n is-type level-2-only\nexit\n" in config
    assert " isis metric 305\n" in config
    with pytest.raises(UsageError, match="cisco_ios routers have no routing 'isis'"):
        draw_network(NetworkParameters(shape="isp", routing="isis", platform="cisco_ios"))
