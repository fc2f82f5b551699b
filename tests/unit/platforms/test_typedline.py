"""What stands behind a prompt, by keys and by screens as readline draws them."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.typedline import Screen, TypedLine

PROMPT = re.compile(r"[a-z0-9]+# ")


@pytest.mark.parametrize(
    ("keys", "text", "certain", "plain"),
    [
        ("show", "show", True, True),
        ("sh?ow", "show", True, True),
        ("shiw\x7f\x7fow", "show", True, False),
        ("x\x15show", "show", True, False),
        ("x\x03show", "show", True, False),
        ("x\x01\x15show", "show", False, False),
        ("\x01x\x03show", "show", True, False),
        ("sh\t", "sh", False, False),
        ("\x1b[A", "[A", False, False),
    ],
)
def test_keys_make_a_line_or_leave_it_to_the_screen(keys, text, certain, plain):
    line = TypedLine(help_keys="?")
    line.type(keys)
    assert (line.text, line.certain, line.plain) == (text, certain, plain)


@pytest.mark.parametrize(
    ("shown", "behind"),
    [
        ("f1# show", ("f1# ", "show")),
        ("f1# ", ("f1# ", "")),
        ("f1# shop\b\b\x1b[4hx\x1b[4l", ("f1# ", "shxop")),
        ("f1# show\r\x1b[4C\x1b[K", ("f1# ", "")),
        ("f1# " + "a" * 16 + "bc", ("f1# ", "a" * 16 + "bc")),
        ("f1# " + "a" * 16 + "bc\x1b[A\r", ("f1# ", "a" * 16 + "bc")),
        ("f1# old\r\nsearch: new", None),
        ("", None),
        ("f1# show\x1b[?4m", None),
    ],
    ids=["line", "nothing", "inserted", "erased", "two rows", "cursor above", "no prompt", "empty", "unknown sequence"],
)
def test_the_screen_tells_what_stands_behind_the_prompt(shown, behind):
    screen = Screen()
    screen.show("f1# earlier\r\nits output\r\n" + shown)
    assert screen.behind(PROMPT, columns=20) == behind
