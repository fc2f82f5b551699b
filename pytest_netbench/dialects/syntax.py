"""How the configurations of a language are written: hierarchy, removal, and what a commit takes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from pytest_netbench import parts

Tree: TypeAlias = tuple[str, tuple["Tree", ...]]
"""A config line and the lines below it."""
Path: TypeAlias = tuple[str, ...]
"""A config line with the lines above it, outermost first."""
Commit: TypeAlias = Literal["line", "batch"]


@dataclass(frozen=True)
class Edit:
    """What one configuration command asks for: a line in its place, or that no line there begins with ``path[-1]``."""

    path: Path
    removes: bool = False


class Syntax(Protocol):
    """How a language writes hierarchy and removal, and what its devices take as a whole."""

    @property
    def commit(self) -> Commit:
        """Return what takes effect as a whole.

        ``line``: each command takes effect alone, and a refused one does not keep others from taking effect.
        ``batch``: the commands of a request take effect together, or none of them does.
        """
        ...

    def parse(self, text: str) -> tuple[Tree, ...]:
        """Return the lines of a config without the signs of its hierarchy, each with the lines below it.

        Args:
            text: A config as the device shows it. One that is cut or malformed gives what can be read.
        """
        ...

    def render(self, tree: Sequence[Tree]) -> str:
        """Return the text of a config, which ``parse`` gives back."""
        ...

    def paths(self, text: str) -> Sequence[Path]:
        """Return each line of a config with its parent lines, in order."""
        ...

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        """Return what configuration commands ask for, in order."""
        ...

    def negate(self, path: Path) -> tuple[str, ...]:
        """Return commands that remove a line from its place.

        They are empty if commands of the language are not lines of its configs, as those of a shell.
        """
        ...


@runtime_checkable
class Keyed(Protocol):
    """What a syntax may offer whose edits have lines in another form than configs: what names a line comes first."""

    def forms(self, text: str) -> Sequence[Path]:
        """Return each line of a config with its parent lines, as ``edits`` has them."""
        ...


def forms(syntax: Syntax, text: str) -> Sequence[Path]:
    """Return each line of a config with its parent lines, as edits of the syntax have them."""
    return syntax.forms(text) if isinstance(syntax, Keyed) else syntax.paths(text)


def syntax_of(platform: str) -> Syntax:
    """Return how the configurations of a dialect are written.

    Raises:
        UsageError: There is no such dialect.
    """
    syntax: Syntax = parts.load("dialects", platform)().syntax
    return syntax
