"""IS-IS."""

from __future__ import annotations

import re

from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.areas.interfaces import MODE as INTERFACE
from pytest_netbench.platforms.cisco_ios.areas.isis_shows import SHOWS
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import one as type_of

MODE = "router-isis"
_MEMBERSHIP = ("ip router isis", "ipv6 router isis")
_DAEMON = "isisd"
_UNNAMED = "isis"
"""The name FRR wants for a process that has none in IOS."""
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
    """The process begins to exist with the first interface that names it."""
    if not match.negated and not match.reset:
        known = edit.config.all("router isis")
        if known and known[0].get("tag") != match.get("tag"):
            return "% IS-IS: a process of another name runs already, and this device runs one"
        if not known:
            edit.put(f"router isis {match.get('tag', '')}".strip(), edit.config)
    return edit.keep(match)


def members(context: Context) -> list[Interface]:
    """Interfaces on which IS-IS runs."""
    return [
        one
        for one in context.interfaces
        if one.section.has("ip router isis") or one.section.has("ipv6 router isis") or _is_passive_member(context, one)
    ]


def _is_passive_member(context: Context, one: Interface) -> bool:
    """A passive interface is advertised whether or not IS-IS was enabled on it."""
    return any(
        entry["interface"] == one.name
        for _, section in context.config.sections("router isis")
        for entry in section.all("passive-interface")
    )


def _compile(context: Context) -> None:
    for process in context.config.all("router isis"):
        nets = process.body.all("net")
        if not nets:
            continue  # without a NET nothing runs
        tag = str(process.get("tag") or _UNNAMED)
        # what comes last goes first: isisd ends if it loses its process before the interfaces
        _process(context, process, tag)
        for one in members(context):
            _interface(context, one, tag, process.body)


def _process(context: Context, process: Entry, tag: str) -> None:
    section = process.body
    opening = f"router isis {tag}"

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.plan.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    context.plan.frr.add(_DAEMON, opening)
    for entry in section.all("net"):
        add(f"net {entry['net']}")
    kind = section.get("is-type")
    add(f"is-type {level(section)}" if kind else "is-type level-1-2", key="is-type", undo="no is-type")
    style = section.get("metric-style")
    chosen = next((word for word in ("wide", "transition") if style is not None and style.has(word)), "narrow")
    add(f"metric-style {chosen}", key="metric-style", undo="no metric-style")
    add("lsp-gen-interval 1", key="lsp-gen", undo="no lsp-gen-interval")
    if section.has("set-overload-bit"):
        add("set-overload-bit")
    secret = _secret(context, section, "authentication")
    for scope in ("area", "domain") if secret else ():
        add(f"{scope}-password {secret} authenticate snp validate", key=scope, undo=f"no {scope}-password")
    levels = {"level-1": ("level-1",), "level-2-only": ("level-2",)}.get(level(section), ("level-1", "level-2"))
    for source, entry in igp.redistributions(section):
        wanted = "level-1" if entry.has("level-1") and not entry.has("level-1-2") else "level-2"
        for one_level in levels if entry.has("level-1-2") else (wanted,):
            words = [f"redistribute ipv4 {source} {one_level}"]
            words += [f"metric {entry['metric']}"] if "metric" in entry.match.args else []
            words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
            add(" ".join(words), undo=f"no redistribute ipv4 {source} {one_level}")
    for entry in section.all("default-information originate"):
        extra = f" route-map {entry['map']}" if "map" in entry.match.args else ""
        for one_level in levels[-1:]:
            add(f"default-information originate ipv4 {one_level} always{extra}", undo=f"no default-information originate ipv4 {one_level}")  # fmt: skip


def level(section: Section) -> str:
    """``level-1``, ``level-1-2`` or ``level-2-only``."""
    entry = section.get("is-type")
    return next((w for w in ("level-1", "level-2-only") if entry is not None and entry.has(w)), "level-1-2")


def _interface(context: Context, one: Interface, tag: str, section: Section) -> None:
    opening = igp.frr_interface(one)

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.plan.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    if one.section.has("ip router isis") or not one.section.has("ipv6 router isis"):
        add(f"ip router isis {tag}")
    if one.section.has("ipv6 router isis"):
        add(f"ipv6 router isis {tag}")
    if one.parsed.kind == "Loopback" or igp.is_passive(section, one.name):
        add("isis passive")
    if one.section.has("isis network point-to-point") or one.parsed.kind in {"Serial", "Tunnel"}:
        add("isis network point-to-point")
    circuit = one.section.get("isis circuit-type")
    if circuit is not None:
        word = next(w for w in ("level-1-2", "level-2-only", "level-1") if circuit.has(w))
        add(f"isis circuit-type {word}", key="circuit", undo="no isis circuit-type")
    for name, argument in (("metric", "metric"), ("priority", "priority"), ("hello-interval", "seconds"), ("hello-multiplier", "count")):  # fmt: skip
        for entry in one.section.all(f"isis {name}"):
            where = next((f" {w}" for w in ("level-1", "level-2") if entry.has(w)), "")
            # FRR wants the level of hellos before the number, that of metrics behind it
            words = f"{where} {entry[argument]}" if name.startswith("hello") else f" {entry[argument]}{where}"
            add(f"isis {name}{words}", key=f"{name}{where}", undo=f"no isis {name}{where}")
    password = one.section.get("isis password")
    plain = f"clear {password['password']}" if password is not None else ""
    secret = _secret(context, one.section, "isis authentication") or plain
    if secret:
        add(f"isis password {secret}", key="password", undo="no isis password")


