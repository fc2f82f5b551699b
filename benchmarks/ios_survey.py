"""Survey how many lines of other authors' configs the IOS of this package accepts.

    python benchmarks/ios_survey.py [--markdown] FILE|DIRECTORY ...

Each file is the config of one device. A directory holds the modules of Ansible's ``cisco.ios`` collection, whose
documentation shows the commands that they send. ``--markdown`` prints the page docs/reference/ios-survey.md. Comments
and blank lines are not counted. A line is *accepted*, *marked* (accepted, and listed as without effect), *refused*
because it is on the platform's list of excluded features, or *refused* otherwise.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.session.session import Session
from tests.support.ios import PaperDevice, paper

_SKIPPED = re.compile(r"\s*(!|$|end\s*$|Building configuration|Current configuration|exit(-\S+)?\s*$)")
_LEFT_OUT = re.compile(
    r"crypto|mpls|tunnel|ipsec|isakmp|l2vpn|voice|dial-peer|ephone|telephony|frame-relay|atm|dot11|wlan|ip pim|ip"
    r" igmp|ip multicast|ip msdp|ip sap|"
    r"controller|isdn|dialer|ppp|x25|appletalk|ipx|bridge"
    r" |channel-group|port-channel|mls|fabric|vpdn|glbp|call|gateway|sccp|mgcp|event manager|"
    r"flow |ip flow|license|ip wccp|mop|cdp tlv|dsl|pvc|encapsulation aal|xconnect|ip rsvp|ip inspect|ip ips|ip"
    r" audit|ip urlfilter|webvpn|aaa group|radius|tacacs",
    re.IGNORECASE,
)
_COMMANDS = re.compile(r'^#? *"?commands"?: *\[?\n((?:#? *(?:- |")(?!\w+:\s*$).*\n)+)', re.MULTILINE)


def device(text: str) -> PaperDevice:
    """Return a device with the ports that the config names."""
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


def documented(folder: Path) -> dict[str, str]:
    """Lists of commands in the examples of Ansible's modules, by module and number."""
    found = {}
    for path in sorted(folder.glob("ios_*.py")):
        examples = re.search(r'EXAMPLES = """(.*?)"""', path.read_text(), re.DOTALL)
        for number, block in enumerate(_COMMANDS.findall(examples[1]) if examples else (), 1):
            lines = [
                line.strip().strip("#").strip().removeprefix("- ").strip().strip(",").strip("\"'")
                for line in block.splitlines()
            ]
            found[f"{path.stem} {number}"] = "\n".join(filter(None, lines))
    return found


def texts(paths: list[str]) -> dict[str, dict[str, str]]:
    """Configs by source and name."""
    found: dict[str, dict[str, str]] = {}
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found["examples in the documentation of Ansible's cisco.ios modules"] = documented(path)
        else:
            found.setdefault("configs of whole devices", {})[path.name] = path.read_text(errors="replace")
    return found


def main(arguments: list[str]) -> None:
    """Survey and print shares and refused lines."""
    markdown = "--markdown" in arguments
    for source, configs in texts([name for name in arguments if name != "--markdown"]).items():
        total: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for text in configs.values():
            counts, lines = survey(text)
            total += counts
            refused += lines
        lines_in_all = sum(total.values())
        print(f"## {source.capitalize()}\n" if markdown else f"{source}:")
        print(f"{len(configs)} texts, {lines_in_all} lines.\n")
        print("| | lines | share |\n|---|---|---|")
        for word in ("accepted", "marked", "left out", "refused"):
            print(f"| {word} | {total[word]} | {100 * total[word] / lines_in_all:.1f} % |")
        print("\nNot accepted:\n\n```text" if markdown else "")
        for line, count in sorted(refused.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:3d} {line}")
        print("```\n" if markdown else "")


if __name__ == "__main__":
    main(sys.argv[1:])
