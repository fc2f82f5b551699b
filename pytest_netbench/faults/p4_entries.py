"""Faults of the table of routes of P4 switches: entries that are missing or wrong, and a table that is full."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.dialects.p4.fabric import PROGRAM, ROUTES, entries_of
from pytest_netbench.dialects.p4.lines import Line
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, given, shows
from pytest_netbench.faults.p4_fabrics import (
    SWITCH,
    SeenByPing,
    Use,
    first_uses,
    free_port,
    host_ports,
    unreached,
)
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.p4 import shipped

_LEFT: Final = IPv4Address("198.18.0.0")
"""The first of the addresses of hosts that are there no more."""
_LEFT_MAC: Final = "02:00:c6:12:00:00"


class P4Entry(SeenByPing):
    """An entry of the table of routes: its prefix, action and parameters."""

    prefix: str
    action: str
    parameters: str

    def line(self, verb: str = "table_add", parameters: str | None = None) -> str:
        """The command that makes the entry, or with other words changes it."""
        words = self.parameters if parameters is None else parameters
        return f"{verb} {ROUTES} {self.action} {self.prefix} => {words}"

    @property
    def deletion(self) -> str:
        """The command that deletes it."""
        return f"table_delete {ROUTES} {self.prefix}"


class WrongP4Entry(P4Entry):
    """An entry, and the parameters that it has instead."""

    instead: str


class P4Entries(SeenByPing):
    """Several entries of a switch, as commands, and their prefixes."""

    prefixes: tuple[str, ...]
    entries: tuple[str, ...]


class FullTable(P4Entry):
    """An entry that is missing, all entries as commands, and the number of those of hosts that are there no more."""

    entries: tuple[str, ...]
    surplus: int


def _of(p: SeenByPing, *prefixes: str) -> frozenset[str]:
    return frozenset(f"{p.node} {ROUTES} {prefix}" for prefix in prefixes)


def _forwarding(network: DrawnNetwork) -> Iterator[Use]:
    """A ping through each entry that forwards."""
    return (use for use in first_uses(network) if use.line.verb == "table_add" and use.line.action == "forward")


def _entry(network: DrawnNetwork, use: Use) -> P4Entry:
    words = {"prefix": use.line.match[0], "action": use.line.action, "parameters": " ".join(use.line.parameters)}
    return P4Entry.of(network, use.node, source=use.source, target=use.target, **words)


_p4_fault = partial(config_fault, domain="forwarding", platforms=(SWITCH,))

P4_ENTRY_MISSING = _p4_fault(
    "p4-entry-missing",
    about="A P4 switch has no entry for a subnet or a host that packets are sent to over it.",
    label="P4_MISSING",
    parameters=P4Entry,
    called={"nika": "p4_table_entry_missing"},
    at=lambda network: (_entry(network, use) for use in _forwarding(network)),
    touches=lambda p: _of(p, p.prefix),
    change=lambda p: Change(inject=(p.deletion,), repair=(p.line(),), symptoms=(given(unreached, p),)),
)


def _wrong_entries(network: DrawnNetwork) -> Iterator[WrongP4Entry]:
    for use in _forwarding(network):
        entry = _entry(network, use)
        mac, port = use.line.parameters
        wrong = [f"{mac} {other}" for other in (*host_ports(network, use.node), free_port(network, use.node))]
        if use.line.match[0].endswith("/32"):  # switches take packets for any hardware address
            wrong += [f"{other} {port}" for other in _slips(mac)]
        yield from (
            WrongP4Entry(**entry.model_dump(), instead=one) for one in wrong if one != " ".join(use.line.parameters)
        )


def _slips(mac: str) -> Iterator[str]:
    """A hardware address with two digits exchanged, and with another last digit."""
    swapped = mac[:-2] + mac[-1] + mac[-2]
    if swapped != mac:
        yield swapped
    yield f"{mac[:-1]}{int(mac[-1], 16) ^ 1:x}"


P4_ENTRY_WRONG = _p4_fault(
    "p4-entry-wrong",
    about="An entry of a P4 switch sends packets to a subnet or a host out of a wrong port, or to a wrong hardware"
    " address.",
    label="P4_WRONG",
    parameters=WrongP4Entry,
    called={"nika": "p4_table_entry_misconfig"},
    at=_wrong_entries,
    touches=lambda p: _of(p, p.prefix),
    change=lambda p: Change(
        inject=(p.line("table_modify", p.instead),),
        repair=(p.line("table_modify"),),
        symptoms=(given(unreached, p),),
    ),
)


def _added(line: Line) -> str:
    return f"table_add {ROUTES} {line.action} {line.match[0]} => {' '.join(line.parameters)}".rstrip()


def _halves(network: DrawnNetwork) -> Iterator[P4Entries]:
    """By switch: the second half of its entries, two at least, if there is a ping through one of them."""
    done: set[str] = set()
    for use in _forwarding(network):
        entries = [one for one in entries_of(network.startup_configs[use.node], ROUTES) if one.action == "forward"]
        left = entries[max(min(len(entries) // 2, len(entries) - 2), 0) :]
        if len(left) > 1 and use.line in left and use.node not in done:
            done.add(use.node)
            words = {"prefixes": tuple(one.match[0] for one in left), "entries": tuple(map(_added, left))}
            yield P4Entries.of(network, use.node, source=use.source, target=use.target, **words)


P4_WRITE_PARTIAL = _p4_fault(
    "p4-write-partial",
    about="The entries of a P4 switch were written in part: it lacks those of several subnets or hosts.",
    label="P4_PART",
    parameters=P4Entries,
    called={"nika": "p4runtime_partial_write"},
    at=_halves,
    touches=lambda p: _of(p, *p.prefixes),
    change=lambda p: Change(
        inject=tuple(f"table_delete {ROUTES} {prefix}" for prefix in p.prefixes),
        repair=p.entries,
        symptoms=(given(unreached, p),),
    ),
)


class LostDefault(SeenByPing):
    """The parameters of the default of a leaf, which is a group of its spines."""

    parameters: str


def _defaults(network: DrawnNetwork) -> Iterator[LostDefault]:
    done: set[str] = set()
    for use in first_uses(network):
        if use.line.verb == "table_set_default" and use.node not in done:
            done.add(use.node)
            seen = {"source": use.source, "target": use.target}
            yield LostDefault.of(network, use.node, parameters=" ".join(use.line.parameters), **seen)


P4_DEFAULT_DROPS = _p4_fault(
    "p4-default-drops",
    about="The default action of a P4 switch's table of routes drops packets that it should spread over the spines.",
    label="P4_DEFAULT",
    parameters=LostDefault,
    at=_defaults,
    touches=lambda p: frozenset({f"{p.node} {ROUTES} default"}),
    change=lambda p: Change(
        inject=(f"table_set_default {ROUTES} drop",),
        repair=(f"table_set_default {ROUTES} ecmp {p.parameters}",),
        symptoms=(given(unreached, p),),
    ),
)


def _size() -> int:
    return shipped.program(PROGRAM).table(ROUTES).size


def _full(network: DrawnNetwork) -> Iterator[FullTable]:
    for use in _forwarding(network):
        entries = tuple(_added(one) for one in entries_of(network.startup_configs[use.node], ROUTES))
        surplus = _size() - len(entries) + 1
        entry = _entry(network, use).model_dump()
        yield FullTable(**entry, entries=entries, surplus=surplus)


def _stale(p: FullTable) -> Iterator[str]:
    for number in range(p.surplus):
        mac = f"{_LEFT_MAC[:-5]}{number >> 8:02x}:{number & 255:02x}"
        yield f"table_add {ROUTES} forward {_LEFT + number}/32 => {mac} {p.parameters.split()[1]}"


def _has_room(lab: Lab, p: FullTable) -> Iterator[str]:
    shown = lab.driver(p.node).execute(lab.nodes[p.node], f"table_num_entries {ROUTES}").strip()
    if shown != f"{_size()} of {_size()}":
        yield f"table {ROUTES} has {shown} entries"


def _filled(p: FullTable) -> Change:
    is_full = f"The table {ROUTES} of {p.node} is full, so no entry can be added."
    return Change(
        inject=(p.deletion, *_stale(p)),
        repair=(f"table_clear {ROUTES}", *p.entries),
        shown=(p.deletion,),
        checks=(given(_has_room, p),),
        symptoms=(shows(p.node, "table full", is_full, table=ROUTES, size=_size()), given(unreached, p)),
        detail=f"It is the table {ROUTES} of {p.node}, which has no entry for {p.prefix}.",
    )


P4_TABLE_FULL = _p4_fault(
    "p4-table-full",
    about="A table of a P4 switch is full of entries for hosts that are there no more, and lacks one that is needed.",
    label="P4_FULL",
    parameters=FullTable,
    called={"nika": "p4_table_resource_exhaustion"},
    at=_full,
    touches=lambda p: _of(p, *(line.split()[3] for line in p.entries)),
    change=_filled,
)
