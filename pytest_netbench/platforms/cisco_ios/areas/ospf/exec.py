"""OSPF's exec commands."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.ospf import database, shows
from pytest_netbench.platforms.cisco_ios.areas.ospf.compile import processes
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match

_OSPF = "show ip ospf [ {process:1-65535} ]"


def _clear(at: Exec, match: Match) -> None:
    """Clear a process: it chooses its router ID again and rebuilds all adjacencies."""
    wanted = match.get("process")
    for process in processes(at.device.context()):
        if wanted in {None, process.number}:
            vrf = f" vrf {process.vrf}" if process.vrf else ""
            at.device.live.get("chosen", {}).pop(f"ospf {process.number}", None)
            at.ask("ospfd", f"clear ip ospf{vrf} process")
    at.device.touch()
    at.device.commit()


SHOWS = (
    Command(pattern=_OSPF, mode="exec", user=True, run=shows.process, help="OSPF information"),
    Command(
        pattern=f"{_OSPF} neighbor [ ( {{interface:interface}} | {{router:ipv4}} ) ] [ detail ]",
        mode="exec",
        user=True,
        run=shows.neighbours,
        help="Neighbor list",
    ),
    Command(pattern=f"{_OSPF} interface brief", mode="exec", user=True, run=shows.brief),
    Command(
        pattern=f"{_OSPF} interface [ {{interface:interface}} ]",
        mode="exec",
        user=True,
        run=shows.interface,
        help="Interface information",
    ),
    Command(
        pattern=f"{_OSPF} virtual-links",
        mode="exec",
        user=True,
        run=shows.virtual_links,
        help="Virtual link information",
    ),
    Command(
        pattern=f"{_OSPF} border-routers",
        mode="exec",
        user=True,
        run=shows.border_routers,
        help="Border and boundary router information",
    ),
    Command(
        pattern=(
            f"{_OSPF} database [ ( {' | '.join(database.KINDS)} ) [ {{id:ipv4}} ] [ ( self-originate | adv-router"
            " {router:ipv4} ) ] ]"
        ),
        mode="exec",
        user=True,
        run=database.show,
        help="Database summary",
    ),
    Command(
        pattern="clear ip ospf [ {process:1-65535} ] process",
        mode="exec",
        changes=True,
        run=_clear,
        help="Reset OSPF process",
    ),
)
