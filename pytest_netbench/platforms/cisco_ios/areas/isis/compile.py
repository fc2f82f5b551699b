"""Compile the lines of the area ``isis``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas import keychain
from pytest_netbench.platforms.cisco_ios.areas.common import igp
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_DAEMON = "isisd"

_UNNAMED = "isis"
"""FRR's name for a process that has no name in IOS."""


def members(context: Context) -> list[Interface]:
    """Return the interfaces on which IS-IS runs."""
    return [
        one
        for one in context.interfaces
        if one.section.has("ip router isis") or one.section.has("ipv6 router isis") or _is_passive_member(context, one)
    ]


def _is_passive_member(context: Context, one: Interface) -> bool:
    """Whether an interface is passive. Passive interfaces are advertised even if IS-IS is not enabled on them."""
    return any(
        entry["interface"] == one.name
        for _, section in context.config.sections("router isis")
        for entry in section.all("passive-interface")
    )


def compile_isis(context: Context) -> None:
    """Add the IS-IS processes of the config."""
    for process in context.config.all("router isis"):
        nets = process.body.all("net")
        if not nets:
            continue  # a process without a NET does not run
        tag = frr_tag(process)
        # removed in reverse order: isisd crashes if its process is removed before the interfaces
        _process(context, process, tag)
        for one in members(context):
            _interface(context, one, tag, process.body)


def frr_tag(process: Entry) -> str:
    """Return FRR's name of a process."""
    return str(process.get("tag") or _UNNAMED)


def _levels(section: Section) -> tuple[str, ...]:
    return {"level-1": ("level-1",), "level-2-only": ("level-2",)}.get(level(section), ("level-1", "level-2"))


def levels_of(section: Section, entry: Entry) -> tuple[str, ...]:
    """Return the levels of the process into which a ``redistribute`` line redistributes."""
    asked = next((word for word in ("level-1-2", "level-1") if entry.has(word)), "level-2")
    return tuple(one for one in _levels(section) if asked in {one, "level-1-2"})


def _process(context: Context, process: Entry, tag: str) -> None:
    section = process.body
    opening = f"router isis {tag}"

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, opening, line, key=key, undo=undo)

    context.state.frr.add(_DAEMON, opening)
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
    for source, entry in igp.redistributions(section):
        for one_level in levels_of(section, entry):
            words = [f"redistribute ipv4 {source} {one_level}"]
            words += [f"metric {entry['metric']}"] if "metric" in entry.match.args else []
            words += [f"route-map {entry['map']}"] if "map" in entry.match.args else []
            add(" ".join(words), undo=f"no redistribute ipv4 {source} {one_level}")
    for entry in section.all("default-information originate"):
        extra = f" route-map {entry['map']}" if "map" in entry.match.args else ""
        for one_level in _levels(section)[-1:]:
            add(
                f"default-information originate ipv4 {one_level} always{extra}",
                undo=f"no default-information originate ipv4 {one_level}",
            )


def level(section: Section) -> str:
    """Return ``level-1``, ``level-1-2`` or ``level-2-only``."""
    entry = section.get("is-type")
    return next((w for w in ("level-1", "level-2-only") if entry is not None and entry.has(w)), "level-1-2")


def _interface(context: Context, one: Interface, tag: str, section: Section) -> None:
    opening = igp.frr_interface(one)

    def add(line: str, key: str = "", undo: str | None = None) -> None:
        context.state.frr.add(_DAEMON, opening, line, key=key, undo=undo)

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
    for name, argument in (
        ("metric", "metric"),
        ("priority", "priority"),
        ("hello-interval", "seconds"),
        ("hello-multiplier", "count"),
    ):
        for entry in one.section.all(f"isis {name}"):
            where = next((f" {w}" for w in ("level-1", "level-2") if entry.has(w)), "")
            # FRR has the level behind the number for the priority only
            words = f" {entry[argument]}{where}" if name == "priority" else f"{where} {entry[argument]}"
            add(f"isis {name}{words}", key=f"{name}{where}", undo=f"no isis {name}{where}")
    password = one.section.get("isis password")
    plain = f"clear {password['password']}" if password is not None else ""
    secret = _secret(context, one.section, "isis authentication") or plain
    if secret:
        add(f"isis password {secret}", key="password", undo="no isis password")


def _secret(context: Context, section: Section, name: str) -> str:
    """Return FRR's words for the authentication of a section: method and first key of the chain; "" without one."""
    chain, mode = section.get(f"{name} key-chain"), section.get(f"{name} mode")
    keys = keychain.secrets(context.config, chain["chain"]) if chain is not None else []
    return f"{'md5' if mode is not None and mode.has('md5') else 'clear'} {keys[0][1]}" if keys else ""
