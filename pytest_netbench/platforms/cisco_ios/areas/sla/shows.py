"""``show ip sla`` and ``show track``: the state of the service ``sla`` in IOS's format."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.shows.durations import elapsed

_Facts = Mapping[str, Any]


def _service(at: Exec) -> tuple[_Facts, _Facts]:
    """Return configuration and state of the service; empty if it does not run."""
    config = at.device.applied.services.get("sla")
    if config is None:
        return {"operations": [], "tracks": [], "routes": []}, {"operations": [], "tracks": []}
    return config, runner.state(at.node, "sla")


def _operations(at: Exec, match: Match) -> list[tuple[_Facts, _Facts]]:
    config, state = _service(at)
    reports = {report["number"]: report for report in state["operations"]}
    wanted = match.get("number")
    return [(one, reports[one["number"]]) for one in config["operations"] if wanted in {None, one["number"]}]


# -- operations ------------------------------------------------------------------------------------------------------


def _statistics(at: Exec, match: Match) -> str:
    lines = ["IPSLAs Latest Operation Statistics", ""]
    for config, report in _operations(at, match):
        lines += [f"IPSLA operation id: {config['number']}", *_result(report)]
        lines += [f"Operation time to live: {_life(config, report)}", ""]
    return "\n".join(lines) + "\n"


def _result(report: _Facts) -> Iterator[str]:
    if not report["started_at"]:
        yield from ("Number of successes: Unknown", "Number of failures: Unknown")
        return
    rtt = report["rtt_ms"]
    yield f"        Latest RTT: {'NoConnection/Busy/Timeout' if rtt is None else f'{_whole(rtt)} milliseconds'}"
    started_at = time.strftime("%H:%M:%S UTC %a %b %e %Y", time.gmtime(report["started_at"]))
    yield f"Latest operation start time: {started_at}"
    yield f"Latest operation return code: {report['code']}"
    yield f"Number of successes: {report['successes']}"
    yield f"Number of failures: {report['failures']}"


def _life(config: _Facts, report: _Facts) -> str:
    if not report["active"]:
        return "0"
    return "Forever" if config["life_s"] is None else f"{int(report['life_left_s'])} sec"


def _whole(milliseconds: float) -> int:
    return max(1, round(milliseconds))


def _summary(at: Exec, match: Match) -> str:
    lines = [
        "IPSLAs Latest Operation Summary",
        "Codes: * active, ^ inactive, ~ pending",
        "",
        "ID           Type        Destination       Stats       Return      Last",
        "                                           (ms)        Code        Run ",
        "-----------------------------------------------------------------------",
    ]
    for config, report in _operations(at, match):
        mark = "*" if report["active"] else "~" if not report["started_at"] else "^"
        rtt = "-" if report["rtt_ms"] is None else f"RTT={_whole(report['rtt_ms'])}"
        lines.append(
            f"{mark}{config['number']:<11} icmp-echo   {config['target']:<17} {rtt:<11} {report['code']:<11}"
            f" {_ago(at, report)}"
        )
    return "\n".join(lines) + "\n"


def _ago(at: Exec, report: _Facts) -> str:
    if not report["started_at"]:
        return "-"
    seconds = max(0, int(at.device.now - report["started_at"]))
    return f"{seconds} second{'' if seconds == 1 else 's'} ago"


def _configuration(at: Exec, match: Match) -> str:
    lines = ["IP SLAs Infrastructure Engine-III"]
    bodies = {int(entry["number"]): body for entry, body in at.config.sections("ip sla")}
    for config, report in _operations(at, match):
        body = bodies[config["number"]]
        owner, tag = body.get("owner"), body.get("tag")
        name = interfaces.from_kernel(config["interface"]) if config["interface"] else ""
        source = (
            f"interface: {config['target']}/{name}"
            if name
            else f"address: {config['target']}/{config['source'] or UNSPECIFIED}"
        )
        started = "Start Time already passed" if report["started_at"] or report["active"] else "Pending trigger"
        lines += [
            f"Entry number: {config['number']}",
            f"Owner: {owner['owner'] if owner else ''}",
            f"Tag: {tag['tag'] if tag else ''}",
            f"Operation timeout (milliseconds): {config['timeout_ms']}",
            "Type of operation to perform: icmp-echo",
            f"Target address/Source {source}",
            f"Type Of Service parameter: 0x{config['tos']:X}",
            f"Request size (ARR data portion): {config['size']}",
            "Verify data: No",
            "Vrf Name: ",
            "Schedule:",
            f"   Operation frequency (seconds): {config['frequency_s']}  (not considered if randomly scheduled)",
            f"   Next Scheduled Start Time: {started}",
            "   Group Scheduled : FALSE",
            "   Randomly Scheduled : FALSE",
            f"   Life (seconds): {'Forever' if config['life_s'] is None else config['life_s']}",
            "   Entry Ageout (seconds): never",
            "   Recurring (Starting Everyday): FALSE",
            f"   Status of entry (SNMP RowStatus): {'Active' if config['scheduled'] else 'notInService'}",
            f"Threshold (milliseconds): {config['threshold_ms']}",
            "",
        ]
    return "\n".join(lines) + "\n"


# -- tracked objects -------------------------------------------------------------------------------------------------


def _tracks(at: Exec, match: Match) -> tuple[list[tuple[_Facts, _Facts]], _Facts, _Facts]:
    config, state = _service(at)
    reports = {report["number"]: report for report in state["tracks"]}
    wanted = match.get("number")
    chosen = [one for one in config["tracks"] if wanted in {None, one["number"]}]
    pairs = [(one, reports[one["number"]]) for one in sorted(chosen, key=lambda one: one["number"])]
    return pairs, config, state


def _track(at: Exec, match: Match) -> str:
    pairs, config, state = _tracks(at, match)
    up = {report["number"]: report["up"] for report in state["tracks"]}
    results = {report["number"]: report for report in state["operations"]}
    lines: list[str] = []
    for one, report in pairs:
        changes = report["changes"]
        lines += [f"Track {one['number']}", f"  {_what(one)}", f"  {_verdict(one)} is {_word(report['up'])}"]
        lines.append(f"    {changes} change{'' if changes == 1 else 's'}, last change {elapsed(report['since_s'])}")
        lines += [
            f"    object {number}{' not' if negated else ''} {_word(up.get(number, False))}"
            for number, negated, _ in one.get("objects", ())
        ]
        lines += [*_delay(one), *_latest(results.get(one.get("operation")))]
        users = _users(at, one["number"], config)
        lines += ["  Tracked by:", *(f"    {user}" for user in users)] if users else []
    return "".join(f"{line}\n" for line in lines)


def _what(one: _Facts) -> str:
    if one["kind"] == "sla":
        return f"IP SLA {one['operation']} {one['what']}"
    if one["kind"] == "link":
        return f"Interface {one['label']} {one['what']}"
    if one["kind"] == "route":
        prefix, _, length = one["prefix"].partition("/")
        return f"IP route {prefix} {IPv4Network((0, int(length))).netmask} reachability"
    return f"List threshold {one['what']}" if one["kind"] == "threshold" else f"List boolean {one['boolean']}"


def _verdict(one: _Facts) -> str:
    words = {
        "reachability": "Reachability",
        "state": "State",
        "line-protocol": "Line protocol",
        "ip routing": "IP routing",
    }
    if one["kind"] == "list":
        return f"Boolean {one['boolean'].upper()}"
    if one["kind"] == "threshold":
        return f"Threshold {one['what'].capitalize()}"
    return words[one.get("what", "reachability")]


def _word(up: bool) -> str:
    return "Up" if up else "Down"


def _delay(one: _Facts) -> Iterator[str]:
    parts = [f"{word} {one[key]} secs" for word, key in (("up", "delay_up_s"), ("down", "delay_down_s")) if one[key]]
    if parts:
        yield "  Delay " + ", ".join(parts)


def _latest(result: _Facts | None) -> Iterator[str]:
    if result is not None:
        yield f"  Latest operation return code: {result['code']}"
        if result["rtt_ms"] is not None:
            yield f"  Latest RTT (millisecs) {_whole(result['rtt_ms'])}"


def _users(at: Exec, number: int, config: _Facts) -> list[str]:
    users = ["Static IP Routing 0"] if any(route["track"] == number for route in config["routes"]) else []
    redundancy = at.device.applied.services.get("fhrp", {"hsrp": (), "vrrp": ()})
    for kind in ("hsrp", "vrrp"):
        for group in redundancy[kind]:
            follows = any(track.get("object") == number for track in group["tracks"])
            users += [f"{kind.upper()} {group['label']} {group['group']}"] if follows else []
    users += [
        f"Track-list {one['number']}"
        for one in config["tracks"]
        if number in {member for member, *_ in one.get("objects", ())}
    ]
    return users


def _track_brief(at: Exec, match: Match) -> str:
    lines = ["Track Type        Instance                   Parameter        State Last Change"]
    for one, report in _tracks(at, match)[0]:
        kind, instance, parameter = _row(one)
        lines.append(
            f"{one['number']:<5} {kind:<11} {instance:<26} {parameter:<16} {_word(report['up']):<5}"
            f" {elapsed(report['since_s'])}"
        )
    return "\n".join(lines) + "\n"


def _row(one: _Facts) -> tuple[str, str, str]:
    if one["kind"] == "sla":
        return "ip sla", str(one["operation"]), one["what"]
    if one["kind"] == "link":
        return "interface", one["label"], one["what"]
    if one["kind"] == "route":
        return "ip route", one["prefix"], "reachability"
    return "list", "", "boolean" if one["kind"] == "list" else "threshold"


COMMANDS = (
    show("ip sla statistics [ {number:1-2147483647} ] [ details ]", _statistics, "IP SLAs Statistics"),
    show("ip sla summary", _summary, "IP SLAs Statistics Summary"),
    show("ip sla configuration [ {number:1-2147483647} ]", _configuration, "IP SLAs Configuration"),
    show("track [ {number:1-1000} ]", _track, "Tracking information"),
    show("track brief", _track_brief, "Brief tracking information"),
)
