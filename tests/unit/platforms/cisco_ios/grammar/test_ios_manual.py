"""The command reference generated from the grammar of IOS."""

from __future__ import annotations

import pytest

from pytest_netbench.ani.manual import search
from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.dialects.cisco_ios.manual import FILE, parse, render
from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Mode
from pytest_netbench.platforms.cisco_ios.grammar.coverage import readable
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar
from pytest_netbench.platforms.cisco_ios.grammar.manual import sections

AREA = Area(
    name="demo",
    modes=(Mode(name="box", prompt="config-box", help="box configuration"),),
    commands=(
        Command(pattern="box {number!:1-9}", opens="box", help="Open a box"),
        Command(
            pattern="lid ( open | shut ) [ weight {grams:1-99} ]", mode="box", default=("lid shut",), help="Set the lid"
        ),
        Command(pattern="paint {colour:word}", mode="box", marked="there is no paint"),
        Command(pattern="show box", mode="exec"),
    ),
    help={"open": "Leave it open", "weight": "What it weighs"},
)


@pytest.fixture(scope="module")
def demo() -> dict[str, str]:
    return {section.title: section.text for section in sections(Grammar([AREA]))}


def test_each_command_is_a_section_under_its_words_and_what_it_is_for(demo):
    assert list(demo) == ["box (demo): Open a box", "lid (demo): Set the lid", "paint (demo)", "show box (demo)"]


def test_a_section_has_the_syntax_the_mode_and_how_to_get_there(demo):
    lines = demo["lid (demo): Set the lid"].splitlines()
    assert lines[0] == "lid ( open | shut ) [ weight <1-99> ]"
    assert "Mode: box configuration (after: box <1-9>)" in lines


def test_words_and_arguments_are_explained(demo):
    text = demo["lid (demo): Set the lid"]
    assert "  open                 Leave it open\n" in text
    assert "  <1-99>               grams\n" in text


def test_what_undoes_it_and_what_holds_anyway_is_said(demo):
    text = demo["lid (demo): Set the lid"]
    assert "Undone by: no lid\n" in text
    assert "Default: lid shut\n" in text


def test_what_has_no_effect_is_said(demo):
    assert "Accepted without effect: there is no paint" in demo["paint (demo)"]


def test_a_command_that_only_shows_is_not_undone(demo):
    assert "Undone" not in demo["show box (demo)"]
    assert "Notation" not in demo["show box (demo)"]


def test_every_command_of_the_grammar_is_in_the_manual():
    written = {section.text.splitlines()[0].split()[0] for section in CiscoIosDialect().manual()}
    assert {readable(known.command.pattern, {}).split()[0] for known in grammar().commands()} <= written
    assert len(CiscoIosDialect().manual()) > 0.9 * len(grammar().commands())


def test_the_manual_of_the_dialect_is_generated_from_the_grammar():
    remedy = f"netbench commands --manual > {FILE}"
    assert FILE.read_text(encoding="utf-8") == render(sections(grammar())), remedy


def test_the_text_of_the_manual_keeps_every_section():
    assert parse(render(sections(grammar()))) == sections(grammar())


@pytest.mark.parametrize(
    ("query", "command"),
    [
        ("static route", "ip route "),
        ("ospf cost of an interface", "ip ospf cost "),
        ("ip address of an interface", "ip address "),
        ("enable password secret", "enable secret"),
        ("copy a file to flash", "copy "),
        ("terminal length", "terminal length "),
    ],
)
def test_a_question_finds_its_command(query, command):
    best = search({"cisco_ios": CiscoIosDialect()}, query)[:2]
    assert any(section.text.startswith(command) for section in best)
