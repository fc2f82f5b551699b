"""Simulated DUAL: routers exchange their messages through lists."""

from __future__ import annotations

import itertools
import random
from collections import deque

import pytest

from pytest_netbench.platforms.cisco_ios.services.programs.eigrp.dual import CONNECTED, Dual
from pytest_netbench.platforms.cisco_ios.services.programs.eigrp.packet import (
    HELLO,
    INFINITE,
    INIT,
    QUERY,
    UPDATE,
    Packet,
    Vector,
    link_vector,
)


class Paper:
    """A simulated network of routers. Messages on one link arrive in order; a seed decides the order of others."""

    def __init__(self, links, seed=1):
        self.cost = {}
        self.down = set()
        self.mail = {}
        self.random = random.Random(seed)
        self.routers = {}
        for one, other, tens in links:
            self.cost[one, other] = self.cost[other, one] = link_vector(1_000_000, tens)
        for name in sorted({name for link in links for name in link[:2]}):
            self.routers[name] = Dual(
                send=lambda near, opcode, prefix, vector, me=name: self.post(me, near, opcode, prefix, vector),
                link=lambda near, me=name: self.cost[me, near],
                same_link=lambda one, other: one == other,
            )
        for one, other, _ in links:
            self.join(one, other)

    def post(self, source, target, opcode, prefix, vector):
        if frozenset((source, target)) not in self.down:
            self.mail.setdefault((source, target), deque()).append((opcode, prefix, vector))

    def join(self, one, other):
        self.down.discard(frozenset((one, other)))
        for here, there in ((one, other), (other, one)):
            for prefix, vector in self.routers[here].join(there):
                self.post(here, there, UPDATE, prefix, vector)

    def cut(self, one, other):
        self.down.add(frozenset((one, other)))
        for here, there in ((one, other), (other, one)):
            self.mail.pop((here, there), None)
        self.routers[one].leave(other)
        self.routers[other].leave(one)

    def settle(self):
        for _ in range(10_000):
            waiting = sorted(pair for pair, queue in self.mail.items() if queue)
            if not waiting:
                return
            source, target = self.random.choice(waiting)
            self.routers[target].hear(source, *self.mail[source, target].popleft())
            self.assert_no_loop()
        raise AssertionError("it never comes to rest")

    def assert_no_loop(self):
        prefixes = {prefix for router in self.routers.values() for prefix in router.networks}
        for prefix in prefixes:
            for start in self.routers:
                seen, at = set(), start
                while at is not None and at not in seen:
                    seen.add(at)
                    network = self.routers[at].networks.get(prefix)
                    ahead = network.successors if network is not None else ()
                    at = ahead[0] if ahead and ahead[0] != CONNECTED else None
                assert at is None, f"{prefix} loops through {sorted(seen)}"

    def distance(self, name, prefix="10.0.0.0/24"):
        network = self.routers[name].networks.get(prefix)
        if network is None or not network.successors:
            return INFINITE
        return self.routers[name].distance(network, network.successors[0])

    def way(self, name, prefix="10.0.0.0/24"):
        return self.routers[name].networks[prefix].successors


TRIANGLE = [("a", "b", 1), ("b", "c", 1), ("a", "c", 10)]


@pytest.fixture
def triangle():
    net = Paper(TRIANGLE)
    net.routers["c"].connected({"10.0.0.0/24": link_vector(1_000_000, 1)})
    net.settle()
    return net


def test_the_cheapest_way_is_taken(triangle):
    assert triangle.way("a") == ("b",)
    assert triangle.distance("a") == 2560 + 3 * 256


def test_a_cut_line_is_gone_around(triangle):
    triangle.cut("b", "c")
    triangle.settle()
    assert triangle.way("a") == ("c",)
    assert triangle.way("b") == ("a",)


def test_a_line_that_comes_back_is_used_again(triangle):
    triangle.cut("b", "c")
    triangle.settle()
    triangle.join("b", "c")
    triangle.settle()
    assert triangle.way("a") == ("b",)


def test_a_network_that_goes_is_gone_everywhere(triangle):
    triangle.routers["c"].connected({})
    triangle.settle()
    assert [dict(router.networks) for router in triangle.routers.values()] == [{}, {}, {}]


def test_a_network_beyond_a_lost_router_is_gone_too(triangle):
    triangle.cut("b", "c")
    triangle.cut("a", "c")
    triangle.settle()
    assert triangle.distance("a") == triangle.distance("b") == INFINITE


@pytest.mark.parametrize("seed", range(25))
def test_cuts_and_repairs_never_loop_and_end_at_shortest_ways(seed):
    chance = random.Random(seed)
    names = "abcdefg"
    links = [(x, y, chance.randint(1, 9)) for i, x in enumerate(names) for y in names[i + 1 :] if chance.random() < 0.5]
    links += [(x, y, 20) for x, y in itertools.pairwise(names) if not any({x, y} == {*link[:2]} for link in links)]
    net = Paper(links, seed)
    net.routers["a"].connected({"10.0.0.0/24": link_vector(1_000_000, 1)})
    net.settle()
    for _ in range(6):
        one, other, _tens = chance.choice(links)
        (net.join if frozenset((one, other)) in net.down else net.cut)(one, other)
        if chance.random() < 0.5:
            net.settle()
    net.settle()
    assert {name: net.distance(name) for name in net.routers} == shortest(net, links)


def shortest(net, links):
    found = dict.fromkeys(net.routers, INFINITE)
    found["a"] = link_vector(1_000_000, 1).distance
    alive = [link for link in links if frozenset(link[:2]) not in net.down]
    for _ in found:
        for one, other, tens in [*alive, *((y, x, t) for x, y, t in alive)]:
            if found[one] != INFINITE:
                found[other] = min(found[other], found[one] + 256 * tens)
    return found


def test_a_packet_comes_back_as_it_was_sent():
    routes = (("10.1.0.0/16", Vector(2560, 512, 3)), ("192.0.2.129/32", Vector(2560, INFINITE, 0)))
    packet = Packet(UPDATE, 100, flags=INIT, sequence=7, ack=3, routes=routes)
    assert Packet.parse(packet.pack()) == packet
    hello = Packet(HELLO, 100, hold_s=15)
    assert Packet.parse(hello.pack()) == hello
    assert Packet.parse(Packet(HELLO, 1, hold_s=15, leaving=True).pack()).leaving


@pytest.mark.parametrize("cut", [0, 10, 25, 39])
def test_what_is_no_packet_is_left_alone(cut):
    data = Packet(QUERY, 1, routes=(("10.0.0.0/8", Vector(1, 1, 1)),)).pack()
    assert Packet.parse(data[:cut]) is None
    assert Packet.parse(bytes((data[0], data[1] ^ 1)) + data[2:]) is None
