"""Compile the lines of the area ``sla``."""

from __future__ import annotations

from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.apply.frr import speaker_of
from pytest_netbench.platforms.cisco_ios.areas.sla.grammar import _time
from pytest_netbench.platforms.cisco_ios.areas.static import frr_line
from pytest_netbench.platforms.cisco_ios.compile.context import Context, mask_length
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

# -- compilation -----------------------------------------------------------------------------------------------------


def compile_sla(context: Context) -> None:
    """Add the operations, tracked objects and tracked routes of the config."""
    operations = [
        found for entry, body in context.config.sections("ip sla") if (found := _operation(context, entry, body))
    ]
    tracks = [_track(entry, body) for entry, body in context.config.sections("track")]
    for entry in context.config.all("track"):
        other = context.interface(str(entry["interface"])) if entry.has("interface") else None
        if other is not None and other.vrf:
            context.unsupported(entry, "interfaces of a VRF are not tracked: the object stays down")
    routes = [_route(entry) for entry in context.config.all("ip route") if _is_tracked(entry)]
    if routes:
        context.state.frr.lines.setdefault("staticd", {})
    if operations or tracks:
        context.state.services["sla"] = {"operations": operations, "tracks": tracks, "routes": routes}


def _operation(context: Context, entry: Entry, body: Section) -> dict[str, Any]:
    echo = body.get("icmp-echo")
    if echo is None:
        return {}
    schedule = context.config.get("ip sla schedule", number=entry["number"])
    scheduled = schedule is not None and (schedule.has("now") or "after" in schedule.match.args)
    life = schedule.get("life") if schedule is not None else None
    size, tos = body.get("request-data-size"), body.get("tos")
    return {
        "number": int(entry["number"]),
        "target": str(echo["target"]),
        "source": str(echo.get("source") or ""),
        "interface": interfaces.kernel_name(echo["interface"]) if "interface" in echo.match.args else "",
        "frequency_s": _time(body, "frequency"),
        "timeout_ms": _time(body, "timeout"),
        "threshold_ms": _time(body, "threshold"),
        "size": int(size["value"]) if size else 28,
        "tos": int(tos["value"]) if tos else 0,
        "scheduled": scheduled,
        "start_s": _seconds(str(schedule["after"])) if schedule is not None and "after" in schedule.match.args else 0,
        "life_s": None if schedule is not None and schedule.has("forever") else int(life) if life is not None else 3600,
    }


def _seconds(text: str) -> int:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _track(entry: Entry, body: Section) -> dict[str, Any]:
    delay = body.get("delay")
    common = {
        "number": int(entry["number"]),
        "delay_up_s": int(delay.get("up") or 0) if delay else 0,
        "delay_down_s": int(delay.get("down") or 0) if delay else 0,
    }
    if entry.has("sla"):
        return {
            **common,
            "kind": "sla",
            "operation": int(entry["operation"]),
            "what": "reachability" if entry.has("reachability") else "state",
        }
    if entry.has("interface"):
        what = "line-protocol" if entry.has("line-protocol") else "ip routing"
        name = str(entry["interface"])
        return {**common, "kind": "link", "link": interfaces.kernel_name(name), "label": name, "what": what}
    if entry.has("route"):
        return {**common, "kind": "route", "prefix": f"{entry['prefix']}/{mask_length(entry['mask'])}"}
    objects = [
        [int(member["object"]), member.has("not"), int(member.get("weight") or 1)] for member in body.all("object")
    ]
    if entry.has("threshold"):
        kind = "weight" if entry.has("weight") else "percentage"
        line = body.get("threshold")
        suffix = "" if kind == "weight" else "_percent"
        up = int(line[f"up{suffix}"]) if line and f"up{suffix}" in line.match.args else None
        down = line.get(f"down{suffix}") if line else None
        bounds = {"up": up, "down": up - 1 if down is None and up is not None else down}
        return {**common, "kind": "threshold", "what": kind, **bounds, "objects": objects}
    return {**common, "kind": "list", "boolean": "and" if entry.has("and") else "or", "objects": objects}


def _is_tracked(entry: Entry) -> bool:
    return entry.get("track") is not None


def _route(entry: Entry) -> dict[str, Any]:
    line = frr_line(entry) + (f" vrf {entry['vrf']}" if entry.get("vrf") else "")
    return {"track": int(entry["track"]), "daemon": speaker_of("staticd"), "up": line, "down": f"no {line}"}
