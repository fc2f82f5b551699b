"""``show standby`` and ``show vrrp``: the state of the service ``fhrp`` in IOS's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.grammar.types import matching
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed
from pytest_netbench.platforms.cisco_ios.shows.ports import cisco_mac

TYPES = {
    "hsrpversion": matching("<1-2>", "[12]"),
    "hsrptext": matching("WORD", r"\S{1,8}", "Authentication string"),
}
_Group = Mapping[str, Any]


def _groups(at: Exec, kind: str, match: Match) -> list[tuple[_Group, _Group]]:
    """Return configuration and report of each group that the command selects."""
    services = {name: one for name, one in at.device.applied.services.items() if name.partition("@")[0] == "fhrp"}
    groups = [group for one in services.values() for group in one[kind]]
    if not groups:
        return []
    told = [report for name in services for report in runner.state(at.node, name)[kind]]
    reports = {(report["interface"], report["group"]): report for report in told}
    wanted_interface, wanted_group = match.get("interface"), match.get("group")
    return [
        (group, reports[group["label"], group["group"]])
        for group in sorted(groups, key=lambda group: (interfaces.parse(group["label"]).sort_key, group["group"]))
        if wanted_interface in {None, group["label"]} and wanted_group in {None, group["group"]}
    ]


# -- HSRP ------------------------------------------------------------------------------------------------------------


def _standby(at: Exec, match: Match) -> str:
    names = {
        (interface.name, int(entry["group"])): str(entry["label"])
        for interface in at.device.context().interfaces
        for entry in interface.section.all("standby name")
    }
    lines: list[str] = []
    for config, report in _groups(at, "hsrp", match):
        lines += _standby_lines(config, report, names.get((config["label"], config["group"]), ""))
    return "".join(f"{line}\n" for line in lines)


def _standby_lines(config: _Group, report: _Group, name: str) -> Iterator[str]:
    version = config["version"]
    yield f"{config['label']} - Group {config['group']}" + (" (version 2)" if version == 2 else "")
    state = report["state"]
    yield f"  State is {state}" + (" (interface down)" if state == "Init" else "")
    changes = report["changes"]
    yield f"    {changes} state change{'' if changes == 1 else 's'}, last state change {elapsed(report['since_s'])}"
    yield f"  Virtual IP address is {report['address'] or 'unknown'}" + ("" if config["address"] else " (learnt)")
    for address in config["secondary"]:
        yield f"    Secondary virtual IP address {address}"
    active_mac = cisco_mac(report["mac"]) if report["active"] else "unknown"
    yield f"  Active virtual MAC address is {active_mac} (MAC {'In' if state == 'Active' else 'Not In'} Use)"
    kind = "bia" if config["mac"] == "bia" else "cfgd" if config["mac"] else f"v{version} default"
    yield f"    Local virtual MAC address is {cisco_mac(report['mac'])} ({kind})"
    yield f"  Hello time {_time(report['hello_ms'])}, hold time {_time(report['hold_ms'])}"
    if state in {"Speak", "Standby", "Active"}:
        yield f"    Next hello sent in {report['next_hello_s']:.3f} secs"
    if config["md5"]:
        yield "  Authentication MD5, key-string"
    elif config["text"] != "cisco":
        yield f'  Authentication text, string "{config["text"]}"'
    delay = f", delay min {config['preempt_delay_s']} secs" if config["preempt_delay_s"] else ""
    yield f"  Preemption {'enabled' if config['preempt'] else 'disabled'}{delay}"
    yield from _router("Active", report["active"], version)
    yield from _router("Standby", report["standby"], version)
    word = "default" if config["priority"] == 100 else "configured"
    yield f"  Priority {report['priority']} ({word} {config['priority']})"
    for track, up in zip(config["tracks"], report["tracks_up"], strict=True):
        yield f"    Track {_tracked(track)} state {'Up' if up else 'Down'}{_effect(track)}"
    short = interfaces.parse(config["label"]).short
    yield f'  Group name is "{name}" (cfgd)' if name else f'  Group name is "hsrp-{short}-{config["group"]}" (default)'


def _time(milliseconds: int) -> str:
    return f"{milliseconds // 1000} sec" if milliseconds % 1000 == 0 else f"{milliseconds} msec"


def _router(word: str, peer: Any, version: int) -> Iterator[str]:
    if peer is None or peer == "local":
        yield f"  {word} router is {peer or 'unknown'}"
        return
    left = f"(expires in {peer['left_s']:.3f} sec)"
    yield f"  {word} router is {peer['address']}, priority {peer['priority']} {left}"
    if word == "Active" and version == 2 and peer["mac"]:
        yield f"    MAC address is {cisco_mac(peer['mac'])}"


def _tracked(track: _Group) -> str:
    return f"object {track['object']}" if "object" in track else f"interface {track['label']}"


def _effect(track: _Group) -> str:
    return " shutdown" if track["shutdown"] else f" decrement {track['decrement']}"


def _standby_brief(at: Exec, match: Match) -> str:
    groups = _groups(at, "hsrp", match)
    lines = [
        "                     P indicates configured to preempt.",
        "                     |",
        "Interface   Grp  Pri P State   Active          Standby         Virtual IP",
    ]
    for config, report in groups:
        short = interfaces.parse(config["label"]).short
        preempt = "P" if config["preempt"] else " "
        active, standby = (_name(report[which]) for which in ("active", "standby"))
        lines.append(
            f"{short:<11} {config['group']:<4} {report['priority']:<3} {preempt} {report['state']:<7} {active:<15}"
            f" {standby:<15} {report['address'] or 'unknown'}"
        )
    return "\n".join(lines) + "\n"


def _name(peer: Any) -> str:
    return "unknown" if peer is None else peer if isinstance(peer, str) else str(peer["address"])


# -- VRRP ------------------------------------------------------------------------------------------------------------


def _vrrp(at: Exec, match: Match) -> str:
    return "".join("".join(f"{line}\n" for line in _vrrp_lines(*group)) for group in _groups(at, "vrrp", match))


def _vrrp_lines(config: _Group, report: _Group) -> Iterator[str]:
    yield f"{config['label']} - Group {config['group']}  "
    yield f"  State is {report['state']:<6}  "
    yield f"  Virtual IP address is {report['address']}"
    yield f"  Virtual MAC address is {cisco_mac(report['mac'])}"
    yield f"  Advertisement interval is {config['interval_s']:.3f} sec"
    yield f"  Preemption {'enabled' if config['preempt'] else 'disabled'}"
    delay = config["preempt_delay_s"]
    if delay:
        yield f"    Delay minimum {delay} secs"
    changed = f" (cfgd {config['priority']})" if report["priority"] != config["priority"] else ""
    yield f"  Priority is {report['priority']} {changed}".rstrip() + ("" if changed else " ")
    for track, up in zip(config["tracks"], report["tracks_up"], strict=True):
        yield f"    Track {_tracked(track)} state {'Up' if up else 'Down'}{_effect(track)}"
    if config["text"]:
        yield f'  Authentication text, string "{config["text"]}"'
    own = " (local)" if report["state"] == "Master" else ""
    yield f"  Master Router is {report['master'] or UNSPECIFIED}{own}, priority is {report['master_priority']} "
    yield f"  Master Advertisement interval is {report['master_interval_s'] or config['interval_s']:.3f} sec"
    left = f" (expires in {report['master_down_left_s']:.3f} sec)" if report["state"] == "Backup" else ""
    yield f"  Master Down interval is {report['master_down_s']:.3f} sec{left}"
    yield ""


def _vrrp_brief(at: Exec, match: Match) -> str:
    lines = ["Interface          Grp Pri Time  Own Pre State   Master addr     Group addr"]
    for config, report in _groups(at, "vrrp", match):
        short = interfaces.parse(config["label"]).short
        own, preempt = "Y" if report["owner"] else " ", "Y" if config["preempt"] else " "
        down = int(report["master_down_s"] * 1000)
        master = report["master"] or UNSPECIFIED
        lines.append(
            f"{short:<18} {config['group']:<3} {report['priority']:<3} {down:<5}  {own}   {preempt} "
            f" {report['state']:<7} {master:<15} {report['address']:<15}"
        )
    return "\n".join(lines) + "\n"


COMMANDS = (
    show(
        "standby [ {interface:interface} [ {group:0-4095} ] ] [ all ]",
        _standby,
        "Hot Standby Router Protocol (HSRP) information",
    ),
    show("standby [ {interface:interface} [ {group:0-4095} ] ] brief", _standby_brief, "Brief output"),
    show("vrrp [ all ]", _vrrp, "VRRP information"),
    show("vrrp interface {interface:interface}", _vrrp, "VRRP interface status and configuration"),
    show("vrrp brief [ all ]", _vrrp_brief, "Brief output"),
)
