"""``show`` commands of the device itself, and session settings."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest_netbench
from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.device.log import SEVERITIES, severity
from pytest_netbench.platforms.cisco_ios.device.log import size as log_size
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show

_RELEASE = "15.9(3)M"
_UNITS = (("year", 31_536_000), ("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60))


def serial(name: str) -> str:
    """Return the serial number of a node, the same in every run."""
    return "9" + "".join(f"{ord(letter) * 7 % 36:X}" for letter in name)[:10].ljust(10, "0").upper()


def uptime(seconds: float) -> str:
    """Return an uptime as ``1 week, 2 days, 3 hours, 4 minutes``; minutes are always included."""
    parts = []
    left = int(seconds)
    for word, size in _UNITS:
        count, left = divmod(left, size)
        if count or word == "minute":
            parts.append(f"{count} {word}{'' if count == 1 else 's'}")
    return ", ".join(parts)


def _version(at: Exec, _match: Match) -> str:
    device = at.device
    kinds: dict[str, int] = {}
    for name in device.physical:
        kind = interfaces.parse(name).kind.replace("Ethernet", " Ethernet").strip()
        kinds[kind] = kinds.get(kind, 0) + 1
    counted = "\n".join(f"{count} {kind} interface{'' if count == 1 else 's'}" for kind, count in kinds.items())
    model = "netbench-L2" if device.role == "switch" else "netbench-L3"
    started = datetime.fromtimestamp(device.now - device.uptime_s, UTC)
    return f"""Cisco IOS Software, netbench Software (NETBENCH-UNIVERSALK9-M), \
Version {_RELEASE}, RELEASE SOFTWARE (fc1)
This is no Cisco product: an IOS command line of pytest-netbench {pytest_netbench.__version__} \
over FRR {device.facts.frr}
Compiled {started:%a %d-%b-%y %H:%M} by netbench


ROM: Bootstrap program is netbench

{device.hostname} uptime is {uptime(device.uptime_s)}
System returned to ROM by reload
System restarted at {started:%H:%M:%S UTC %a %b} {started.day} {started.year}
System image file is "flash0:/netbench-universalk9"
Last reload reason: Unknown reason

Cisco {model} (revision 1.0) with 460033K/62464K bytes of memory.
Processor board ID {serial(at.node.name)}
{counted}
DRAM configuration is 72 bits wide with parity disabled.
256K bytes of non-volatile configuration memory.
2097152K bytes of ATA System CompactFlash 0 (Read/Write)

Configuration register is 0x2102

"""


def _clock(at: Exec, _match: Match) -> str:
    now = datetime.fromtimestamp(at.device.now, UTC)
    return f"*{now:%H:%M:%S}.{now.microsecond // 1000:03d} UTC {now:%a %b} {now.day} {now.year}\n"


def _logging(at: Exec, _match: Match) -> str:
    buffer = at.device.collect_log()
    log, count = buffer.lines(at.config), buffer.count
    on = not at.config.says_no("logging on")
    lines = [
        (
            f"Syslog logging: {'enabled' if on else 'disabled'} (0 messages dropped, 0 messages rate-limited,"
            " 0 flushes, 0 overruns, xml disabled, filtering disabled)"
        ),
        "",
        "No Active Message Discriminator.",
        "",
        "No Inactive Message Discriminator.",
        "",
        *_destination(at, "console", "Console logging:", count),
        *_destination(at, "monitor", "Monitor logging:", 0),
        *_destination(at, "buffered", "Buffer logging: ", count),
        "    Exception Logging: size (8192 bytes)",
        "    Count and timestamp logging messages: disabled",
        "    Persistent logging: disabled",
        f"    Trap logging: level {_level(at, 'trap', _INFORMATIONAL)}, {count} message lines logged",
        *(
            f"        Logging to {host['address']}  (udp port {host.get('port', 514)}, audit disabled, link up),"
            f" {count} message lines logged"
            for host in at.config.all("logging host")
        ),
        "",
        f"Log Buffer ({log_size(at.config)} bytes):",
        "",
        *log,
    ]
    return "\n".join(lines) + "\n"


_INFORMATIONAL = 6


def _destination(at: Exec, name: str, label: str, count: int) -> list[str]:
    if at.config.says_no(f"logging {name}"):
        return [f"    {label} disabled"]
    head = f"    {label} level {_level(at, name)}, {count} messages logged, xml disabled,"
    return [head, f"{'':<21}filtering disabled"]


def _level(at: Exec, name: str, default: int = len(SEVERITIES) - 1) -> str:
    return SEVERITIES[severity(at.config.get(f"logging {name}"), default)]


def _clear_logging(at: Exec, _match: Match) -> None:
    at.device.collect_log().clear()


def _users(_at: Exec, _match: Match) -> str:
    return (
        "    Line       User       Host(s)              Idle       Location\n*  0 con 0                idle            "
        "     00:00:00   \n\n  Interface    User               Mode         Idle     Peer Address\n\n"
    )


def _inventory(at: Exec, _match: Match) -> str:
    model = "netbench-L2" if at.device.role == "switch" else "netbench-L3"
    return (
        f'NAME: "{model}", DESCR: "{model} chassis, Hw Serial#: {serial(at.node.name)}, Hw Revision: 1.0"\nPID:'
        f" {model:<17} , VID: 1.0, SN: {serial(at.node.name)}\n\n\n"
    )


def _unsupported(at: Exec, _match: Match) -> str:
    rows = at.device.applied.unsupported
    lines = (
        ["Lines that were accepted and are not enforced:"]
        if rows
        else ["Every line of the running config is enforced."]
    )
    lines += [f"  {text}: {why}" for text, why in rows]
    problems = at.device.problems
    lines += (
        ["Not applied, which is a defect of this platform:", *(f"  {text}" for text in problems)] if problems else []
    )
    return "\n".join(lines) + "\n"


def _hosts(at: Exec, _match: Match) -> str:
    domain = at.config.get("ip domain name")
    lines = [
        f"Default domain is {domain['domain']}" if domain else "Default domain is not set",
        "Name servers are 255.255.255.255",
        "",
        "Codes: UN - unknown, EX - expired, OK - OK, ?? - revalidate",
        "       temp - temporary, perm - permanent",
        "       NA - Not Applicable None - Not defined",
        "",
        "Host                      Port  Flags      Age Type   Address(es)",
    ]
    lines += [
        f"{entry['host']:<25} None  (perm, OK)  0   IP    {'  '.join(str(a) for a in entry.many('address'))}"
        for entry in at.config.all("ip host")
    ]
    return "\n".join(lines) + "\n"


def _nothing(_at: Exec, _match: Match) -> None:
    return


SHOWS = (
    show("version", _version, "System hardware and software status"),
    show("clock [ detail ]", _clock, "Display the system clock"),
    show("logging", _logging, "Show the contents of logging buffers", user=False),
    show("users [ all ]", _users, "Display information about terminal lines"),
    show("inventory", _inventory, "Show the physical inventory"),
    show("hosts", _hosts, "IP domain-name, lookup style, nameservers, and host table"),
    show("netbench unsupported", _unsupported, "Lines that are accepted and not enforced"),
    action("undebug all", _nothing, changes=False),
    action("no debug all", _nothing, changes=False),
    action("clear logging", _clear_logging, "Clear logging buffer"),
)
