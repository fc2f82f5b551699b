"""The events of FRR's daemons as messages of IOS. Pure: it reads what the daemons wrote to their logs."""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import strptime

from pytest_netbench.dialects.cisco_ios import interfaces

DAEMONS = ("zebra", "ospfd", "bgpd")
"""The daemons whose logs have events."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message of the log. ``time`` is that of the lab, in seconds since 1970."""

    time: float
    facility: str
    severity: int
    mnemonic: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a daemon's log."""

    time: float
    text: str


_Words = tuple[str, int, str, str]
"""Facility, severity, mnemonic and text."""

_LINE = re.compile(r"(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)(\.\d+)? \w+: (?:\[[0-9A-Z-]+\])?(?:\[EC \d+\])? ?(.*)")
_LINK = re.compile(r"MESSAGE: ZEBRA_INTERFACE_(UP|DOWN) (\S+) ")
_OSPF = re.compile(r"AdjChg: Nbr ([^\s,(]+)(?:, NbrIP \S+ )?\((\S+?)\) on ([^:\s]+):\S+: (\S+) -> (\S+) \((\S+)\)")
_OSPF_RULE = re.compile(r"netbench: (.+): router (\S+), address (\S+), interface (\S+)")
"""By ``native/adjacencies.c``."""
_BGP_PEER = r"(?P<peer>[0-9a-fA-F.:]+)(?:\([^)]*\))?"
_BGP = re.compile(rf"%ADJCHANGE: neighbor {_BGP_PEER} in vrf (?P<vrf>\S+) (?P<way>Up|Down)(?: (?P<why>.*))?")
_NOTICE = re.compile(
    rf"%NOTIFICATION(?:\(Hard Reset\))?: (?P<way>sent to|received from) neighbor {_BGP_PEER}"
    r" (?P<code>\d+/\d+) \([^)]*\) (?P<rest>\d+ bytes)"
)
_LIMIT = re.compile(rf"%MAXPFX: No\. of (?P<family>\S+) \S+ prefix received from {_BGP_PEER} reaches (\d+), max (\d+)")
_EXCESS = re.compile(
    rf"%MAXPFXEXCEED: No\. of (?P<family>\S+) \S+ prefix received from {_BGP_PEER} (\d+) exceed, limit (\d+)"
)
_NSM = {"2-Way": "2WAY", "Deleted": "DOWN"}
_NEW = frozenset({"DOWN", "ATTEMPT", "INIT"})
_OSPF_REASONS = {
    "LoadingDone": "Loading Done",
    "ExchangeDone": "Exchange Done",
    "KillNbr": "Neighbor Down: Interface down or detached",
    "LLDown": "Neighbor Down: Too many retransmissions",  # only by native/adjacencies.c
    "InactivityTimer": "Neighbor Down: Dead timer expired",
    "1-WayReceived": "1-Way",
    "SeqNumberMismatch": "Seq Number Mismatch",
    "BadLSReq": "Bad LS Req",
    "AdjOK?": "Adjacency forced to reset",
}
_BGP_REASONS = {
    "Interface down": "Interface flap",
    "Neighbor address lost": "Interface flap",
    "BGP Notification send": "BGP Notification sent",
    "No path to specified Neighbor": "No route to peer",
}
# other notifications come from the way in which FRR opens sessions; a device does not have them
_NOTIFICATIONS = {
    "2/2": "peer in wrong AS",
    "4/0": "hold time expired",
    "6/1": "Maximum Number of Prefixes Reached",
    "6/2": "Administrative Shutdown",
    "6/3": "Peer De-configured",
    "6/4": "Administrative Reset",
}


def lines(text: str, *, after: str = "") -> Iterator[Line]:
    """Return the lines of a log that follow the line ``after``; all of them if it is no longer there.

    Lines without a fraction of a second are from before the log was told to write it, and have no events.
    """
    start = text.rfind(f"{after}\n") if after else -1
    for line in text[start + len(after) + 1 if start >= 0 else 0 :].splitlines():
        found = _LINE.match(line)
        if found is not None and found[2]:
            moment = timegm(strptime(found[1], "%Y/%m/%d %H:%M:%S")) + float(found[2])
            yield Line(time=moment, text=found[3])


