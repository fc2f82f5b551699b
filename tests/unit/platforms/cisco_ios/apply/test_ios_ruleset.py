"""The text of a ruleset: whole and in pieces it has the same content."""

from __future__ import annotations

import re

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.cisco_ios.apply import nft
from pytest_netbench.platforms.cisco_ios.apply.ruleset import families, pieces, text
from pytest_netbench.platforms.cisco_ios.compile.state import ACL_IN, Chain, NftState


def plan(*, rules):
    made = NftState()
    inner = Chain("inet", "inner")
    for number in range(rules):
        made.rule(inner, f"tcp dport {number} {made.counter('inet', f'c{number}')} return")
    made.rule(ACL_IN, "jump inner")
    made.object("inet", "set s { type ipv4_addr; }")
    made.last("inet", "map", "m", "type ipv4_addr : ipv4_addr;")
    return made


def rules_of(files):
    return [line.strip() for file in files for line in file.splitlines() if "return" in line or "jump" in line]


def test_pieces_have_all_rules_in_their_order_and_the_hook_last():
    made = plan(rules=230)
    files = list(pieces(made, {}))
    assert len(files) > 4
    assert rules_of(files) == rules_of([text(made, {})])
    assert [n for n, file in enumerate(files) if "hook" in file] == [len(files) - 1]
    assert max(len(rules_of([file])) for file in files) <= 50


def test_pieces_declare_everything_before_the_first_rule():
    files = list(pieces(plan(rules=3), {("inet", "c1"): (7, 700)}, {("inet", "m"): ["1.1.1.1 : 2.2.2.2"]}))
    first = files[0]
    assert "set s" in first
    assert "elements = { 1.1.1.1 : 2.2.2.2 }" in first
    assert "counter c1 { packets 7 bytes 700 }" in first
    assert re.search(r"chain inner \{\n +\}", first)


def test_a_plan_without_anything_is_empty():
    assert families(NftState()) == set()
    assert text(NftState(), {}) == ""
    assert list(pieces(NftState(), {})) == []


class NarrowNode:
    """A node whose kernel refuses rule files longer than ``most`` characters; it records the accepted files."""

    name = "R1"

    def __init__(self, most):
        self.most, self.taken = most, []

    def run(self, argv, *, input):
        assert argv[-2:] == ["-f", "-"]
        if len(input) > self.most:
            return Completed(returncode=1, stdout="", stderr="netlink: Error: Could not process rule: Message too long")
        self.taken.append(input)
        return Completed(returncode=0, stdout="", stderr="")


def test_a_ruleset_is_loaded_in_as_few_pieces_as_the_kernel_takes():
    counts = {}
    for most in (10**6, 20_000, 9_000):
        node = NarrowNode(most)
        assert nft.apply(node, NftState(), plan(rules=800)) == []
        counts[most] = len(node.taken)
        last = max(n for n, file in enumerate(node.taken) if "delete table" in file)
        assert rules_of(node.taken[last:]) == rules_of([text(plan(rules=800), {})])
    assert counts[10**6] == 1
    assert counts[20_000] < 12 < counts[9_000]


def test_a_ruleset_that_is_too_long_in_every_piece_is_a_problem():
    assert nft.apply(NarrowNode(500), NftState(), plan(rules=800)) == [
        "R1: nft did not take the ruleset in pieces: netlink: Error: Could not process rule: Message too long"
    ]
