"""Configurations of EOS: read and written back, and made into each other by commands of two implementations."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ciscoconfparse2 import CiscoConfParse
from hier_config import Host
from hier_config.options import options_for

from tests.support.eos_commands import SYNTAX, apply, canonical, commands, masked

FOLDER = Path(__file__).parents[2] / "data" / "arista_eos"
FILES = sorted(FOLDER.glob("*.cfg"))
TEXTS = {path.stem: path.read_text() for path in FILES}
PAIRS = list(itertools.permutations(TEXTS, 2))
# neither knows where a banner ends
WITHOUT_BANNERS = sorted(TEXTS.keys() - {"banner"})


@pytest.mark.parametrize("name", TEXTS)
def test_a_config_is_read_back_as_it_is_written(name: str):
    tree = SYNTAX.parse(TEXTS[name])
    assert SYNTAX.parse(SYNTAX.render(tree)) == tree
    written = [line.strip() for line in SYNTAX.render(tree).splitlines()]
    assert written == [line.strip() for line in TEXTS[name].splitlines() if line.strip()]


@pytest.mark.parametrize("name", WITHOUT_BANNERS)
def test_the_hierarchy_is_that_of_another_parser(name: str):
    lines = [line for line in TEXTS[name].splitlines() if line.strip() and line.strip()[0] != "!"]
    parsed = CiscoConfParse(lines, syntax="ios").objs
    theirs = [(*(parent.text.strip() for parent in one.all_parents), one.text.strip()) for one in parsed]
    assert [path for path in SYNTAX.paths(TEXTS[name]) if path[-1][0] != "!"] == theirs


@pytest.mark.parametrize("name", TEXTS)
def test_a_canonical_config_stays_as_it_is(name: str):
    tree = canonical(TEXTS[name])
    assert canonical(SYNTAX.render(tree)) == tree


def test_a_config_becomes_another_by_the_commands_of_their_diff():
    for before, after in PAIRS:
        edits = SYNTAX.edits(commands(TEXTS[before], TEXTS[after]))
        assert masked(apply(canonical(TEXTS[before]), edits)) == masked(canonical(TEXTS[after])), (before, after)


def test_without_one_of_the_commands_it_does_not():
    made = commands(TEXTS["leaf"], TEXTS["edge"])
    lacking = [at for at, one in enumerate(made) if one.strip().startswith("no ") or one.strip().startswith("network ")]
    assert len(lacking) > 10
    for at in lacking:
        edits = SYNTAX.edits([*made[:at], *made[at + 1 :]])
        assert masked(apply(canonical(TEXTS["leaf"]), edits)) != masked(canonical(TEXTS["edge"])), made[at]


def test_a_config_becomes_another_by_the_commands_of_another_implementation():
    for before, after in itertools.permutations(WITHOUT_BANNERS, 2):
        old, new = canonical(TEXTS[before]), canonical(TEXTS[after])
        edits = SYNTAX.edits(_remediation(SYNTAX.render(old), SYNTAX.render(new)))
        assert masked(apply(old, edits)) == masked(new), (before, after)


def _remediation(before: str, after: str) -> list[str]:
    """Commands of hier_config. It replaces some lines without a removal, which it must not here, and leaves blocks."""
    options = options_for("eos") | {"idempotent_commands": [], "sectional_exiting": []}
    host = Host(hostname="one", os="eos", hconfig_options=options)
    host.load_running_config(before)
    host.load_generated_config(after)
    return [line.cisco_style_text() for line in host.remediation_config().all_children()]
