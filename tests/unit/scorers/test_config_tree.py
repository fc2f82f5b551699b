from __future__ import annotations

from pytest_netbench.scorers.config_tree import ConfigNode, parse_tree


def plain(tree: tuple[ConfigNode, ...]) -> list:
    return [[node.line, plain(node.children)] if node.children else node.line for node in tree]


def test_indentation_makes_the_tree():
    text = "router bgp 65001\n neighbor 10.0.0.2 remote-as 2\n !\n address-family ipv4 unicast\n  network 10.0.0.0/8\nexit\n"
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
