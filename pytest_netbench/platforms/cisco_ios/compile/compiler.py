"""Compile the whole config to the desired state of the node.

Each area adds its part. Pure: the same config and facts give the same state.
"""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.compile.context import Context, Facts
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar


def compile_state(grammar: Grammar, config: Section, facts: Facts) -> DesiredState:
    """Return the desired state that ``config`` describes."""
    context = Context(config=config, facts=facts)
    for area in grammar.areas:
        if area.compile is not None:
            area.compile(context)
    _list_marked(context, config)
    return context.state


def _list_marked(context: Context, section: Section) -> None:
    for entry in section:
        if entry.match.command.marked and not entry.negated:
            context.state.unsupported.append((entry.text, entry.match.command.marked))
        if entry.children is not None:
            _list_marked(context, entry.children)
