"""Exchanges the configuration of a device that commits all lines of a batch together, as Junos does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.dialects.syntax import Path, Tree
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.changes import changes
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.lab.attaching.standing import STANDING
from pytest_netbench.model.trial import RefusedLine

_SHOWN: Final = 10
_LEFT_OUT: Final = "error: left out: this testbed keeps its own"


class BatchConfigs:
    """The configuration of one device. Its methods are those of ``configs.Configs``.

    The dialect has a form in which each line is a command that adds it (``render_set``).

    Args:
        device: Which.
        driver: Its driver.
        node: It, as its driver reaches it.
        keep: How further lines begin that stay: the words of a line with those above it.
    """

    def __init__(self, device: Device, driver: Any, node: Any, keep: Sequence[str] = ()) -> None:
        self._driver = driver
        self._node = node
        self._dialect = parts.load("dialects", device.dialect)()
        self._standing = STANDING[device.dialect]
        self._keep = tuple(keep)
        self._managed = self._standing.managed(device)

    def running(self) -> str:
        """The configuration as it is now."""
        return str(self._driver.running_config(self._node))

    def load(self, wanted: str) -> list[RefusedLine]:
        """Commit the configuration without what a task would meet, then another one; return the refused lines.

        The number of a refused line is that among the commands that make ``wanted``.

        Raises:
            LabError: The device does not commit the removal.
        """
        self._reach(lambda now: tuple(self._kept(now, ())))
        there = set(_paths(self._tree(self.running()), ()))
        typed, refused = [], []
        for number, command in enumerate(self._commands(self._tree(wanted)), 1):
            (edit,) = self._dialect.syntax.edits([command])
            stays = any(self._stays(edit.path[: depth + 1]) for depth in range(len(edit.path)))
            typed.append("" if stays else command)
            if stays and edit.path not in there:
                refused.append(RefusedLine(node=self._node.name, line_number=number, line=command, message=_LEFT_OUT))
        return [*refused, *self._driver.boot(self._node, "\n".join(typed))]

    def restore(self, saved: str) -> None:
        """Make the configuration what it was.

        Raises:
            LabError: It is not; the text has the lines, or what the device says of the commit.
        """
        target = self._tree(saved)
        self._reach(lambda _: target)

    def _reach(self, target: Callable[[Sequence[Tree]], Sequence[Tree]]) -> None:
        now = self._tree(self.running())
        wanted = target(now)
        left = changes(self._dialect, now, wanted, _never)
        if not left:
            return
        removed = [command for path in left.removed for command in self._dialect.syntax.negate(path)]
        statuses = self._driver.apply(self._node, [*removed, *self._commands(left.added)])
        wrong = next((one for one in statuses if one.status == "error"), None)
        if wrong is not None:
            raise LabError(f"{self._node.name}: the device does not commit {wrong.command!r}: {wrong.message}")
        if left := changes(self._dialect, self._tree(self.running()), wanted, _never):
            lines = str(left).splitlines()
            raise LabError("\n".join([f"{self._node.name}: lines differ after a commit:", *lines[:_SHOWN]]))

    def _commands(self, tree: Sequence[Tree]) -> list[str]:
        lines: list[str] = self._dialect.syntax.render_set(tree).splitlines()
        return lines

    def _kept(self, tree: Sequence[Tree], above: Path) -> Iterator[Tree]:
        """What stays of a config: whole sections, or parts of them."""
        for line, below in tree:
            path = (*above, line)
            if self._stays(path):
                yield line, tuple(below)
            elif inner := tuple(self._kept(below, path)):
                yield line, inner

    def _stays(self, path: Path) -> bool:
        words = " ".join(path)
        return bool(
            self._standing.keeps.match(words)
            or (self._managed is not None and f"{words} ".startswith(f"{self._managed} "))
            or any(words.startswith(one) for one in self._keep)
        )

    def _tree(self, text: str) -> tuple[Tree, ...]:
        silent = self._standing.silent
        return tuple((line, below) for line, below in self._dialect.syntax.parse(text) if not silent.match(line))


def _never(_: Path) -> bool:
    return False


def _paths(tree: Sequence[Tree], above: Path) -> Iterator[Path]:
    for line, below in tree:
        yield (*above, line)
        yield from _paths(below, (*above, line))
