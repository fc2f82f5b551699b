"""The built-in table of kinds and the user's own, key by key. What an entry means, its backend says by a model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from pytest_netbench.errors import UsageError

M = TypeVar("M", bound=BaseModel)
VARIABLE: Final = "NETBENCH_KINDS"
"""The variable of the environment that names a file with further entries."""
_BUILT_IN = Path(__file__).with_name("kinds.yaml")
_PARTS: Final = ("gns3",)
"""Keys of an entry that hold all that another backend reads of it."""


def read(model: type[M], part: str | None = None) -> dict[str, M]:
    """By dialect: what stands for it.

    Args:
        model: Of an entry.
        part: The key of an entry that holds what is read; ``None`` reads what no part holds.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    found = {}
    for dialect, entry in _merged(part).items():
        try:
            found[dialect] = model.model_validate(entry)
        except ValidationError as error:
            (first, *_) = error.errors()
            place = ".".join(map(str, (dialect, *([part] if part else ()), *first["loc"])))
            known = ", ".join(field.alias or name for name, field in model.model_fields.items())
            own = os.environ.get(VARIABLE)
            raise UsageError(f"{VARIABLE}={own}: {place}: {first['msg']} (known: {known})") from None
    return found


def _merged(part: str | None) -> dict[str, dict[str, Any]]:
    own = os.environ.get(VARIABLE)
    found: dict[str, dict[str, Any]] = {}
    for path in (_BUILT_IN, *([Path(own)] if own else ())):
        for dialect, entry in _parts(path, part):
            found[dialect] = {**found.get(dialect, {}), **entry}
    return found


def _parts(path: Path, part: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for dialect, entry in _entries(path).items():
        if part is None:
            rest = {key: value for key, value in entry.items() if key not in _PARTS}
            if rest or not entry:
                yield dialect, rest
        elif part in entry:
            if not isinstance(entry[part], dict):
                raise UsageError(f"{VARIABLE}={path}: {dialect}.{part}: expected a mapping")
            yield dialect, entry[part]


def _entries(path: Path) -> dict[str, dict[str, Any]]:
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{VARIABLE}={path}: cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{VARIABLE}={path}: {' '.join(str(error).split())}") from None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise UsageError(f"{VARIABLE}={path}: expected a mapping of dialects to entries, e.g. {{frr: {{image: …}}}}")
    return entries
