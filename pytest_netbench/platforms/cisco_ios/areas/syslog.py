"""Delivery of log messages: the service ``syslog`` sends them to logging hosts and collects those of other services."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

SEVERITIES = ("emergencies", "alerts", "critical", "errors", "warnings", "notifications", "informational", "debugging")

_INFORMATIONAL, _LOCAL7 = 6, 23

_PORT = 514

_FACILITIES = {
    "kern": 0,
    "user": 1,
    "mail": 2,
    "daemon": 3,
    "auth": 4,
    "syslog": 5,
    "lpr": 6,
    "news": 7,
    "uucp": 8,
    "cron": 9,
    **{f"local{number}": 16 + number for number in range(8)},
}

_SPEAKERS = ("fhrp", "sla", "acllog")


def compile_syslog(context: Context) -> None:
    """Add the area's part of the desired state."""
    config = context.config
    hosts = [
        {"address": str(entry["address"]), "port": entry.get("port", _PORT)} for entry in config.all("logging host")
    ]
    if config.says_no("logging on"):
        hosts = []
    if not hosts and not any(name in context.state.services for name in _SPEAKERS):
        return
    facility, source = config.get("logging facility"), config.get("logging source-interface")
    context.state.services["syslog"] = {
        "hosts": hosts,
        "facility": _FACILITIES.get(str(facility["facility"]), _LOCAL7) if facility else _LOCAL7,
        "severity": _severity(config),
        "interface": interfaces.kernel_name(source["interface"]) if source else "",
    }


def _severity(config: Section) -> int:
    """Return the severity up to which messages are sent to hosts."""
    entry = config.get("logging trap")
    if entry is None:
        return _INFORMATIONAL
    return int(entry["level"]) if "level" in entry.match.args else SEVERITIES.index(str(entry["word"]))


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
