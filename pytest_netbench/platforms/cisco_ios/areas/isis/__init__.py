"""IS-IS."""

from __future__ import annotations

import re

from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces.grammar import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.isis.compile import compile_isis, frr_tag, levels_of, members
from pytest_netbench.platforms.cisco_ios.areas.isis.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
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


def _authentication(name: str, mode: str) -> tuple[Command, ...]:
    return table(
        setting(f"{name} mode ^ ( md5 | text )", "Authentication mode", name=f"{name} mode"),
        (f"{name} key-chain {{chain:name}}", "Authentication key-chain"),
        mode=mode,
    )


_PROCESS = table(
    setting("net {net!:net}", "A Network Entity Title for this process", check=_check_net),
    setting(
        "is-type ^ ( level-1 | level-1-2 | level-2-only )",
        "IS Level for this routing process",
        default="is-type level-1-2",
    ),
    setting(
        "metric-style ^ ( narrow | wide | transition )",
        "Use old-style (ISO 10589) or new-style packet formats",
        default="metric-style narrow",
    ),
    *igp.passive_commands(MODE),
    *igp.redistribute_commands(
        MODE,
        "< metric {metric:0-4294967295} | metric-type ( internal | external ) | route-map {map:word} | ( level-1 |"
        " level-1-2 | level-2 ) >",
        but=("isis",),
    ),
    ("default-information originate [ route-map {map:word} ]", "Distribute a default route"),
    *_authentication("authentication", MODE),
    ("set-overload-bit", "Signal other routers not to use us in SPF"),
    ("log-adjacency-changes [ all ]", "Log changes in adjacency state"),
    setting("hello padding", on=True, marked="FRR determines the padding of hellos"),
    mode=MODE,
)

_INTERFACE = table(
    setting("ip router isis [ {tag:word} ]", "IS-IS routing protocol", edit=_interface_in),
    setting("ipv6 router isis [ {tag:word} ]", "IS-IS routing protocol", edit=_interface_in),
    (f"isis metric {{metric:1-16777214}} {_LEVELS}", "Configure the metric for interface"),
    (f"isis priority {{priority:0-127}} {_LEVELS}", "Set priority for Designated Router election"),
    (f"isis hello-interval {{seconds:1-600}} {_LEVELS}", "Set Hello interval"),
    (f"isis hello-multiplier {{count:3-100}} {_LEVELS}", "Set multiplier for Hello holding time"),
    setting(
        "isis circuit-type ^ ( level-1 | level-1-2 | level-2-only )",
        "Configure circuit type for interface",
        default="isis circuit-type level-1-2",
    ),
    ("isis network point-to-point", "Set the network type for ISIS"),
    *_authentication("isis authentication", INTERFACE),
    ("isis password {password:word}", "Configure the authentication password for interface"),
    mode=INTERFACE,
)

COMMANDS = table(
    setting("router isis [ {tag!:word} ]", "ISO IS-IS", opens=MODE, edit=_open),
    *_PROCESS,
    *_INTERFACE,
)

MODES = (Mode(name=MODE, prompt="config-router", help="IS-IS"),)

TYPES = {"net": type_of("XX.XXXX. ... .XXXX.XX", _net, "Network entity title (NET)")}


AREA = Area(
    name="isis",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_isis,
    scope=(
        ("IS-IS: NET, levels, metrics and their style, circuit types, point-to-point, passive, redistribution", "yes"),
        ("IS-IS: authentication by the first key of a chain, the same for both levels", "yes"),
        ("IS-IS: summary addresses, route leaking, authentication of one level, multi-topology", "refused"),
    ),
)

__all__ = ["AREA", "frr_tag", "levels_of", "members"]
