"""``show`` commands of IS-IS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import show

_ROW = re.compile(
    r"^\s*(?P<id>\S+)\s+(?P<interface>\S+)\s+(?P<level>\d)\s+(?P<state>Up|Down|Initializing)\s+(?P<hold>\d+)\s+(?P<snpa>\S+)"
)
_LSP = re.compile(
    r"^(?P<id>\S+\.\d\d-\d\d)\s+(?P<own>\*)?\s*\d+\s+(?P<seq>0x\w+)\s+(?P<sum>0x\w+)\s+(?P<hold>\d+)\s+(?P<flags>\S+)"
)


@dataclass(frozen=True)
class _Neighbor:
    system: str
    level: str
    interface: str
    address: str
    state: str
    hold_s: int
    snpa: str
    circuit: str


def _neighbors(at: Exec) -> Iterator[_Neighbor]:
    details = re.split(r"\n(?= \S)", at.ask("isisd", "show isis neighbor detail"))
    extra: dict[tuple[str, str], tuple[str, str]] = {}
    for text in details:
        name = re.search(r"Interface: (\S+?),", text)
        address = re.search(r"IPv4 Address\(es\):\s+(\S+)", text)
        lan = re.search(r"LAN id: \S+\.(\w\w)", text)
        words = text.split()
        if name and words:
            extra[words[2] if words[0] == "Area" else words[0], name[1]] = (
                address[1] if address else "",
                lan[1] if lan else "00",
            )
    for line in at.ask("isisd", "show isis neighbor").splitlines():
        row = _ROW.match(line)
        if row is None:
            continue
        hop, circuit = extra.get((row["id"], row["interface"]), (UNSPECIFIED, "00"))
        out = interfaces.from_kernel(row["interface"]) or row["interface"]
        yield _Neighbor(
            row["id"],
            f"L{row['level']}".replace("L3", "L1L2"),
            out,
            hop,
            "UP" if row["state"] == "Up" else row["state"].upper()[:4],
            int(row["hold"]),
            row["snpa"],
            f"{row['id']}.{circuit}",
        )


def _show_neighbors(at: Exec, _match: Match) -> str:
    return _listed(
        at,
        "System Id      Type Interface   IP Address      State Holdtime Circuit Id",
        lambda one, short: (
            f"{one.system:<14} {one.level:<4} {short:<11} {one.address:<15} {one.state:<5} {one.hold_s:<8}"
            f" {one.circuit:<18}"
        ),
    )


def _listed(at: Exec, heading: str, row: Callable[[_Neighbor, str], str]) -> str:
    """The neighbors of the process; ``row`` gets each with the short name of its interface."""
    process = next(iter(at.config.all("router isis")), None)
    if process is None:
        return ""
    rows = [row(one, interfaces.parse(one.interface).short) for one in _neighbors(at)]
    return "\n".join(["", f"Tag {process.get('tag') or 'null'}:", heading, *rows, ""])


def _show_database(at: Exec, _match: Match) -> str:
    lines: list[str] = []
    for line in at.ask("isisd", "show isis database").splitlines():
        heading = re.match(r"IS-IS Level-(\d) link-state database", line)
        row = _LSP.match(line)
        if heading is not None:
            lines += [
                "",
                f"IS-IS Level-{heading[1]} Link State Database:",
                "LSPID                 LSP Seq Num  LSP Checksum  LSP Holdtime      ATT/P/OL",
            ]
        elif row is not None:
            lines.append(
                f"{row['id']:<20}{'*' if row['own'] else ' '} {row['seq']:<12} 0x{row['sum'][2:].upper():<11}"
                f" {row['hold']:<17} {row['flags']}"
            )
    return "\n".join([*lines, ""]) if lines else ""


def _show_clns_neighbors(at: Exec, _match: Match) -> str:
    return _listed(
        at,
        "System Id      Interface   SNPA                State  Holdtime  Type Protocol",
        lambda one, short: (
            f"{one.system:<14} {short:<11} {one.snpa:<19} {one.state.capitalize():<6} {one.hold_s:<9} {one.level:<4}"
            " IS-IS"
        ),
    )


def _show_clns(at: Exec, _match: Match) -> str:
    """Run ``show clns``."""
    lines = []
    for process in at.config.all("router isis"):
        nets = [str(entry["net"]) for entry in process.body.all("net")]
        count = sum(body.has("ip router isis") for _, body in at.config.sections("interface"))
        lines += ["Global CLNS Information:", f"  {count} Interfaces Enabled for CLNS"]
        lines += [f"  NET: {net}" for net in nets]
        lines += [
            "  Configuration Timer: 60, Default Holding Timer: 300, Packet Lifetime 64",
            f"  Routing for Area: {nets[0].rsplit('.', 4)[0]}" if nets else "",
        ]
    return "\n".join([*filter(None, lines), ""]) if lines else "CLNS is not enabled\n"


SHOWS = (
    show("isis [ {tag:word} ] neighbors", _show_neighbors, "Show ISIS neighbor adjacencies"),
    show("isis [ {tag:word} ] database", _show_database, "IS-IS link state database"),
    show("clns neighbors", _show_clns_neighbors, "CLNS neighbor adjacencies"),
    show("clns", _show_clns, "CLNS network information"),
)
