"""``show ip ospf database``: the link-state database in IOS's format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pytest_netbench.platforms.cisco_ios.areas.ospf.live import area_name, running
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

KINDS = ("router", "network", "summary", "asbr-summary", "external", "nssa-external")
_TITLES = {
    "Router Link States": "Router Link States",
    "Net Link States": "Net Link States",
    "Summary Link States": "Summary Net Link States",
    "ASBR-Summary Link States": "Summary ASB Link States",
    "NSSA-external Link States": "Type-7 AS External Link States",
    "AS External Link States": "Type-5 AS External Link States",
}
_TITLE = re.compile(r"^\s+([A-Za-z-]+(?: [A-Za-z]+)* Link States)\s*(?:\(Area (\S+?)\s*(?:\[.*\])?\))?\s*$")
_ROW = re.compile(
    r"^(?P<id>\d+\.\d+\.\d+\.\d+)\s+(?P<adv>\S+)\s+(?P<age>\d+)\s+0x(?P<seq>\w+)\s+0x(?P<sum>\w+)(?P<rest>.*)$"
)
_AGE = re.compile(r"^\s*LS age: (\d+)")
_MAX_AGE_S = 3600
_LS_TYPES = {
    "router-LSA": "Router Links",
    "network-LSA": "Network Links",
    "summary-LSA": "Summary Links(Network)",
    "ASBR-summary-LSA": "Summary Links(AS Boundary Router)",
    "AS-external-LSA": "AS External Link",
    "NSSA-LSA": "AS External Link",
}
_ID_WORDS = {
    "network-LSA": "address of Designated Router",
    "summary-LSA": "summary Network Number",
    "ASBR-summary-LSA": "AS Boundary Router address",
    "AS-external-LSA": "External Network Number ",
    "NSSA-LSA": "External Network Number ",
}
_DETAIL = (
    (re.compile(r"^\s*Link connected to: (another .*)$"), "    Link connected to: {0}"),
    (re.compile(r"^\s*Link connected to: (?:a )?(.*)$"), "    Link connected to: a {0}"),
    (re.compile(r"^\s*\(Link ID\) Net: (\S+)"), "     (Link ID) Network/subnet number: {0}"),
    (re.compile(r"^\s*(\(Link (?:ID|Data)\) .*?)\s*$"), "     {0}"),
    (re.compile(r"^\s*Number of TOS metrics: (\d+)"), "      Number of MTID metrics: {0}"),
    (re.compile(r"^\s*TOS 0 Metric: (\d+)"), "       TOS 0 Metrics: {0}"),
    (re.compile(r"^\s*Number of Links: (\d+)"), "  Number of Links: {0}"),
    (re.compile(r"^\s*Network Mask: (\S+)"), "  Network Mask: {0}"),
    (re.compile(r"^\s*Attached Router: (\S+)"), "        Attached Router: {0}"),
    (re.compile(r"^\s*TOS: 0\s+Metric: (\d+)"), "        MTID: 0         Metric: {0} "),
    (re.compile(r"^\s*Metric Type: (.*?)\s*$"), "        Metric Type: {0}"),
    (re.compile(r"^\s*TOS: 0\s*$"), "        MTID: 0 "),
    (re.compile(r"^\s*Metric: ?(\d+)"), "        Metric: {0} "),
    (re.compile(r"^\s*(?:NSSA: )?Forward Address: (\S+)"), "        Forward Address: {0}"),
    (re.compile(r"^\s*External Route Tag: (\d+)"), "        External Route Tag: {0}"),
)


def show(at: Exec, match: Match) -> str:
    """Show the whole database, or the details of one kind of LSA."""
    kind = next((word for word in KINDS if match.has(word)), None)
    parts = []
    for one in running(at, match):
        vrf = f" vrf {one.process.vrf}" if one.process.vrf else ""
        words = f"show ip ospf{vrf} database"
        head = ["", f"            OSPF Router with ID ({one.router_id}) (Process ID {one.process.number})"]
        if kind is None:
            body = list(_table(without_withdrawn(at.ask("ospfd", words).splitlines())))
        else:
            tail = f" {match['id']}" if "id" in match.args else ""
            tail += " self-originate" if match.has("self-originate") else ""
            tail += f" adv-router {match['router']}" if "router" in match.args else ""
            body = list(_details(without_withdrawn(at.ask("ospfd", f"{words} {kind}{tail}").splitlines())))
        parts.append("\n".join([*head, *body, ""]))
    return "".join(parts)


def without_withdrawn(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of ospfd about LSAs that are not at MaxAge, in a table or in detail.

    IOS removes such an LSA once its neighbors have acknowledged it (RFC 2328, 14), ospfd a minute later.
    """
    withdrawn = False
    for line in lines:
        age = _AGE.match(line)
        if age is not None:
            withdrawn = int(age[1]) >= _MAX_AGE_S
        elif _TITLE.match(line):
            withdrawn = False
        row = _ROW.match(line)
        if not withdrawn and (row is None or int(row["age"]) < _MAX_AGE_S):
            yield line


