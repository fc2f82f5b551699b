"""``ping`` and ``traceroute``: run the machine's programs and print their results in IOS's format."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.cisco_ios.device.exec import Exec, Interrupted
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action

_REPLY = re.compile(r"icmp_seq=(\d+).*time=([\d.]+) ms")

_REFUSAL = re.compile(r"icmp_seq=(\d+) (.*)")

_HOP = re.compile(r"\s*(\d+)\s+(.*)")

_LEAST_WAIT_S = 0.5

_BETWEEN_S = 0.01

_PER_ROW = 70

_FIRST_BATCH = 5

_ICMP_HEADER = 28

_MARKS = {"!X": "!A", "!N": "!N", "!H": "!H", "!P": "!P"}


def _ping(at: Exec, match: Match) -> Iterator[str]:
    if match.get("vrf") and match["vrf"] not in at.device.applied.vrfs:
        yield f"% VRF {match['vrf']} does not exist\n"
        return
    target = _resolve(at, match["target"])
    if target is None:
        yield "% Unrecognized host or address, or protocol not running.\n"
        return
    source = _source(at, match)
    if source == "":
        yield "% Invalid source interface - IP not enabled or interface is down\n"
        return
    six = ":" in target
    repeat, size, wait = match.get("repeat", 5), match.get("size", 100), match.get("timeout", 2)
    yield "Type escape sequence to abort.\n"
    yield (
        f"Sending {repeat}, {size}-byte ICMP Echos to {target.upper() if six else target}, timeout is {wait} seconds:\n"
    )
    if source is not None:
        yield f"Packet sent with a source address of {source} \n"
    if match.has("df-bit"):
        yield "Packet sent with the DF bit set\n"
    wait_s = max(_LEAST_WAIT_S, wait / at.node.time_scale)
    options = ["-s", str(max(0, size - (48 if six else _ICMP_HEADER))), *(["-M", "do"] if match.has("df-bit") else [])]
    options += ["-I", source] if source else []

    def send(count: int, timeout_s: float) -> str:
        argv = ["ping", "-6" if six else "-4", "-n", "-O", "-c", str(count), "-i", str(_BETWEEN_S), "-W", f"{wait_s:g}"]
        return _run(at, match, [*argv, *options, target], timeout_s).stdout

    yield from marks_of(repeat, send, at.limits.timeout_s)


def marks_of(repeat: int, send: Callable[[int, float], str], timeout_s: float) -> Iterator[str]:
    """Yield the marks in groups as packets are answered, then the success rate; an interrupt ends it early."""
    times: list[float] = []
    sent, batch, ends = 0, _FIRST_BATCH, time.monotonic() + timeout_s
    try:
        while sent < repeat and (left := ends - time.monotonic()) > 0:
            count = min(batch, repeat - sent, _PER_ROW - sent % _PER_ROW)
            marks, answered = read_marks(send(count, left), count)
            times += answered
            sent += count
            batch *= 2
            yield marks + ("\n" if sent % _PER_ROW == 0 else "")
    except Interrupted:
        pass
    yield ("\n" if sent % _PER_ROW else "") + _rate(times, sent)


def read_marks(text: str, count: int) -> tuple[str, list[float]]:
    """Return one mark for each of ``count`` packets, and the round-trip times, from the output of ``ping``."""
    times: list[float] = []
    marks = ["."] * count
    for line in text.splitlines():
        if (reply := _REPLY.search(line)) and 1 <= int(reply[1]) <= count:
            marks[int(reply[1]) - 1] = "!"
            times.append(float(reply[2]))
        elif (refusal := _REFUSAL.search(line)) and 1 <= int(refusal[1]) <= count and "no answer yet" not in line:
            marks[int(refusal[1]) - 1] = _mark(refusal[2])
    return "".join(marks), times


def _rate(times: Sequence[float], sent: int) -> str:
    share = f"Success rate is {100 * len(times) // max(1, sent)} percent ({len(times)}/{sent})"
    if times:
        low, middle, high = (max(1, round(value)) for value in (min(times), sum(times) / len(times), max(times)))
        share += f", round-trip min/avg/max = {low}/{middle}/{high} ms"
    return f"{share}\n"


def _mark(words: str) -> str:
    lower = words.lower()
    if "frag needed" in lower or "too big" in lower:
        return "M"
    if "time to live" in lower or "hop limit" in lower:
        return "&"
    # the local kernel reports an unanswered ARP request; IOS shows that as a timeout
    return "." if "destination host unreachable" in lower and "from" not in lower else "U"


def _traceroute(at: Exec, match: Match) -> Iterator[str]:
    if match.get("vrf") and match["vrf"] not in at.device.applied.vrfs:
        yield f"% VRF {match['vrf']} does not exist\n"
        return
    target = _resolve(at, match["target"])
    if target is None:
        yield "% Unrecognized host or address.\n"
        return
    source = _source(at, match)
    if source == "":
        yield "% Invalid source address\n"
        return
    six = ":" in target
    yield "Type escape sequence to abort.\n"
    yield f"Tracing the route to {target.upper() if six else target}\n"
    if not six:
        yield "VRF info: (vrf in name/id, vrf out name/id)\n"
    wait_s = max(_LEAST_WAIT_S, match.get("timeout", 3) / at.node.time_scale)
    argv = [
        "traceroute",
        "-6" if six else "-4",
        "-n",
        "-q",
        str(match.get("probe", 3)),
        "-m",
        str(match.get("most", 30)),
        "-w",
        f"{wait_s:g}",
        "-N",
        "30",
    ]
    argv += ["-s", source] if source else []
    done = _run(at, match, [*argv, target], at.limits.timeout_s)
    yield hops(done.stdout)


def hops(text: str) -> str:
    """Return the hops in IOS's format from the output of ``traceroute``, up to a refusal or the target."""
    lines = []
    for line in text.splitlines()[1:]:
        found = _HOP.match(line)
        if found is None:
            continue
        said = []
        previous = ""
        for word in found[2].replace(" ms", "ms").split():
            if word == "*":
                said.append(" * ")
            elif word.endswith("ms"):
                said.append(f" {max(0, round(float(word[:-2])))} msec")
            elif word.startswith("!"):
                said.append(f" {_MARKS.get(word, word)} ")
            elif word != previous:
                said.append(f" {word.upper() if ':' in word else word}" if not said else f"\n    {word}")
                previous = word
        lines.append(f"{int(found[1]):3d}{''.join(said)}".rstrip())
    return "\n".join([*lines, ""])


