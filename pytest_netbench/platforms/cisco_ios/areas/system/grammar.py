"""The grammar of the area ``system``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

VERSION = "15.9"

FACTORY = (
    f"version {VERSION}",
    "service timestamps debug datetime msec",
    "service timestamps log datetime msec",
    "no service password-encryption",
    "ip cef",
    "no ip http server",
    "no ip http secure-server",
)

_DEFAULT_ON = ("ip classless", "ip subnet-zero", "ip domain lookup", "ip source-route")


def _hostname(edit: Edit, match: Match) -> str | None:
    """Store the host name; the default is Router."""
    if match.negated or match.reset:
        edit.put("hostname Router")
        return None
    return edit.keep(match)


def _version(edit: Edit, match: Match) -> str | None:
    """Ignore the version of a saved config; the running config has its own."""
    if match.negated or match.reset:
        return INVALID
    if not edit.config.has("version"):
        edit.put(f"version {VERSION}")
    return None


COMMANDS = table(
    setting("hostname ^ {name:hostname}", "Set system's network name", edit=_hostname),
    ("prompt {text:line}", "Set system's prompt"),
    setting("version {number:word}", edit=_version),
    *(
        setting(
            f"service timestamps {kind} [ datetime < msec | localtime | show-timezone | year > | uptime ]",
            keeps_no=True,
        )
        for kind in ("debug", "log")
    ),
    *(setting(text, on=True) for text in _DEFAULT_ON),
    setting("ip routing", on=True),
    setting("ip cef", keeps_no=True),
    setting("ip http server", keeps_no=True, marked="there is no web server"),
    setting("ip http secure-server", keeps_no=True, marked="there is no web server"),
)

TYPES = {"hostname": matching("WORD", r"[A-Za-z0-9][\w.-]{0,62}")}
