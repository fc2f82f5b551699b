"""vtysh as a session: how it is started, what its prompts look like, which mode it is in."""

from __future__ import annotations

import re
from typing import Any

from pytest_netbench.platforms.access import CliSession
from pytest_netbench.platforms.capabilities import HostedNode

# UTF-8 so that readline takes a dash in a description for a dash; no history, which would tell what was typed before
_PROGRAM = ("/usr/bin/env", "TERM=dumb", "LC_ALL=C.UTF-8", "VTYSH_PAGER=/bin/cat", "vtysh", "-H", "/dev/null")
# The last of what came, and not any line: scrapli searches the end of it, which may begin within a line, and the rest
# of "flags: <UP,BROADCAST,MULTICAST>" would be a prompt.
_PROMPT = r"^[\w.\-]{1,64}(\([\w.\-]{1,64}\))?[>#]\s?\z"

DEFINITION: dict[str, Any] = {
    "prompt_pattern": _PROMPT,
    "default_mode": "any",
    "modes": [{"name": "any", "prompt_pattern": _PROMPT, "accessible_modes": []}],
}

CONFIG = "config"
SHOW = "show"
VIEW = "view"
_ALL = (CONFIG, SHOW, VIEW)

CONF = "/etc/frr/vtysh.conf"

HOST_NAME_RULE = (
    "% A host name has 1 to 64 letters, digits, dots, dashes and underscores here: it stands in the prompt."
)
_HOST_NAME = re.compile(r"[\w.\-]{1,64}", re.ASCII)
_MODE = re.compile(r"\(([\w.\-]+)\)#$")


def session(node: HostedNode, key: str) -> CliSession:
    """The node's session for ``key``: ``config`` and ``show`` start in the enable node, ``view`` cannot get there."""
    return node.cli((*_PROGRAM, "-u") if key == VIEW else _PROGRAM, definition=DEFINITION, key=key)


def drop_all(node: HostedNode) -> None:
    """Close every session: vtysh attaches only to daemons that were alive when it started."""
    for key in _ALL:
        node.drop_cli(key)


def conf(hostname: str | None) -> str:
    """The text of ``vtysh.conf``: sessions opened later take a changed host name from there."""
    return "! no settings\n" if hostname is None else f"hostname {hostname}\n"


def mode(prompt: str) -> str:
    """``"config-router"`` of ``R1(config-router)#``; ``""`` in exec mode."""
    match = _MODE.search(prompt)
    return "" if match is None else match[1]


def hostname(prompt: str) -> str:
    """``"R1"`` of ``R1(config)#``."""
    return re.split(r"[(>#]", prompt, maxsplit=1)[0]


def unprintable(line: str) -> bool:
    """Whether a line holds what readline would take for a keystroke."""
    return any(not char.isprintable() for char in line)


def hides_the_prompt(line: str) -> bool:
    """Return whether a line sets a host name with which a prompt would not be known as one, or leaves none."""
    words = line.split()
    if len(words) > 1 and words[0].lower() == "no":
        return abbreviates(words[1], "hostname", least=4)
    hostname = len(words) > 1 and abbreviates(words[0], "hostname", least=4)
    return hostname and (len(words) > 2 or _HOST_NAME.fullmatch(words[1]) is None)


def typed(line: str) -> str:
    r"""``line`` as it must be typed: ``?`` asks for help unless Ctrl-V goes before it."""
    return line.replace("?", "\x16?")


def abbreviates(words: str, command: str, *, least: int = 1) -> bool:
    """Whether ``words`` is ``command`` with each word cut short, as vtysh would take it."""
    given, full = words.lower().split(), command.split()
    return len(given) == len(full) and all(
        len(word) >= min(least, len(known)) and known.startswith(word) for word, known in zip(given, full, strict=True)
    )