def withdrawn(lines: Sequence[str]) -> Counter[str]:
    """How many LSAs of a table of ospfd are at MaxAge, by area; ``""`` has those of no area."""
    found: Counter[str] = Counter()
    area = ""
    for line in lines:
        heading, row = _TITLE.match(line), _ROW.match(line)
        area = heading[2] or "" if heading is not None else area
        found[area] += row is not None and int(row["age"]) >= _MAX_AGE_S
    return found


def _table(lines: Iterable[str]) -> Iterator[str]:
    title, rows = "", 0
    for line in lines:
        heading = _TITLE.match(line)
        row = _ROW.match(line)
        if heading is not None:
            area = f" (Area {area_name(heading[2])})" if heading[2] else ""
            title, rows = f"\n                {_TITLES.get(heading[1], heading[1])}{area}\n", 0
        elif row is not None:
            extra = ""
            if "Router Link" in title:
                extra = " Link count"
            elif "External" in title:
                extra = " Tag"
            if rows == 0:
                yield title
                yield f"Link ID         ADV Router      Age         Seq#       Checksum{extra}"
            rows += 1
            last = row["rest"].split()
            value = f" {_last(title, last)}" if extra else ""
            yield (
                f"{row['id']:<15} {row['adv']:<15} {row['age']:<11} 0x{row['seq'].upper()}"
                f" 0x{int(row['sum'], 16):06X}{value}"
            )


def _last(title: str, words: Sequence[str]) -> str:
    if not words:
        return "0"
    if "External" in title:
        found = re.search(r"\[0x(\w+)\]", " ".join(words))
        return str(int(found[1], 16)) if found else "0"
    return words[-1]


def _details(lines: Iterable[str]) -> Iterator[str]:
    held: dict[str, str] = {}
    for line in lines:
        heading = _TITLE.match(line)
        text = line.strip()
        if heading is not None:
            area = f" (Area {area_name(heading[2])})" if heading[2] else ""
            yield f"\n                {_TITLES.get(heading[1], heading[1])}{area}\n"
        elif found := re.match(
            r"(LS age|LS Seq Number|Checksum|Length|LS Type|Link State ID|Advertising Router|Flags): ?(.*)", text
        ):
            if found[1] == "LS age":
                held = {}
            held[found[1]] = found[2].split(" (")[0].strip()
            if found[1] == "Length":
                yield from _header(held)
        else:
            yield from _body(text)


def _header(held: dict[str, str]) -> Iterator[str]:
    kind = held.get("LS Type", "")
    words = f" ({_ID_WORDS[kind]})" if kind in _ID_WORDS else ""
    if kind == "network-LSA":
        yield ""
    yield f"  LS age: {held.get('LS age', '0')}"
    yield "  Options: (No TOS-capability, DC)"
    yield f"  LS Type: {_LS_TYPES.get(kind, kind)}"
    yield f"  Link State ID: {held.get('Link State ID', '')}{words}"
    yield f"  Advertising Router: {held.get('Advertising Router', '')}"
    yield f"  LS Seq Number: {held.get('LS Seq Number', '').upper()}"
    yield f"  Checksum: 0x{held.get('Checksum', '0x0')[2:].upper()}"
    yield f"  Length: {held.get('Length', '')}"
    flags = held.get("Flags", "")
    yield from ["  Area Border Router"] if "ABR" in flags.replace("|", " ").split() else []
    yield from ["  AS Boundary Router"] if "ASBR" in flags.replace("|", " ").split() else []


def _body(text: str) -> Iterator[str]:
    for pattern, words in _DETAIL:
        found = pattern.match(text)
        if found is not None:
            yield words.format(*found.groups())
            # an LSA, and a link of a router, ends with its metric or its tag
            if "TOS 0 Metrics" in words or "External Route Tag" in words or "MTID: 0         Metric" in words:
                yield ""
            if "Number of Links" in words:
                yield ""
            return
