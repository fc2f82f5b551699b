"""What the links of containers are asked for and cannot do is no fault of an agent."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_netbench.backends.containerlab.links import ContainerLinks
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology


@dataclass(frozen=True)
class Somewhere:
    """As much of a node as a link needs to know it."""

    name: str
    place: Place


@pytest.fixture
def links() -> ContainerLinks:
    ends = (Endpoint(node="r1", interface="eth1"), Endpoint(node="r2", interface="eth1"))
    topology = Topology(nodes=(Node(name="r1"), Node(name="r2")), links=(Link(endpoints=ends),))
    nodes = {name: Somewhere(name, Place(name, 1, "0")) for name in ("r1", "r2")}
    return ContainerLinks(topology, nodes, (None, {}), lambda node, interface: interface.lower())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "act",
    [
        lambda links: links.flap("r1", "eth1", down_s=1, up_s=1),
        lambda links: links.detach("r1", "eth1"),
        lambda links: links.set_quality("r1", "eth1", LinkQuality(delay_ms=5)),
        lambda links: links.set_quality("r1", "eth1", LinkQuality(loss=0.5)),
        lambda links: links.set_defect("r1", "eth1", Defect(loss=0.5)),
    ],
)
def test_what_cannot_be_done_is_a_lack_of_the_backend(links, act):
    with pytest.raises(RequirementMissing, match=r"^backend containerlab cannot "):
        act(links)


def test_an_interface_is_found_by_any_of_its_names_and_an_unknown_one_is_told(links):
    assert links.quality("r1", "ETH1") == LinkQuality()
    assert not links.is_cut("r2", "eth1")
    with pytest.raises(LabError, match=r"r1 has no interface 'eth9' \(known: eth1\)"):
        links.cut("r1", "eth9")
    with pytest.raises(LabError, match="no such node"):
        links.restore("r9", "eth1")
