"""Delivery of log messages: the service ``syslog`` sends them to logging hosts and collects those of other services."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.syslog.compile import compile_syslog
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="syslog",
    compile=compile_syslog,
    scope=(
        (
            "syslog",
            (
                "datagrams to logging hosts, from the source interface, with facility and trap level; changes of HSRP,"
                " VRRP and tracked objects, and matches of access lists with log, are logged"
            ),
        ),
    ),
)
