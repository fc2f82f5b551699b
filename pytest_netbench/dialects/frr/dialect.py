"""The dialect ``frr``: FRR's integrated configuration, as vtysh takes and shows it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection, Mistake
from pytest_netbench.dialects.forms import RoutingForms
from pytest_netbench.dialects.frr import manual, match_values, mistakes, mutations, names
from pytest_netbench.dialects.frr.state_checks import STATE_CHECKS
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.match_values import MatchValues
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class FrrDialect:
    """Routers whose command line is vtysh."""

    name = "frr"
    state_checks = STATE_CHECKS
    syntax = TYPED
    forms = RoutingForms(bgp_family=("address-family ipv4 unicast",))
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
        return manual.sections()
