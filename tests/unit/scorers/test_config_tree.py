from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from pytest_netbench.dialects import indentation
from pytest_netbench.scorers.config_tree import ConfigNode, parse_tree


def plain(tree: tuple[ConfigNode, ...]) -> list:
    return [[node.line, plain(node.children)] if node.children else node.line for node in tree]


def test_indentation_makes_the_tree():
    text = (
        "router bgp 65001\n neighbor 10.0.0.2 remote-as 2\n !\n address-family ipv4 unicast\n  network"
        " 10.0.0.0/8\nexit\n"
    )
    assert plain(parse_tree(text)) == [
        [
            "router bgp 65001",
            ["neighbor 10.0.0.2 remote-as 2", "!", ["address-family ipv4 unicast", ["network 10.0.0.0/8"]]],
        ],
        "exit",
    ]


def test_an_empty_text_is_an_empty_tree():
    assert parse_tree("") == parse_tree("\n \n") == ()


def test_blank_lines_and_carriage_returns_do_not_matter():
    assert parse_tree("a\r\n b\r\n\r\n c\r\n") == parse_tree("a\n b\n c\n")


def test_the_lines_of_a_banner_are_there_once():
    tree = parse_tree("banner motd ^C\nhello\n there\n^C\nline vty\n")
    assert plain(tree) == [["banner motd ^C", ["hello", "there", "^C"]], "line vty"]


def test_tabs_indent_as_well():
    assert plain(parse_tree("table f {\n\tchain in {\n\t\tdrop\n\t}\n}\n")) == [
        ["table f {", [["chain in {", ["drop"]], "}"]],
        "}",
    ]


def test_a_first_line_that_is_indented_stands_at_the_top():
    assert plain(parse_tree("  a\nb\n c\n")) == ["a", ["b", ["c"]]]


def test_ten_levels_are_ten_levels():
    tree = parse_tree("".join(f"{' ' * depth}line {depth}\n" for depth in range(10)))
    for depth in range(10):
        assert [node.line for node in tree] == [f"line {depth}"]
        tree = tree[0].children


PIECES = (
    "interface e0",
    "ip address 10.0.0.1",
    "!",
    "! remark",
    "banner motd ^C",
    "hello",
    "^C",
    "exit",
    "address-family ipv4",
    "crypto pki certificate chain x",
    "table f {",
    "}",
)


def test_what_is_read_by_indentation_is_what_ciscoconfparse2_reads(monkeypatch):
    draw = random.Random(7)
    indents = ("", "", "", " ", " ", "  ", "   ", "\t", "\t\t", " \t")
    texts = [
        "\n".join(draw.choice(indents) + draw.choice(PIECES) for _ in range(draw.randint(1, 12))) for _ in range(1_500)
    ]
    plainly = [text for text in texts if indentation.is_plain(text.splitlines())]
    assert len(plainly) > 200
    quick = [parse_tree(text) for text in plainly]
    monkeypatch.setattr(indentation, "is_plain", lambda lines: False)
    assert quick == [parse_tree(text) for text in plainly]


def test_configs_of_shipped_tasks_need_no_ciscoconfparse2():
    truths = sorted((Path(__file__).parents[3] / "tasks").rglob(".truth/*.json"))
    configs = [text for path in truths for text in texts_in(json.loads(path.read_text())) if "\n" in text]
    assert len(configs) > 100
    plain = sum(indentation.is_plain([line.rstrip() for line in one.splitlines() if line.strip()]) for one in configs)
    assert plain / len(configs) > 0.9


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)
