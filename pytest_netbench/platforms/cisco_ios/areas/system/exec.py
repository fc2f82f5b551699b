"""The exec commands of the area ``system``."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from pytest_netbench.platforms.cisco_ios.config.render import lines_of
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.session import startup


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
