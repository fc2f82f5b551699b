"""Whatever a text of Junos is: it is read, and what is written of it is read back."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_netbench.dialects.juniper_junos.commands import is_change
from pytest_netbench.dialects.juniper_junos.syntax import SYNTAX

WORDS = (
    *(
        "interfaces",
        "ge-0/0/0",
        "unit",
        "0",
        "family",
        "inet",
        "address",
        "10.0.0.1/24",
        "system",
        "ntp",
        "server",
        "key",
    ),
    *(
        "1",
        "prefer",
        "policy-options",
        "policy-statement",
        "P",
        "term",
        "A",
        "then",
        "accept",
        "apply-groups",
        "X",
        "to",
    ),
    *(
        '"a b"',
        '""',
        '"\\""',
        '"',
        "[",
        "]",
        "<*>",
        "x[0-3]",
        "inactive:",
        "protect:",
        "replace:",
        "delete:",
        "#",
        "/*",
    ),
    *("*/", "before", "after", "é", "a;b", "!"),
)
VERBS = ("set", "delete", "deactivate", "activate", "protect", "edit", "up", "top", "exit", "insert", "rename", "copy")
BRACES = st.lists(st.sampled_from((*WORDS, "{", "}", ";", "{", "}", ";", "\n")), max_size=40).map(" ".join)
LINE = st.tuples(st.sampled_from(VERBS), st.lists(st.sampled_from(WORDS), max_size=8)).map(
    lambda found: " ".join([found[0], *found[1]])
)
LINES = st.lists(LINE, max_size=12).map("\n".join)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.one_of(BRACES, LINES, st.tuples(LINES, BRACES, LINES).map("\n".join), st.text(max_size=60)))
def test_a_text_is_read_and_what_is_written_of_it_is_read_back(text: str):
    tree = SYNTAX.parse(text)
    assume(not any(is_change(line) for line, _ in tree))  # no statement of Junos begins as a command does
    assert SYNTAX.parse(SYNTAX.render(tree)) == tree
    assert SYNTAX.parse(SYNTAX.render_set(tree)) == tree
    assert len(set(SYNTAX.paths(text))) == len(SYNTAX.paths(text))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(BRACES)
def test_each_line_of_a_text_is_removed_by_what_negates_it(text: str):
    tree = SYNTAX.parse(text)
    for path in SYNTAX.paths(text):
        left = SYNTAX.edited(tree, SYNTAX.negate(path))
        assert path not in SYNTAX.paths(SYNTAX.render_set(left))
