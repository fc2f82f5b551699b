"""How configurations of Junos are written: with braces, or as ``set`` lines; ``delete`` removes; a commit takes all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.juniper_junos import commands
from pytest_netbench.dialects.juniper_junos.configuration import Configuration
from pytest_netbench.dialects.juniper_junos.statements import TAGS, bare, statements
from pytest_netbench.dialects.juniper_junos.words import tokens
from pytest_netbench.dialects.syntax import Commit, Edit, Path, Tree

_GIVES: Final = {"inactive:": "deactivate", "protect:": "protect"}
_TAKES: Final = {"inactive:": "activate", "protect:": "unprotect"}
_OF_BLOCKS: Final = ("{", ";", "}")
_INDENT: Final = "    "


@dataclass(frozen=True)
class JunosSyntax:
    """Implements ``syntax.Syntax``.

    A line of a tree is what opens a level, such as ``unit 0``, or a statement, such as ``mtu 9000``. It has quotes only
    around words that need them. ``inactive:`` and ``protect:`` are lines below the line that they stand before.
    """

    commit: Commit = "batch"

    def parse(self, text: str) -> tuple[Tree, ...]:
        return read(text).tree()

    def render(self, tree: Sequence[Tree]) -> str:
        return "".join(f"{line}\n" for line in _with_braces(tree, 0))

    def render_set(self, tree: Sequence[Tree]) -> str:
        """Return the text of a config as ``set`` lines, which ``parse`` gives back."""
        return "".join(f"{line}\n" for line in _as_commands(tree))

    def paths(self, text: str) -> Sequence[Path]:
        return tuple(path for path, _ in _ends(self.parse(text)))

    def edits(self, commands_: Sequence[str]) -> Sequence[Edit]:
        return tuple(commands.edits(commands_))

    def negate(self, path: Path) -> tuple[str, ...]:
        verb = _TAKES.get(path[-1])
        return (f"delete {' '.join(path)}" if verb is None else f"{verb} {' '.join(path[:-1])}",)

    def edited(self, tree: Sequence[Tree], lines: Sequence[str]) -> tuple[Tree, ...]:
        """Return the config after commands of the configuration mode.

        Raises:
            ValueError: A command changes the config in a way that its text does not tell, as ``load`` does.
        """
        config = read(self.render_set(tree))
        commands.apply(config, lines)
        return config.tree()


SYNTAX: Final = JunosSyntax()


def read(text: str) -> Configuration:
    """Return what a config says, in whichever form it is. Commands may stand before, between and behind blocks."""
    config = Configuration()
    for part, are_commands in _parts(bare(text).splitlines()):
        if are_commands:
            commands.apply(config, part, is_strict=False)
        else:
            for statement in statements("\n".join(part)):
                config.add(statement)
    return config


def _parts(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """Yield runs of lines, and whether they are commands. Without blocks, what is no command is left out."""
    found = list(commands.logical_lines(lines))
    if not any(commands.is_change(line) for line in found):
        yield list(lines), False
    elif not any(line.endswith(_OF_BLOCKS) for line in found):
        yield [line for line in found if commands.is_change(line)], True
    else:
        yield from _runs(found)


def _runs(lines: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    depth, run, are_commands = 0, list[str](), False
    for line in lines:
        is_command = depth == 0 and commands.is_change(line) and not line.endswith(_OF_BLOCKS)
        if is_command != are_commands:
            yield run, are_commands
            run, are_commands = [], is_command
        run.append(line)
        if not is_command:
            signs = list(tokens(line))
            depth = max(0, depth + signs.count("{") - signs.count("}"))
    yield run, are_commands


def _with_braces(tree: Sequence[Tree], depth: int) -> Iterator[str]:
    indent = _INDENT * depth
    for line, children in tree:
        shown = " ".join([*(child for child, _ in children if child in TAGS), line])
        below = [child for child in children if child[0] not in TAGS]
        if below:
            yield f"{indent}{shown} {{"
            yield from _with_braces(below, depth + 1)
            yield f"{indent}}}"
        else:
            yield f"{indent}{shown};"


def _as_commands(tree: Sequence[Tree]) -> Iterator[str]:
    tagged: list[str] = []
    for path, is_last in _ends(tree):
        if path[-1] in TAGS:
            tagged.append(f"{_GIVES[path[-1]]} {' '.join(path[:-1])}")
        elif is_last:
            yield f"set {' '.join(path)}"
    yield from tagged


def _ends(tree: Sequence[Tree], above: Path = ()) -> Iterator[tuple[Path, bool]]:
    """Yield each line with the lines above it, and whether at most tags are below it."""
    for line, children in tree:
        path = (*above, line)
        yield path, all(child in TAGS for child, _ in children)
        yield from _ends(children, path)
