"""The rules for commands: which of them an agent may enter at a device, whatever the interface.

A command is matched in full words. Where the network OS takes abbreviations, its driver says what a line stands for; if
it cannot, a word that may stand for a word of a pattern is taken for it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from pytest_netbench.errors import PolicyViolation
from pytest_netbench.lab.devices import Devices
from pytest_netbench.model.agentsettings import CommandRule
from pytest_netbench.platforms.driver import ReadsCommands
from pytest_netbench.platforms.terminal import CommandKind

_WILD: Final = re.compile(r"[*?\[]")
_BETWEEN: Final = re.compile(r"[;|&\n(){}`]")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_BEFORE: Final = frozenset(
    [
        *("!", "builtin", "busybox", "command", "do", "doas", "elif", "else", "env", "exec", "if", "nice", "nohup"),
        *("setsid", "sudo", "then", "time", "until", "while", "xargs"),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """One command that a line may be.

    Attributes:
        words: In lower case.
        exact: Whether no word is abbreviated.
    """

    words: tuple[str, ...]
    exact: bool

    @classmethod
    def of(cls, text: str, *, exact: bool) -> Meaning:
        return cls(words=tuple(text.lower().split()), exact=exact)

    @property
    def text(self) -> str:
        """The command."""
        return " ".join(self.words)

    def is_allowed_by(self, pattern: str) -> bool:
        """Whether its first words are those of ``pattern``, written out."""
        return self._fits(pattern, abbreviated=False)

    def is_denied_by(self, pattern: str) -> bool:
        """Whether its first words are those of ``pattern``, or may be, if words may be abbreviated."""
        return self._fits(pattern, abbreviated=not self.exact)

    def _fits(self, pattern: str, *, abbreviated: bool) -> bool:
        wanted = pattern.lower().split()
        return len(self.words) >= len(wanted) and all(
            fnmatchcase(word, one) or (abbreviated and _WILD.split(one)[0].startswith(word))
            for word, one in zip(self.words, wanted, strict=False)
        )


def of_shell(line: str) -> list[Meaning]:
    """The simple commands of a shell's line, as far as one sees them from outside.

    Each is there with its options and without them. Programs such as ``ip`` take abbreviations.
    """
    found = []
    for simple in _BETWEEN.split(line):
        words = _words(simple)
        while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0]) or words[0].startswith(("-", "$"))):
            words = words[1:]
        if words:
            name = words[0].rpartition("/")[2]
            plain = [word for word in words[1:] if not word.startswith("-")]
            found += [Meaning.of(" ".join([name, *rest]), exact=False) for rest in (words[1:], plain)]
    return list(dict.fromkeys(found))


def of_device(line: str, readings: Sequence[str]) -> list[Meaning]:
    """What a device's line means: its readings, or the line as it is if there are none."""
    if readings:
        return [Meaning.of(text, exact=True) for text in readings]
    words = line.split()
    if words[:1] and words[0].lower() in {"do", "do-exec"}:
        words = words[1:]
    return [Meaning.of(" ".join(words), exact=False)] if words else []


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


UPDATE: Final = "update-cfg"
EXECUTE: Final = "execute-cmd"
SHELLS: Final = frozenset({"kubernetes", "linux"})
"""Platforms whose command line is a shell."""
CARRIERS: Final = (
    *("alias", "configure memory", "configure network", "configure overwrite-network", "configure replace", "copy"),
    *("event manager", "kron", "macro", "menu", "reload", "tclsh"),
)
"""Commands that carry others, which no rule would see. They are refused where rules hold for ``update-cfg``."""
_HARMLESS: Final = ("copy running-config startup-config",)
_MOVES: Final = ("configure", "configure terminal", "disable", "enable", "end", "exit", "quit")


