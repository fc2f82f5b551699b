from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from pytest_netbench.documents.json_reader import read_json
from pytest_netbench.documents.reading import MAX_BYTES, read
from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.errors import AgentFileError, TaskFileError
from tests.support.slowness import slowness

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + index)}: &{chr(98 + index)} [{','.join(['*' + chr(97 + index)] * 9)}]\n" for index in range(8)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "static.task.yaml: the file is empty"),
        ("# nothing\n", "static.task.yaml: the file is empty"),
        ("- a\n", "static.task.yaml:1: expected a mapping of fields (task_name: …) at the top"),
        ("\n\nhello\n", "static.task.yaml:3: expected a mapping of fields (task_name: …) at the top"),
        ("a: [1,\nb: 2\n", "static.task.yaml:1: invalid YAML: '[' is not closed: ']' is missing"),
        (
            "a: 1\n\tb: 2\n",
            "static.task.yaml:2: invalid YAML: this line is indented with a tab; YAML takes spaces only",
        ),
        (
            "a: 'x\n",
            "static.task.yaml:1: invalid YAML: the text that begins with ' is not closed: add the ' at its end",
        ),
        (
            "task_name: a\ntags: []\ntask_name: b\n",
            "static.task.yaml:3: key 'task_name' is given twice (first in line 1)",
        ),
        ("a:\n  b: 1\n  b: 2\n", "static.task.yaml:3: key 'b' is given twice (first in line 2)"),
        (BOMB, "static.task.yaml:2: alias '*a': aliases are not supported, write the value out"),
        ("a: &x {<<: *x}", "static.task.yaml:1: alias '*x': aliases are not supported"),
        ("a: !!python/object:os.system x", "static.task.yaml:1: tag 'tag:yaml.org,2002:python/object:os.system': tags"),
        ("a: 1\n---\nb: 2\n", "static.task.yaml:2: a second document starts here; one file holds one document"),
        ("? [a, b]\n: 1\n", "static.task.yaml:1: a key must be a text"),
        ("a: " + "[" * 200, "static.task.yaml:1: nested deeper than 40: not supported"),
        (b"\x89PNG\r\n\x1a\n\0\0", "static.task.yaml:1: not UTF-8 text (byte 0x89): save it as UTF-8"),
        (b"task_name: caf\xe9\n", "static.task.yaml:1: not UTF-8 text (byte 0xe9): save it as UTF-8"),
        (b"a: 1\nb: \0\n", "static.task.yaml:2: holds NUL bytes: this is a binary file"),
        ('a: "\\e[31m"', "static.task.yaml:1: character U+001B cannot stand in a text"),
        ("a: 1\nb: \x01", "static.task.yaml:2: invalid YAML: control characters are not allowed"),
        (b"#" * (16 * 2**20 + 1), "static.task.yaml: larger than 16 MiB: not supported"),
    ],
)
def test_a_file_that_is_no_yaml_mapping_is_refused(refusal, content, message):
    assert refusal(content).startswith(message)


def filled(begin: str, unit: str) -> bytes:
    """As large as a file may be: ``begin``, and then ``unit`` again and again."""
    return (begin + unit * ((MAX_BYTES - len(begin)) // len(unit))).encode()


@pytest.mark.parametrize(
    ("name", "begin", "unit"),
    [
        ("a.yaml", "", "["),
        ("a.yaml", "", "- "),
        ("a.yaml", "a: [", "x,"),
        ("a.yaml", "a:\n", "- x\n"),
        ("a.yaml", 'a: "', "x\n\n"),
        ("a.yaml", "a: |\n", "\n"),
        ("a.yaml", "", "&a "),
        ("a.json", "", '{"a":'),
        ("a.json", '{"a": [', "1,"),
        ("a.json", '{"a": "', "x\n"),
        ("a.json", '{"a": "', " \r\n"),
    ],
)
def test_nonsense_of_the_largest_size_is_refused_quickly(refusal, name, begin, unit):
    began = time.process_time()
    assert refusal(filled(begin, unit), name)
    assert (time.process_time() - began) / slowness() < 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a.json: the file is empty"),
        ("[]", "a.json:1: expected a mapping of fields (task_name: …) at the top"),
        ('{\n"a": 1,\n"a": 2}', "a.json:3: key 'a' is given twice (first in line 2)"),
        ('{\n"a": 1\n"b": 2}', "a.json:3: invalid JSON: expected ',' or '}'"),
        ('{\n"a": \n"x', "a.json:3: invalid JSON: Unterminated string starting at"),
        ('{"a": nul}', "a.json:1: invalid JSON: 'nul' is no value"),
        ('{"a": NaN}', "a.json:1: invalid JSON: 'NaN' is no value"),
        ('{"a": 1} {}', "a.json:1: invalid JSON: something follows the end of the document"),
        ("{a: 1}", "a.json:1: invalid JSON: expected a member's name in double quotes, or '}'"),
        ('{"a" 1}', "a.json:1: invalid JSON: expected ':' after 'a'"),
        ('{"a": "\\ud800"}', "a.json:1: character U+D800 cannot stand in a text"),
        ('{"a": "\\u0000"}', "a.json:1: character U+0000 cannot stand in a text"),
        ('{"a": ' + "[" * 5000, "a.json:1: invalid JSON: nested deeper than 40: not supported"),
        ("// a comment", "a.json:1: invalid JSON: expected a value"),
    ],
)
def test_a_file_that_is_no_json_object_is_refused(refusal, content, message):
    assert refusal(content, "a.json").startswith(message)


