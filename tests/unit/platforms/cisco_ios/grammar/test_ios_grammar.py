"""Command patterns and the parser."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.cisco_ios.areas import areas
from pytest_netbench.platforms.cisco_ios.grammar import pattern, types
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.reader import Reader, Refusal


def reader(*patterns: str) -> Reader:
    area = Area(name="test")
    commands = [Command(pattern=text) for text in patterns]
    return Reader([ParsedCommand(command, pattern.parse(command.pattern, {}), area) for command in commands])


ROUTES = reader(
    "ip route {prefix!:ipv4} {mask!:mask} ^ ( {out!:interface} [ {via!:ipv4} ] | {via!:ipv4} ) [ {distance:1-255} ] <"
    " name {label:word} | tag {tag:1-99} >",
    "ip routing",
    "interface {name!:interface}",
    "description {text:line}",
    "set community {value:community}+ [ additive ]",
    "class class-default",
    "class {name:word}",
    "delay < up {up:0-180} | down {down:0-180} >+",
)


def match(line: str, **options: bool) -> Match:
    found = ROUTES.read(line, **options)
    assert isinstance(found, Match), found
    return found


def refusal(line: str) -> tuple[str, int]:
    found = ROUTES.read(line)
    assert isinstance(found, Refusal), found.text
    return found.kind, found.column


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ip route 10.0.0.0 255.0.0.0 10.1.1.1", "ip route 10.0.0.0 255.0.0.0 10.1.1.1"),
        ("ip route 10.0.0.0 255.0.0.0 gi0/1 250", "ip route 10.0.0.0 255.0.0.0 GigabitEthernet0/1 250"),
        ("ip route 10.0.0.0 255.0.0.0 serial 0/0/0 10.1.1.1", "ip route 10.0.0.0 255.0.0.0 Serial0/0/0 10.1.1.1"),
        ("ip route 10.0.0.0 255.0.0.0 10.1.1.1 tag 5 name x", "ip route 10.0.0.0 255.0.0.0 10.1.1.1 name x tag 5"),
        ("int g0/0.10", "interface GigabitEthernet0/0.10"),
        ("delay down 3", "delay down 3"),
        ("delay down 3 up 2", "delay up 2 down 3"),
        ("desc  two  spaces ", "description two  spaces"),
        ("set comm 1:2 65000:3 add", "set community 1:2 65000:3 additive"),
    ],
)
def test_a_line_is_understood_and_written_in_full(typed, meant):
    assert match(typed).text == meant


def test_a_keyword_wins_over_a_free_word():
    assert match("class class-default").args == {}
    assert match("class VOICE")["name"] == "VOICE"


@pytest.mark.parametrize(
    ("line", "kind", "column"),
    [
        ("ip rou 10.0.0.0", "ambiguous", 3),
        ("ip route 10.0.0.0", "incomplete", 17),
        ("ip route 10.0.0.300 255.0.0.0 10.1.1.1", "invalid", 9),
        ("ip route 10.0.0.0 255.0.255.0 10.1.1.1", "invalid", 18),
        ("ip route 10.0.0.0 255.0.0.0 10.1.1.1 0", "invalid", 37),
        ("ip route 10.0.0.0 255.0.0.0 10.1.1.1 tag 5 tag 6", "invalid", 43),
        ("frobnicate", "invalid", 0),
        ("  frobnicate", "invalid", 2),
        ("delay", "incomplete", 5),
        ("ip routing now", "invalid", 11),
    ],
)
def test_what_is_no_command_is_refused_at_the_word_that_is_wrong(line, kind, column):
    assert refusal(line) == (kind, column)


def test_arguments_are_had_by_name_and_keywords_by_word():
    found = match("ip route 10.0.0.0 255.0.0.0 10.1.1.1 5 tag 7")
    assert (found["distance"], found["tag"], found.has("tag"), found.has("name")) == (5, 7, True, False)
    assert dict(found.keys) == {"prefix": "10.0.0.0", "mask": "255.0.0.0", "via": "10.1.1.1"}
    assert match("set community 1:2 1:3").many("value") == ["1:2", "1:3"]
    assert match("set community 1:2").many("value") == ["1:2"]


def test_no_may_end_where_the_pattern_says_and_not_before():
    assert isinstance(ROUTES.read("no ip route 10.0.0.0 255.0.0.0", skip=1, partial=True), Match)
    assert isinstance(ROUTES.read("no ip route 10.0.0.0", skip=1, partial=True), Refusal)
    assert isinstance(ROUTES.read("no description", skip=1, partial=True), Match)
    assert isinstance(ROUTES.read("no ip", skip=1, partial=True), Refusal)
    assert isinstance(ROUTES.read("no delay", skip=1, partial=True), Match)


def test_help_shows_words_that_may_come_next_and_how_the_line_may_end():
    assert [word for word, _ in ROUTES.help("ip ")] == ["route", "routing"]
    assert [word for word, _ in ROUTES.help("ip route 10.0.0.0 255.0.0.0 10.1.1.1 ")] == [
        "<1-255>",
        "name",
        "tag",
        "<cr>",
    ]
    assert [word for word, _ in ROUTES.help("i")] == ["interface", "ip"]
    assert [word for word, _ in ROUTES.help("ip routi")] == ["routing"]
    assert isinstance(ROUTES.help("ip frob "), Refusal)


@pytest.mark.parametrize("text", ["ip {x:nonsense}", "ip [ route", "ip route )", "ip { x", "a ( b | c"])
def test_a_malformed_pattern_says_so(text):
    with pytest.raises(ValueError, match=r"pattern|type"):
        pattern.parse(text, {})


@pytest.mark.parametrize(
    ("vlans", "text"), [({1}, "1"), ({1, 2}, "1,2"), ({3, 1, 2}, "1-3"), ({1, 2, 3, 10, 12, 13, 14}, "1-3,10,12-14")]
)
def test_vlan_lists_are_as_short_as_ios_makes_them(vlans, text):
    assert types.format_vlans(vlans) == text
    assert types.parse_vlans(text) == vlans


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("ipv4", ["1.2.3.4"], ["1.2.3", "1.2.3.256", "x"]),
        ("mask", ["255.255.255.252", "0.0.0.0"], ["255.0.255.0", "0.0.0.255"]),
        ("ipv6prefix", ["2001:DB8::1/64"], ["2001:db8::1", "2001:db8::1/129", "x/64"]),
        ("mac", ["0000.0c07.ac01"], ["0000.0c07", "zz00.0c07.ac01"]),
        ("asn", ["1", "4294967295", "1.1"], ["0", "4294967296", "1.65536"]),
        ("vlans", ["1-10,20"], ["0", "4095", "1-", "a"]),
        ("hhmm", ["8:00", "23:59"], ["24:00", "8"]),
        ("1-255", ["1", "255"], ["0", "256", "-1", "x", "1" * 5000]),
    ],
)
def test_argument_types_take_what_they_are_and_nothing_else(kind, good, bad):
    one = types.resolve(kind, {})
    for text in good:
        assert one.read([types.Token(text, 0)], text), text
    for text in bad:
        assert one.read([types.Token(text, 0)], text) is None, text


def test_no_two_areas_know_the_same_command():
    """A second command with the same words would never be used."""
    seen = {}
    for area in areas():
        for command in area.commands:
            shape = re.sub(r"\{\w+!?:", "{", command.pattern).replace(" ^", "")
            for mode in command.modes:
                for role in command.roles or ("router", "switch"):
                    other = seen.setdefault((mode, role, shape), area.name)
                    assert other == area.name, f"{mode}: {command.pattern!r} is in {other} and in {area.name}"
