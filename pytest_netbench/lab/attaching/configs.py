"""Exchanges the configuration of a device that exists already, and puts the former one back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.dialects.syntax import Path, Tree
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.changes import Changes, changes
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.lab.attaching.standing import STANDING, Standing
from pytest_netbench.model.trial import RefusedLine

_PASSES: Final = 5
_SHOWN: Final = 10


class Configs:
    """The configuration of one device.

    Args:
        device: Which.
        driver: Its driver.
        node: It, as its driver reaches it.
        keep: How further lines begin that stay.
    """

    def __init__(self, device: Device, driver: Any, node: Any, keep: Sequence[str] = ()) -> None:
        self._device = device
        self._driver = driver
        self._node = node
        self._dialect = parts.load("dialects", device.dialect)()
        self._standing: Standing = STANDING[device.dialect]
        self._keep = tuple(keep)
        self._managed = self._standing.managed(device)

    def running(self) -> str:
        """The configuration as it is now."""
        return str(self._driver.running_config(self._node))

    def load(self, wanted: str) -> list[RefusedLine]:
        """Remove what is there, but for what stays, and type another configuration; return the refused lines.

        Lines that would change what stays are not typed, and are among the refused ones.

        Raises:
            LabError: Something cannot be removed.
        """
        self._reach(self._cleared, self._stays, "could not be removed; keep them with `keep:`")
        typed, refused = self._without_standing(wanted, {line for line, _ in self._tree(self.running())})
        return [*refused, *self._driver.boot(self._node, typed)]

    def restore(self, saved: str) -> None:
        """Make the configuration what it was, line by line.

        Raises:
            LabError: It is not; the text has the lines.
        """
        target = self._tree(saved)
        known = {line for line, _ in target}

        def wanted(now: Sequence[Tree]) -> list[Tree]:
            # a section that cannot be removed is emptied
            rest = [(line, ()) for line, _ in now if line not in known and self._standing.fixed.match(line)]
            return [*target, *rest]

        self._reach(wanted, lambda _: False, "differ from the saved configuration")

    def _reach(
        self, target: Callable[[Sequence[Tree]], Sequence[Tree]], stays: Callable[[Path], bool], wrong: str
    ) -> None:
        last = Changes()
        for _ in range(_PASSES):
            now = self._tree(self.running())
            left = changes(self._dialect, now, target(now), stays)
            if not left:
                return
            if left == last:
                break
            last = left
            self._driver.apply(self._node, left.commands(self._dialect, self._bare))
        now = self._tree(self.running())
        left = changes(self._dialect, now, target(now), stays)
        if left:
            lines = str(left).splitlines()
            more = [f"and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
            raise LabError("\n".join([f"{self._node.name}: lines {wrong}:", *lines[:_SHOWN], *more]))

    def _cleared(self, now: Sequence[Tree]) -> list[Tree]:
        fresh = tuple((line, ()) for line in self._standing.fresh)
        return [(line, fresh) for line, _ in now if self._standing.fixed.match(line)]

    def _stays(self, path: Path) -> bool:
        line = self._dialect.normalise(path[0]) or path[0]
        return bool(
            self._standing.keeps.match(path[0])
            or self._standing.keeps.match(line)
            or line == self._managed
            or any(path[0].startswith(one) for one in self._keep)
        )

    def _without_standing(self, wanted: str, present: Collection[str]) -> tuple[str, list[RefusedLine]]:
        out, refused, stays = [], [], False
        for number, line in enumerate(wanted.splitlines(), 1):
            if line.strip() and not line[0].isspace():
                stays = self._stays((line.strip(),)) and not line.startswith(("hostname ", "version ", "!"))
            if stays and line.strip(" !") and not self._is_there(line.strip(), present):
                message = "% left out: this testbed keeps its own"
                refused.append(RefusedLine(node=self._node.name, line_number=number, line=line, message=message))
            out.append("" if stays else line)
        return "\n".join(out), refused

    def _bare(self, line: str) -> str:
        words = self._standing.bare.match(line) if self._standing.bare is not None else None
        return line if words is None else words[0]

    def _is_there(self, line: str, present: Collection[str]) -> bool:
        return line in present or self._standing.silent.match(line) is not None

    def _tree(self, text: str) -> tuple[Tree, ...]:
        return self._audible(self._dialect.syntax.parse(text))

    def _audible(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        silent = self._standing.silent
        return tuple((line, self._audible(below)) for line, below in tree if not silent.match(line))
