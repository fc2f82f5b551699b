"""The device itself: host name, version, services, navigation between modes, saving and loading the config."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from pytest_netbench.platforms.cisco_ios.areas.system.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import lines_of
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Area, Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, setting, show, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching
from pytest_netbench.platforms.cisco_ios.session import startup

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


def _show_running(at: Exec, match: Match) -> str:
    body = at.device.running_config()
    if "interface" in match.args:
        entry = at.config.get("interface", name=match["interface"])
        if entry is None:
            return f"% Invalid interface {match['interface']}\n"
        body = "\n".join(["!", *lines_of(entry), "end", ""])
    return f"Building configuration...\n\nCurrent configuration : {len(body)} bytes\n{body}"


def _show_startup(at: Exec, _match: Match) -> str:
    text = at.device.startup_config
    if not text.strip():
        return "startup-config is not present\n"
    return f"Using {len(text)} out of 262144 bytes\n{text}"


def _write(at: Exec, _match: Match) -> str:
    at.device.startup_config = at.device.running_config()
    return "Building configuration...\n[OK]\n"


def _copy_running_startup(at: Exec, match: Match) -> Iterator[str | Ask]:
    yield Ask("Destination filename [startup-config]? ")
    yield _write(at, match)


def _reload(at: Exec, _match: Match) -> Generator[str | Ask, str, None]:
    if not (yield Ask("Proceed with reload? [confirm]")):
        startup.reload(at.device)
        at.session.closed = True


EXEC = (
    Command(
        pattern="configure [ terminal ]",
        mode="exec",
        name="configure terminal",
        changes=True,
        help="Enter configuration mode",
    ),
    Command(pattern="exit", mode="exec", user=True, help="Exit from the EXEC"),
    Command(pattern="logout", mode="exec", user=True, help="Exit from the EXEC"),
    Command(pattern="quit", mode="exec", user=True, name="exit"),
    Command(pattern="disable", mode="exec", help="Turn off privileged commands"),
    show(
        "running-config [ ( brief | full | interface {interface:interface} ) ]",
        _show_running,
        "Current operating configuration",
        user=False,
    ),
    show("startup-config", _show_startup, "Contents of startup configuration", user=False),
    action("write [ memory ]", _write, "Write running configuration to memory"),
    action("copy running-config startup-config", _copy_running_startup),
    action("reload", _reload, "Halt and perform a cold restart"),
)


def compile_system(context: Context) -> None:
    """Add the area's part of the desired state."""
    entry = context.config.get("hostname")
    context.state.hostname = str(entry["name"]) if entry else context.facts.name
    context.state.sysctls |= {
        "net.ipv4.ip_forward": "0" if context.config.says_no("ip routing") else "1",
        "net.ipv4.conf.all.promote_secondaries": "1",
        "net.ipv6.conf.all.keep_addr_on_down": "1",
    }


AREA = Area(
    name="system",
    types=TYPES,
    commands=(*COMMANDS, *EXEC, *SHOWS),
    factory=FACTORY,
    compile=compile_system,
    scope=(
        ("host name, saving, reload; do, no, default, ?, abbreviations, | include exclude begin section count", "yes"),
        ("show version, clock, logging, users, hosts, netbench unsupported", "yes"),
        ("debug", "no"),
    ),
    help={
        "show": "Show running system information",
        "ip": "Global IP configuration subcommands",
        "no": "Negate a command or set its defaults",
    },
)
