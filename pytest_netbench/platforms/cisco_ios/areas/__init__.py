"""The areas of IOS, each a module (or package) with one ``AREA``: its grammar, what its lines compile to, its ``show`` commands.

To write one: see ``static.py`` for the pattern language, ``compile`` and a ``show``; ``grammar/command.py`` for every field of a command,
``compile/state.py`` for what may be asked of the node, ``config/edit.py`` for lines that are not stored one for one, ``session/session.py`` for how lines
are typed in tests (``tests/support/ios.py``). Its name is added to the list below; the order is the order of compilation.
"""

from __future__ import annotations

from importlib import import_module

from pytest_netbench.platforms.cisco_ios.grammar.command import Area

_NAMES = (
    "system",
    "interfaces",
    "switching",
    "l2security",
    "neighbours",
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
    "interface_shows",
    "system_shows",
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
)


def areas() -> list[Area]:
    """Every area."""
    return [import_module(f"{__name__}.{name}").AREA for name in _NAMES]
