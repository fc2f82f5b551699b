"""The grammar of the area ``keychain``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
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
