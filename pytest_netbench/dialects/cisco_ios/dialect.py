"""The dialect ``cisco_ios``: the command line of Cisco IOS 15."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection, Mistake
from pytest_netbench.dialects.cisco_ios import (
    interfaces,
    manual,
    match_values,
    mistakes,
    mutations,
    names,
)
from pytest_netbench.dialects.cisco_ios.state_checks import STATE_CHECKS
from pytest_netbench.dialects.forms import RoutingForms
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.match_values import MatchValues
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.syntax import Tree


class CiscoIosDialect:
    """Routers and switches whose command line is that of IOS 15."""

    name = "cisco_ios"
    state_checks = STATE_CHECKS
    syntax = TYPED
    forms = RoutingForms(has_masks=True, keeps_order=True, replaces_areas=True)
    reading_hint = (
        "The command line is that of Cisco IOS 15 in privileged mode. `show interfaces` counts packets; the rates"
        " and times that it prints are not measured."
    )
    hint = (
        "The command line is that of Cisco IOS 15 in privileged mode; update-cfg begins in configuration mode. "
        "Ports of a router start shut down. 'show netbench unsupported' lists lines that were accepted without effect."
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

    def match_values(self, config: str) -> MatchValues:
        return match_values.read(config)

    def mutations(self) -> Mutations:
        return mutations.MUTATIONS

    def mistakes(self, lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
        return mistakes.mistakes(lines, ports=ports, before=before)

    def manual(self) -> Sequence[ManualSection]:
        return manual.sections()
