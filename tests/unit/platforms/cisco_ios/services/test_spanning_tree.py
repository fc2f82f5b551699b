"""Simulated spanning trees: time is stepped, links are calls, and no change may cause a forwarding loop."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.classic import Classic
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.instance import (
    FORWARDING,
    Port,
    PortSettings,
    Tree,
    TreeSettings,
)
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.rapid import Rapid

MODES = {"pvst": Classic, "rapid-pvst": Rapid}
TRAVEL_S = 0.001


class Steps:
    """Simulated time: the part of the loop that services use, without a clock."""

    def __init__(self) -> None:
        self._now = 0.0
        self._order = 0
        self._timers: list[Timer] = []

    def now(self) -> float:
        return self._now

    def after(self, seconds: float, call: Callable[[], object]) -> Timer:
        self._order += 1
        timer = Timer(self._now + seconds, self._order, call)
        heapq.heappush(self._timers, timer)
        return timer

    def run(self, seconds: float) -> None:
        end = self._now + seconds
        while self._timers and self._timers[0].due <= end:
            timer = heapq.heappop(self._timers)
            self._now = timer.due
            call, timer.call = timer.call, None
            if call is not None:
                call()
        self._now = end


@dataclass
class Network:
    """Bridges connected by links; ``a:b#n`` is the port of a to b on their n-th link."""

    modes: dict[str, str]
    links: list[tuple[str, str]]
    priorities: dict[str, int] = field(default_factory=dict)
    settings: PortSettings = field(default_factory=PortSettings)
    time: Steps = field(default_factory=Steps)
    trees: dict[str, Tree] = field(default_factory=dict)
    up: set[int] = field(default_factory=set)
    lossy: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        for number, (name, mode) in enumerate(self.modes.items(), start=1):
            settings = TreeSettings(priority=self.priorities.get(name, 32768))
            self.trees[name] = Tree(10, number, settings, self.time, self, MODES[mode])  # type: ignore[arg-type]
        for number in range(len(self.links)):
            self.plug(number)

    def plug(self, number: int) -> None:
        self.up.add(number)
        for bridge in self.links[number]:
            self.trees[bridge].add(f"l{number}", number + 1, self.settings)

    def cut(self, number: int) -> None:
        self.up.discard(number)
        for bridge in self.links[number]:
            self.trees[bridge].remove(f"l{number}")

    # -- the medium --

    def set_state(self, tree: Tree, port: Port) -> None:
        assert not self.loop(), f"a loop forwards at {self.time.now():.3f} s"

    def send(self, tree: Tree, port: Port, unit: Bpdu) -> None:
        number = int(port.name[1:])
        sender = next(name for name, one in self.trees.items() if one is tree)
        receiver = next(name for name in self.links[number] if name != sender)
        if not self.lossy():
            self.time.after(TRAVEL_S, lambda: self._arrive(number, receiver, Bpdu.unpack(unit.pack())))

    def _arrive(self, number: int, receiver: str, unit: Bpdu | None) -> None:
        assert unit is not None
        if number in self.up:
            self.trees[receiver].receive(f"l{number}", unit)

    def forget(self, tree: Tree, port: Port) -> None:
        """Do nothing: this network has no addresses."""

    def set_ageing(self, tree: Tree, *, fast: bool) -> None:
        """Do nothing: this network has no addresses."""

    def guarded(self, tree: Tree, port: Port, guard: str, *, blocks: bool) -> None:
        """Do nothing: this network has no log."""

    # -- what came of it --

    def open_links(self) -> list[tuple[str, str]]:
        return [
            ends
            for number, ends in enumerate(self.links)
            if number in self.up
            and all(
                (port := self.trees[end].ports.get(f"l{number}")) is not None and port.state == FORWARDING
                for end in ends
            )
        ]

    def loop(self) -> bool:
        group = {name: name for name in self.modes}

        def find(name: str) -> str:
            while group[name] != name:
                name = group[name]
            return name

        for one, other in self.open_links():
            a, b = find(one), find(other)
            if a == b:
                return True
            group[a] = b
        return False

    def connected(self) -> bool:
        reached, open_links = {next(iter(self.modes))}, self.open_links()
        for _ in self.modes:
            reached |= {end for link in open_links if reached & set(link) for end in link}
        return reached == set(self.modes)

    def settle(self, seconds: float) -> None:
        self.time.run(seconds)
        assert self.connected(), self.open_links()
        assert not any(tree.waiting for tree in self.trees.values())


def ring(mode: str, **more: object) -> Network:
    return Network(dict.fromkeys("abc", mode), [("a", "b"), ("b", "c"), ("c", "a")], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("mode", "seconds"), [("pvst", 31), ("rapid-pvst", 1)])
