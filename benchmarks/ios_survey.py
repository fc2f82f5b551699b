"""What share of the lines of other people's configs the IOS of this package takes.

    python benchmarks/ios_survey.py FILE ...

Each file is one device's config. Comments and blank lines do not count. A line is *accepted*, *marked* (accepted, and listed as
without effect), *refused* because it belongs to what the platform leaves out on purpose, or *refused* otherwise.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.platforms.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.session import Session
from tests.support.ios import PaperDevice, paper

_SKIPPED = re.compile(r"\s*(!|$|end\s*$|Building configuration|Current configuration|exit(-\S+)?\s*$)")
_LEFT_OUT = re.compile(
    r"crypto|mpls|tunnel|ipsec|isakmp|l2vpn|voice|dial-peer|ephone|telephony|frame-relay|atm|dot11|wlan|ip pim|ip igmp|ip multicast|ip msdp|ip sap|"
    r"controller|isdn|dialer|ppp|x25|appletalk|ipx|bridge |channel-group|port-channel|mls|fabric|vpdn|glbp|call|gateway|sccp|mgcp|event manager|"
    r"flow |ip flow|license|ip wccp|mop|cdp tlv|dsl|pvc|encapsulation aal|xconnect|ip rsvp|ip inspect|ip ips|ip audit|ip urlfilter|webvpn|aaa group|radius|tacacs",
    re.IGNORECASE,
)
_SHOWN = 400


def device(text: str) -> PaperDevice:
    """A device that has the ports which the config speaks of."""
    names = []
    for found in re.finditer(r"^interface ([A-Za-z-]+ ?[\d/]+)\s*$", text, re.MULTILINE):
        try:
            name = interfaces.parse(found[1])
        except ValueError:
            continue
        if not name.is_virtual and str(name) not in names:
            names.append(str(name))
    switch = re.search(r"^\s*switchport\b", text, re.MULTILINE) is not None
    return paper(interfaces=names, role="switch" if switch else None)


def survey(text: str) -> tuple[Counter[str], Counter[str]]:
    """Counts by verdict, and refused lines with the section they stood in."""
    one = device(text)
    session = Session(one, booting=True)
    session.enter("configure terminal")
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    lost = ""
    head = ""
    for line in text.splitlines():
        if _SKIPPED.match(line) and not session.collecting:
            continue
        if not line.startswith(" "):
            head, lost = line.strip(), ""
        if lost:
            # the section itself is not known: its lines belong to it
            counts[lost] += 1
            continue
        session.enter(line)
        if session.collecting:
            continue
        if session.refused:
            verdict = "left out" if _LEFT_OUT.search(f"{head} {line}") else "refused"
            counts[verdict] += 1
            refused[f"[{verdict}] {head if line.startswith(' ') else ''} > {line.strip()}"] += 1
            if not line.startswith(" "):
                lost = verdict
        else:
            counts["accepted"] += 1
    marked = sum(bool(entry.match.command.marked) for entry in _all(one.config))
    counts["marked"] = marked
    counts["accepted"] -= marked
    return counts, refused


def _all(section):
    for entry in section:
        yield entry
        yield from _all(entry.body) if entry.children is not None else ()


def main(paths: list[str]) -> None:
    """Survey files and print shares and refused lines."""
    total: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for path in paths:
        counts, lines = survey(Path(path).read_text(errors="replace"))
        total += counts
        refused += lines
        print(f"{path}: {dict(counts)}")
    lines = sum(total.values())
    print(f"{len(paths)} files, {lines} lines:", ", ".join(f"{word} {count} ({100 * count / lines:.1f} %)" for word, count in total.most_common()))
    for line, count in refused.most_common(_SHOWN):
        print(f"{count:5d} {line}")


if __name__ == "__main__":
    main(sys.argv[1:])
