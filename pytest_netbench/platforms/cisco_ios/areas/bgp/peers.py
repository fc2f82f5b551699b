"""Neighbors of a BGP process with their effective settings: their own and those of their peer group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_netbench.platforms.cisco_ios.areas.bgp.family_edits import VRF, by_default, family, is_address
from pytest_netbench.platforms.cisco_ios.areas.common.numbers import as_number
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

Settings = Mapping[tuple[str, str], Entry]
"""Lines by (command, direction); the direction is "" where there is none."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A neighbor.

    Args:
        address: Its address.
        group: Its peer group, or "".
        session: Lines about the session.
        families: By ``ipv4`` and ``ipv6``: lines about routes, for the families in which it is active.
    """

    address: str
    remote_as: int
    group: str = ""
    session: Settings = field(default_factory=dict)
    families: Mapping[str, Settings] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """BGP in one VRF. ``vrf``: "" for the global one."""

    vrf: str
    local_as: int
    process: Section
    section: Section
    families: Mapping[str, Section]
    peers: tuple[Peer, ...]


def instances(config: Section) -> Iterator[Instance]:
    """Return the global instance and one instance for each VRF family."""
    for entry, body in config.sections("router bgp"):
        local = as_number(entry["as"])
        sections = {"ipv4": family(body, "ipv4") or body}
        six = family(body, "ipv6")
        if six is not None:
            sections["ipv6"] = six
        yield Instance(
            vrf="", local_as=local, process=body, section=body, families=sections, peers=tuple(_peers(body, sections))
        )
        for one in body.all("address-family"):
            if one.get("vrf") is not None:
                inner = {"ipv4": one.body}
                yield Instance(
                    vrf=one["vrf"],
                    local_as=local,
                    process=body,
                    section=one.body,
                    families=inner,
                    peers=tuple(_peers(one.body, inner)),
                )


def _peers(section: Section, families: Mapping[str, Section]) -> Iterator[Peer]:
    names = [e["peer"] for e in section.all("neighbor remote-as", "neighbor member") if is_address(e["peer"])]
    for address in dict.fromkeys(names):
        member = section.get("neighbor member", peer=address)
        group = str(member["group"]) if member else ""
        session = {**_lines(section, group), **_lines(section, address)}
        active = {
            name: {**_lines(body, group), **_lines(body, address)}
            for name, body in families.items()
            if _is_active(body, name, address, group)
        }
        remote = session.get(("neighbor remote-as", ""))
        if remote is not None:
            number = as_number(remote["as"])
            yield Peer(address=address.lower(), remote_as=number, group=group, session=session, families=active)


def _lines(section: Section, peer: str) -> dict[tuple[str, str], Entry]:
    found = {}
    for entry in section:
        if peer and entry.name.startswith("neighbor ") and not entry.negated and entry["peer"] == peer:
            found[entry.name, str(entry.get("way", ""))] = entry
    return found


def _is_active(section: Section, name: str, address: str, group: str) -> bool:
    for peer in (address, group):
        for entry in section:
            if peer and entry.name == "neighbor activate" and entry["peer"] == peer:
                return not entry.negated
    if section.mode == VRF:
        return False
    process = section if section.parent is None or section.parent.name == "router bgp" else section.parent.section
    return name == "ipv4" and by_default(process) and ":" not in address
