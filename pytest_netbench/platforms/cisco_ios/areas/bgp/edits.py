"""How lines of ``router bgp`` are kept: neighbors and their groups, and the lines that move into an address family once there is one."""

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
    "neighbor",
)


def home(section: Section) -> Section:
    """Where the sessions of a section's neighbors are configured: the process, or the VRF's family."""
    if section.mode in {FOUR, SIX}:
        assert section.parent is not None
        return section.parent.section
    return section


def family(section: Section, word: str) -> Section | None:
    """The section of the address family ``ipv4`` or ``ipv6`` of a process."""
    for entry in section.all("address-family"):
        if entry.has(word) and entry.get("vrf") is None:
            return entry.body
    return None


def is_address(peer: str) -> bool:
    """Whether a neighbor is an address; else it is a peer group."""
    try:
        ip_address(peer)
    except ValueError:
        return False
    return True


# -- the process and its families ----------------------------------------------------------------------------------------


def check_process(edit: Edit, match: Match) -> str | None:
    """There is one BGP process."""
    running = edit.config.all("router bgp")
    if running and running[0]["as"] != match["as"]:
        return f"BGP is already running; AS is {running[0]['as']}"
    return None


def open_family(edit: Edit, match: Match) -> str | None:
    """With the first family, lines of IPv4 move from the process into theirs."""
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
    """Lines of IPv4 below the process go into its new family, with a word about each neighbor."""
    section, target = edit.section, family(edit.section, "ipv4")
    assert target is not None
    moving = [e for e in section if e.name not in _PROCESS_ONLY and e.name.startswith(_FAMILY_WORDS)]
    for entry in moving:
        section.remove(entry)
    for peer in _peers(section):
        silent = not by_default(section) or ":" in peer
        if not silent and not any(e.name == "neighbor activate" and e["peer"] == peer for e in moving):
            edit.put(f"neighbor {peer} activate", target)
    for entry in moving:
        edit.put(entry.text, target)


def by_default(section: Section) -> bool:
    """Whether neighbors of a process exchange IPv4 routes unless told otherwise."""
    return not section.says_no("bgp default ipv4-unicast")


def _peers(section: Section) -> list[str]:
    found = [e["peer"] for e in section.all("neighbor remote-as", "neighbor member") if is_address(e["peer"])]
    return list(dict.fromkeys(found))


def open_vrf(edit: Edit, match: Match) -> str | None:
    """The family of a VRF, which is there and has a route distinguisher or at least a name."""
    vrf = match["vrf"]
    if not match.negated and not any(e["vrf"] == vrf for e in edit.config.all("ip vrf", "vrf definition")):
        return f"% VRF {vrf} does not exist or does not have a RD."
    return edit.keep(edit.read(f"address-family ipv4 vrf {vrf}", like=match))


def in_family(edit: Edit, match: Match) -> str | None:
    """Lines of IPv4 typed at the process belong to its family, if there is one."""
    target = family(edit.section, "ipv4") if edit.section.mode == PROCESS else None
    if target is not None:
        edit.section = target
    return edit.keep(match)


def routes_in_family(command: Command) -> Callable[[Edit, Match], str | None]:
    """The same for a command that has an ``edit`` of its own."""
    own = command.edit
    assert own is not None

    def edit_line(edit: Edit, match: Match) -> str | None:
        target = family(edit.section, "ipv4") if edit.section.mode == PROCESS else None
        if target is not None:
            edit.section = target
        return own(edit, match)

    return edit_line


def rewritten(edit: Edit, match: Match, words: Sequence[str], *, drop: int) -> str | None:
    """Store a line whose first words (its keyword and ``drop`` more) are replaced by ``words``."""
    rest = match.text.split()[1 + drop :] if match.whole else []
    target = family(edit.section, "ipv4") if edit.section.mode == PROCESS else None
    if target is not None:
        edit.section = target
    return edit.keep(edit.read(" ".join([*words, *rest]), like=match))


def only_no(_edit: Edit, match: Match) -> str | None:
    """What IOS 15 has by default and nothing here does otherwise: only its ``no`` form is taken."""
    return None if match.negated or match.reset else "^"


# -- neighbors -----------------------------------------------------------------------------------------------------------


def known(section: Section, peer: str) -> bool:
    """Whether a neighbor, or a peer group, was introduced."""
    return any(
        e["peer"] == peer for e in home(section).all("neighbor remote-as", "neighbor member", "neighbor peer-group")
    )


def check_peer(edit: Edit, match: Match) -> str | None:
    """A neighbor is introduced by its AS or its group before anything else is said of it."""
    return None if known(edit.section, match["peer"]) else _FIRST


def check_remote_as(edit: Edit, match: Match) -> str | None:
    """The AS of a neighbor, which is not this router, or of a group that was made."""
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
    """``no neighbor A remote-as`` takes all lines of the neighbor away."""
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
    """Make a peer group, or take it away with its members."""
    if not match.negated and not match.reset:
        return edit.keep(match)
    for member in [e for e in edit.section.all("neighbor member") if e["group"] == match["peer"]]:
        _forget(edit.section, member["peer"])
    _forget(edit.section, match["peer"])
    return None


def check_member(edit: Edit, match: Match) -> str | None:
    """A neighbor joins a group that was made, and one of the two says the AS."""
    where = home(edit.section)
    if not where.has("neighbor peer-group", peer=match["group"]):
        return "% Specify the peer-group first"
    if where.has("neighbor remote-as", peer=match["peer"]) or where.has("neighbor remote-as", peer=match["group"]):
        return None
    return "% Specify remote-as or peer-group remote AS first"


def member(edit: Edit, match: Match) -> str | None:
    """Join a group, or leave it: without an AS of its own the neighbor is gone then."""
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
    """A group joined within a family: it is joined as a whole, and the neighbor takes part in the family."""
    body = edit.section
    edit.section = home(body)
    text = match.text
    words = member(edit, edit.read(text, like=match))
    edit.section = body
    if not match.negated and not match.reset:
        edit.put(f"neighbor {match['peer']} activate", body)
    return words


def activate(edit: Edit, match: Match) -> str | None:
    """``activate`` is printed in families; below the process only what differs from the default is."""
    in_process = edit.section.mode == PROCESS and family(edit.section, "ipv4") is None
    if edit.section.mode == PROCESS and not in_process:
        body = family(edit.section, "ipv4")
        assert body is not None
        edit.section = body
    for entry in [e for e in edit.section if e.name == "neighbor activate" and e["peer"] == match["peer"]]:
        edit.section.remove(entry)
    process = home(edit.section)
    positive = not match.negated and not match.reset
    usual = edit.section.mode in {PROCESS, FOUR, VRF} and (edit.section.mode == VRF or by_default(process))
    if positive and not (in_process and usual):
        edit.put(match.text)
    elif match.negated and usual:
        edit.put(f"no {match.text}")
    return None


def _activate_in_family(edit: Edit, peer: str) -> None:
    """In a config with families, a new neighbor is printed as active in IPv4, or in its VRF."""
    body = edit.section if edit.section.mode == VRF else family(edit.section, "ipv4")
    usual = edit.section.mode == VRF or by_default(edit.section)
    if body is not None and usual and is_address(peer) and ":" not in peer:
        edit.put(f"neighbor {peer} activate", body)


def _forget(section: Section, peer: str) -> None:
    bodies = [section, *(entry.body for entry in section.all("address-family") if entry.get("vrf") is None)]
    for body in bodies:
        for entry in [e for e in body if e.name.startswith("neighbor ") and e["peer"] == peer]:
            body.remove(entry)
