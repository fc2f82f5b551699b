"""What a person is told about a text that is no YAML: line, column, what is wrong, how to fix it."""

from __future__ import annotations

import re

import pytest
import yaml

from pytest_netbench.documents.problems import SyntaxProblem
from pytest_netbench.documents.yaml_reader import read_yaml

PARSER_WORDS = re.compile(r"while (parsing|scanning)|did not find|could not find|token|expected <|block mapping|scalar")


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each parser of PyYAML: the one in C may be missing."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    elif not hasattr(yaml, "CSafeLoader"):
        pytest.skip("PyYAML was built without libyaml")
    return str(request.param)


def problem_of(text: str) -> str:
    with pytest.raises(SyntaxProblem) as caught:
        read_yaml(text)
    return f"{caught.value.line}:{caught.value.column}: {caught.value.message.removeprefix('invalid YAML: ')}"


def problem_in(text: str) -> SyntaxProblem | None:
    try:
        read_yaml(text)
    except SyntaxProblem as problem:
        return problem
    return None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n\t- b\n", "2:1: this line is indented with a tab; YAML takes spaces only: replace each tab by spaces"),
        ("a:\n  - {b: 1}\n  \t- {c: 2}\n", "3:3: this line is indented with a tab"),
        ("a: 1\n\tb: 2\n", "2:1: this line is indented with a tab"),
        ("a: b: c\n", "1:5: the value of 'a' has ': ' in it, which begins a value in YAML: put the text in quotes, or"),
        ("a:\n  - n: x\n    k: y: z\n", "3:9: the value of 'k' has ': ' in it"),
        ("a: {b: x: y}\n", "1:9: a value cannot have ': ' in it: put the text in quotes; if a key stands before it"),
        ("a: {b: 1 c: 2}\n", "1:11: a value cannot have ': ' in it: put the text in quotes; if a key stands before"),
        ("a: 1\n  b: 2\n", "2:3: this line is indented by 2 spaces, deeper than line 1, which has its value already"),
        (
            "a:\n  - {n: 1}\n   - {n: 2}\n",
            "3:4: this line is indented by 3 spaces, not as the items of the list that begins in line 2 (2 spaces);",
        ),
        (
            "a:\n  b: |\n     x\n   y\n  c: 1\n",
            (
                "4:4: this line is indented by 3 spaces, neither as the keys of the mapping that begins in line 2"
                " (2 spaces) nor as line 3 (5 spaces); indent it as the lines it belongs to"
            ),
        ),
        (
            "a:\n    b: 1\n  c: 2\n",
            (
                "3:3: this line is indented by 2 spaces, neither as the keys of the mapping that begins in line 1"
                " (0 spaces) nor as line 2 (4 spaces)"
            ),
        ),
        ("a:\n  - x\n  b: 1\n", "3:3: line 3 is no item of the list that begins in line 2: begin it with '- '"),
        ("a: 1\n- b\n", "2:1: '- b' is no key of the mapping that begins in line 1: write 'key: value'"),
        (
            "a:\n  b: |\n    x\n  ip route add\n  c: 1\n",
            "4:3: 'ip route add' is no 'key: value'; if it belongs to the text above, indent it deeper",
        ),
        ("a:b\nc: 1\n", "1:1: a space is missing after ':' in 'a:b'"),
        ("a: : b\n", "1:4: a second ':' follows 'a': leave it out, or put the text in quotes"),
        ("a: b\nc:\n  - d: : e\n", "3:8: a second ':' follows 'd': leave it out"),
        ("a:\n  - b\n  -c\n  - d\n", "3:3: a space is missing after '-' in '-c'"),
        ("a: - b\n", "1:4: a list cannot begin in the line of its key"),
        ("a: {b: ?, c: 1}\n", "1:8: a value cannot begin with '?': put the text in quotes"),
        ("a: [1, 2\nb: 3\n", "1:4: '[' is not closed: ']' is missing"),
        ("a: {b: 1\n", "1:4: '{' is not closed: '}' is missing"),
        ("a: [x, y]]\n", "1:10: ']' closes nothing: remove it"),
        ("a: ]\n", "1:4: a value is missing here"),
        ("a: 'x\n", "1:4: the text that begins with ' is not closed: add the ' at its end"),
        ("a: 'it's'\n", '1:8: "s\'" follows a value that has ended: put the whole value in quotes'),
        ('a: "\\d+"\n', "1:5: a text in double quotes cannot contain \\d: put it in single quotes, or write \\\\d"),
        ("a: **all** of it\n", "1:4: a text cannot begin with '*': put the text in quotes"),
        ("a: @home\n", "1:4: a text cannot begin with '@': put the text in quotes"),
        ("a: %x\n", "1:4: a text cannot begin with '%': put the text in quotes"),
        ("a: | text\n", "1:6: 'text' follows the sign of a block text: begin the text on the next line, indented"),
        ("  a: 1\nb: 2\n", "2:1: 'b: 2' does not belong to the fields above: check its indentation"),
        ("a: 1\nb: *x\n", "2:4: alias '*x': aliases are not supported, write the value out"),
        ("a: !x y\n", "1:4: tag '!x': tags are not supported"),
        ("a: 1\nb: 2\na: 3\n", "3:1: key 'a' is given twice (first in line 1)"),
        ("a: 1\nb: \x01", "2:4: control characters are not allowed"),
    ],
)
def test_a_text_that_is_no_yaml_is_explained(parser, text, said):
    assert problem_of(text).startswith(said)


@pytest.mark.parametrize("sign", ["{", "[", "'", '"', "- [", "&", "a: {", "? ", "%", "|", ">", "!<", "a: &", "a: !"])
def test_no_words_of_a_parser_are_shown(parser, sign):
    for text in (f"x: 1\n{sign}", f"x: 1\n{sign} y", f"x:\n  y: {sign} z\n z: {sign}\n", f"x:\n- {sign}\n {sign}: 1\n"):
        problem = problem_in(text)
        if problem is not None:
            assert PARSER_WORDS.search(problem.message) is None
            assert problem.line <= text.count("\n") + 1
            assert problem.column >= 1


def test_an_anchor_that_nothing_uses_is_no_error(parser):
    assert read_yaml("a: &s\n  b: 1\n").plain() == {"a": {"b": 1}}


def test_a_tab_in_a_block_text_is_no_error(parser):
    assert read_yaml("a: |\n  b\n  \tc\n").plain() == {"a": "b\n\tc\n"}
