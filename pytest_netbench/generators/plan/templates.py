"""Queries by label: the combinations of table 4 of NetArena, and ours with updates, sequences, conditions and loops.

Labels: A add, RM remove, U update, C count, LI list, R rank, IF a condition, FOR a loop. A query without C, LI or R
asks for the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, get_args

from pytest_netbench.datacenter_graph.graph import PACKET_SWITCH, PORT
from pytest_netbench.datacenter_graph.query import EACH, Add, Capacity, Count, ForEach, If, List, Rank, Update
from pytest_netbench.generators.plan.targets import CONTAINERS, GROUPS, RANKED, Targets

Operation = Literal["A", "RM", "U", "C", "LI", "R", "IF", "FOR"]
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)
Steps = tuple[Any, ...]
Template = Callable[[Targets], Steps]


def _a(targets: Targets) -> Steps:
    return (targets.addition(),)


def _rm(targets: Targets) -> Steps:
    return (targets.removable()[0],)


def _u(targets: Targets) -> Steps:
    return (_update(targets, targets.of_types((PORT, *GROUPS, PACKET_SWITCH), what="to update")),)


def _c(targets: Targets) -> Steps:
    return (_count(targets, targets.of_types(CONTAINERS, what="that contains others")),)


def _li(targets: Targets) -> Steps:
    return (List(name=targets.of_types(CONTAINERS, what="that contains others")),)


def _r(targets: Targets) -> Steps:
    return (Rank(name=targets.of_types(RANKED, what="that contains ports")),)


def _rm_c(targets: Targets) -> Steps:
    removal, parent = targets.removable()
    return removal, _count(targets, parent)


def _rm_li(targets: Targets) -> Steps:
    removal, parent = targets.removable()
    return removal, List(name=parent)


def _rm_r(targets: Targets) -> Steps:
    removal, parent = targets.removable()
    return removal, Rank(name=parent)


def _u_c(targets: Targets) -> Steps:
    group = targets.of_types(GROUPS, what="with packet switches")
    return _update(targets, targets.choice(targets.children[group])), Capacity(name=group)


def _u_r(targets: Targets) -> Steps:
    group = targets.of_types(GROUPS, what="with packet switches")
    return _update(targets, targets.choice(targets.children[group])), Rank(name=group)


def _a_c(targets: Targets) -> Steps:
    addition = targets.addition()
    return addition, _count(targets, addition.parent)


def _a_li(targets: Targets) -> Steps:
    addition = targets.addition()
    return addition, List(name=addition.parent)


def _a_r(targets: Targets) -> Steps:
    addition = targets.addition()
    return addition, Rank(name=addition.parent)


def _a_rm_r(targets: Targets) -> Steps:
    switch = targets.of_types([PACKET_SWITCH], what="with ports")
    return targets.addition_to(switch, PORT), targets.removable_port(switch), Rank(name=switch)


def _if_a_c(targets: Targets) -> Steps:
    switch = targets.of_types([PACKET_SWITCH], what="with ports")
    one = targets.addition_to(switch, PORT)
    threshold = targets.total(switch) + targets.choice((-1, 0, 1)) * targets.capacity()
    other = Update(name=switch, capacity_bps=targets.capacity())
    return (
        If(measure=Capacity(name=switch), at_least=max(1, threshold), then=(one,), otherwise=(other,)),
        Capacity(name=switch),
    )


def _for_a_c(targets: Targets) -> Steps:
    group = targets.of_types(GROUPS, what="with packet switches")
    addition = Add(name=f"{EACH}.p{targets.free_port()}", type="EK_PORT", parent=EACH, capacity_bps=targets.capacity())
    return ForEach(name=group, type=PACKET_SWITCH, steps=(addition,)), _count(targets, group)


def _for_if_u_r(targets: Targets) -> Steps:
    group = targets.of_types(GROUPS, what="with packet switches")
    switches = [one for one in targets.below(group) if targets.type_of(one) == PACKET_SWITCH]
    threshold = targets.total(targets.choice(switches))
    update = Update(name=EACH, capacity_bps=targets.capacity())
    choice = If(measure=Capacity(name=EACH), at_least=max(1, threshold), then=(update,))
    return ForEach(name=group, type=PACKET_SWITCH, steps=(choice,)), Rank(name=group)


def _count(targets: Targets, name: str) -> Count | Capacity:
    """A number of nodes, or a capacity, of ``name``."""
    kinds = targets.types_below(name)
    if not kinds or targets.choice((False, False, True)):
        return Capacity(name=name)
    return Count(name=name, type=targets.choice(kinds))


def _update(targets: Targets, name: str) -> Update:
    """Another capacity for all ports of ``name``; at least one of them changes."""
    port = next(one for one in (name, *targets.below(name)) if targets.type_of(one) == PORT)
    return Update(
        name=name, capacity_bps=targets.capacity(other_than=targets.graph.nodes[port]["physical_capacity_bps"])
    )


LEVELS: Final[Mapping[int, Mapping[str, Template]]] = {
    1: {"A": _a, "C": _c, "LI": _li, "R": _r, "RM": _rm, "U": _u},
    2: {"RM+C": _rm_c, "RM+LI": _rm_li, "RM+R": _rm_r, "U+C": _u_c, "U+R": _u_r},
    3: {
        "A+C": _a_c,
        "A+LI": _a_li,
        "A+R": _a_r,
        "A+RM+R": _a_rm_r,
        "FOR+A+C": _for_a_c,
        "FOR+IF+U+R": _for_if_u_r,
        "IF+A+C": _if_a_c,
    },
}
"""By level and label: what draws the steps of a query."""
