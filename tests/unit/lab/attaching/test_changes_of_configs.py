"""The commands between two configurations of IOS."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.lab.attaching.changes import changes

DIALECT = CiscoIosDialect()


def commands(before, after, stays=()):
    trees = [DIALECT.syntax.parse(text) for text in (before, after)]
    return changes(DIALECT, *trees, lambda path: path[0] in stays).commands(DIALECT)


def test_nothing_is_typed_for_equal_configs():
    assert commands("hostname R1\n", "hostname R1\n") == []


def test_lines_of_sections_that_stay_go_first_then_whole_sections_and_then_the_rest_is_added():
    before = (
        "interface Gi0/0\n ip address 10.0.0.1 255.0.0.0\n ip access-group A in\n"
        "ip access-list extended A\n permit ip any any\n"
    )
    assert commands(before, "interface Gi0/0\n shutdown\n") == [
        "interface Gi0/0",
        " no ip access-group A in",
        "interface Gi0/0",
        " no ip address 10.0.0.1 255.0.0.0",
        "no ip access-list extended A",
        "interface Gi0/0",
        " shutdown",
    ]


def test_a_list_in_another_order_is_written_anew():
    before = "ip access-list extended A\n permit ip any any\n deny ip any any\n"
    after = "ip access-list extended A\n deny ip any any\n permit ip any any\n"
    assert commands(before, after)[-3:] == ["ip access-list extended A", " deny ip any any", " permit ip any any"]
    assert len(commands(before, after)) == 7


def test_what_stays_is_not_touched():
    assert commands("line vty 0 4\n login\n", "", stays=("line vty 0 4",)) == []
