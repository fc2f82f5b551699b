"""Configs as trees of lines, as scorers compare them. Dialects say how text is parsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.syntax import Syntax, Tree


@dataclass(frozen=True, kw_only=True)
class ConfigNode:
    """A line as the device printed it, without indentation, and the lines under it."""

    line: str
    children: tuple[ConfigNode, ...] = ()


def parse_tree(text: str, syntax: Syntax = TYPED) -> tuple[ConfigNode, ...]:
    """The top-level lines of ``text`` with what stands under them; blank lines are left out.

    Args:
        text: A config.
        syntax: How its dialect writes hierarchy; by default by indentation.
    """
    return nodes(syntax.parse(text))


def nodes(tree: Sequence[Tree]) -> tuple[ConfigNode, ...]:
    """Lines of a dialect as nodes."""
    return tuple(ConfigNode(line=line, children=nodes(children)) for line, children in tree)
