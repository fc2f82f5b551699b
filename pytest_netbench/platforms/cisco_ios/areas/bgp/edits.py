"""Edits of ``router bgp``: neighbors, peer groups, and lines that move into a new address family."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.bgp.family_edits import (
    FIRST,
    FOUR,
    PROCESS,
    VRF,
    by_default,
    family,
    home,
    is_address,
)
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match


def check_process(edit: Edit, match: Match) -> str | None:
    """Refuse a second BGP process."""
    running = edit.config.all("router bgp")
    if running and running[0]["as"] != match["as"]:
        return f"BGP is already running; AS is {running[0]['as']}"
    return None


def known(section: Section, peer: str) -> bool:
    """Whether a neighbor or a peer group has been defined."""
    return any(
        e["peer"] == peer for e in home(section).all("neighbor remote-as", "neighbor member", "neighbor peer-group")
    )


def check_peer(edit: Edit, match: Match) -> str | None:
    """Refuse a line about a neighbor that has no AS and no peer group yet."""
    return None if known(edit.section, match["peer"]) else FIRST


def check_remote_as(edit: Edit, match: Match) -> str | None:
    """Check the AS of a neighbor, which must not be this router, or of a defined peer group."""
    peer = match["peer"]
    if not is_address(peer):
        return None if known(edit.section, peer) else "% Create the peer-group first"
    for entry, body in edit.config.sections("interface"):
        if not entry.negated and any(own.get("address") == peer for own in body.all("ip address")):
            return "% Cannot configure the local system as neighbor"
    member = home(edit.section).get("neighbor member", peer=peer)
    if member is not None and home(edit.section).has("neighbor remote-as", peer=member["group"]):
        return "% Peer-group has remote-as; neighbor's remote-as is that of its peer-group"
    return None


def remote_as(edit: Edit, match: Match) -> str | None:
    """Store ``neighbor A remote-as``; its ``no`` form removes all lines of the neighbor."""
    peer, section = match["peer"], edit.section
    if not match.negated and not match.reset:
        introduced = known(section, peer)
        edit.keep(match)
        if not introduced:
            _activate_in_family(edit, peer)
        return None
    edit.keep(match)
    if is_address(peer) and not section.has("neighbor member", peer=peer):
        _forget(section, peer)
    return None


def group(edit: Edit, match: Match) -> str | None:
    """Create a peer group, or remove it with its members."""
    if not match.negated and not match.reset:
        return edit.keep(match)
    for member in [e for e in edit.section.all("neighbor member") if e["group"] == match["peer"]]:
        _forget(edit.section, member["peer"])
    _forget(edit.section, match["peer"])
    return None


def family_group(edit: Edit, match: Match) -> str | None:
    """Create or remove a group from within a family: the line belongs to the process."""
    edit.section = home(edit.section)
    return group(edit, edit.read(match.text, like=match))


def check_member(edit: Edit, match: Match) -> str | None:
    """Check a new group member: the group must exist, and the group or the neighbor must have an AS."""
    where = home(edit.section)
    if not where.has("neighbor peer-group", peer=match["group"]):
        return "% Specify the peer-group first"
    if where.has("neighbor remote-as", peer=match["peer"]) or where.has("neighbor remote-as", peer=match["group"]):
        return None
    return "% Specify remote-as or peer-group remote AS first"


def member(edit: Edit, match: Match) -> str | None:
    """Join or leave a group. A neighbor without an AS of its own is removed when it leaves."""
    peer, section = match["peer"], edit.section
    introduced = known(section, peer)
    edit.keep(match)
    if match.negated or match.reset:
        if not section.has("neighbor remote-as", peer=peer):
            _forget(section, peer)
    elif not introduced:
        _activate_in_family(edit, peer)
    return None


def family_member(edit: Edit, match: Match) -> str | None:
    """Store a group membership typed in a family: the neighbor joins the group and becomes active in the family."""
    body = edit.section
    edit.section = home(body)
    text = match.text
    words = member(edit, edit.read(text, like=match))
    edit.section = body
    if not match.negated and not match.reset:
        edit.put(f"neighbor {match['peer']} activate", body)
    elif (active := body.get("neighbor activate", peer=match["peer"])) is not None and not active.negated:
        body.remove(active)
    return words


def activate(edit: Edit, match: Match) -> str | None:
    """Store ``activate``: always in a family; below the process only if it differs from the default."""
    in_process = edit.section.mode == PROCESS and family(edit.section, "ipv4") is None
    if edit.section.mode == PROCESS and not in_process:
        body = family(edit.section, "ipv4")
        assert body is not None
        edit.section = body
    edit.section.remove(*(e for e in edit.section if e.name == "neighbor activate" and e["peer"] == match["peer"]))
    process = home(edit.section)
    positive = not match.negated and not match.reset
    usual = edit.section.mode in {PROCESS, FOUR, VRF} and (edit.section.mode == VRF or by_default(process))
    if positive and not (in_process and usual):
        edit.put(match.text)
    elif match.negated and usual and known(edit.section, match["peer"]):
        edit.put(f"no {match.text}")
    return None


def _activate_in_family(edit: Edit, peer: str) -> None:
    """Store ``activate`` for a new neighbor in IPv4, or in its VRF's family, if the config has families."""
    body = edit.section if edit.section.mode == VRF else family(edit.section, "ipv4")
    usual = edit.section.mode == VRF or by_default(edit.section)
    if body is not None and usual and is_address(peer) and ":" not in peer:
        edit.put(f"neighbor {peer} activate", body)


def _forget(section: Section, peer: str) -> None:
    bodies = [section, *(entry.body for entry in section.all("address-family") if entry.get("vrf") is None)]
    for body in bodies:
        body.remove(*(e for e in body if e.name.startswith("neighbor ") and e["peer"] == peer))
