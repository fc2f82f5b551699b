"""Commands of GitHub Actions: ours say what they should, and no text of others is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.workflow import MOST_TEXT, annotation, inert
from tests.support.github import commands

HOSTILE = [
    "::error::x",
    "  \t::stop-commands::token",
    "\u00a0::add-mask::a",
    "::ERROR file=a,line=1::x",
    "text\n::set-output name=a::b\nmore",
    "anything ##[group]x",
    "##[error]x ##[add-mask]a",
    "\ufeff::warning::x",
    "- ::notice::x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_a_command(text):
    assert inert(text) != text
    assert commands(inert(text)) == []
    assert inert(inert(text)) == inert(text)


@given(st.text(alphabet=":#[] \t\nae\u200b\u00ad%A0", max_size=40))
def test_whatever_is_written_is_no_command(text):
    assert commands(inert(text)) == []
    assert inert(inert(text)) == inert(text)


@pytest.mark.parametrize(
    "text", ["C ::/0 via FE80::1", "::1 is local", "::", "route ::/0", "a::b::c", "### heading", "x = y[1:]", "#[1]"]
)
def test_ordinary_text_stays_as_it_is(text):
    assert inert(text) == text


@given(st.text(max_size=60), st.text(max_size=30))
def test_an_annotation_is_one_command_that_says_what_was_meant(message, title):
    line = annotation("error", f"m{message}".replace("\x0b", ""), title=f"t{title}", file="a:b,c.yaml", line=3)
    if len((line + "x").splitlines()) > 1:
        return  # characters that are cleaned before anything is printed
    (command,) = commands(line)
    assert (command.name, command.data) == ("error", f"m{message}".replace("\x0b", ""))
    assert command.properties == {"file": "a:b,c.yaml", "line": "3", "title": f"t{title}"}


def test_a_long_message_is_cut():
    (command,) = commands(annotation("warning", "x" * 5_000, title="t"))
    assert command.data == "x" * MOST_TEXT + "…"
