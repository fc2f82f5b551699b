"""The dialect ``arista_eos``: the command line of Arista EOS 4, from its documentation and public configs."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.arista_eos import interfaces, names, order
from pytest_netbench.dialects.arista_eos.writing import SYNTAX
from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.syntax import Tree


class AristaEosDialect:
    """Switches and routers whose command line is that of EOS."""

    name = "arista_eos"
    syntax = SYNTAX
    reading_hint = "The command line is that of Arista EOS in privileged mode."
    hint = (
        "The command line is that of Arista EOS in privileged mode; update-cfg begins in configuration mode. "
        "Ethernet ports switch frames unless they have `no switchport`; nothing is routed without `ip routing`."
    )

    def interface(self, name: str) -> str:
        return interfaces.canonical(name)

    def normalise(self, line: str) -> str | None:
        return names.normalise(line)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return order.rearrange(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return order.ordered_block(parents, line)

    def manual(self) -> Sequence[ManualSection]:
        return ()
