"""How lines of OSPF are stored, and which are refused."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Argument, Keyword
from pytest_netbench.platforms.frr import daemons

_AREA = "ip ospf area"
_OTHER = "% OSPF: process {} runs already, and this device runs one process in each VRF"
_LATER = '% OSPF: Reload or use "clear ip ospf process" command, for this to take effect'
_LEAST_NSSA_DEFAULT = (9, 0)


def open_process(edit: Edit, match: Match) -> str | None:
    """Open or remove a process; a VRF has one."""
    same = edit.config.get("router ospf", process=match["process"])
    if match.negated or match.reset:
        if same is not None:
            igp.leave(edit, match["process"], _AREA)
            if edit.running is not None:
                edit.running.forget(f"ospf {match['process']}")
        return edit.keep(match)
    if edit.booting:
        _forget_guesses(edit, match)
        same = edit.config.get("router ospf", process=match["process"])
    if same is not None and "vrf" in match.args and same.get("vrf") != match["vrf"]:
        return f"%VRF specified does not match existing router, {same.get('vrf') or 'default'}"
    if same is not None and "vrf" not in match.args:
        edit.opened.append(same)
        return None
    others = [e for e in edit.config.all("router ospf") if e is not same and e.get("vrf") == match.get("vrf")]
    return _OTHER.format(others[0]["process"]) if others else edit.keep(match)


def store_router_id(edit: Edit, match: Match) -> str | None:
    """Store the router ID. A process that has neighbors keeps its own until it is cleared; another one takes it now."""
    words = edit.keep(match)
    entry = edit.section.parent
    if edit.running is None or entry is None:
        return words
    name, vrf = f"ospf {entry['process']}", entry.get("vrf")
    kept = edit.running.chosen(name)
    if kept is None or (not match.negated and not match.reset and kept == match["id"]):
        return words
    if "Full" in edit.running.ask("ospfd", f"show ip ospf{f' vrf {vrf}' if vrf else ''} neighbor"):
        edit.remarks.append(_LATER)
    else:
        edit.running.forget(name)
    return words


def _forget_guesses(edit: Edit, match: Match) -> None:
    """Correct processes created by interface lines of a startup config, once their own section is read."""
    for entry in [e for e in edit.config.all("router ospf") if e.factory]:
        same = entry["process"] == match["process"]
        if same != (entry.get("vrf") == match.get("vrf")):
            edit.config.remove(entry)
        elif same:
            entry.factory = False


def store_network(edit: Edit, match: Match) -> str | None:
    """Store a network without host bits. A subnet mask is converted to the inverse wildcard, as in IOS."""
    wildcard = int(IPv4Address(match["wildcard"]))
    care = ~wildcard & 0xFFFFFFFF
    if wildcard & (wildcard + 1):
        if care & (care + 1):
            return "%OSPF: Invalid address/mask combination (discontiguous mask)"
        wildcard, care = care, wildcard
    network = IPv4Address(int(IPv4Address(match["network"])) & care)
    prefix = f"network {network} {IPv4Address(wildcard)}"
    for entry in [e for e in edit.section.all("network") if e.text.startswith(f"{prefix} ")]:
        if match.negated or match.reset:
            edit.section.remove(entry)
    if not match.negated and not match.reset:
        edit.put(f"{prefix} area {match['area']}")
    return None


def store_area(edit: Edit, match: Match) -> str | None:
    """Store ``ip ospf PROCESS area``. It creates the process if no line has named it yet.

    In a startup config the section of the process may follow its interfaces.
    """
    if not match.negated and not match.reset and not edit.config.has("router ospf", process=match["process"]):
        others = edit.config.all("router ospf")
        if others and not edit.booting:
            return _OTHER.format(others[0]["process"])
        if not others:
            edit.put(f"router ospf {match['process']}", edit.config).factory = edit.booting
    return edit.keep(match)


def _is_backbone(area: str) -> bool:
    return {*str(area).split(".")} == {"0"}


def check_stub(edit: Edit, match: Match) -> str | None:
    """Refuse a stub area that is the backbone or has a virtual link."""
    if _is_backbone(match["area"]):
        return "% OSPF: Backbone can not be configured as stub area"
    if any(e["area"] == match["area"] for e in edit.section.all("area nssa")):
        return "% OSPF: Area cannot be stub as it is configured as NSSA"
    return _no_virtual_links(edit, match)


def check_nssa(edit: Edit, match: Match) -> str | None:
    """Refuse an NSSA that is the backbone, has a virtual link or needs a later FRR."""
    if _is_backbone(match["area"]):
        return "% OSPF: Backbone can not be configured as NSSA area"
    if any(e["area"] == match["area"] for e in edit.section.all("area stub")):
        return "% OSPF: Area cannot be NSSA as it is configured as stub"
    version = tuple(int(part) for part in (daemons.version() or "0.0").split(".")[:2])
    if match.has("default-information-originate") and version < _LEAST_NSSA_DEFAULT:
        return "% OSPF: this device cannot originate a default route into an NSSA (area ... nssa no-summary can)"
    return _no_virtual_links(edit, match)


def _no_virtual_links(edit: Edit, match: Match) -> str | None:
    if any(e["area"] == match["area"] for e in edit.section.all("area virtual-link")):
        return "% OSPF: Area cannot be a stub or NSSA as it contains a virtual link"
    return None


def check_range(_edit: Edit, match: Match) -> str | None:
    """Refuse a range with an invalid mask."""
    try:
        IPv4Network(f"{match['prefix']}/{match['mask']}")
    except ValueError:
        return "% OSPF: Inconsistent address and mask"
    return None


def store_virtual_link(edit: Edit, match: Match) -> str | None:
    """Merge options with those of the existing virtual link; ``no`` with options removes these options."""
    if not match.negated and not match.reset:
        if _is_backbone(match["area"]):
            return "% OSPF: Cannot configure a virtual link over this area"
        if any(e["area"] == match["area"] for e in edit.section.all("area stub", "area nssa")):
            return "% OSPF: Area is a stub or NSSA so virtual links are not allowed"
    found = next((e for e in edit.section.all("area virtual-link") if e.same_line(match)), None)
    if found is None:
        return edit.keep(match)
    before, typed = _link_options(found.match), _link_options(match)
    if (match.negated or match.reset) and not typed:
        edit.section.remove(found)
        return None
    kept = {name: text for name, text in before.items() if name not in typed}
    merged = kept if match.negated or match.reset else {**before, **typed}
    edit.section.remove(found)
    edit.put(" ".join([f"area {match['area']} virtual-link {match['router']}", *merged.values()]))
    return None


_LINK_WORDS = (
    "authentication",
    "authentication-key",
    "message-digest-key",
    "hello-interval",
    "dead-interval",
    "retransmit-interval",
    "transmit-delay",
)


def _link_options(match: Match) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for element, _, text in match.parts:
        if isinstance(element, Keyword) and text in _LINK_WORDS:
            name = text
        if name and (isinstance(element, Keyword | Argument)):
            found[name] = f"{found[name]} {text}" if name in found else text
    return found
