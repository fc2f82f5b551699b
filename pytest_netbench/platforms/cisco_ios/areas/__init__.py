"""The areas of IOS: a module each, or a package with its ``AREA`` in ``__init__``.

The commands and modes of a package are beside its ``AREA``, or in ``grammar.py`` if other modules need them;
``edits.py`` says how lines are stored, ``compile.py`` what they compile to; ``shows.py`` or ``exec.py`` has the
commands of exec mode. ``static`` is a small example. ``grammar/tables.py`` has the forms of rows,
``grammar/command.py`` documents the fields of a command, ``compile/state.py`` the desired state of the node,
``config/edit.py`` how one typed line changes several stored lines, and ``tests/support/ios.py`` how tests type lines.

A new area is added to the list below, and to the layers of areas in ``pyproject.toml``: it may import areas of lower
layers only. Areas are compiled in the order of the list.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pytest_netbench.platforms.cisco_ios.grammar.command import Area
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar

_NAMES = (
    "system",
    "interfaces",
    "switching",
    "l2security",
    "neighbors",
    "static",
    "keychain",
    "ospf",
    "ospfv3",
    "rip",
    "eigrp",
    "isis",
    "routes",
    "acl",
    "nat",
    "zbf",
    "urpf",
    "diagnostics",
    "terminal",
    "files",
    "tclsh",
    "management",
    "qos",
    "habits",
    "fhrp",
    "dhcp",
    "sla",
    "syslog",
    "policy",
    "pbr",
    "vrf",
    "bgp",
    "distribute",
    "connected",
)


def areas() -> list[Area]:
    """All areas, in the order of compilation."""
    return [import_module(f"{__name__}.{name}").AREA for name in _NAMES]


@cache
def grammar() -> Grammar:
    """The grammar of this platform, from all areas."""
    return Grammar(areas())
