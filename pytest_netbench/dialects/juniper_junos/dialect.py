"""The dialect ``juniper_junos``: configurations of Junos, with braces or as ``set`` lines."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.juniper_junos import interfaces, names
from pytest_netbench.dialects.juniper_junos.syntax import SYNTAX
from pytest_netbench.dialects.syntax import Tree


class JuniperJunosDialect:
    """Routers, switches and firewalls whose command line is that of Junos."""

    name = "juniper_junos"
    syntax = SYNTAX
    hint = (
        "The command line is that of Junos. Configuration commands are those of its configuration mode: `set`, "
        "`delete`, `deactivate`, `activate`, `insert`, `rename`, and `edit`, `up`, `top`, `exit`. The commands of a "
        "request are committed together or not at all."
    )

    def interface(self, name: str) -> str:
        return interfaces.canonical(name)

    def normalise(self, line: str) -> str | None:
        return names.normalise(line)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return names.rearrange(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return names.ordered_block(parents, line)

    def manual(self) -> Sequence[ManualSection]:
        return ()
