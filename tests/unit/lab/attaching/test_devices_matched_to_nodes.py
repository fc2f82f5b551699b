"""Which device of a network that exists stands for which node of a task."""

from __future__ import annotations

import itertools
import random

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.matching import NoMatch, match
from pytest_netbench.lab.attaching.site import Cable, Device, Site
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology


def ends(text):
    return tuple(Endpoint(node=node, interface=interface) for node, interface in map(str.split, text.split("<->")))


def topology(nodes, *links):
    return Topology(nodes=[Node(name=name) for name in nodes], links=[Link(endpoints=ends(text)) for text in links])


def site(devices, *cables, known=True):
    made = [one if isinstance(one, Device) else Device(name=one, dialect="cisco_ios") for one in devices]
    return Site(
        devices={one.name: one for one in made}, cables=tuple(Cable(ends(text)) for text in cables) if known else None
    )


def matched(wanted, there, dialect="cisco_ios", **dialects):
    return match(wanted, {node.name: dialects.get(node.name, dialect) for node in wanted.nodes}, there)


PAIR = topology(["R1", "R2"], "R1 Gi0/0 <-> R2 Gi0/1")


def test_devices_of_the_same_names_stand_for_nodes():
    found = matched(PAIR, site(["R2", "R1", "R3"], "R2 GigabitEthernet0/1 <-> R1 gi0/0"))
    assert (found.devices, found.by_shape) == ({"R1": "R1", "R2": "R2"}, False)


def test_a_device_can_say_which_node_it_stands_for():
    devices = [Device(name="a", dialect="cisco_ios", node="R2"), Device(name="b", dialect="cisco_ios", node="R1")]
    assert matched(PAIR, site(devices, known=False)).devices == {"R1": "b", "R2": "a"}


def test_without_cabling_each_link_is_taken_to_be_there():
    assert matched(PAIR, site(["R1", "R2"], known=False)).devices == {"R1": "R1", "R2": "R2"}


def test_without_cabling_the_interfaces_must_be_there_if_they_are_listed():
    there = site([Device(name="R1", dialect="cisco_ios", interfaces=("Gi0/1",)), "R2"], known=False)
    with pytest.raises(NoMatch, match="R1 has no interface GigabitEthernet0/0, for the link 'R1 Gi0/0 <-> R2 Gi0/1'"):
        matched(PAIR, there)


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        (site(["R1", "R2"]), "no cable of the testbed joins R1 Gi0/0 <-> R2 Gi0/1 and nothing else"),
        (site(["R1", "R2"], "R1 Gi0/0 <-> R2 Gi0/0"), "no cable of the testbed joins R1 Gi0/0 <-> R2 Gi0/1"),
        (site(["R1", "R2", "X"], "R1 Gi0/0 <-> R2 Gi0/1 <-> X Gi0/0"), "joins R1 Gi0/0 <-> R2 Gi0/1 and nothing else"),
        (site([Device(name="R1", dialect="frr"), "R2"]), "R1 is cisco_ios, and the device R1 is frr"),
        (
            site([Device(name="R1", dialect="cisco_ios", management="gi0/0"), "R2"], "R1 Gi0/0 <-> R2 Gi0/1"),
            "R1 is managed by GigabitEthernet0/0",
        ),
    ],
)
def test_a_device_of_the_right_name_must_be_cabled_as_the_node(there, sentence):
    with pytest.raises(NoMatch, match=sentence):
        matched(PAIR, there)


def test_a_stub_must_lead_nowhere():
    stub = topology(["R1"], "R1 Gi0/0")
    assert matched(stub, site(["R1"])).devices == {"R1": "R1"}
    with pytest.raises(NoMatch, match="a cable is at R1 Gi0/0, and nothing is at the other end"):
        matched(stub, site(["R1", "R2"], "R1 Gi0/0 <-> R2 Gi0/0"))


def test_devices_of_other_names_are_found_by_their_cables():
    there = site(["a", "b", "c"], "a Gi0/0 <-> b Gi0/0", "b Gi0/1 <-> c Gi0/0")
    found = matched(PAIR, there)
    assert (found.devices, found.by_shape) == ({"R1": "c", "R2": "b"}, True)


def test_devices_of_other_names_are_found_by_their_dialects():
    there = site(["a", Device(name="b", dialect="frr")], known=False)
    assert matched(PAIR, there, R1="frr").devices == {"R1": "b", "R2": "a"}


def test_an_ambiguous_match_names_the_candidates():
    there = site(["a", "b", "c", "d"], "a Gi0/0 <-> b Gi0/1", "c Gi0/0 <-> d Gi0/1")
    with pytest.raises(
        UsageError, match="R1 of the task can be a or c: say which by `node: R1` at one of these devices"
    ):
        matched(PAIR, there)


def test_a_name_at_one_device_ends_the_ambiguity():
    devices = ["a", "b", "c", Device(name="d", dialect="cisco_ios", node="R2")]
    found = matched(PAIR, site(devices, "a Gi0/0 <-> b Gi0/1", "c Gi0/0 <-> d Gi0/1"))
    assert found.devices == {"R1": "c", "R2": "d"}


def test_too_few_devices_of_a_dialect_are_named():
    with pytest.raises(NoMatch, match=r"the task has 2 nodes of cisco_ios, the testbed has 1 \(known: a \(cisco_ios\)"):
        matched(PAIR, site(["a"]))


def test_a_shape_that_is_not_there_is_said_with_the_devices_that_are():
    with pytest.raises(NoMatch, match=r"no device is called 'R1', and no devices are joined .* \(known: a .*, b "):
        matched(PAIR, site(["a", "b"]))


@pytest.mark.parametrize("seed", range(20))
def test_every_match_that_is_found_is_one_and_the_only_one(seed):
    """Compared with trying all permutations."""
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(6)]
    pairs = rng.sample(list(itertools.combinations(names, 2)), 7)
    used = dict.fromkeys(names, 0)
    cables = []
    for pair in pairs:
        for one in pair:
            used[one] += 1
        cables.append(" <-> ".join(f"{one} Gi0/{used[one]}" for one in pair))
    chosen = rng.sample(names, 4)
    renamed = {name: f"R{number}" for number, name in enumerate(chosen)}
    links = []
    for text in cables:
        (one, first), (other, second) = (part.split() for part in text.split(" <-> "))
        if one in renamed and other in renamed:
            links.append(f"{renamed[one]} {first} <-> {renamed[other]} {second}")
    wanted = topology(renamed.values(), *links)
    joined = {frozenset(tuple(part.split()) for part in text.split(" <-> ")) for text in cables}

    def fits(way):
        return all(
            frozenset((way[end.node], end.interface) for end in link.endpoints) in joined for link in wanted.links
        )

    ways = [
        way
        for several in itertools.permutations(names, 4)
        if fits(way := dict(zip(renamed.values(), several, strict=True)))
    ]
    try:
        assert [matched(wanted, site(names, *cables)).devices] == ways
    except UsageError:
        assert len(ways) > 1
