"""Whole Junos configs: both forms, differences as commands, and what other programs make of them."""

from __future__ import annotations

import csv
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hier_config import Host

from pytest_netbench.dialects.juniper_junos import JuniperJunosDialect
from pytest_netbench.dialects.juniper_junos import levels as levels_module
from pytest_netbench.scorers.config_tree import nodes
from pytest_netbench.scorers.diff import diff, walk
from pytest_netbench.scorers.lines import Lines
from tests.support.junos import SYNTAX, commands, wrong_levels

FOLDER = Path(__file__).parents[2] / "data" / "juniper_junos"
TEXTS = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.conf")) + sorted(FOLDER.glob("*.set"))}
BRACES = [name for name in TEXTS if name.endswith(".conf")]
PAIRS = [(name, other) for one in pairwise([*BRACES, *BRACES[:1]]) for name, other in (one, one[::-1])]


def differences(one: str, other: str) -> list[object]:
    """What the command score sees between two configs."""
    lines = Lines(JuniperJunosDialect())
    trees = [lines.canonical(nodes(SYNTAX.parse(text))) for text in (one, other)]
    return list(walk(diff(lines, *trees)))


def test_there_are_configs_of_both_forms():
    assert len(BRACES) >= 3
    assert set(TEXTS) - set(BRACES) == {"edge.set"}


def test_a_config_that_exists_in_both_forms_is_one_tree():
    assert SYNTAX.parse(TEXTS["edge.conf"]) == SYNTAX.parse(TEXTS["edge.set"])


@pytest.mark.parametrize("name", TEXTS)
def test_each_form_of_a_config_is_read_into_the_same_tree(name: str):
    tree = SYNTAX.parse(TEXTS[name])
    assert len(SYNTAX.paths(TEXTS[name])) > 60
    assert SYNTAX.parse(SYNTAX.render(tree)) == tree
    assert SYNTAX.parse(SYNTAX.render_set(tree)) == tree
    assert differences(TEXTS[name], SYNTAX.render_set(tree)) == []


@pytest.mark.parametrize("name", BRACES)
def test_the_table_splits_words_where_the_braces_of_a_config_do(name: str):
    assert list(wrong_levels(TEXTS[name])) == []


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ("  unit 1\n", "  unit\n"),
        ("  unit 1\n", "  unit 2\n"),
        ("    family 1\n      accounting\n", "    family-of 1\n      accounting\n"),
        ("    from-zone 3\n", "    from-zone 1\n"),
        ("  prefix-list 1\n", ""),
    ],
)
def test_a_wrong_table_does_not(entry: str, wrong: str):
    text = (Path(levels_module.__file__).parent / "levels.txt").read_text()
    assert entry in text
    table = levels_module.read(text.replace(entry, wrong))
    assert [one for name in BRACES for one in wrong_levels(TEXTS[name], table)]


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_a_difference_as_commands_makes_one_config_the_other(name: str, other: str):
    before, after = SYNTAX.parse(TEXTS[name]), SYNTAX.parse(TEXTS[other])
    made = SYNTAX.render(SYNTAX.edited(before, commands(before, after)))
    assert differences(TEXTS[name], TEXTS[other]) != []
    assert differences(made, TEXTS[other]) == []


@pytest.mark.parametrize("name", BRACES)
def test_a_list_in_another_order_is_put_in_order_by_commands(name: str):
    after = SYNTAX.parse(TEXTS[name])
    before = reversed_tree(after)
    assert differences(SYNTAX.render(before), TEXTS[name]) != []
    made = SYNTAX.edited(before, commands(before, after))
    assert differences(SYNTAX.render(made), TEXTS[name]) == []


def reversed_tree(tree):
    return tuple((line, reversed_tree(children)) for line, children in reversed(tree))


def without_tags(text: str) -> str:
    """Active and without lists in one statement, which hier_config does not take apart."""
    return "\n".join(line for line in SYNTAX.render_set(SYNTAX.parse(text)).splitlines() if line.startswith("set "))


def host(running: str, generated: str) -> Host:
    found = Host("one", "junos")
    found.load_running_config(running)
    found.load_generated_config(generated)
    return found


@pytest.mark.parametrize("name", BRACES)
def test_hier_config_makes_the_same_set_lines_of_the_braces(name: str):
    lines = without_tags(TEXTS[name])
    found = host(SYNTAX.render(SYNTAX.parse(lines)), "").running_config.all_children()
    assert {one.text for one in found} == set(lines.splitlines())


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_hier_config_removes_and_sets_lines_by_the_same_commands(name: str, other: str):
    before, after = without_tags(TEXTS[name]), without_tags(TEXTS[other])
    remediation = {one.text for one in host(before, after).remediation_config().all_children()}
    gone = set(before.splitlines()) - set(after.splitlines())
    ends = {path for path in SYNTAX.paths(before) if f"set {' '.join(path)}" in gone}
    assert len(ends) == len(gone)
    ours = {command for path in ends for command in SYNTAX.negate(path)}
    assert remediation == ours | (set(after.splitlines()) - set(before.splitlines()))


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_the_commands_of_hier_config_make_one_config_the_other(name: str, other: str):
    before, after = without_tags(TEXTS[name]), without_tags(TEXTS[other])
    lines = [one.text for one in host(before, after).remediation_config().all_children_sorted()]
    made = SYNTAX.edited(SYNTAX.parse(before), lines)
    ends = {line for line in SYNTAX.render_set(made).splitlines() if line in after.splitlines()}
    assert ends == set(after.splitlines())
    gone = set(before.splitlines()) - set(after.splitlines())
    assert not gone & set(SYNTAX.render_set(made).splitlines())


def test_the_list_of_public_configs_names_fifty_by_their_contents():
    with (FOLDER / "corpus.tsv").open(newline="") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t"))
    assert len({(row["repository"], row["path"]) for row in rows}) == len(rows) == 50
    assert all(
        re.fullmatch(r"[0-9a-f]{64}", row["sha256"]) and re.fullmatch(r"[0-9a-f]{40}", row["commit"]) for row in rows
    )
    assert {row["use"].partition(":")[0] for row in rows} == {"used", "excluded"}
    assert sum(row["use"] == "used" for row in rows) >= 40
