"""Edits of OSPF for IPv6: one process per device in either form, with equivalent interface lines in both forms."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import dotted
from pytest_netbench.platforms.cisco_ios.areas.ospfv3.process import CLASSIC, CLASSIC_AREA, NEWER, NEWER_AREA, around
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

PROCESS, FAMILY, CLASSIC_MODE = "router-ospfv3", "router-ospfv3-af", "ipv6-router-ospf"
_FAMILY_LINE = "address-family ipv6 unicast"
_DISABLED = "% IPv6 routing not enabled"
_OTHER = "% OSPFv3: process {} runs already, and this device runs one process"
_MIXED = "% OSPFv3: process {0} is configured by router ospfv3 {0}"
_FOUR = "% OSPFv3: address family IPv4 is not supported on this device (router ospf carries IPv4)"


def open_classic(edit: Edit, match: Match) -> str | None:
    """Open ``ipv6 router ospf``; refused for a process in the newer form."""
    number = match["process"]
    if match.negated or match.reset:
        return _close(edit, match)
    if edit.config.has(NEWER, process=number):
        return _MIXED.format(number)
    return _unable(edit, number) or edit.keep(match)


def open_newer(edit: Edit, match: Match) -> str | None:
    """Open ``router ospfv3``; the lines of a process in the classic form are converted."""
    if match.negated or match.reset:
        return _close(edit, match)
    words = _unable(edit, match["process"])
    if words is None:
        _newer(edit, match["process"])
        edit.keep(match)
    return words


def open_family(edit: Edit, match: Match) -> str | None:
    """Open or remove the address family; removing it removes its interfaces."""
    if match.negated or match.reset:
        igp.leave(edit, around(edit.section).number, CLASSIC_AREA, NEWER_AREA)
    return edit.keep(edit.read(_FAMILY_LINE, like=match))


def refuse_four(_edit: Edit, _match: Match) -> str:
    """Refuse IPv4 in OSPFv3, which ospf6d does not support."""
    return _FOUR


def join(edit: Edit, match: Match) -> str | None:
    """Store the area of an interface: one area, in one form. It creates the process if no line has named it yet."""
    number = match["process"]
    if not match.negated and not match.reset:
        words = _unable(edit, number)
        if words is not None:
            return words
        if match.name == NEWER_AREA or edit.config.has(NEWER):
            process = _newer(edit, number)
            if not process.body.has("address-family"):
                edit.put(_FAMILY_LINE, process.body)
        elif not edit.config.has(CLASSIC):
            edit.put(f"{CLASSIC} {number}", edit.config)
        _drop(edit, CLASSIC_AREA if match.name == NEWER_AREA else NEWER_AREA)
    return edit.keep(match)


def join_as_once(edit: Edit, match: Match) -> str | None:
    """Store ``ospfv3 1 area 0 ipv6``, the form of releases before 15.2."""
    words = f"ospfv3 {match['process']} ipv6 area {match['area']}"
    if "instance" in match.args:
        words += f" instance {match['instance']}"
    return join(edit, edit.read(words, like=match))


def set_parameter(edit: Edit, match: Match) -> str | None:
    """Store a parameter; the last typed value counts, in either form."""
    if not match.negated and not match.reset:
        classic = match.name.startswith("ipv6 ospf ")
        parameter = match.name.split()[-1]
        _drop(edit, f"ospfv3 {parameter}" if classic else f"ipv6 ospf {parameter}")
    return edit.keep(match)


def make_area(edit: Edit, match: Match) -> str | None:
    """Store the type of an area: normal, stub or NSSA."""
    if match.negated or match.reset:
        return edit.keep(match)
    area, kind = dotted(match["area"]), match.name.split()[1]
    if kind != "normal":
        if area == dotted("0"):
            return "% OSPFv3: Backbone can not be configured as stub area"
        other = "nssa" if kind == "stub" else "stub"
        if any(dotted(e["area"]) == area for s in around(edit.section).sections for e in s.all(f"area {other}")):
            return f"% OSPFv3: Area is configured as {other} already"
    for name in ("area stub", "area nssa") if kind == "normal" else ("area normal",):
        edit.section.remove(*(e for e in edit.section.all(name) if dotted(e["area"]) == area))
    return edit.keep(match)


def _unable(edit: Edit, number: int) -> str | None:
    """Return why process ``number`` cannot be created, or ``None``."""
    if not edit.booting and not edit.config.has("ipv6 unicast-routing"):
        return _DISABLED
    others = [entry for entry in edit.config.all(CLASSIC, NEWER) if entry["process"] != number]
    return _OTHER.format(others[0]["process"]) if others else None


def _newer(edit: Edit, number: int) -> Entry:
    """Return the process in the newer form; create it from the classic form if necessary."""
    found = edit.config.get(NEWER, process=number)
    if found is not None:
        return found
    classic = edit.config.get(CLASSIC, process=number)
    made = edit.put(f"{NEWER} {number}", edit.config)
    if classic is not None:
        edit.config.remove(classic)
        family = edit.put(_FAMILY_LINE, made.body)
        for line in classic.body:
            edit.put(line.text, made.body if PROCESS in line.match.command.modes else family.body)
    return made


def _close(edit: Edit, match: Match) -> str | None:
    """Remove a process with its interface lines."""
    if edit.config.has(match.name, process=match["process"]):
        igp.leave(edit, match["process"], CLASSIC_AREA, NEWER_AREA)
    return edit.keep(match)


def _drop(edit: Edit, name: str) -> None:
    edit.section.remove(*edit.section.all(name))
