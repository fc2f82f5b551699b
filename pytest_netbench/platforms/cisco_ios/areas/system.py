"""The device itself: host name, version, services, what moves the session, saving and loading of the config."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import lines_of
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Area, Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.types import matching
from pytest_netbench.platforms.cisco_ios.session import startup

VERSION = "15.9"
_FACTORY = (
    f"version {VERSION}",
    "service timestamps debug datetime msec",
    "service timestamps log datetime msec",
    "no service password-encryption",
    "ip cef",
    "no ip http server",
    "no ip http secure-server",
)
_DEFAULT_ON = ("ip classless", "ip subnet-zero", "ip domain lookup", "ip source-route")


def _compile(context: Context) -> None:
    entry = context.config.get("hostname")
    context.plan.hostname = str(entry["name"]) if entry else context.facts.name
    context.plan.sysctls |= {
        "net.ipv4.ip_forward": "0" if context.config.says_no("ip routing") else "1",
        "net.ipv4.conf.all.promote_secondaries": "1",
        "net.ipv6.conf.all.keep_addr_on_down": "1",
    }


def _hostname(edit: Edit, match: Match) -> str | None:
    """Without a name a device is called Router."""
    if match.negated or match.reset:
        edit.put("hostname Router")
        return None
    return edit.keep(match)


def _version(edit: Edit, match: Match) -> str | None:
    """What a saved config says of the version it was made by; this one says its own."""
    if match.negated or match.reset:
        return INVALID
    if not edit.config.has("version"):
        edit.put(f"version {VERSION}")
    return None


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


AREA = Area(
    name="system",
    types={"hostname": matching("WORD", r"[A-Za-z0-9][\w.-]{0,62}")},
    commands=(
        Command(pattern="hostname ^ {name:hostname}", edit=_hostname, help="Set system's network name"),
        Command(pattern="version {number:word}", edit=_version),
        *(
            Command(
                pattern=f"service timestamps {kind} [ datetime < msec | localtime | show-timezone | year > | uptime ]",
                keeps_no=True,
            )
            for kind in ("debug", "log")
        ),
        *(Command(pattern=text, keeps_no=True, default=(text,)) for text in _DEFAULT_ON),
        Command(pattern="ip routing", keeps_no=True, default=("ip routing",)),
        Command(pattern="ip cef", keeps_no=True),
        Command(pattern="ip http server", keeps_no=True, marked="there is no web server"),
        Command(pattern="ip http secure-server", keeps_no=True, marked="there is no web server"),
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
        Command(
            pattern="show running-config [ ( brief | full | interface {interface:interface} ) ]",
            mode="exec",
            run=_show_running,
            help="Current operating configuration",
        ),
        Command(
            pattern="show startup-config", mode="exec", run=_show_startup, help="Contents of startup configuration"
        ),
        Command(
            pattern="write [ memory ]",
            mode="exec",
            run=_write,
            changes=True,
            help="Write running configuration to memory",
        ),
        Command(pattern="copy running-config startup-config", mode="exec", run=_copy_running_startup, changes=True),
        Command(pattern="reload", mode="exec", run=_reload, changes=True, help="Halt and perform a cold restart"),
    ),
    factory=_FACTORY,
    compile=_compile,
    scope=(
        ("host name, saving, reload; do, no, default, ?, abbreviations, | include exclude begin section count", "yes"),
    ),
    help={
        "show": "Show running system information",
        "ip": "Global IP configuration subcommands",
        "no": "Negate a command or set its defaults",
    },
)
