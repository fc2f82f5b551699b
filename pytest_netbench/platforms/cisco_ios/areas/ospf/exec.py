"""OSPF's exec commands."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.ospf import database, shows
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import processes
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

_OSPF = "ip ospf [ {process:1-65535} ]"


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
    show(_OSPF, shows.process, "OSPF information"),
    show(
        f"{_OSPF} neighbor [ ( {{interface:interface}} | {{router:ipv4}} ) ] [ detail ]",
        shows.neighbours,
        "Neighbor list",
    ),
    show(f"{_OSPF} interface brief", shows.brief),
    show(f"{_OSPF} interface [ {{interface:interface}} ]", shows.interface, "Interface information"),
    show(f"{_OSPF} virtual-links", shows.virtual_links, "Virtual link information"),
    show(f"{_OSPF} border-routers", shows.border_routers, "Border and boundary router information"),
    show(
        (
            f"{_OSPF} database [ ( {' | '.join(database.KINDS)} ) [ {{id:ipv4}} ] [ ( self-originate | adv-router"
            " {router:ipv4} ) ] ]"
        ),
        database.show,
        "Database summary",
    ),
    action("clear ip ospf [ {process:1-65535} ] process", _clear, "Reset OSPF process"),
)