@dataclass(frozen=True, kw_only=True)
class DeviceNames:
    """What messages say beyond the daemon's line.

    Args:
        is_shut: Whether an interface was administratively down at a time.
        is_change: Whether a link was in the other state before it goes up (``True``) or down.
        ospf_process: The process ID of the OSPF process of a VRF; "default" is the global one.
        vrf_of: The VRF of an interface.
    """

    is_shut: Callable[[str, float], bool]
    is_change: Callable[[str, bool], bool]
    ospf_process: Callable[[str], int]
    vrf_of: Callable[[str], str]


def messages(found: Iterable[Line], known: DeviceNames) -> Iterator[Message]:
    """Return IOS's messages for lines of a daemon's log."""
    for line in found:
        for facility, severity, mnemonic, text in _words(line, known):
            yield Message(time=line.time, facility=facility, severity=severity, mnemonic=mnemonic, text=text)


def _words(line: Line, known: DeviceNames) -> Iterator[_Words]:
    text = line.text
    if (found := _LINK.match(text)) is not None:
        name = interfaces.from_kernel(found[2])
        if name is not None and "." not in name and known.is_change(name, found[1] == "UP"):
            yield from _link(name, found[1].lower(), shut=known.is_shut(name, line.time))
    elif (found := _OSPF.match(text)) is not None:
        yield from _ospf(found, known.ospf_process(found[2]))
    elif (found := _OSPF_RULE.match(text)) is not None:
        yield from _ospf_rule(found, known)
    elif (found := _BGP.match(text)) is not None:
        vrf = "" if found["vrf"] == "default" else f"vpn vrf {found['vrf']} "
        why = _BGP_REASONS.get(found["why"] or "", found["why"] or "")
        yield "BGP", 5, "ADJCHANGE", f"neighbor {_peer(found)} {vrf}{found['way']} {why}"
    elif (found := _NOTICE.match(text)) is not None and found["code"] in _NOTIFICATIONS:
        words = f"{found['way']} neighbor {_peer(found)} {found['code']} ({_NOTIFICATIONS[found['code']]})"
        yield "BGP", 3, "NOTIFICATION", f"{words} {found['rest']}"
    elif (found := _LIMIT.match(text)) is not None:
        yield "BGP", 4, "MAXPFX", f"{_prefixes(found)} reaches {found[3]}, max {found[4]}"
    elif (found := _EXCESS.match(text)) is not None:
        yield "BGP", 3, "MAXPFXEXCEED", f"{_prefixes(found)}: {found[3]} exceeds limit {found[4]}"


def _link(name: str, state: str, *, shut: bool) -> Iterator[_Words]:
    if not name.startswith("Loopback"):
        if state == "down" and shut:
            yield "LINK", 5, "CHANGED", f"Interface {name}, changed state to administratively down"
        else:
            yield "LINK", 3, "UPDOWN", f"Interface {name}, changed state to {state}"
    yield "LINEPROTO", 5, "UPDOWN", f"Line protocol on Interface {name}, changed state to {state}"


def _ospf(found: re.Match[str], process: int) -> Iterator[_Words]:
    former, state = (_NSM.get(word, word.upper()) for word in (found[4], found[5]))
    # without "detail" IOS reports full adjacencies and those that end
    if "FULL" not in {former, state} and (state != "DOWN" or former in _NEW):
        return
    name = interfaces.from_kernel(found[3]) or found[3].replace("VLINK", "OSPF_VL")
    reason = _OSPF_REASONS.get(found[6], found[6])
    words = f"Process {process}, Nbr {found[1]} on {name} from {former} to {state}, {reason}"
    yield "OSPF", 5, "ADJCHG", words


def _ospf_rule(found: re.Match[str], known: DeviceNames) -> Iterator[_Words]:
    what, router, address = found[1], found[2], found[3]
    name = interfaces.from_kernel(found[4]) or found[4]
    if what == "hello of the backbone":
        why = "mismatched area ID, from backbone area must be virtual-link but not found"
        yield "OSPF", 4, "ERRRCV", f"Received invalid packet: {why} from {address}, {name}"
    elif what == "ignored long enough":
        process = known.ospf_process(known.vrf_of(name))
        words = f"Process {process}, Nbr {router} on {name} from DOWN to DOWN, Neighbor Down: Ignore timer expired"
        yield "OSPF", 5, "ADJCHG", words


def _peer(found: re.Match[str]) -> str:
    return str(found["peer"]).upper()


def _prefixes(found: re.Match[str]) -> str:
    return f"Number of prefixes received from {_peer(found)} (afi {0 if found['family'] == 'IPv4' else 1})"
