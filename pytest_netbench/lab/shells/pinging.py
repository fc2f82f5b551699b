"""Pings of a Linux host: the script that sends them, and what they print, of iputils and of busybox."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.shells.consoles import Heard

_MARK = "=netbench="
_TIME = re.compile(r"\btime=([\d.]+) ?ms")
_COMPLAINT = re.compile(r"^From (\S+?):? icmp_seq=\d+ (.*)$", re.MULTILINE)
_WORDS = {
    "Destination Net Unreachable": "network unreachable",
    "Destination Host Unreachable": "host unreachable",
    "Destination Protocol Unreachable": "protocol unreachable",
    "Destination Port Unreachable": "port unreachable",
    "Packet filtered": "administratively prohibited",
    "Dest Unreachable, Bad Code: 9": "administratively prohibited",
    "Dest Unreachable, Bad Code: 10": "administratively prohibited",
    "Destination Host Prohibited": "administratively prohibited",
    "Destination Net Prohibited": "administratively prohibited",
    "Destination unreachable: No route": "no route",
    "Destination unreachable: Administratively prohibited": "administratively prohibited",
    "Destination unreachable: Address unreachable": "address unreachable",
    "Destination unreachable: Port unreachable": "port unreachable",
    "Time to live exceeded": "time exceeded",
}
_OWN = (
    ("Network is unreachable", "network unreachable"),
    ("Network unreachable", "network unreachable"),
    ("No route to host", "host unreachable"),
    ("Host is unreachable", "host unreachable"),
    ("Operation not permitted", "blocked by the sender's own filter"),
    ("Permission denied", "administratively prohibited"),
    ("Cannot assign requested address", "the source address cannot be used"),
)


def script(probes: Sequence[tuple[Probe, int]], *, takes_fractions: bool) -> str:
    """A script that tries each probe up to so many times, until it is answered; its outputs come behind marks."""
    return "".join(
        f"echo {_MARK}\nn=0; while [ $n -lt {tries} ]; do n=$((n+1)); echo try"
        f"\n{_command(probe, takes_fractions)} 2>&1 && break; done\n"
        for probe, tries in probes
    )


def _command(probe: Probe, takes_fractions: bool) -> str:
    wait = f"{probe.timeout_s:g}" if takes_fractions else f"{max(1, round(probe.timeout_s))}"
    words = ["ping", "-n", "-c", "1", "-W", wait]
    if not takes_fractions:
        words.remove("-n")  # of busybox, which knows no names anyway
    if probe.source_address is not None:
        words += ["-I", probe.source_address]
    if probe.dscp:
        words += ["-Q", str(probe.dscp << 2)]
    return shlex.join([*words, probe.target])


def split(text: str) -> list[str]:
    """What each probe printed."""
    return text.split(f"{_MARK}\n")[1:]


def heard(text: str) -> Heard:
    """What came of a probe."""
    tries = text.count("try\n")
    if answered := _TIME.search(text):
        return Heard(answer_ms=float(answered[1]), tries=tries)
    for sender, words in reversed(_COMPLAINT.findall(text)):
        return Heard(complaint=f"{_WORDS.get(words.strip(), words.strip())} (from {sender})", tries=tries)
    for said, words in _OWN:
        if said in text:
            return Heard(complaint=words, tries=tries, sent=False)
    return Heard(tries=tries)
