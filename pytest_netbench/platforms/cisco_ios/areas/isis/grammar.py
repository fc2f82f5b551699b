"""The grammar of the area ``isis``: its commands and how lines are stored."""

from __future__ import annotations

import re

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import one as type_of

MODE = "router-isis"


_MEMBERSHIP = ("ip router isis", "ipv6 router isis")


_NET = re.compile(r"[0-9a-f]{2}(\.[0-9a-f]{4}){3,9}\.00|[0-9a-f]{2}(\.[0-9a-f]{1,4}){0,6}(\.[0-9a-f]{4}){3}\.00")


def _net(text: str) -> str | None:
    return text.lower() if _NET.fullmatch(text.lower()) else None


def _open(edit: Edit, match: Match) -> str | None:
    others = [e for e in edit.config.all("router isis") if e.get("tag") != match.get("tag")]
    if others and not match.negated and not match.reset:
        return "% IS-IS: a process runs already, and this device runs one"
    before = edit.config.all("router isis")
    words = edit.keep(match)
    for process in before if not edit.config.has("router isis") else ():
        igp.leave(edit, process.get("tag"), *_MEMBERSHIP, argument="tag")
    return words


def _interface_in(edit: Edit, match: Match) -> str | None:
    """Store the line of an interface; it creates the process if no line has named it yet."""
    if not match.negated and not match.reset:
        known = edit.config.all("router isis")
        if known and known[0].get("tag") != match.get("tag"):
            return "% IS-IS: a process of another name runs already, and this device runs one"
        if not known:
            edit.put(f"router isis {match.get('tag', '')}".strip(), edit.config)
    return edit.keep(match)


def _check_net(edit: Edit, match: Match) -> str | None:
    known = [_system(str(entry["net"])) for entry in edit.section.all("net")]
    if known and known[0] != _system(str(match["net"])):
        return f"%CLNS: System ID ({known[0]}) must not change when defining additional area addresses"
    return None


def _system(net: str) -> str:
    """Return the system ID of a NET: the six bytes before the last one."""
    return ".".join(net.split(".")[-4:-1])


_LEVELS = "[ ( level-1 | level-2 ) ]"


def _authentication(name: str, mode: str) -> tuple[Command, Command]:
    return (
        Command(pattern=f"{name} mode ^ ( md5 | text )", name=f"{name} mode", mode=mode, help="Authentication mode"),
        Command(pattern=f"{name} key-chain {{chain:name}}", mode=mode, help="Authentication key-chain"),
    )


_PROCESS = (
    Command(pattern="net {net!:net}", mode=MODE, check=_check_net, help="A Network Entity Title for this process"),
    Command(
        pattern="is-type ^ ( level-1 | level-1-2 | level-2-only )",
        name="is-type",
        mode=MODE,
        default=("is-type level-1-2",),
        help="IS Level for this routing process",
    ),
    Command(
        pattern="metric-style ^ ( narrow | wide | transition )",
        name="metric-style",
        mode=MODE,
        default=("metric-style narrow",),
        help="Use old-style (ISO 10589) or new-style packet formats",
    ),
    *igp.passive_commands(MODE),
    *igp.redistribute_commands(
        MODE,
        "< metric {metric:0-4294967295} | metric-type ( internal | external ) | route-map {map:word} | ( level-1 |"
        " level-1-2 | level-2 ) >",
        but=("isis",),
    ),
    Command(
        pattern="default-information originate [ route-map {map:word} ]", mode=MODE, help="Distribute a default route"
    ),
    *_authentication("authentication", MODE),
    Command(pattern="set-overload-bit", mode=MODE, help="Signal other routers not to use us in SPF"),
    Command(pattern="log-adjacency-changes [ all ]", mode=MODE, help="Log changes in adjacency state"),
    Command(
        pattern="hello padding",
        mode=MODE,
        keeps_no=True,
        default=("hello padding",),
        marked="FRR determines the padding of hellos",
    ),
)


_INTERFACE = (
    Command(pattern="ip router isis [ {tag:word} ]", mode=INTERFACE, edit=_interface_in, help="IS-IS routing protocol"),
    Command(
        pattern="ipv6 router isis [ {tag:word} ]", mode=INTERFACE, edit=_interface_in, help="IS-IS routing protocol"
    ),
    Command(
        pattern=f"isis metric {{metric:1-16777214}} {_LEVELS}",
        mode=INTERFACE,
        help="Configure the metric for interface",
    ),
    Command(
        pattern=f"isis priority {{priority:0-127}} {_LEVELS}",
        mode=INTERFACE,
        help="Set priority for Designated Router election",
    ),
    Command(pattern=f"isis hello-interval {{seconds:1-600}} {_LEVELS}", mode=INTERFACE, help="Set Hello interval"),
    Command(
        pattern=f"isis hello-multiplier {{count:3-100}} {_LEVELS}",
        mode=INTERFACE,
        help="Set multiplier for Hello holding time",
    ),
    Command(
        pattern="isis circuit-type ^ ( level-1 | level-1-2 | level-2-only )",
        name="isis circuit-type",
        mode=INTERFACE,
        default=("isis circuit-type level-1-2",),
        help="Configure circuit type for interface",
    ),
    Command(pattern="isis network point-to-point", mode=INTERFACE, help="Set the network type for ISIS"),
    *_authentication("isis authentication", INTERFACE),
    Command(
        pattern="isis password {password:word}",
        mode=INTERFACE,
        help="Configure the authentication password for interface",
    ),
)


COMMANDS: tuple[Command, ...] = (
    Command(pattern="router isis [ {tag!:word} ]", opens=MODE, edit=_open, help="ISO IS-IS"),
    *_PROCESS,
    *_INTERFACE,
)


MODES = (Mode(name=MODE, prompt="config-router", help="IS-IS"),)


TYPES = {"net": type_of("XX.XXXX. ... .XXXX.XX", _net, "Network entity title (NET)")}
