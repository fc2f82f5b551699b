from __future__ import annotations

import re

import pytest

from pytest_netbench.dialects.frr import FrrDialect

DIALECT = FrrDialect()


@pytest.mark.parametrize("line", ["!", "", "  ", "exit", " exit-address-family", "end", "frr version 8.4.4", "# x"])
def test_a_line_that_says_nothing_is_left_out(line):
    assert DIALECT.normalise(line) is None


def test_a_line_is_compared_with_single_spaces_and_no_indentation():
    assert DIALECT.normalise("  ip  address 10.0.0.1/24 ") == "ip address 10.0.0.1/24"


def names(line: str) -> set[tuple[str, str]]:
    return {(kind, match[1]) for kind, pattern in DIALECT.free_names() for match in re.finditer(pattern, line)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("route-map OUT permit 10", {("route-map", "OUT"), ("route-map sequence", "10")}),
        ("neighbor 10.0.0.1 route-map OUT out", {("route-map", "OUT")}),
        ("redistribute ospf metric 5 route-map OUT", {("route-map", "OUT")}),
        ("ip prefix-list P seq 5 permit 10.0.0.0/8", {("prefix-list", "P"), ("prefix-list sequence", "5")}),
        ("match ip address prefix-list P", {("prefix-list", "P")}),
        ("match ip address ACL", {("access-list", "ACL")}),
        ("access-list ACL seq 5 permit any", {("access-list", "ACL"), ("access-list sequence", "5")}),
        ("bgp as-path access-list AS seq 5 permit ^1$", {("as-path list", "AS"), ("list sequence", "5")}),
        ("match as-path AS", {("as-path list", "AS")}),
        ("bgp community-list standard C seq 5 permit 1:1", {("community-list", "C"), ("list sequence", "5")}),
        ("match community C", {("community-list", "C")}),
        ("neighbor CORE peer-group", {("peer-group", "CORE")}),
        ("neighbor 10.0.0.1 peer-group CORE", {("peer-group", "CORE")}),
        ("neighbor CORE remote-as 1", {("peer-group", "CORE")}),
        ("neighbor 10.0.0.1 remote-as 1", set()),
        ("neighbor fe80::1 remote-as 1", set()),
        ("ip address 10.0.0.1/24", set()),
        ("network 10.0.0.0/24 area 0", set()),
    ],
)
def test_names_a_person_chooses_are_told_from_what_matters(line, expected):
    assert names(line) == expected


@pytest.mark.parametrize(
    ("parents", "line", "expected"),
    [
        ((), "ip prefix-list P seq 5 permit 10.0.0.0/8", "ip prefix-list P"),
        ((), "access-list A seq 5 deny any", "access-list A"),
        ((), "route-map OUT permit 10", "route-map OUT"),
        ((), "bgp as-path access-list A seq 5 permit .*", "bgp as-path access-list A"),
        ((), "ip route 10.0.0.0/8 Null0", None),
        (("router bgp 1",), "neighbor 10.0.0.1 route-map OUT out", None),
    ],
)
def test_order_matters_in_lists_and_route_maps(parents, line, expected):
    assert DIALECT.ordered_block(parents, line) == expected


@pytest.mark.parametrize("name", ["eth0", "ens3.100", "to-R2"])
def test_an_interface_keeps_its_name(name):
    assert DIALECT.interface(name) == name


@pytest.mark.parametrize("name", ["", "S0/0", "Gi 0", "a-name-of-16-char", "."])
def test_a_name_the_kernel_cannot_give_is_refused(name):
    with pytest.raises(ValueError, match="1 to 15 characters, no '/', no white space"):
        DIALECT.interface(name)
