"""How dialects write hierarchy and removal: by indentation and ``no``, and by braces, ``set`` and ``delete``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_netbench.dialects.indentation import SHOWN, TYPED
from pytest_netbench.dialects.syntax import Edit, syntax_of
from pytest_netbench.faults.evidence.observation import unlike
from tests.support.braces import Braces

TREE = (
    ("interfaces", (("e0", (("address 10.0.0.1/24", ()), ("mtu 1400", ()))),)),
    ("filters", (("filter WEB", (("deny tcp 80 any", ()),)),)),
    ("routes", (("10.9.0.0/16 via 10.0.2.10", ()),)),
)
TEXT = """\
interfaces {
    e0 {
        address 10.0.0.1/24;
        mtu 1400;
    }
}
filters {
    filter WEB {
        deny tcp 80 any;
    }
}
routes {
    10.9.0.0/16 via 10.0.2.10;
}
"""
ROOT = Path(__file__).parents[3]


def test_braces_are_read_into_the_tree_that_indentation_gives():
    indented = TYPED.render(TREE)
    assert indented.splitlines()[:3] == ["interfaces", " e0", "  address 10.0.0.1/24"]
    assert TYPED.parse(indented) == Braces().parse(TEXT) == TREE
    assert TYPED.paths(indented) == Braces().paths(TEXT)


def test_what_is_rendered_is_read_back():
    assert Braces().render(TREE) == TEXT
    assert Braces().parse(TEXT) == TREE


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", " "),
        TEXT.replace(" {", "{").replace("    ", "\t"),
        TEXT.replace("mtu", "/* { as its peer; } */ mtu"),
    ],
)
def test_only_braces_and_semicolons_make_the_hierarchy(text: str):
    assert Braces().parse(text) == TREE


def test_a_config_that_is_cut_gives_what_can_be_read():
    assert Braces().parse(TEXT[: TEXT.index(" 1400")]) == (
        ("interfaces", (("e0", (("address 10.0.0.1/24", ()), ("mtu", ()))),)),
    )


def test_rendered_configs_of_shipped_tasks_are_read_back():
    truths = sorted((ROOT / "tasks").rglob(".truth/*.json"))[::4]
    texts = [text for path in truths for text in json.loads(path.read_text())["configs"].values()]
    assert len(texts) > 40
    for text in texts:
        tree = TYPED.parse(text)
        assert TYPED.parse(TYPED.render(tree)) == tree


@pytest.mark.parametrize(
    ("platform", "commands"),
    [("frr", ("interface e0", " no ip mtu 1400")), ("cisco_ios", ("interface e0", " no ip mtu 1400")), ("linux", ())],
)
def test_a_line_is_removed_in_the_words_of_its_language(platform: str, commands: tuple[str, ...]):
    assert syntax_of(platform).negate(("interface e0", "ip mtu 1400")) == commands
    assert syntax_of(platform).commit == "line"


def test_a_removal_is_removed_by_the_line_itself():
    assert TYPED.negate(("interface e0", "no shutdown")) == ("interface e0", " shutdown")
    assert TYPED.negate(("no ip routing",)) == ("ip routing",)


def test_a_language_with_delete_removes_a_line_with_one_command():
    assert Braces().negate(("interfaces", "e0", "mtu 1400")) == ("delete interfaces e0 mtu 1400",)


@pytest.mark.parametrize(
    ("syntax", "path"),
    [(TYPED, ("interface e0", "ip mtu 1400")), (Braces(), ("interfaces", "e0", "mtu 1400"))],
)
def test_a_removal_is_read_as_what_it_removes(syntax, path: tuple[str, ...]):
    assert syntax.edits(syntax.negate(path))[-1] == Edit(path, removes=True)


@pytest.mark.parametrize(
    ("commands", "problems"),
    [
        (("set interfaces e0 mtu 1400",), []),
        (("set interfaces e0 mtu 1500",), ["'interfaces / e0 / mtu 1500' is not in the running config"]),
        (("delete interfaces e0 input",), []),
        (("delete interfaces e0 mtu",), ["'interfaces / e0 / mtu 1400' is still in the running config"]),
        (("delete filters filter WEB",), ["'filters / filter WEB' is still in the running config"]),
        (("delete interfaces e0 mtu", "set interfaces e0 mtu 1400"), []),
    ],
)
def test_a_config_with_braces_is_held_to_commands(commands: tuple[str, ...], problems: list[str]):
    assert list(unlike(TEXT, commands, Braces())) == problems


def test_a_state_is_held_to_lines_that_nobody_types():
    config = "interface eth0\n address 10.0.0.1/24\n"
    assert list(unlike(config, ("interface eth0", " no address 10.0.0.1/24"), SHOWN)) == [
        "'interface eth0 / address 10.0.0.1/24' is still in the running config"
    ]
