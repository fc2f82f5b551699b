"""Startup configs of P4 switches."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.p4.fabric import MEMBERS, PROGRAM, ROUTES
from pytest_netbench.generators.networks.draft import Device
from pytest_netbench.generators.networks.processes import Entries, Hop


def write(device: Device) -> str:
    """Return the startup config of a switch: its program, and the entries of its tables."""
    assert device.entries is not None
    return "\n".join([f"program {PROGRAM}", *_lines(device.entries), ""])


def _lines(entries: Entries) -> Iterator[str]:
    groups = _groups(entries)
    yield from (f"table_add gateways answer {address} => {mac}" for address, mac in entries.answers.items())
    for prefix, hops in entries.routes:
        action, parameters = _action(hops, groups)
        yield f"table_add {ROUTES} {action} {prefix} => {parameters}".rstrip()
    if entries.default:
        yield " ".join(["table_set_default", ROUTES, *_action(entries.default, groups)])
    for several, number in groups.items():
        for bucket, hop in enumerate(several):
            yield f"table_add {MEMBERS} forward {number} {bucket} => {hop.hardware_address} {hop.port}"
    yield from (f"table_add port_macs rewrite {port} => {mac}" for port, mac in entries.port_addresses.items())


def _groups(entries: Entries) -> dict[tuple[Hop, ...], int]:
    """The number of each group of equal hops."""
    several = dict.fromkeys(hops for hops in (*(hops for _, hops in entries.routes), entries.default) if len(hops) > 1)
    return {hops: number for number, hops in enumerate(several, start=1)}


def _action(hops: tuple[Hop, ...], groups: dict[tuple[Hop, ...], int]) -> tuple[str, str]:
    if len(hops) > 1:
        return "ecmp", f"{groups[hops]} {len(hops)}"
    return ("forward", f"{hops[0].hardware_address} {hops[0].port}") if hops else ("drop", "")
