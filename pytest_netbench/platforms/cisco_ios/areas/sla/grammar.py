"""The grammar of the area ``sla``: its commands and how lines are stored."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_SLA, _TRACK = "ip-sla", "track"

_RUNNING = (
    "Entry already running and cannot be modified\n\t(only can delete (no) and start over)\n"
    "\t(check to see if the probe has finished exiting)"
)

_CHANGED = "% Cannot change tracked object {} - delete old config first"

_NO_REACTION = "traps are not sent: track the operation instead"

_DEFAULT = {"frequency": 60, "timeout": 5000, "threshold": 5000}


# -- operations ------------------------------------------------------------------------------------------------------


def _open_operation(edit: Edit, match: Match) -> str | None:
    number = match["number"]
    schedule = edit.config.get("ip sla schedule", number=number)
    if match.negated or match.reset:
        if schedule is not None:
            edit.config.remove(schedule)
    elif schedule is not None and edit.config.has("ip sla", number=number):
        return _RUNNING
    return edit.keep(match)


def _schedule(edit: Edit, match: Match) -> str | None:
    if not match.negated and not match.reset:
        if not match.has("life") and not match.has("start-time"):
            return "% Incomplete command."
        operation = edit.config.get("ip sla", number=match["number"])
        if operation is None or not operation.body.has("icmp-echo"):
            return "%Entry not configured"
    return edit.keep(match)


def _needs_echo(edit: Edit, match: Match) -> str | None:
    """Refuse lines of an operation before its type, and inconsistent times."""
    if not edit.section.has("icmp-echo"):
        return INVALID
    times = {name: _time(edit.section, name) for name in _DEFAULT}
    if match.name in times:
        times[match.name] = int(match["value"])
    if edit.booting:
        return None
    if times["timeout"] < times["threshold"]:
        word = (
            "Threshold to be greater than Timeout" if match.name == "threshold" else "Timeout to be less than Threshold"
        )
        return f"%Illegal Value: Cannot set {word}"
    if times["frequency"] * 1000 < times["timeout"]:
        word = (
            "Timeout to be greater than Frequency" if match.name == "timeout" else "Frequency to be less than Timeout"
        )
        return f"%Illegal Value: Cannot set {word}"
    return None


def _time(section: Section, name: str) -> int:
    entry = section.get(name)
    return int(entry["value"]) if entry else _DEFAULT[name]


def _echo(edit: Edit, match: Match) -> str | None:
    known = edit.section.get("icmp-echo")
    if match.negated or match.reset:
        # removing the type removes its options
        edit.section.entries.clear()
        return None
    if known is not None and known.text != match.text:
        return _RUNNING.partition("\n")[0]
    return edit.keep(match)


def _prompt(entry: Entry) -> str:
    return "config-ip-sla-echo" if entry.body.has("icmp-echo") else "config-ip-sla"


# -- tracked objects -------------------------------------------------------------------------------------------------


def _other_spelling(match: Match) -> str:
    """Return the canonical spelling to store; "" if the line has it already."""
    if "network" in match.args:
        network = IPv4Network(match["network"], strict=False)
        return f"track {match['number']} ip route {network.network_address} {network.netmask} reachability"
    return match.text.replace(" rtr ", " ip sla ") if match.has("rtr") else ""


def _open_track(edit: Edit, match: Match) -> str | None:
    text = _other_spelling(match)
    if text and not match.negated and not match.reset:
        found = edit.config.get("track", number=match["number"])
        if found is None:
            edit.opened.append(edit.put(text))
            return None
        edit.opened.append(found)
        return None if found.text == text else _CHANGED.format(match["number"])
    known = edit.config.get("track", number=match["number"])
    if known is not None and not match.negated and not match.reset and known.text != match.text:
        return _CHANGED.format(match["number"])
    return edit.keep(match)


def _reopen_track(edit: Edit, match: Match) -> str | None:
    known = edit.config.get("track", number=match["number"])
    if match.negated:
        if known is not None:
            edit.config.remove(known)
        return None
    if known is None:
        return "% Incomplete command."
    edit.opened.append(known)
    return None


def _needs_threshold(edit: Edit, match: Match) -> str | None:
    parent = edit.section.parent
    kind = "weight" if match.has("weight") else "percentage"
    return None if parent is not None and parent.has("threshold") and parent.has(kind) else INVALID


def _needs_list(edit: Edit, _match: Match) -> str | None:
    parent = edit.section.parent
    return None if parent is not None and parent.has("list") else INVALID


# -- grammar ---------------------------------------------------------------------------------------------------------


def _line(pattern: str, default: str = "", **more: Any) -> Command:
    return setting(pattern, default=(default,) if default else (), check=_needs_echo, mode=_SLA, **more)


def _tracked(pattern: str, **more: Any) -> Command:
    return setting(f"track {{number!:1-1000}} ^ {pattern}", name="track", opens=_TRACK, edit=_open_track, **more)


COMMANDS = table(
    setting("ip sla {number!:1-2147483647}", "IP Service Level Agreement", opens=_SLA, edit=_open_operation),
    setting(
        (
            "ip sla schedule {number!:1-2147483647} < life ( forever | {life:0-2147483647} ) | start-time ( now |"
            " pending | after {after:hhmmss} ) | ageout {ageout:0-2073600} | recurring >"
        ),
        "IP SLAs Entry Scheduling",
        edit=_schedule,
    ),
    setting("ip sla logging traps", marked=_NO_REACTION),
    setting("ip sla enable reaction-alerts", marked=_NO_REACTION),
    setting("ip sla reaction-configuration {number!:1-2147483647} {rest:line}", marked=_NO_REACTION),
    setting("ip sla responder", marked="this platform has only icmp-echo operations, which need no responder"),
    setting(
        "icmp-echo {target:ipv4} [ source-ip {source:ipv4} | source-interface {interface:interface} ]",
        "ICMP Echo Operation",
        edit=_echo,
        mode=_SLA,
    ),
    _line("frequency {value:1-604800}", "frequency 60", help="Frequency of an operation"),
    _line("timeout {value:0-604800000}", "timeout 5000", help="Timeout of an operation"),
    _line("threshold {value:0-60000}", "threshold 5000", help="Operation threshold in milliseconds"),
    _line("request-data-size {value:0-16384}", "request-data-size 28", help="Request data size"),
    _line("tos {value:0-255}", "tos 0", help="Type Of Service"),
    _line("tag {tag:line}", help="User defined tag"),
    _line("owner {owner:line}", help="Owner of Entry"),
    setting(
        "track {number!:1-1000}",
        "Object tracking configuration commands",
        name="track again",
        opens=_TRACK,
        edit=_reopen_track,
    ),
    _tracked("ip sla {operation:1-2147483647} [ reachability | state ]"),
    _tracked("rtr {operation:1-2147483647} [ reachability | state ]"),
    _tracked("interface {interface:interface} ( line-protocol | ip routing )"),
    _tracked("ip route ( {prefix:ipv4} {mask:mask} | {network:prefix} ) reachability"),
    _tracked("list boolean ( and | or )"),
    _tracked("list threshold ( weight | percentage )"),
    setting(
        (
            "threshold ( weight up {up:1-255} [ down {down:0-255} ] | percentage up {up_percent:0-100} [ down"
            " {down_percent:0-100} ] )"
        ),
        "Tracking thresholds",
        check=_needs_threshold,
        mode=_TRACK,
    ),
    setting("delay < up {up:0-180} | down {down:0-180} >+", "Tracking delay", mode=_TRACK),
    setting(
        "object {object!:1-1000} [ not | weight {weight:1-255} ]", "Tracked object", check=_needs_list, mode=_TRACK
    ),
    setting("default-state ( up | down )", marked="an object always has its measured state", mode=_TRACK),
)

MODES = (
    Mode(name=_SLA, prompt=_prompt, help="IP SLA operation"),
    Mode(name=_TRACK, prompt="config-track", help="tracked object"),
)

TYPES = {"hhmmss": matching("hh:mm:ss", r"\d{1,2}:[0-5]\d:[0-5]\d")}
