"""Compile the lines of the area ``fhrp``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.fhrp.grammar import _version
from pytest_netbench.platforms.cisco_ios.compile.context import BOOTING, Context, Interface
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_NOT_SEEN = "a group tracks interfaces of its own VRF, and objects in the global table alone"


# -- compilation -----------------------------------------------------------------------------------------------------


def compile_fhrp(context: Context) -> None:
    """Add the HSRP and VRRP groups of the config."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for one in context.interfaces:
        for entry in one.section.all("standby track", "vrrp track"):
            if not _is_seen(context, one, _track(entry)):
                context.unsupported(entry, _NOT_SEEN)
        for kind, groups in (("hsrp", _hsrp(one)), ("vrrp", _vrrp(one))):
            for group in groups:
                tracks = [track for track in group["tracks"] if _is_seen(context, one, track)]
                found.setdefault(one.vrf, {"hsrp": [], "vrrp": []})[kind].append({**group, "tracks": tracks})
    for vrf, both in found.items():
        wait = {"wait": True} if context.facts.live.get(BOOTING) else {}
        context.state.services[f"fhrp@{vrf}" if vrf else "fhrp"] = {**both, **wait}


def _is_seen(context: Context, one: Interface, track: Mapping[str, Any]) -> bool:
    """Whether the group's process can observe a tracked item: links of its VRF, objects of the global table."""
    if "object" in track:
        return not one.vrf
    other = context.interface(track["label"])
    return other is None or other.vrf == one.vrf


def _hsrp(one: Interface) -> Iterable[dict[str, Any]]:
    section = one.section
    for number in sorted({int(entry["group"]) for entry in section.all("standby ip")}):
        lines = _Lines(section, "standby", number)
        entries = lines.all("ip")
        primary = next((e for e in entries if not e.has("secondary")), None)
        timers, secret = lines.get("timers"), lines.get("authentication")
        mac = lines.get("mac-address")
        yield {
            **_common(one, number, lines),
            "version": _version(section),
            "address": str(primary.get("address") or "") if primary else "",
            "secondary": [str(e["address"]) for e in entries if e.has("secondary")],
            "preempt": lines.get("preempt") is not None,
            "hello_ms": _milliseconds(timers, "hello", 3),
            "hold_ms": _milliseconds(timers, "hold", 10),
            "text": str(secret["text"]) if secret and "text" in secret.match.args else "cisco",
            "md5": _key(secret),
            "mac": str(mac["mac"]) if mac else "bia" if section.has("standby use-bia") else "",
        }


def _vrrp(one: Interface) -> Iterable[dict[str, Any]]:
    section = one.section
    for number in sorted({int(entry["group"]) for entry in section.all("vrrp ip")}):
        lines = _Lines(section, "vrrp", number)
        if lines.get("shutdown") is not None:
            continue
        interval, secret = lines.get("timers advertise"), lines.get("authentication")
        address = lines.get("ip")
        yield {
            **_common(one, number, lines),
            "address": str(address["address"]) if address else "",
            "preempt": not any(e.negated and e.name == "vrrp preempt" and e.get("group") == number for e in section),
            "interval_s": _interval(interval),
            "learn": lines.get("timers learn") is not None,
            "text": str(secret["text"]) if secret else "",
        }


def _interval(entry: Entry | None) -> float:
    if entry is None:
        return 1
    return int(entry["seconds"]) if "seconds" in entry.match.args else int(entry["ms"]) / 1000


def _common(one: Interface, number: int, lines: _Lines) -> dict[str, Any]:
    priority, preempt = lines.get("priority"), lines.get("preempt")
    return {
        "interface": one.kernel,
        "label": one.name,
        "group": number,
        "priority": int(priority["priority"]) if priority else 100,
        "preempt_delay_s": int(preempt.get("minimum") or 0) if preempt else 0,
        "tracks": [_track(entry) for entry in lines.all("track")],
    }


class _Lines:
    """The lines of one group."""

    def __init__(self, section: Section, word: str, number: int) -> None:
        self._section, self._word, self._number = section, word, number

    def all(self, name: str) -> list[Entry]:
        return [e for e in self._section.all(f"{self._word} {name}") if e.get("group") == self._number]

    def get(self, name: str) -> Entry | None:
        return next(iter(self.all(name)), None)


def _milliseconds(entry: Entry | None, name: str, default_s: int) -> int:
    if entry is None:
        return default_s * 1000
    if f"{name}_ms" in entry.match.args:
        return int(entry[f"{name}_ms"])
    return int(entry[f"{name}_s"]) * 1000


def _key(entry: Entry | None) -> str:
    if entry is None or not entry.has("md5"):
        return ""
    hidden = entry.get("hidden")
    return passwords.revealed(str(hidden)) if hidden is not None else str(entry["plain"])


def _track(entry: Entry) -> Mapping[str, Any]:
    what: dict[str, Any] = {"object": int(entry["object"])} if "object" in entry.match.args else {}
    if "interface" in entry.match.args:
        what = {"link": interfaces.kernel_name(entry["interface"]), "label": str(entry["interface"])}
    lost = entry.get("decrement") or entry.get("lost") or 10
    return {**what, "decrement": 0 if entry.has("shutdown") else int(lost), "shutdown": entry.has("shutdown")}