class CommandRules:
    """Checks commands against rules.

    Args:
        rules: All of them must permit a command.
        devices: Give platforms and drivers.
    """

    def __init__(self, rules: Sequence[CommandRule], devices: Devices) -> None:
        self._rules = tuple(rules)
        self._devices = devices

    def check(self, device: str, method: str, commands: Iterable[str]) -> None:
        """Check the commands of a request.

        Raises:
            PolicyViolation: One is not permitted; names the command, what it stands for, and the pattern.
        """
        self._check(device, commands, denied_in=(method,), allowed_in=(method,))

    def check_line(self, device: str, line: str, kind: CommandKind) -> None:
        """Check a line entered at the device's own prompt. What only moves between modes is free.

        Raises:
            PolicyViolation: It is not permitted.
        """
        if kind == "session":
            return
        by_kind = (UPDATE,) if kind == "configure" else (EXECUTE,)
        allowed_in = (UPDATE, EXECUTE) if self._platform(device) in SHELLS else by_kind
        self._check(device, [line], denied_in=(UPDATE, EXECUTE), allowed_in=allowed_in)

    def _check(
        self, device: str, commands: Iterable[str], *, denied_in: Sequence[str], allowed_in: Sequence[str]
    ) -> None:
        rules = [rule for rule in self._rules if self._applies(rule, device)]
        denying = [rule for rule in rules if set(rule.methods) & set(denied_in)]
        allowing = [rule for rule in rules if rule.allow is not None and set(rule.methods) & set(allowed_in)]
        if not denying and not allowing:
            return
        guards_changes = UPDATE in denied_in and self._platform(device) not in SHELLS
        for line in (line for command in commands for line in command.splitlines()):
            for meaning in self._meanings(device, line):
                if guards_changes:
                    _refuse_carrier(device, line, meaning, denying)
                _refuse_denied(device, line, meaning, denying)
                _refuse_unless_allowed(device, line, meaning, allowing)

    def _applies(self, rule: CommandRule, device: str) -> bool:
        platform = self._platform(device)
        named = rule.devices is None or device in rule.devices
        return named and (rule.platforms is None or platform in rule.platforms)

    def _platform(self, device: str) -> str:
        return self._devices.node(device).platform

    def _meanings(self, device: str, line: str) -> list[Meaning]:
        text = line.strip()
        if not text or text.startswith(("!", "#")):
            return []
        if self._platform(device) in SHELLS:
            return of_shell(text)
        driver = self._devices.driver(device)
        readings = driver.readings(self._devices.node(device), text) if isinstance(driver, ReadsCommands) else ()
        return [one for one in of_device(text, readings) if not _only_moves(one)]


def _only_moves(meaning: Meaning) -> bool:
    return any(len(meaning.words) == len(move.split()) and meaning.is_denied_by(move) for move in _MOVES)


def _refuse_carrier(device: str, line: str, meaning: Meaning, rules: Sequence[CommandRule]) -> None:
    if any(meaning.is_allowed_by(one) for one in _HARMLESS):
        return
    if any(meaning.is_allowed_by(pattern) for rule in rules for pattern in rule.allow or ()):
        return
    for pattern in CARRIERS:
        if meaning.is_denied_by(pattern):
            raise _violation(device, line, meaning, "which can run commands that the policy would not see")


def _refuse_denied(device: str, line: str, meaning: Meaning, rules: Sequence[CommandRule]) -> None:
    for rule in rules:
        for pattern in rule.deny:
            if meaning.is_denied_by(pattern):
                raise _violation(device, line, meaning, f"which the policy denies ({pattern!r})")


def _refuse_unless_allowed(device: str, line: str, meaning: Meaning, rules: Sequence[CommandRule]) -> None:
    for rule in rules:
        permitted = rule.allow or ()
        if not any(meaning.is_allowed_by(pattern) for pattern in permitted):
            listing = ", ".join(repr(pattern) for pattern in permitted) or "none"
            raise _violation(device, line, meaning, f"which the policy does not allow (allowed: {listing})")


def _violation(device: str, line: str, meaning: Meaning, why: str) -> PolicyViolation:
    typed, meant = line.strip()[:200], meaning.text[:200]
    stands_for = "" if " ".join(typed.lower().split()) == meant else f": it stands for {meant!r}"
    return PolicyViolation(f"command {typed!r} is not permitted on {device!r}{stands_for}, {why}", kind="command")
