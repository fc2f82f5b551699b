"""Faults of the groups of equal hops over which P4 switches spread flows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pytest_netbench.dialects.p4.fabric import MEMBERS, ROUTES, bucket, lines_of
from pytest_netbench.dialects.p4.lines import Line
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, given
from pytest_netbench.faults.p4_fabrics import (
    SWITCH,
    SeenByPing,
    first_uses,
    free_port,
    host_ports,
    switches_of,
    unreached,
    uses_of,
)
from pytest_netbench.model.network import DrawnNetwork


class Member(SeenByPing):
    """A member of a group, and a ping that it carries."""

    group: int
    bucket: int
    parameters: str

    def line(self, verb: str = "table_add", parameters: str | None = None) -> str:
        """The command that makes the member, or with other words changes it."""
        words = self.parameters if parameters is None else parameters
        return f"{verb} {MEMBERS} forward {self.group} {self.bucket} => {words}"


class WrongMember(Member):
    """A member, and the parameters that it has instead."""

    instead: str


class ShortGroup(OnDevice):
    """A group that the default of a switch names, its number of members, and that which the default says instead."""

    group: int
    size: int
    instead: int


class LargeGroup(SeenByPing):
    """The same of a group whose size is too large, and a ping that falls into a bucket without a member."""

    group: int
    size: int
    instead: int


def _group(p: OnDevice) -> frozenset[str]:
    # its size is that of the default
    return frozenset({f"{p.node} {ROUTES} default"})


def _members(network: DrawnNetwork) -> Iterator[Member]:
    for use in first_uses(network):
        if (member := use.member) is not None:
            group, place = map(int, member.match)
            words = {"group": group, "bucket": place, "parameters": " ".join(member.parameters)}
            yield Member.of(network, use.node, source=use.source, target=use.target, **words)


def _wrong_members(network: DrawnNetwork) -> Iterator[WrongMember]:
    for one in _members(network):
        mac = one.parameters.split()[0]
        for port in (*host_ports(network, one.node), free_port(network, one.node)):
            yield WrongMember(**one.model_dump(), instead=f"{mac} {port}")


_p4_fault = partial(config_fault, domain="forwarding", platforms=(SWITCH,))

P4_MEMBER_MISSING = _p4_fault(
    "p4-member-missing",
    about="A group of a P4 switch lacks one of its members: the flows that fall to it are lost.",
    label="P4_MEMBER",
    parameters=Member,
    called={"nika": "p4_ecmp_group_member_missing"},
    at=_members,
    touches=_group,
    change=lambda p: Change(
        inject=(f"table_delete {MEMBERS} {p.group} {p.bucket}",),
        repair=(p.line(),),
        symptoms=(given(unreached, p),),
    ),
)
P4_MEMBER_WRONG = _p4_fault(
    "p4-member-wrong",
    about="A member of a group of a P4 switch sends the flows that fall to it out of a wrong port.",
    label="P4_MEMBER",
    parameters=WrongMember,
    called={"nika": "p4_action_selector_member_misconfig"},
    at=_wrong_members,
    touches=_group,
    change=lambda p: Change(
        inject=(p.line("table_modify", p.instead),),
        repair=(p.line("table_modify"),),
        symptoms=(given(unreached, p),),
    ),
)


def _groups(network: DrawnNetwork) -> Iterator[tuple[str, Line]]:
    """The switches whose default is a group, with that line."""
    for node in switches_of(network):
        for line in lines_of(network.startup_configs[node], ROUTES):
            if line.verb == "table_set_default" and line.action == "ecmp":
                yield node, line


def _short(network: DrawnNetwork) -> Iterator[ShortGroup]:
    for node, line in _groups(network):
        group, size = map(int, line.parameters)
        for instead in range(1, size):
            yield ShortGroup.of(network, node, group=group, size=size, instead=instead)


def _large(network: DrawnNetwork) -> Iterator[LargeGroup]:
    done: set[str] = set()
    for use in uses_of(network):
        if use.member is None or use.node in done:
            continue
        group, size = map(int, use.line.parameters)
        pair = (network.addresses[use.source], network.addresses[use.target])
        if bucket(*pair, size + 1) == size:
            done.add(use.node)
            seen = {"source": use.source, "target": use.target}
            yield LargeGroup.of(network, use.node, group=group, size=size, instead=size + 1, **seen)


def _resized(p: ShortGroup | LargeGroup) -> Change:
    return Change(
        inject=(f"table_set_default {ROUTES} ecmp {p.group} {p.instead}",),
        repair=(f"table_set_default {ROUTES} ecmp {p.group} {p.size}",),
        symptoms=(given(unreached, p),) if isinstance(p, LargeGroup) else (),
    )


P4_GROUP_SHORT = _p4_fault(
    "p4-group-short",
    about="A P4 switch spreads flows over fewer members than a group has: nothing is lost, but spines are idle.",
    label="P4_SHORT",
    parameters=ShortGroup,
    at=_short,
    touches=_group,
    shown_by="telemetry",
    change=_resized,
)
P4_GROUP_LARGE = _p4_fault(
    "p4-group-large",
    about="A P4 switch spreads flows over more members than a group has: the flows that fall to none are lost.",
    label="P4_LARGE",
    parameters=LargeGroup,
    at=_large,
    touches=_group,
    change=_resized,
)