def test_a_ring_has_one_blocked_port_as_soon_as_the_mode_allows(mode, seconds):
    network = ring(mode)
    network.settle(seconds)
    assert network.trees["a"].is_root
    assert network.trees["c"].ports["l1"].role == "alternate"
    assert sorted(network.open_links()) == [("a", "b"), ("c", "a")]


def test_classic_ports_listen_and_learn_for_the_forward_delay_each():
    network = ring("pvst")
    network.time.run(14.9)
    assert network.trees["a"].ports["l0"].state == 0
    network.time.run(0.2)
    assert network.trees["a"].ports["l0"].state == 1
    network.time.run(14.8)
    assert network.open_links() == []
    network.settle(0.3)


@pytest.mark.parametrize(("mode", "seconds"), [("pvst", 31), ("rapid-pvst", 0.1)])
def test_a_cut_link_is_replaced(mode, seconds):
    network = ring(mode)
    network.settle(40)
    network.cut(2)
    network.settle(seconds)
    assert sorted(network.open_links()) == [("a", "b"), ("b", "c")]
    network.plug(2)
    network.settle(40)
    assert sorted(network.open_links()) == [("a", "b"), ("c", "a")]


@pytest.mark.parametrize(("mode", "seconds"), [("pvst", 21), ("rapid-pvst", 7)])
def test_a_bridge_that_falls_silent_is_given_up(mode, seconds):
    network = Network(dict.fromkeys("abc", mode), [("a", "b"), ("b", "c")])
    network.settle(40)
    quiet = PortSettings(silent=True)
    network.trees["a"].configure("l0", quiet)
    network.time.run(seconds)
    assert network.trees["b"].is_root
    assert network.trees["c"].root == network.trees["b"].identifier
    network.trees["a"].configure("l0", PortSettings())
    network.settle(40)
    assert network.trees["c"].root == network.trees["a"].identifier


def test_loop_guard_blocks_what_a_silent_bridge_would_open():
    network = ring("rapid-pvst", settings=PortSettings(guard="loop"))
    network.settle(5)
    for name in ("l0", "l2"):
        network.trees["a"].configure(name, PortSettings(silent=True))
    network.time.run(20)
    assert network.trees["b"].ports["l0"].inconsistent == "loop"
    assert network.trees["b"].ports["l0"].state == 0


def test_a_lower_priority_takes_the_root_over():
    network = ring("rapid-pvst")
    network.settle(5)
    network.trees["c"].reconfigure(TreeSettings(priority=4096))
    network.settle(5)
    assert network.trees["c"].is_root
    assert network.trees["a"].root == network.trees["c"].identifier == 4106 << 48 | 3


def test_cost_and_port_priority_decide_among_parallel_links():
    network = Network(dict.fromkeys("ab", "rapid-pvst"), [("a", "b"), ("a", "b")])
    network.settle(5)
    assert network.trees["b"].root_port is network.trees["b"].ports["l0"]
    network.trees["a"].configure("l1", PortSettings(priority=16))
    network.time.run(5)
    assert network.trees["b"].root_port is network.trees["b"].ports["l1"], "the sender's priority counts"
    network.trees["b"].configure("l0", PortSettings(cost=3))
    network.settle(5)
    assert network.trees["b"].root_port is network.trees["b"].ports["l0"]


def test_an_edge_port_forwards_at_once_and_is_no_edge_once_a_bridge_is_heard():
    network = Network({"a": "pvst"}, [])
    tree = network.trees["a"]
    network.links = [("a", "x")]
    tree.add("l0", 1, PortSettings(edge=True, silent=True))
    assert tree.ports["l0"].state == FORWARDING
    tree.configure("l0", PortSettings(edge=True))
    tree.ports["l0"].settings = replace(tree.ports["l0"].settings, silent=False)
    network.send = lambda *_: None  # type: ignore[method-assign]
    tree.receive("l0", Bpdu(version=0, kind=0, root=2**60, bridge=2**60, port=1))
    assert not tree.ports["l0"].edge


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("modes", [("pvst",), ("rapid-pvst",), ("pvst", "rapid-pvst")])
def test_no_network_ever_forwards_in_a_loop_and_all_become_connected(modes, seed):
    """Links fail and return; ``set_state`` checks after every single change."""
    dice = random.Random(seed)
    names = "abcdef"[: dice.randint(3, 6)]
    links = [(names[dice.randrange(n)], names[n]) for n in range(1, len(names))]
    links += [tuple(dice.sample(names, 2)) for _ in range(dice.randint(1, 5))]  # type: ignore[misc]
    network = Network(
        {name: dice.choice(modes) for name in names},
        links,
        priorities={name: dice.choice((4096, 32768)) for name in names},
    )
    network.settle(120)
    spare = range(len(names) - 1, len(links))
    for number in spare:
        network.cut(number)
        network.settle(dice.choice((70, 120)))
    for number in spare:
        network.plug(number)
        network.time.run(dice.random())
    network.settle(120)