def _secret(context: Context, section: Section, name: str) -> str:
    """How FRR is told the first key of the chain that a section authenticates with, and the way; "" without one."""
    chain, mode = section.get(f"{name} key-chain"), section.get(f"{name} mode")
    keys = keychain.secrets(context.config, chain["chain"]) if chain is not None else []
    return f"{'md5' if mode is not None and mode.has('md5') else 'clear'} {keys[0][1]}" if keys else ""


_LEVELS = "[ ( level-1 | level-2 ) ]"


def _authentication(name: str, mode: str) -> tuple[Command, Command]:
    return (
        Command(pattern=f"{name} mode ^ ( md5 | text )", name=f"{name} mode", mode=mode, help="Authentication mode"),
        Command(pattern=f"{name} key-chain {{chain:name}}", mode=mode, help="Authentication key-chain"),
    )


_PROCESS = (
    Command(pattern="net {net!:net}", mode=MODE, help="A Network Entity Title for this process"),
    Command(pattern="is-type ^ ( level-1 | level-1-2 | level-2-only )", name="is-type", mode=MODE, default=("is-type level-1-2",), help="IS Level for this routing process"),
    Command(pattern="metric-style ^ ( narrow | wide | transition )", name="metric-style", mode=MODE, default=("metric-style narrow",), help="Use old-style (ISO 10589) or new-style packet formats"),
    *igp.passive_commands(MODE),
    *igp.redistribute_commands(MODE, "< metric {metric:0-4294967295} | metric-type ( internal | external ) | route-map {map:word} | ( level-1 | level-1-2 | level-2 ) >", but=("isis",)),
    Command(pattern="default-information originate [ route-map {map:word} ]", mode=MODE, help="Distribute a default route"),
    *_authentication("authentication", MODE),
    Command(pattern="set-overload-bit", mode=MODE, help="Signal other routers not to use us in SPF"),
    Command(pattern="log-adjacency-changes [ all ]", mode=MODE, help="Log changes in adjacency state"),
    Command(pattern="hello padding", mode=MODE, keeps_no=True, default=("hello padding",), marked="hellos are padded as FRR does"),
)  # fmt: skip
_INTERFACE = (
    Command(pattern="ip router isis [ {tag:word} ]", mode=INTERFACE, edit=_interface_in, help="IS-IS routing protocol"),
    Command(pattern="ipv6 router isis [ {tag:word} ]", mode=INTERFACE, edit=_interface_in, help="IS-IS routing protocol"),
    Command(pattern=f"isis metric {{metric:1-16777214}} {_LEVELS}", mode=INTERFACE, help="Configure the metric for interface"),
    Command(pattern=f"isis priority {{priority:0-127}} {_LEVELS}", mode=INTERFACE, help="Set priority for Designated Router election"),
    Command(pattern=f"isis hello-interval {{seconds:1-600}} {_LEVELS}", mode=INTERFACE, help="Set Hello interval"),
    Command(pattern=f"isis hello-multiplier {{count:3-100}} {_LEVELS}", mode=INTERFACE, help="Set multiplier for Hello holding time"),
    Command(pattern="isis circuit-type ^ ( level-1 | level-1-2 | level-2-only )", name="isis circuit-type", mode=INTERFACE, default=("isis circuit-type level-1-2",), help="Configure circuit type for interface"),
    Command(pattern="isis network point-to-point", mode=INTERFACE, help="Set the network type for ISIS"),
    *_authentication("isis authentication", INTERFACE),
    Command(pattern="isis password {password:word}", mode=INTERFACE, help="Configure the authentication password for interface"),
)  # fmt: skip

AREA = Area(
    name="isis",
    types={"net": type_of("XX.XXXX. ... .XXXX.XX", _net, "Network entity title (NET)")},
    modes=(Mode(name=MODE, prompt="config-router", help="IS-IS"),),
    commands=(
        Command(pattern="router isis [ {tag!:word} ]", opens=MODE, edit=_open, help="ISO IS-IS"),
        *_PROCESS,
        *_INTERFACE,
        *SHOWS,
    ),
    compile=_compile,
    scope=(
        ("IS-IS: NET, levels, metrics and their style, circuit types, point-to-point, passive, redistribution", "yes"),
        ("IS-IS: authentication by the first key of a chain, of both levels alike", "yes"),
        ("IS-IS: summary addresses, route leaking, authentication of one level, multi-topology", "refused"),
    ),
)