def _run(at: Exec, match: Match, argv: list[str], timeout_s: float) -> Completed:
    return at.run_in_vrf(match.get("vrf", ""), argv, timeout_s=timeout_s)


def _resolve(at: Exec, word: str) -> str | None:
    """Return an address unchanged, or the address of a host that ``ip host`` defines."""
    try:
        return str(ip_address(word))
    except ValueError:
        pass
    for entry in at.config.all("ip host"):
        if str(entry["host"]).lower() == word.lower():
            return str(entry.many("address")[0])
    return None


def _source(at: Exec, match: Match) -> str | None:
    """Return the source address: ``None`` if none is requested, "" if the requested interface has none."""
    if "address" in match.args:
        return str(match["address"])
    if "interface" not in match.args:
        return None
    for one in at.device.context().interfaces:
        if one.name == match["interface"]:
            if ":" in str(match["target"]):
                six = one.section.get("ipv6 address")
                return str(six["prefix"]).split("/")[0] if six and "prefix" in six.match.args else ""
            return one.addresses[0].split("/")[0] if one.addresses and one.enabled else ""
    return ""


_SOURCE = "source ( {address:ipv4} | {address:ipv6} | {interface:interface} )"

EXEC = (
    action(
        (
            "ping [ vrf {vrf:word} ] [ ip | ipv6 ] {target:word} "
            f"< {_SOURCE} | repeat {{repeat:1-10000}} | size {{size:36-18024}} | timeout {{timeout:0-3600}} | df-bit >"
        ),
        _ping,
        "Send echo messages",
        changes=False,
        user=True,
    ),
    action(
        (
            f"traceroute [ vrf {{vrf:word}} ] [ ip | ipv6 ] {{target:word}} < {_SOURCE} | numeric | probe"
            " {probe:1-10} | timeout {timeout:0-3600} | ttl {least:0-255} {most:1-255} >"
        ),
        _traceroute,
        "Trace route to destination",
        changes=False,
        user=True,
    ),
)

AREA = Area(
    name="diagnostics",
    commands=(*EXEC,),
    scope=(("ping, traceroute with their usual options", "yes"), ("the dialogue of ping without arguments", "no")),
)
