"""docs/reference/ios-commands.md is what the grammar says."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.grammar.coverage import page
from tests.support.doc_examples import ROOT


def test_the_page_of_ios_commands_is_generated_from_the_grammar():
    written = (ROOT / "docs/reference/ios-commands.md").read_text()
    assert written == page(grammar()), "netbench commands > docs/reference/ios-commands.md"


def test_every_area_says_how_far_it_goes():
    assert [area.name for area in grammar().areas if not area.scope] == []


def test_every_pattern_can_be_read():
    assert all(known.pattern.root.items for known in grammar().commands())
