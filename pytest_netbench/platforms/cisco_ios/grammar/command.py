"""What a command, a mode and an area are: the data from which parsing, help, ``no`` forms and the coverage page come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType

# What areas put into their commands. The grammar hands these functions on and does not know what they are given; a unit
# test holds the functions of all areas to the types named here.
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
"""What a ``check`` or an ``edit`` returns for IOS's own "Invalid input", with the marker below the line's last word."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Command:
    """One command of one or several modes.

    A line of a config mode is stored as its canonical text. A line that agrees with an earlier one in its keywords outside brackets and
    in its ``!`` arguments replaces it. ``no`` removes what agrees with as much as was typed.

    Args:
        pattern: See ``grammar/pattern.py``.
        mode: The modes it is known in.
        name: What compilers call it; default: its keywords outside brackets.
        opens: The mode that it enters; the line becomes a section of the config.
        default: Canonical texts that say what holds anyway: they are not stored and remove what is.
        keeps_no: ``no …`` is a line of the config itself (``no ip redirects``). The positive form removes it,
            and is stored unless it is one of ``default``.
        edit: Does the storing instead, for what is not one line for one line (see ``config/edit.py``). Returns the device's words of
            refusal, or ``None``.
        check: Looks at a positive line before it is stored; returns the device's words of refusal, or ``None``.
        render: The lines that stand for a stored entry in the running config, where they are not its text and its children.
        run: For commands of exec mode: gives the output, whole or piece by piece.
        changes: For commands of exec mode: whether it changes the device, so that execute-cmd refuses it.
        marked: Why what it asks for is accepted and not enforced; listed by ``show netbench unsupported``.
        roles: Node roles that know it; empty: all.
        user: Whether user exec mode has it, too.
        help: What ``?`` says of the word that is its own.
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
        """The modes it is known in."""
        return (self.mode,) if isinstance(self.mode, str) else self.mode


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A mode of the command line.

    Args:
        name: E.g. ``if``.
        prompt: What stands in the prompt, e.g. ``config-if``; or a function of the entry that the session is in.
        seeds: Lines that a new section of this mode has before anything is typed; given the section's entry and the node's role.
        help: What the coverage page calls it.
    """

    name: str
    prompt: str | Prompts
    seeds: Seeds | None = None
    help: str = ""


@dataclass(frozen=True, kw_only=True)
class Area:
    """One area of IOS: its grammar, and what its lines mean.

    Args:
        name: E.g. ``ospf``.
        commands: Config, ``show`` and other exec commands.
        modes: Modes that it adds.
        types: Argument types of its own, by the name patterns use.
        factory: Lines that a device has before its startup config.
        compile: Adds to the state what the config's lines ask for; called once per compilation, must be pure.
        observe: Writes into the config what the running node has learned by itself; called before the running config is shown.
        help: Words of its commands to what ``?`` says of them.
        scope: Rows of the coverage page: (feature, how far it goes).
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
class Known:
    """A command with its pattern read."""

    command: Command
    pattern: pattern.Pattern
    area: Area

    @cached_property
    def name(self) -> str:
        """What compilers call it."""
        return self.command.name or self.pattern.name


@dataclass(frozen=True, eq=False)
class Match:
    """A line that was understood.

    Args:
        known: Its command.
        parts: (element, value, canonical text) in the order typed.
        negated: It began with ``no``.
        reset: It began with ``default``.
        whole: It came to the end of the pattern (``no`` may stop before).
    """

    known: Known
    parts: tuple[tuple[pattern.Element, Any, str], ...]
    negated: bool = False
    reset: bool = False
    whole: bool = True

    @property
    def command(self) -> Command:
        """The command it is."""
        return self.known.command

    @property
    def name(self) -> str:
        """What compilers call the command."""
        return self.known.name

    @cached_property
    def text(self) -> str:
        """The canonical line, without ``no``."""
        return " ".join(text for element, _, text in sorted(self.parts, key=lambda part: part[0].position))

    @cached_property
    def args(self) -> dict[str, Any]:
        """Arguments by name; of one that may come several times, a list."""
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
        """The arguments that tell it from others."""
        return tuple((e.name, value) for e, value, _ in self.parts if isinstance(e, pattern.Argument) and e.key)

    @cached_property
    def words(self) -> frozenset[str]:
        """The keywords typed, in full."""
        return frozenset(e.word for e, _, _ in self.parts if isinstance(e, pattern.Keyword))

    def __getitem__(self, name: str) -> Any:
        return self.args[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The argument called ``name``."""
        return self.args.get(name, default)

    def many(self, name: str) -> list[Any]:
        """All values of an argument that may come several times."""
        value = self.args.get(name)
        return value if isinstance(value, list) else [] if value is None else [value]

    def has(self, word: str) -> bool:
        """Whether the keyword was typed."""
        return word in self.words
