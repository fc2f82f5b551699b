"""The dialect ``linux``: the state of a Linux host as text; its command line is a shell."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.linux import match_values, mistakes, mutations, names
from pytest_netbench.dialects.linux.state_checks import STATE_CHECKS
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class LinuxDialect:
    """Hosts and routers that are plain Linux."""

    name = "linux"
    state_checks = STATE_CHECKS
    syntax = SHOWN
    hint = ""

    interface = staticmethod(linux_interface)
    normalise = staticmethod(names.normalise)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)
    match_values = staticmethod(match_values.read)

    def mutations(self) -> Mutations:
        return mutations.MUTATIONS

    mistakes = staticmethod(mistakes.mistakes)

    def manual(self) -> Sequence[ManualSection]:
        return ()
