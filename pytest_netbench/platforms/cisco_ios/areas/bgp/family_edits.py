"""How lines of BGP find their address family: that of the old style, or a section of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import ip_address

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match

PROCESS, FOUR, SIX, VRF = "router-bgp", "router-bgp-af", "router-bgp-af6", "router-bgp-vrf"
FIRST = "% Specify remote-as or peer-group commands first"

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
