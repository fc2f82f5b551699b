"""Commands, modes and areas as data.

Parsing, help, ``no`` forms and the coverage page are derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType

# Functions that areas put into their commands. The grammar passes them on and does not know their arguments; a unit
# test checks the functions of all areas against the types named here.
Edits = Callable[[Any, "Match"], "str | None"]
"""Takes the ``config.edit.Edit`` and the line."""
Renders = Callable[[Any], list[str]]
"""Takes the ``config.tree.Entry``."""
Runs = Callable[[Any, "Match"], Any]
"""Takes the ``device.exec.Exec`` and the line."""
Prompts = Callable[[Any], str]
"""Takes the ``config.tree.Entry``."""
Seeds = Callable[[Any, str], Sequence[str]]
"""Takes the ``config.tree.Entry`` and the role."""
Compiles = Callable[[Any], None]
"""Takes the ``compile.context.Context``."""
Observes = Callable[[Any], None]
"""Takes the ``device.device.Device``."""

INVALID = "^"
"""Returned by a ``check`` or an ``edit`` for IOS's own "Invalid input".

The marker is below the last word of the line.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Command:
    """One command of one or several modes.

    A line of a config mode is stored as its canonical text. It replaces an earlier line with the same keywords
    outside brackets and the same ``!`` arguments. ``no`` removes the lines that match the typed words.

    Args:
        pattern: See ``grammar/pattern.py``.
        mode: The modes that have it.
        name: The name for compilers; default: its keywords outside brackets.
        opens: The mode that it enters; the line becomes a section of the config.
        default: Canonical texts of default values: they are not stored and remove the stored value.
        keeps_no: ``no …`` is a line of the config itself (``no ip redirects``). The positive form removes it,
            and is stored unless it is one of ``default``.
        edit: Stores a line that is not stored as it is (see ``config/edit.py``). Returns the device's refusal, or
            ``None``.
        check: Checks a positive line before it is stored; returns the device's refusal, or ``None``.
        render: Returns the lines of a stored entry in the running config, if they are not its text and its children.
        run: For commands of exec mode: returns the output, whole or in pieces.
        changes: For commands of exec mode: whether it changes the device, so that execute-cmd refuses it.
        marked: The reason why it is accepted and not enforced; listed by ``show netbench unsupported``.
        roles: Node roles that know it; empty: all.
        user: Whether user exec mode also has it.
        help: The help text of ``?`` for its distinctive word.
    """

    pattern: str
    mode: str | tuple[str, ...] = "config"
    name: str = ""
    opens: str | None = None
    default: tuple[str, ...] = ()
    keeps_no: bool = False
    edit: Edits | None = None
    check: Edits | None = None
    render: Renders | None = None
    run: Runs | None = None
    changes: bool = False
    marked: str | None = None
    roles: tuple[str, ...] = ()
    user: bool = False
    help: str = ""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that have it."""
        return (self.mode,) if isinstance(self.mode, str) else self.mode


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A mode of the command line.

    Args:
        name: E.g. ``if``.
        prompt: The mode in the prompt, e.g. ``config-if``; or a function of the entry that the session is in.
        seeds: Returns the initial lines of a new section, given the section's entry and the node's role.
        help: The name on the coverage page.
    """

    name: str
    prompt: str | Prompts
    seeds: Seeds | None = None
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class Area:
    """One area of IOS: its grammar and its compilation.

    Args:
        name: E.g. ``ospf``.
        commands: Config, ``show`` and other exec commands.
        modes: Modes that it adds.
        types: Its own argument types, by their names in patterns.
        factory: Lines of a device before its startup config.
        compile: Adds its part of the desired state; called once per compilation, must be pure.
        observe: Writes learned state of the node into the config; called before the running config is shown.
        help: Help texts of ``?`` by word.
        scope: Rows of the coverage page: (feature, extent of support).
    """

    name: str
    commands: Sequence[Command] = ()
    modes: Sequence[Mode] = ()
    types: Mapping[str, ArgType] = field(default_factory=dict)
    factory: Sequence[str] = ()
    compile: Compiles | None = None
    observe: Observes | None = None
    help: Mapping[str, str] = field(default_factory=dict)
    scope: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, eq=False)
class ParsedCommand:
    """A command with its parsed pattern."""

    command: Command
    pattern: pattern.Pattern
    area: Area

    @cached_property
    def name(self) -> str:
        """The name for compilers."""
        return self.command.name or self.pattern.name


@dataclass(frozen=True, eq=False)
class Match:
    """A parsed line.

    Args:
        known: Its command.
        parts: (element, value, canonical text) in the order typed.
        negated: Whether it began with ``no``.
        reset: Whether it began with ``default``.
        whole: Whether it reached the end of the pattern (``no`` may stop before).
    """

    known: ParsedCommand
    parts: tuple[tuple[pattern.Element, Any, str], ...]
    negated: bool = False
    reset: bool = False
    whole: bool = True

    @property
    def command(self) -> Command:
        """Its command."""
        return self.known.command

    @property
    def name(self) -> str:
        """The name of its command for compilers."""
        return self.known.name

    @cached_property
    def text(self) -> str:
        """The canonical line, without ``no``."""
        return " ".join(text for element, _, text in sorted(self.parts, key=lambda part: part[0].position))

    @cached_property
    def args(self) -> dict[str, Any]:
        """Arguments by name; a list for one that may occur several times."""
        found: dict[str, Any] = {}
        counts: dict[str, int] = {}
        for element, value, _ in self.parts:
            if isinstance(element, pattern.Argument):
                counts[element.name] = counts.get(element.name, 0) + 1
                if counts[element.name] > 1:
                    found[element.name] = (
                        [found[element.name]] if counts[element.name] == 2 else found[element.name]
                    ) + [value]
                else:
                    found[element.name] = value
        return found

    @cached_property
    def keys(self) -> tuple[tuple[str, Any], ...]:
        """The arguments that identify it."""
        return tuple((e.name, value) for e, value, _ in self.parts if isinstance(e, pattern.Argument) and e.key)

    @cached_property
    def words(self) -> frozenset[str]:
        """The typed keywords, in full."""
        return frozenset(e.word for e, _, _ in self.parts if isinstance(e, pattern.Keyword))

    def __getitem__(self, name: str) -> Any:
        return self.args[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return the argument called ``name``."""
        return self.args.get(name, default)

    def many(self, name: str) -> list[Any]:
        """Return all values of an argument that may occur several times."""
        value = self.args.get(name)
        return value if isinstance(value, list) else [] if value is None else [value]

    def has(self, word: str) -> bool:
        """Whether the keyword was typed."""
        return word in self.words
