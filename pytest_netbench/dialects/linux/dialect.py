"""The dialect ``linux``: the state of a Linux host as text; its command line is a shell."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection, Mistake
from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.linux import match_values, mistakes, mutations, names
from pytest_netbench.dialects.linux.state_checks import STATE_CHECKS
from pytest_netbench.dialects.match_values import MatchValues
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class LinuxDialect:
    """Hosts and routers that are plain Linux."""

    name = "linux"
    state_checks = STATE_CHECKS
    syntax = SHOWN
    hint = ""

    def interface(self, name: str) -> str:
        return linux_interface(name)

    def normalise(self, line: str) -> str | None:
        return names.normalise(line)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return names.ordered_block(parents, line)

    def match_values(self, config: str) -> MatchValues:
        return match_values.read(config)

    def mutations(self) -> Mutations:
        return mutations.MUTATIONS

    def mistakes(self, lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
        return mistakes.mistakes(lines, ports=ports, before=before)

    def manual(self) -> Sequence[ManualSection]:
        return ()