def test_an_unknown_kind_of_file_is_refused(refusal):
    assert refusal("a: 1", "a.toml") == "a.toml: unknown kind of file '.toml' (known: .yaml, .yml, .json)"


def test_other_kinds_of_files_bring_their_own_error(write):
    with pytest.raises(AgentFileError, match="the file is empty"):
        read(write("", "a.agent.yaml"), error=AgentFileError, example="model: …")


def test_a_folder_is_no_file(tmp_path: Path):
    folder = tmp_path / "a.yaml"
    folder.mkdir()
    with pytest.raises(AgentFileError, match=r"a\.yaml: cannot be read: Is a directory"):
        read(folder, error=AgentFileError, example="model: …")


def test_json_and_yaml_give_the_same_values():
    text = '{"a": [1, -2.5, 1e3, true, null, "x\\u00e9\\n"], "b": {"c": {}}}'
    assert (
        read_json(text).plain()
        == read_yaml(text).plain()
        == {
            "a": [1, -2.5, 1000.0, True, None, "xé\n"],
            "b": {"c": {}},
        }
    )


def test_numbers_out_of_reach_stay_texts():
    assert read_yaml(f"[{'9' * 5000}, 1e999, .inf, 0x1f]").plain() == ["9" * 5000, "1e999", ".inf", 31]
    assert read_json("[1e999]").plain() == ["1e999"]


def test_lines_are_those_of_the_file():
    tree = read_yaml("a:\n  - x\n  - b: |\n      text\n    c: 1\n")
    assert [tree.line_of(where) for where in [("a",), ("a", 0), ("a", 1, "b"), ("a", 1, "c"), ("a", 9), ()]] == [
        1,
        2,
        3,
        5,
        1,
        1,
    ]
    assert [tree.place_of(where) for where in [("a", 0), ("a", 1, "b"), ("a", 1, "c")]] == [(2, 5), (3, 5), (5, 5)]
    assert tree.place_of(("a", 1, "b"), of_value=True) == (3, 8)
    tree = read_json('{"a": [\n"x",\n{"b":\n"t"}\n]\n}')
    assert [tree.line_of(where) for where in [("a",), ("a", 0), ("a", 1, "b")]] == [1, 2, 3]


def test_a_json_string_over_several_lines_is_one_text():
    assert read_json('{"a": " b \t\r\n  c\n\nd \n "}').plain() == {"a": " b c  d "}


def test_a_long_run_of_blanks_in_a_json_string_costs_nothing():
    assert read_json('{"a": "' + " " * 500_000 + 'x\n y"}').plain()["a"].endswith("x y")


def test_yaml_is_imported_only_when_a_task_is_read():
    code = (
        "import sys, pytest_netbench.documents.yaml_reader as r; a = 'yaml' in sys.modules; r.read_yaml('a: 1');"
        " print(a, 'yaml' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False True\n"


@pytest.mark.parametrize(
    "content", ["a: 1\nb: [x, {c: no}]\n", "a: [1,\nb: 2\n", "a: 1\na: 2\n", "a: *x\n", "a: 1\nb: \x01\n", "{"]
)
def test_without_libyaml_files_read_the_same(write, monkeypatch, content):
    def outcome() -> object:
        try:
            return read(write(content), error=TaskFileError, example="task_name: …").plain()
        except TaskFileError as error:
            return error.line

    fast = outcome()
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert outcome() == fast
