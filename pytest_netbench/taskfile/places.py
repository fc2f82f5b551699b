"""Where in a task file, or in a file of solutions, a line of a configuration stands."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_netbench.documents import reading
from pytest_netbench.documents.placing import place_in
from pytest_netbench.documents.problems import Place, Where
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import TaskFileError

STARTUP: Final = "startup_configs"
TRUTH: Final = "ground_truth_configs"
COMMENTS: Final = ("!", "#")
"""Lines of a text of commands that begin with one of these are for its reader."""


class Places:
    """Finds lines of configurations in one file.

    Args:
        path: A file that loads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tree = reading.read(path, error=TaskFileError, example="task_name: …")

    def of(self, where: Where) -> Place:
        """Line and column of a key or an item, or of the nearest one around it."""
        return self._tree.place_of(where)

    def startup(self, node: str, number: int, offset: int = 0, *, line: str | None = None) -> Place:
        """The place of line ``number`` (1-based) of the startup config of a node.

        Args:
            node: Its name.
            number: The line, counted in the config.
            offset: The 0-based character in that line.
            line: The line as a device tells it, in which the character is counted; it may lack white space around it.
        """
        where = (STARTUP, node)
        config = self._tree.at(where)
        if config is None:
            return self.of(where)
        for item in config.value if isinstance(config.value, list) else [config]:
            written = str(item.value).split("\n")
            if number <= len(written):
                before = max(written[number - 1].find(line), 0) if line else 0
                return self._in(item, number, offset + before)
            number -= len(written)
        return self.of(where)

    def command(self, where: Where, index: int, offset: int = 0) -> Place:
        """The place of a command.

        Args:
            where: The commands of a node, e.g. ``("ground_truth_configs", "R1")``: a list, or a text.
            index: The 0-based number of the command; comments of a text do not count.
            offset: The 0-based character in it.
        """
        commands = self._tree.at(where)
        if commands is None:
            return self.of(where)
        if isinstance(commands.value, list):
            item = commands.value[index] if index < len(commands.value) else None
            return self.of(where) if item is None else self._in(item, 1, offset)
        numbers = [number for number, line in enumerate(str(commands.value).split("\n"), start=1) if _is_command(line)]
        return self._in(commands, numbers[index], offset) if index < len(numbers) else self.of(where)

    def _in(self, text: Tree, number: int, offset: int) -> Place:
        if not isinstance(text.value, str):
            return text.line, text.column
        return place_in(self._tree, text, number, offset)


def _is_command(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(COMMENTS)
