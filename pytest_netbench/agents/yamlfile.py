"""YAML (and JSON, which is YAML) with the line of every value, so that an error can point at it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pytest_netbench.errors import AgentFileError

Where = tuple[str | int, ...]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path: Path) -> tuple[dict[str, Any], dict[Where, int]]:
    """The mapping in ``path``, and the 1-based line of each of its values.

    Raises:
        AgentFileError: It cannot be read, is no YAML, is no mapping, or has a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise AgentFileError(f"cannot be read: {error}", path=path) from error
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise AgentFileError("an agent file is a mapping, e.g. `model: openai/gpt-4o`", path=path, line=1)
        noted = _Lines(path)
        noted.note(node, ())
        return loader.construct_document(node), noted.lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise AgentFileError(
            f"invalid YAML: {problem}", path=path, line=None if mark is None else mark.line + 1
        ) from error
    finally:
        loader.dispose()


class _Lines:
    """Notes the line of each value; refuses a key that is given twice, and a value that is written once and used often."""

    def __init__(self, path: Path) -> None:
        self.lines: dict[Where, int] = {}
        self._path = path
        self._seen: set[int] = set()

    def note(self, node: yaml.Node, where: Where) -> None:
        line = node.start_mark.line + 1
        if id(node) in self._seen:
            raise AgentFileError(
                "YAML aliases (*name) are not supported here; write the value out", path=self._path, line=line
            )
        self._seen.add(id(node))
        self.lines.setdefault(where, line)
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self.note(item, (*where, index))
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                self._note_pair(key, value, where)

    def _note_pair(self, key: yaml.Node, value: yaml.Node, where: Where) -> None:
        place, line = (*where, str(key.value)), key.start_mark.line + 1
        if key.tag != "tag:yaml.org,2002:str":
            raise AgentFileError(f"the key {key.value!r} is no word; put it in quotes", path=self._path, line=line)
        if place in self.lines:
            before = self.lines[place]
            raise AgentFileError(f"{key.value!r} is given twice (before in line {before})", path=self._path, line=line)
        self.lines[place] = line
        self.note(value, place)
