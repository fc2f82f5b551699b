"""The dialect ``p4``: one form of what lines set, whatever they are written as, and edits by match key."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.dialects.p4 import P4Dialect
from pytest_netbench.dialects.p4.lines import USAGES, parse
from pytest_netbench.dialects.p4.values import canonical, number, pair
from pytest_netbench.dialects.syntax import Edit
from pytest_netbench.faults.evidence.observation import unlike

DIALECT = P4Dialect()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10.0.1.0", 0x0A000100),
        ("02:00:00:00:01:0a", 0x02000000010A),
        ("2:0:0:0:1:a", 0x02000000010A),
        ("0xFF", 255),
        ("17", 17),
    ],
)
def test_a_value_is_a_number_whatever_it_is_written_as(text: str, value: int) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "ten", "-1", "10.0.1", "10.0.1.256", "0x", "02:00:00:00:01", "²"])
def test_what_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - that of an address is Python's own
        number(text)


def test_the_parts_of_a_mask_a_range_and_a_prefix_are_found() -> None:
    assert pair("0x10&&&0xf0") == (16, "&&&", 240)
    assert pair("1->9") == (1, "->", 9)
    assert pair("10.0.0.0/8") == (0x0A000000, "/", 8)
    assert pair("10.0.0.0") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10.0.1.7/24", "10.0.1.0/24"),
        ("10.0.1.0/24", "0x0a000100/24"),
        ("0x1f&&&0xf0", "0x10&&&0xf0"),
        ("2", "0x02"),
        ("02:00:00:00:01:01", "0x020000000101"),
    ],
)
def test_two_ways_to_write_one_value_have_one_form(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


def test_values_that_differ_have_forms_that_differ() -> None:
    assert len({canonical(text) for text in ("10.0.1.0/24", "10.0.1.0/25", "10.0.1.0", "10.0.2.0/24", "name")}) == 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "table_add ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 2",
            "table_modify  FabricIngress.ipv4_lpm FabricIngress.forward 0x0a000200/24=>0x020000000201 0x2",
        ),
        ("table_set_default ipv4_lpm drop", "table_set_default FabricIngress.ipv4_lpm FabricIngress.drop =>"),
        ("program ipv4_fabric", " program   ipv4_fabric"),
    ],
)
def test_lines_that_set_the_same_are_equal(one: str, other: str) -> None:
    assert DIALECT.normalise(one) == DIALECT.normalise(other) is not None


def test_a_canonical_line_stays_as_it_is_and_a_comment_says_nothing() -> None:
    line = DIALECT.normalise("table_add ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 2")
    assert line == "entry ipv4_lpm 0xa000200/24 => forward 0x20000000201 0x2"
    assert DIALECT.normalise(line) == line
    assert [DIALECT.normalise(text) for text in ("", "  ", "# routes")] == [None, None, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("table_ad ipv4_lpm", "unknown command 'table_ad' (known: program, table_add,"),
        ("table_add ipv4_lpm forward 10.0.0.0/8", "=> is missing (usage: table_add TABLE ACTION"),
        ("table_add ipv4_lpm forward => 1", "the match key is missing"),
        ("table_delete ipv4_lpm", "the match key is missing (usage: table_delete TABLE"),
        ("table_set_default ipv4_lpm", "the action is missing"),
        ("table_clear", "a name is missing (usage: table_clear TABLE)"),
        ("table_clear a b", "one name is expected"),
        ("register_write r 1", "a register, an index and a value are expected"),
    ],
)
def test_what_is_wrong_with_a_line_is_told_with_its_usage(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(line)


def test_each_command_is_parsed_by_its_usage() -> None:
    for verb, usage in USAGES.items():
        words = usage.replace("[", "").replace("]", "").replace("...", "")
        assert parse(words).verb == verb


def test_a_deletion_removes_the_entry_with_its_key_and_a_change_replaces_it() -> None:
    found = DIALECT.syntax.edits(
        [
            "table_delete ipv4_lpm 10.0.2.0/24",
            "table_modify ipv4_lpm forward 10.0.3.0/24 => 1 2",
            "table_clear gateways",
            "table_reset_default ipv4_lpm",
            "what is this",
        ]
    )
    assert found == (
        Edit(("entry ipv4_lpm 0xa000200/24 =>",), removes=True),
        Edit(("entry ipv4_lpm 0xa000300/24 =>",), removes=True),
        Edit(("entry ipv4_lpm 0xa000300/24 => forward 0x1 0x2",)),
        Edit(("entry gateways",), removes=True),
        Edit(("default ipv4_lpm =>",), removes=True),
        Edit(("what is this",)),
    )


def test_a_line_of_a_config_is_removed_by_its_key() -> None:
    negate = DIALECT.syntax.negate
    assert negate(("table_add ipv4_lpm forward 10.0.2.0/24 => 1 2",)) == ("table_delete ipv4_lpm 10.0.2.0/24",)
    assert negate(("table_set_default ipv4_lpm drop",)) == ("table_reset_default ipv4_lpm",)
    assert negate(("program ipv4_fabric",)) == ()


def test_a_config_shows_what_commands_asked_for() -> None:
    config = "table_add ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 2\ntable_set_default ipv4_lpm ecmp 1 2\n"
    for commands, expected in (
        (["table_add ipv4_lpm forward 0x0a000200/24 => 0x020000000201 2"], []),
        (["table_modify ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 2"], []),
        (["table_delete ipv4_lpm 10.0.3.0/24"], []),
        (["table_delete ipv4_lpm 10.0.2.0/24"], ["still"]),
        (["table_clear ipv4_lpm"], ["still"]),
        (["table_modify ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 3"], ["not in", "still"]),
        (["table_set_default ipv4_lpm drop"], ["not in", "still"]),
    ):
        found = list(unlike(config, commands, DIALECT.syntax))
        assert [part in one for part, one in zip(expected, found, strict=True)] == [True] * len(expected), commands


def test_a_config_is_its_lines_without_comments() -> None:
    text = "# fabric\nprogram ipv4_fabric\n\n  table_set_default ipv4_lpm drop\n"
    assert DIALECT.syntax.paths(text) == (("program ipv4_fabric",), ("table_set_default ipv4_lpm drop",))
    assert DIALECT.syntax.parse(DIALECT.syntax.render(DIALECT.syntax.parse(text))) == DIALECT.syntax.parse(text)


def test_the_interfaces_are_the_ports_of_the_program() -> None:
    assert DIALECT.interface("eth63") == "eth63"
    for name in ("eth64", "eth01", "Ethernet1", "lo"):
        with pytest.raises(ValueError, match="is no interface of a P4 switch"):
            DIALECT.interface(name)
