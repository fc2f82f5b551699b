"""The grammar of the area ``urpf``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl.types import TYPES as ACL_TYPES
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table

_OPTIONS = "< allow-default | allow-self-ping > [ {list:list} ]"


COMMANDS = table(
    setting(
        f"ip verify unicast source reachable-via ( rx | any ) {_OPTIONS}",
        "Enable per packet validation for unicast",
        name="ip verify unicast",
    ),
    setting(
        "ip verify unicast reverse-path [ {list:list} ]",
        "Reverse path validation of source address (old command format)",
        name="ip verify unicast",
    ),
    setting(
        "ipv6 verify unicast source reachable-via ( rx | any ) [ allow-default ] [ {list:name} ]",
        "Validation of packet",
        name="ipv6 verify unicast",
    ),
    mode="if",
)


TYPES = {"list": ACL_TYPES["list"]}
