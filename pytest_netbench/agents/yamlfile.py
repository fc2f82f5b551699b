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
        lines: dict[Where, int] = {}
        _note_lines(node, (), lines, path)
        return loader.construct_document(node), lines
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise AgentFileError(
            f"invalid YAML: {problem}", path=path, line=None if mark is None else mark.line + 1
        ) from error
    finally:
        loader.dispose()


def _note_lines(node: yaml.Node, where: Where, lines: dict[Where, int], path: Path) -> None:
    lines.setdefault(where, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(item, (*where, index), lines, path)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = (*where, str(key.value))
            line = key.start_mark.line + 1
            if place in lines:
                raise AgentFileError(
                    f"{key.value!r} is given twice (before in line {lines[place]})", path=path, line=line
                )
            lines[place] = line
            _note_lines(value, place, lines, path)
