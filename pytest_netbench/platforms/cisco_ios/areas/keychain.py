"""Key chains: what routing protocols authenticate with."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.passwords import revealed
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.types import matching, one

_CHAIN, _KEY = "keychain", "keychain-key"
_LIFETIMES = ("accept-lifetime", "send-lifetime")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOMENT = "{{{0}_time!:moment}} {{{0}_month!:month}} {{{0}_day!:1-31}} {{{0}_year!:1993-2035}}"
_LIFETIME = (
    f"{_MOMENT.format('start')} ( infinite | duration {{seconds!:1-2147483646}} | "
    f"{_MOMENT.format('end').replace('!', '')} )"
)


def _month(text: str) -> str | None:
    return next((month for month in _MONTHS if len(text) > 2 and text.lower().startswith(month.lower())), None)


def secrets(config: Section, name: str) -> list[tuple[int, str]]:
    """The keys of a chain that have a text, as (number, text in the clear), by number."""
    entry = config.get("key chain", chain=name)
    keys = entry.body.all("key") if entry is not None else []
    return sorted((int(key["id"]), text) for key in keys if (text := _text(key)) is not None)


def tell(context: Context, daemon: str, name: str) -> None:
    """Have a daemon that knows key chains know this one."""
    entry = context.config.get("key chain", chain=name)
    for key in entry.body.all("key") if entry is not None else ():
        text = _text(key)
        path = (f"key chain {name}", f"key {key['id']}")
        for depth in (1, 2):
            context.plan.frr.add(daemon, *path[:depth])
        if text is not None:
            context.plan.frr.add(daemon, *path, f"key-string {text}", key="key-string", undo="no key-string")
        for lifetime in key.body.all(*_LIFETIMES):
            context.plan.frr.add(daemon, *path, lifetime.text, key=lifetime.name, undo=f"no {lifetime.name}")


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
        for name in _LIFETIMES:
            line = key.body.get(name)
            span = (
                "(always valid) - (always valid) [valid now]"
                if line is None
                else f"({line.text.removeprefix(name).strip()})"
            )
            yield f"        {name.replace('-', ' ')} {span}"


AREA = Area(
    name="keychain",
    types={
        "moment": matching("hh:mm:ss", r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d", "Time"),
        "month": one("MONTH", _month),
    },
    modes=(
        Mode(name=_CHAIN, prompt="config-keychain", help="key chain"),
        Mode(name=_KEY, prompt="config-keychain-key", help="key of a chain"),
    ),
    commands=(
        Command(pattern="key chain {chain!:name}", opens=_CHAIN, help="Key-chain management"),
        Command(pattern="key {id!:0-2147483647}", mode=(_CHAIN, _KEY), opens=_KEY, help="Configure a key"),
        Command(pattern="description {text:line}", mode=_CHAIN, help="key chain description"),
        Command(pattern="key-string [ ( 0 | 7 ) ] {key:line}", name="key-string", mode=_KEY, help="Set key string"),
        *(
            Command(pattern=f"{name} {_LIFETIME}", name=name, mode=_KEY, help="Set the lifetime of the key")
            for name in _LIFETIMES
        ),
        Command(pattern="show key chain [ {chain:name} ]", mode="exec", run=_show, help="Show keychain information"),
    ),
    scope=(
        ("key chains: keys and texts", "yes, in RIP, OSPFv2 and IS-IS"),
        ("key chains: lifetimes", "yes, in RIP; elsewhere keys are valid at any time"),
        ("key chains: cryptographic algorithms", "refused"),
    ),
)
