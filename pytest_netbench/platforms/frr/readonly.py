"""Read-only commands. They go to a vtysh that cannot enter the enable node.

``vtysh -u`` knows no command that changes anything. Some ``show`` commands exist only in the enable node, so a line
whose first word is ``show`` goes to an enable session; no other line ever does, and a line is one line of printable
characters, so it can hold no second command and no keystroke. ``ping`` and ``traceroute`` run in the sandbox.
"""

from __future__ import annotations

import re
import shlex

from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import vtysh
from pytest_netbench.platforms.frr.processes import NO_KERNEL_NEXTHOPS

_TARGET = re.compile(r"^[A-Za-z0-9][A-Za-z0-9.:%_\-]*$")
_COUNT_WORDS = ("count", "repeat", "-c")
_SOURCE_WORDS = ("source", "-I", "-s")
_DEFAULT_COUNT = 5
_MAX_COUNT = 100
_HEADERS = {"-4": 28, "-6": 48}
"""Bytes of the headers of IP and ICMP. ``size`` counts them, as in IOS, and ``-s`` does not, as in Linux."""
_MAX_SIZE = 18_000
_DF_WORDS = ("df", "df-bit")
_DF = ["-M", "do"]


def execute(node: HostedNode, command: str, limits: SandboxLimits) -> str:
    """Output of one exec command, or the device's error message."""
    line = command.replace("\t", " ").strip()
    if vtysh.unprintable(line):
        return "% One line of printable characters is one command; send the lines one by one."
    if not line:
        return ""
    words = line.split()
    tool = next(
        (name for name in ("ping", "traceroute") if len(words[0]) >= 2 and name.startswith(words[0].lower())), None
    )
    if tool is not None:
        argv = probe_arguments(tool, words[1:])
        return f"% Unknown command: {line}" if argv is None else _in_sandbox(node, argv, limits)
    return _in_session(node, line, limits)


def probe_arguments(tool: str, words: list[str]) -> list[str] | None:
    """Return bounded arguments of ``ping`` or ``traceroute`` for a device's command; ``None`` if it is unknown."""
    rest = list(words)
    family = {"ip": "-4", "ipv6": "-6"}.get(rest[0].lower()) if rest else None
    if family is not None:
        rest = rest[1:]
    count, source, target = _DEFAULT_COUNT, None, None
    shape: list[str] = []
    while rest:
        word = rest.pop(0)
        if tool == "ping" and (taken := _shape(word, rest, family or "-4")):
            shape += taken
        elif word in _COUNT_WORDS and rest and rest[0].isdigit():
            count = min(int(rest.pop(0)), _MAX_COUNT)
        elif word in _SOURCE_WORDS and rest and _TARGET.match(rest[0]):
            source = rest.pop(0)
        elif word == "-n":
            continue
        elif target is None and _TARGET.match(word):
            target = word
        else:
            return None
    if target is None:
        return None
    options = ["-c", str(count), "-i", "0.2", "-W", "1"] if tool == "ping" else ["-n", "-w", "1", "-q", "1", "-m", "16"]
    if source is not None:
        options += ["-I" if tool == "ping" else "-s", source]
    return [tool, *([family] if family else []), *options, *shape, target]


def _shape(word: str, rest: list[str], family: str) -> list[str]:
    """The options for the size of a ping, or against its fragmentation; takes what belongs to them from ``rest``."""
    if word in _DF_WORDS:
        return _DF
    if word == "-M" and rest[:1] == ["do"]:
        return [word, rest.pop(0)]
    if word in ("size", "-s") and rest and rest[0].isdigit():
        size = min(int(rest.pop(0)), _MAX_SIZE)
        return ["-s", str(size if word == "-s" else max(0, size - _HEADERS[family]))]
    return []


def _in_sandbox(node: HostedNode, argv: list[str], limits: SandboxLimits) -> str:
    done = node.shell(shlex.join(argv), writable=False, limits=limits)
    note = f"\n% Ended after {limits.timeout_s:g} s" if done.timed_out else ""
    return (done.stdout + done.stderr).rstrip("\n") + note


def _in_session(node: HostedNode, line: str, limits: SandboxLimits) -> str:
    key = vtysh.SHOW if vtysh.abbreviates(line.split(maxsplit=1)[0], "show", least=2) else vtysh.VIEW
    session = vtysh.session(node, key)
    before = session.prompt
    try:
        output = session.send(vtysh.typed(line), timeout_s=limits.timeout_s)
    except LabDied:
        raise
    except LabError:
        node.drop_cli(key)
        if any(vtysh.abbreviates(line, word, least=2) for word in ("exit", "quit")):
            return ""
        return f"% The command gave no prompt back within {limits.timeout_s:g} s and was ended."
    if session.prompt != before or line.lower().startswith("te"):
        # a session that changed its mode, or its terminal, is not used again
        node.drop_cli(key)
    shown = "\n".join(one for one in output.split("\n") if one.rstrip() != NO_KERNEL_NEXTHOPS)
    return _bounded(shown, limits.output_bytes)


def _bounded(text: str, limit: int) -> str:
    data = text.encode()
    if len(data) <= limit:
        return text
    return data[:limit].decode(errors="ignore") + f"\n% Output was cut at {limit} bytes of {len(data)}"
