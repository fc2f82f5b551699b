"""The commands for ``ip`` when the links of a state change."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.cisco_ios.apply import links
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState, Link


class ListeningNode:
    """A node that records the input of ``ip``, with the words before it, and does nothing."""

    name = "R1"

    def __init__(self) -> None:
        self.told: list[tuple[str, list[str]]] = []
        self.memory: dict[str, object] = {}

    def run(self, argv: Sequence[str], *, input: str = "", **_: object) -> Completed:
        if "-batch" in argv:
            self.told.append((" ".join(argv[: argv.index("ip")]), input.splitlines()))
        return Completed(returncode=0, stdout="", stderr="")


def told(old: DesiredState, new: DesiredState) -> list[tuple[str, list[str]]]:
    node = ListeningNode()
    assert links.apply(node, old, new) == []  # type: ignore[arg-type]
    return node.told


def loopbacks(*names: str, vrf: str = "") -> dict[str, Link]:
    return {name: Link(kind="loopback", vrf=vrf) for name in names}


def test_links_that_go_are_deleted_all_at_once_in_each_vrf():
    old = DesiredState(links={**loopbacks("lo1", "lo2"), **loopbacks("lo3", vrf="A"), "gi0-0": Link()}, vrfs=("A",))
    assert told(old, DesiredState(links={"gi0-0": Link()}, vrfs=("A",))) == [
        ("", ["link set dev lo1 group 900", "link set dev lo2 group 900", "link del group 900"]),
        ("nsenter --net=/run/netns/A", ["link set dev lo3 group 900", "link del group 900"]),
    ]


def test_rules_and_routes_that_stay_are_not_said_again():
    old = DesiredState(
        rules=["priority 1 lookup 1", "-6 priority 2 lookup 2"], routes=["local 1.1.1.1 dev lo table local"]
    )
    new = DesiredState(
        rules=["-6 priority 2 lookup 2", "priority 3 lookup 3"], routes=["local 1.1.1.1 dev lo table local"]
    )
    assert told(old, new) == [("", ["rule del priority 1 lookup 1", "rule add priority 3 lookup 3"])]
