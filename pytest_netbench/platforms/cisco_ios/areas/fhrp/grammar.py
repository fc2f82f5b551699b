"""The grammar of the area ``fhrp``: its commands and how lines are stored."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Any

from pytest_netbench.platforms.cisco_ios.compile.context import Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_GROUP = "standby [ {group!:0-4095} ]"

_V1_MOST = 255


def _standby(
    default: str = "", check: Callable[[Edit, Match], str | None] | None = None
) -> Callable[[Edit, Match], str | None]:
    """Return an ``edit`` for a line of a group. The default group is 0, and default values are not stored."""

    def edit(edit: Edit, match: Match) -> str | None:
        group = match.get("group", 0)
        if match.negated or match.reset:
            _remove(edit.section, match, group)
            return None
        if group > _V1_MOST and _version(edit.section) == 1:
            return INVALID
        words = check(edit, match) if check is not None else None
        if match.text.endswith(" delay"):
            words = "% Incomplete command."
        if words is not None:
            return words
        text = _canonical(match)
        if default and text == f"standby {group} {default}":
            _remove_same(edit.section, match, group)
        else:
            edit.put(text)
        return None

    return edit


def _canonical(match: Match) -> str:
    text = match.text if "group" in match.args else match.text.replace("standby", "standby 0", 1)
    return text.replace(" authentication text ", " authentication ")


def _remove(section: Section, match: Match, group: int) -> None:
    """Remove the entries of the group that match the words of a ``no`` line."""
    typed = {name: value for name, value in match.args.items() if name != "group"}
    for entry in [e for e in section if e.match.known is match.known and e.get("group", 0) == group]:
        if match.words <= entry.match.words | {"text"} and all(
            entry.get(name) == value for name, value in typed.items()
        ):
            section.remove(entry)


def _remove_same(section: Section, match: Match, group: int) -> None:
    section.remove(*(e for e in section if e.match.known is match.known and e.get("group", 0) == group))


def _remove_group(edit: Edit, match: Match) -> str | None:
    """Remove the whole group (``no standby 1``, ``no vrrp 1``)."""
    if not match.negated:
        return "% Incomplete command."
    word = match.name.split()[0]
    edit.section.remove(*(e for e in edit.section if e.name.split()[0] == word and e.get("group") == match["group"]))
    return None


def _version(section: Section) -> int:
    entry = section.get("standby version")
    return int(entry["version"]) if entry else 1


def _set_version(edit: Edit, match: Match) -> str | None:
    high = [e for e in edit.section if e.name.startswith("standby") and (e.get("group") or 0) > _V1_MOST]
    if high and (match.negated or match["version"] == "1"):
        return "% HSRP version cannot be set to 1, groups above 255 are configured"
    return edit.keep(match)


def _check_address(edit: Edit, match: Match) -> str | None:
    address = match.get("address")
    if address is not None and (IPv4Address(address).is_multicast or int(IPv4Address(address)) in {0, 2**32 - 1}):
        return "% Invalid IP address"
    for entry in edit.section.all("ip address"):
        if address is not None and entry.get("address") == address and match.name == "standby ip":
            return "% Address cannot equal interface IP address"
    group, name = match.get("group", 0), match.name
    for other, body in edit.config.sections("interface"):
        for entry in body.all(name) if Interface("", body).vrf == Interface("", edit.section).vrf else ():
            same = body is edit.section and entry.get("group") == group
            if address is not None and entry.get("address") == address and not same:
                return f"% {address} is already in use by group {entry['group']} on {other['name']}"
    return None


# -- grammar ---------------------------------------------------------------------------------------------------------


def _hsrp_command(
    words: str, default: str = "", check: Callable[[Edit, Match], str | None] | None = None, **more: Any
) -> Command:
    name = "standby " + words.split(maxsplit=1)[0]
    return setting(f"{_GROUP} {words}", name=name, edit=_standby(default, check), mode="if", **more)


def _vrrp_command(words: str, name: str, **more: Any) -> Command:
    return setting(f"vrrp {{group!:1-255}} {words}", name=f"vrrp {name}", mode="if", **more)


def _vrrp_priority(edit: Edit, match: Match) -> str | None:
    if not match.negated and not match.reset and match["priority"] == 100:
        _remove_same(edit.section, match, match["group"])
        return None
    return edit.keep(match)


def _vrrp_preempt(edit: Edit, match: Match) -> str | None:
    """Store ``vrrp preempt``, which is on by default."""
    plain = not match.negated and "minimum" not in match.args
    edit.section.remove(*(e for e in edit.section if e.name == "vrrp preempt" and e.get("group") == match["group"]))
    if match.negated:
        edit.put(f"no vrrp {match['group']} preempt")
    elif not plain and not match.reset:
        edit.put(match.text)
    return None


def _vrrp_text(edit: Edit, match: Match) -> str | None:
    text = match.text.replace(" authentication text ", " authentication ")
    return edit.keep(edit.read(text, like=match) if match.whole else match)


_STANDBY = table(
    setting("standby version {version:hsrpversion}", "HSRP version", default="standby version 1", edit=_set_version),
    ("standby use-bia", "Hot standby uses interface's burned in address"),
    setting(
        "standby delay < minimum {minimum:0-10000} | reload {reload:0-10000} >+",
        check=lambda _, match: None if match.args else "% Incomplete command.",
        marked="groups start as soon as their interface is up",
    ),
    setting(
        "standby ( redirect | redirects )",
        name="standby redirect",
        keeps_no=True,
        marked="hosts are not redirected by group",
    ),
    setting("standby mac-refresh {seconds:0-255}", marked="hellos refresh the switches"),
    setting("standby {group!:0-4095}", name="standby group", edit=_remove_group),
    _hsrp_command(
        "ip ^ [ {address!:ipv4} [ secondary ] ]",
        check=_check_address,
        help="Enable HSRP and set the virtual IP address",
    ),
    _hsrp_command("priority {priority:0-255}", "priority 100", help="Priority level"),
    _hsrp_command(
        "preempt [ delay < minimum {minimum:0-3600} | reload {reload:0-3600} | sync {sync:0-3600} >+ ]",
        help="Overthrow lower priority Active routers",
    ),
    _hsrp_command(
        "timers ( msec {hello_ms:15-999} | {hello_s:1-254} ) ( msec {hold_ms:50-3000} | {hold_s:1-255} )",
        "timers 3 10",
        help="Hello and hold timers",
    ),
    _hsrp_command(
        "authentication ( md5 key-string ( 7 {hidden:word} | [ 0 ] {plain:word} ) [ timeout {timeout:0-32767} ] | ["
        " text ] {text:hsrptext} )",
        "authentication cisco",
        help="Authentication",
    ),
    _hsrp_command(
        "track ( {object!:1-1000} | {interface!:interface} ) [ decrement {decrement:1-255} | shutdown | {lost:1-255} ]",
        help="Priority tracking",
    ),
    _hsrp_command("name {label:word}", help="Redundancy name string"),
    _hsrp_command("mac-address {mac:mac}", help="Virtual MAC address"),
    mode="if",
)

_VRRP = table(
    setting("vrrp {group!:1-255}", name="vrrp group", edit=_remove_group, mode="if"),
    _vrrp_command(
        "ip ^ {address:ipv4}",
        "ip",
        check=_check_address,
        help="Enable Virtual Router Redundancy Protocol (VRRP) for IP",
    ),
    _vrrp_command("priority {priority:1-254}", "priority", edit=_vrrp_priority, help="Priority of this VRRP group"),
    _vrrp_command(
        "preempt [ delay minimum {minimum:0-3600} ]",
        "preempt",
        edit=_vrrp_preempt,
        help="Enable preemption of lower priority Master",
    ),
    _vrrp_command(
        "timers advertise ( msec {ms:50-999} | {seconds:1-255} )",
        "timers advertise",
        help="Set the Advertisement timer",
    ),
    _vrrp_command("timers learn", "timers learn", help="Learn timer values from current Master"),
    _vrrp_command(
        "authentication [ text ] {text:hsrptext}", "authentication", edit=_vrrp_text, help="Authentication string"
    ),
    _vrrp_command("track {object!:1-1000} [ decrement {decrement:1-255} ]", "track", help="Event Tracking"),
    _vrrp_command("description {text:line}", "description", help="Group specific description"),
    _vrrp_command("shutdown", "shutdown", help="Disable VRRP Configuration"),
)

COMMANDS = (
    *_STANDBY,
    *_VRRP,
)
