"""Key chains: the keys that routing protocols authenticate with."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.passwords import revealed
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, show, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching, one

_CHAIN, _KEY = "keychain", "keychain-key"

LIFETIMES = ("accept-lifetime", "send-lifetime")

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_MOMENT = "{{{0}_time!:moment}} {{{0}_month!:month}} {{{0}_day!:1-31}} {{{0}_year!:1993-2035}}"

_LIFETIME = (
    f"{_MOMENT.format('start')} ( infinite | duration {{seconds!:1-2147483646}} | "
    f"{_MOMENT.format('end').replace('!', '')} )"
)


def _month(text: str) -> str | None:
    return next((month for month in _MONTHS if len(text) > 2 and text.lower().startswith(month.lower())), None)


COMMANDS = table(
    setting("key chain {chain!:name}", "Key-chain management", opens=_CHAIN),
    setting("key {id!:0-2147483647}", "Configure a key", opens=_KEY, mode=(_CHAIN, _KEY)),
    setting("description {text:line}", "key chain description", mode=_CHAIN),
    setting("key-string [ ( 0 | 7 ) ] {key:line}", "Set key string", mode=_KEY),
    *(setting(f"{name} {_LIFETIME}", "Set the lifetime of the key", name=name, mode=_KEY) for name in LIFETIMES),
)

MODES = (
    Mode(name=_CHAIN, prompt="config-keychain", help="key chain"),
    Mode(name=_KEY, prompt="config-keychain-key", help="key of a chain"),
)

TYPES = {
    "moment": matching("hh:mm:ss", r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d", "Time"),
    "month": one("MONTH", _month),
}


def secrets(config: Section, name: str) -> list[tuple[int, str]]:
    """Return the keys of a chain that have a text as (number, clear text), ordered by number."""
    entry = config.get("key chain", chain=name)
    keys = entry.body.all("key") if entry is not None else []
    return sorted((int(key["id"]), text) for key in keys if (text := _text(key)) is not None)


def tell(context: Context, daemon: str, name: str) -> None:
    """Configure a key chain in a daemon that supports key chains."""
    entry = context.config.get("key chain", chain=name)
    for key in entry.body.all("key") if entry is not None else ():
        text = _text(key)
        path = (f"key chain {name}", f"key {key['id']}")
        for depth in (1, 2):
            context.state.frr.add(daemon, *path[:depth])
        if text is not None:
            context.state.frr.add(daemon, *path, f"key-string {text}", key="key-string", undo="no key-string")
        for lifetime in key.body.all(*LIFETIMES):
            context.state.frr.add(daemon, *path, lifetime.text, key=lifetime.name, undo=f"no {lifetime.name}")


def _text(key: Entry) -> str | None:
    line = key.body.get("key-string")
    if line is None:
        return None
    return revealed(str(line["key"])) if line.has("7") else str(line["key"])


def _show(at: Exec, match: Match) -> str:
    chains = [entry for entry in at.config.all("key chain") if match.get("chain") in {None, entry["chain"]}]
    return "\n".join(line for chain in chains for line in _chain(chain))


def _chain(chain: Entry) -> Iterator[str]:
    yield f"Key-chain {chain['chain']}:"
    for key in sorted(chain.body.all("key"), key=lambda key: int(key["id"])):
        yield f'    key {key["id"]} -- text "{_text(key) or ""}"'
        for name in LIFETIMES:
            line = key.body.get(name)
            span = (
                "(always valid) - (always valid) [valid now]"
                if line is None
                else f"({line.text.removeprefix(name).strip()})"
            )
            yield f"        {name.replace('-', ' ')} {span}"


SHOWS = (show("key chain [ {chain:name} ]", _show, "Show keychain information", user=False),)

AREA = Area(
    name="keychain",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    scope=(
        ("key chains: keys and texts", "yes, in RIP, OSPFv2 and IS-IS"),
        ("key chains: lifetimes", "yes, in RIP; elsewhere keys are valid at any time"),
        ("key chains: cryptographic algorithms", "refused"),
    ),
)

__all__ = ["AREA", "secrets", "tell"]
