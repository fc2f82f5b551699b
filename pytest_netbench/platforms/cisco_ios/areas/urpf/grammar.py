"""The grammar of the area ``urpf``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl.types import TYPES as ACL_TYPES
from pytest_netbench.platforms.cisco_ios.grammar.command import Command

_OPTIONS = "< allow-default | allow-self-ping > [ {list:list} ]"


COMMANDS: tuple[Command, ...] = (
    Command(
        pattern=f"ip verify unicast source reachable-via ( rx | any ) {_OPTIONS}",
        mode="if",
        name="ip verify unicast",
        help="Enable per packet validation for unicast",
    ),
    Command(
        pattern="ip verify unicast reverse-path [ {list:list} ]",
        mode="if",
        name="ip verify unicast",
        help="Reverse path validation of source address (old command format)",
    ),
    Command(
        pattern="ipv6 verify unicast source reachable-via ( rx | any ) [ allow-default ] [ {list:name} ]",
        mode="if",
        name="ipv6 verify unicast",
        help="Validation of packet",
    ),
)


TYPES = {"list": ACL_TYPES["list"]}
