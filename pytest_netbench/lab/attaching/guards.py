"""Lines that would cut the way to a device: they are refused, and who works on it is told so. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_netbench.lab.attaching.matching import full_name
from pytest_netbench.lab.attaching.site import Device

_FOLLOWS: Final = "% Not typed: it follows a line that this testbed refuses"
_LOGINS: Final = "% Refused: this testbed keeps its logins as they are"
_FILES: Final = "% Refused: this testbed keeps its files as they are"
_LEAST: Final = 2
_SECTIONS: Final = (("interface",), ("line",), ("aaa",), ("management",))
_LOGIN_LINES: Final = (
    *(("username",), ("user",), ("enable",), ("aaa",), ("line",), ("login",), ("privilege",), ("management",)),
    *(("tacacs-server",), ("tacacs",), ("radius-server",), ("radius",), ("boot",), ("config-register",)),
    *(("ip", "ssh"), ("crypto", "key"), ("ip", "domain"), ("ip", "domain-name")),
)
_OPENERS: Final = (
    *(("interface",), ("router",), ("line",), ("route-map",), ("class-map",), ("policy-map",), ("vlan",), ("track",)),
    *(("ip", "access-list"), ("ipv6", "access-list"), ("key", "chain"), ("ip", "vrf"), ("ip", "sla"), ("vrf",)),
    *(("object-group",), ("end",), ("exit",)),
)
_OPERATING: Final = re.compile(
    r"^\s*(?:do\s+)?(?:wr(?:ite)?\s+er|erase\s|format\s|delete\s|configure\s+(?:replace|session)|(?:load|rollback)\s"
    r"|copy\s+(?!run\S*\s+start)\S+\s+(?:run|start))",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"^(?P<first>[A-Za-z]+ ?(?:\d+/)*)(?P<from>\d+) ?- ?(?P<to>\d+)$")
_MOST: Final = 1000
_OF_JUNOS: Final = (
    *("login", "services", "root-authentication", "authentication-order", "radius-server", "tacplus-server"),
    "management-instance",
)


class Guard:
    """What may be typed on a device that is reached over the network.

    Args:
        device: Which.
        node: The node that it stands for.

    Attributes:
        management: The interface by which it is reached, if it has one.
    """

    def __init__(self, device: Device, node: str) -> None:
        self.management = device.management
        self._dialect = device.dialect
        self._node = node
        self._managed = None if device.management is None else full_name(device.dialect, device.management)

    @property
    def notes(self) -> tuple[str, ...]:
        """What an agent is told, in sentences."""
        managed = () if self._managed is None else (f"interface {self._managed}, by which it is managed",)
        logins = () if self._dialect == "linux" else ("its logins (users, lines, SSH)",)
        if not (kept := (*managed, *logins)):
            return ()
        return (f"{self._node} keeps {', and '.join(kept)}: commands that would change that are refused.",)

    def refusals(self, commands: Sequence[str]) -> list[str | None]:
        """By command, perhaps of several lines: the message if it is refused, else ``None``."""
        lines = [command.splitlines() or [""] for command in commands]
        each = iter(self._each([line for some in lines for line in some]))
        found = [[next(each) for _ in some] for some in lines]
        return [next((one for one in some if one is not None), None) for some in found]

    def _each(self, lines: Sequence[str]) -> list[str | None]:
        match self._dialect:
            case "linux":
                return [self._of_shell(line) for line in lines]
            case "juniper_junos":
                return [self._of_statement(line) for line in lines]
            case _:
                return self._of_sections(lines)

    def _of_shell(self, line: str) -> str | None:
        names = self._managed and re.search(rf"(?<![\w.-]){re.escape(self._managed)}(?![\w.-])", line)
        return f"refused: {self._managed} manages this host, and stays as it is" if names else None

    def _of_statement(self, line: str) -> str | None:
        _, *path = line.replace('"', " ").split() or [""]
        logins = path[:1] == ["system"] and (len(path) == 1 or path[1] in _OF_JUNOS)
        if (line.split()[:1] == ["delete"] and not path) or logins:
            return f"error: {_LOGINS.strip('% ')}"
        if self._managed is not None and path[:1] == ["interfaces"]:
            physical = self._managed.partition(".")[0]
            if len(path) == 1 or path[1] == physical:
                return f"error: {physical} manages this device, and stays as it is"
        return None

    def _of_sections(self, lines: Sequence[str]) -> list[str | None]:
        """What stands below a line that is refused would be typed into another section, and is refused, too."""
        found: list[str | None] = []
        is_below = False
        for line in lines:
            words = _words(line)
            message = self._of_line(line, words)
            if message is not None:
                is_below = is_below or (_is_one(words, _SECTIONS) and not _removes(line))
            elif is_below and _is_one(words, (("exit",),)):
                message, is_below = _FOLLOWS, False  # the section that it leaves was not entered
            elif _is_one(words, _OPENERS):
                is_below = False
            elif is_below and words:
                message = _FOLLOWS
            found.append(message)
        return found

    def _of_line(self, line: str, words: Sequence[str]) -> str | None:
        if _OPERATING.match(line):
            return _FILES
        if _is_one(words, (("interface",),)):
            is_managed = self._managed is not None and self._managed in self._interfaces(words)
            return f"% Refused: {self._managed} manages this device, and stays as it is" if is_managed else None
        return _LOGINS if _is_one(words, _LOGIN_LINES) and not line[:1].isspace() else None

    def _interfaces(self, words: Sequence[str]) -> set[str]:
        """The full names of the interfaces that a line opens, each of a range."""
        is_range = len(words) > 1 and len(words[1]) > 1 and "range".startswith(words[1])
        parts = " ".join(words[2 if is_range else 1 :]).split(",")
        return {full_name(self._dialect, one) for part in parts for one in _spread(part.strip())}


def _words(line: str) -> list[str]:
    """The words of a line in lower case, without those that remove."""
    words = line.lower().strip(" !").split()
    return words[1:] if words[:1] and words[0] in {"no", "default"} else words


def _spread(part: str) -> list[str]:
    match = _RANGE.match(part)
    if match is None:
        return [part]
    first, last = int(match["from"]), int(match["to"])
    return [f"{match['first']}{number}" for number in range(first, min(last, first + _MOST) + 1)]


def _removes(line: str) -> bool:
    return line.lower().split()[0] in {"no", "default"}


def _is_one(words: Sequence[str], lines: Sequence[Sequence[str]]) -> bool:
    """Whether words are the beginning of one of the lines, perhaps abbreviated."""
    return any(
        len(words) >= len(line)
        and all(len(word) >= _LEAST and whole.startswith(word) for word, whole in zip(words, line, strict=False))
        for line in lines
    )
