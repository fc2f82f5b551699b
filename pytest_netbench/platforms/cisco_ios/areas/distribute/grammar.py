"""The grammar of the area ``distribute``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Command
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting
from pytest_netbench.platforms.cisco_ios.grammar.types import matching

_OSPF, _RIP = "router-ospf", "router-rip"


_SOURCES = "connected | static | rip | bgp {number!:asn} | eigrp {number!:1-65535} | isis"


def _command(words: str, tail: str, mode: str | tuple[str, ...]) -> Command:
    """Return a command whose list argument cannot be read as one of the keywords that may precede it."""
    name = f"distribute-list {words}".strip()
    return setting(
        f"distribute-list {words} {{list:name}} {tail}", "Filter networks in routing updates", name=name, mode=mode
    )


_IN = "{way!:onlyin} [ {interface!:interface} ]"


_COMMANDS = (
    *(_command(words, _IN, _OSPF) for words in ("", "prefix")),
    _command("route-map", "{way!:onlyin}", _OSPF),
    _command("", f"{{way!:onlyout}} [ {_SOURCES.join(('( ', ' )'))} ]", _OSPF),
    *(_command(words, "{way!:inout} [ {interface!:interface} ]", _RIP) for words in ("", "prefix")),
)


TYPES = {"onlyin": matching("in", "in"), "onlyout": matching("out", "out"), "inout": matching("in|out", "in|out")}
