from __future__ import annotations

from functools import partial

import pytest

from pytest_netbench.platforms.cli_ssh import pasting
from pytest_netbench.platforms.cli_ssh.pasting import LONGEST_PASTE, Unit, asks, keys, runs, split
from pytest_netbench.platforms.cli_ssh.systems.cisco_ios import CISCO_IOS

units = partial(pasting.units, system=CISCO_IOS)


def one(*lines):
    return [Unit(lines=(line,)) for line in lines]


def test_output_is_split_at_prompts_with_echoes():
    text = (
        "interface Gi0/0\nR1(config-if)#ip adress\n         ^\n% Invalid input detected at '^' marker.\n\n"
        "R1(config-if)#exit\nR1(config)#"
    )
    found = split(text, one("interface Gi0/0", "ip adress", "exit"), "R1(config)#")
    assert found.said == ("", "         ^\n% Invalid input detected at '^' marker.\n", "")
    assert found.prompts == ("R1(config)#", "R1(config-if)#", "R1(config-if)#", "R1(config)#")


def test_a_hostname_may_change_within_a_paste():
    found = split(
        "hostname Edge\nEdge(config)#no cdp run\nEdge(config)#", one("hostname Edge", "no cdp run"), "R1(config)#"
    )
    assert found.prompts[-1] == "Edge(config)#"


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        ("", 0),
        ("a\n", 0),
        ("a\nR1(config)#", 0),
        ("a\nR1(config)#b\n", 1),
        ("a\nR1(config)#b\nsaid", 1),
        ("a\nR1(config)#b\nR1(config)#c", 1),
        ("a\nR1(config)#b\nSure? [confirm]", 1),
        ("$rolled\nR1(config)#b\nR1(config)#", 0),
        ("a\nR1(config)#b\nR1(config)#", 2),
        ("a \nR1(config)# b\nR1(config)# ", 2),
    ],
)
def test_what_has_no_echo_yet_is_not_matched(text, matched):
    assert len(split(text, one("a", "b"), "R1(config)#").said) == matched


def test_a_banner_with_its_text_is_one_unit():
    lines = ["banner motd ^C", "hello", "end ^C", "no cdp run", "banner login #x#", "exit"]
    assert [unit.lines for unit in units(lines)] == [
        ("banner motd ^C", "hello", "end ^C"),
        ("no cdp run",),
        ("banner login #x#",),
        ("exit",),
    ]


def test_the_echo_of_a_banner_has_no_prompts_within():
    batch = units(["banner motd #", "R1#x", "no cdp run"])[:1] + one("no cdp run")
    text = "banner motd #\nEnter TEXT message.  End with the character '#'.\nR1#x\nR1(config)#no cdp run\nR1(config)#"
    assert split(text, batch, "R1(config)#").said == ("", "")


def test_lines_that_may_ask_or_leave_the_mode_are_alone():
    lines = ["hostname a", "do clear ip nat translation *", "no username x", "crypto key generate rsa", "end", "ip cef"]
    assert [[unit.lines[0] for unit in run] for run in runs(units(lines))] == [[line] for line in lines]


@pytest.mark.parametrize("line", ["reload", "rel", "do reload in 5", "reload cancel"])
def test_a_reload_is_refused(line):
    assert units([line])[0].refusal == "% A reload would end the session with this device"


def test_a_paste_is_bounded_and_nothing_is_lost():
    lines = [f"ip route 10.0.{n}.0 255.255.255.0 Null0" for n in range(200)]
    found = list(runs(units(lines)))
    assert [line for run in found for unit in run for line in unit.lines] == lines
    assert all(sum(unit.length for unit in run) <= LONGEST_PASTE for run in found)


def test_a_question_mark_is_typed_as_a_character():
    assert keys("description why?") == "description why\x16?\n"


@pytest.mark.parametrize("text", ["Proceed with reload? [confirm]", "Destination filename [x]? ", "Protocol [ip]: "])
def test_a_question_is_recognised(text):
    assert asks(text)


def test_output_that_ends_a_line_is_no_question():
    assert not asks("Building configuration:\n")
