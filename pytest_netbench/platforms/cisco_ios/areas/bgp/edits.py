"""Edits of ``router bgp``: neighbors, peer groups, and lines that move into a new address family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match

PROCESS, FOUR, SIX, VRF = "router-bgp", "router-bgp-af", "router-bgp-af6", "router-bgp-vrf"
_FIRST = "% Specify remote-as or peer-group commands first"
_PROCESS_ONLY = frozenset(
    {
        "neighbor remote-as",
        "neighbor local-as",
        "neighbor password",
        "neighbor shutdown",
        "neighbor description",
        "neighbor ebgp-multihop",
        "neighbor ttl-security",
        "neighbor disable-connected-check",
        "neighbor update-source",
        "neighbor timers",
        "neighbor dont-capability-negotiate",
        "neighbor transport",
        "neighbor advertisement-interval",
        "neighbor peer-group",
        "neighbor member",
        "neighbor version",
        "neighbor fall-over",
        "neighbor fall-over bfd",
        "neighbor log-neighbor-changes",
    }
)
_FAMILY_WORDS = (
    "network",
    "aggregate-address",
    "redistribute",
    "maximum-paths",
    "distance",
    "default-information",
    "default-metric",
    "bgp dampening",
    "distribute-list",
    "table-map",
    "auto-summary",
    "synchronization",
    "neighbor",
)


def home(section: Section) -> Section:
    """Return the section that configures the sessions of a section's neighbors: the process, or the VRF's family."""
    if section.mode in {FOUR, SIX}:
        assert section.parent is not None
        return section.parent.section
    return section


def family(section: Section, word: str) -> Section | None:
    """Return the section of the address family ``ipv4`` or ``ipv6`` of a process."""
    for entry in section.all("address-family"):
        if entry.has(word) and entry.get("vrf") is None:
            return entry.body
    return None


def is_address(peer: str) -> bool:
    """Whether a neighbor is an address and not a peer group."""
    try:
        ip_address(peer)
    except ValueError:
        return False
    return True


# -- the process and its families ------------------------------------------------------------------------------------


def check_process(edit: Edit, match: Match) -> str | None:
    """Refuse a second BGP process."""
    running = edit.config.all("router bgp")
    if running and running[0]["as"] != match["as"]:
        return f"BGP is already running; AS is {running[0]['as']}"
    return None


def open_family(edit: Edit, match: Match) -> str | None:
    """Open an address family. The first one opened moves the IPv4 lines of the process into their own family."""
    word = "ipv6" if match.has("ipv6") else "ipv4"
    if match.negated or match.reset:
        return edit.keep(edit.read(f"address-family {word}", like=match))
    for name in dict.fromkeys(("ipv4", word)):
        if family(edit.section, name) is None:
            edit.put(f"address-family {name}")
            if name == "ipv4":
                _move(edit)
            edit.section.entries.sort(key=lambda entry: entry.name == "address-family")
    body = family(edit.section, word)
    assert body is not None
    assert body.parent is not None
    edit.opened.append(body.parent)
    return None


def _move(edit: Edit) -> None:
    """Move the IPv4 lines of the process into its new family, and say whether each neighbor is active in it."""
    section, target = edit.section, family(edit.section, "ipv4")
    assert target is not None
    moving = [e for e in section if e.name not in _PROCESS_ONLY and e.name.startswith(_FAMILY_WORDS)]
    section.remove(*moving)
    for peer in _peers(section):
        silent = not by_default(section) or ":" in peer
        if not silent and not any(e.name == "neighbor activate" and e["peer"] == peer for e in moving):
            edit.put(f"neighbor {peer} activate", target)
    for entry in moving:
        edit.put(entry.text, target)


def by_default(section: Section) -> bool:
    """Whether neighbors of a process exchange IPv4 routes by default."""
    return not section.says_no("bgp default ipv4-unicast")


def _peers(section: Section) -> list[str]:
    found = [e["peer"] for e in section.all("neighbor remote-as", "neighbor member") if is_address(e["peer"])]
    return list(dict.fromkeys(found))


def open_vrf(edit: Edit, match: Match) -> str | None:
    """Open the family of a VRF, which must be defined."""
    vrf = match["vrf"]
    if not match.negated and not any(e["vrf"] == vrf for e in edit.config.all("ip vrf", "vrf definition")):
        return f"% VRF {vrf} does not exist or does not have a RD."
    return edit.keep(edit.read(f"address-family ipv4 vrf {vrf}", like=match))


def in_family(edit: Edit, match: Match) -> str | None:
    """Store IPv4 lines typed at the process in its IPv4 family, if it has one."""
    target = family(edit.section, "ipv4") if edit.section.mode == PROCESS else None
    if target is not None:
        edit.section = target
    return edit.keep(match)


def routes_in_family(command: Command) -> Callable[[Edit, Match], str | None]:
    """Do the same for a command that has an ``edit`` of its own."""
    own = command.edit
    assert own is not None

    def edit_line(edit: Edit, match: Match) -> str | None:
        enter_family(edit)
        return own(edit, match)

    return edit_line


def rewritten(edit: Edit, match: Match, words: Sequence[str], *, drop: int) -> str | None:
    """Store a line with its first words (its keyword and ``drop`` more) replaced by ``words``."""
    rest = match.text.split()[1 + drop :] if match.whole else []
    enter_family(edit)
    return edit.keep(edit.read(" ".join([*words, *rest]), like=match))


def enter_family(edit: Edit) -> None:
    """Go on in the address family of IPv4, if the process has one."""
    target = family(edit.section, "ipv4") if edit.section.mode == PROCESS else None
    if target is not None:
        edit.section = target


# -- neighbors -------------------------------------------------------------------------------------------------------


def known(section: Section, peer: str) -> bool:
    """Whether a neighbor or a peer group has been defined."""
    return any(
        e["peer"] == peer for e in home(section).all("neighbor remote-as", "neighbor member", "neighbor peer-group")
    )


def check_peer(edit: Edit, match: Match) -> str | None:
    """Refuse a line about a neighbor that has no AS and no peer group yet."""
    return None if known(edit.section, match["peer"]) else _FIRST


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
