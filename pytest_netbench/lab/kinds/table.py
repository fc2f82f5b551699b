"""The built-in table of kinds and the user's own, key by key. What an entry means, its backend says by a model.

Under ``devices`` it says what is common to all nodes of one of containerlab's kinds, e.g. how one logs in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from pytest_netbench.errors import UsageError

M = TypeVar("M", bound=BaseModel)
VARIABLE: Final = "NETBENCH_KINDS"
"""The variable of the environment that names a file with further entries."""
_BUILT_IN = Path(__file__).with_name("kinds.yaml")
_DEVICES: Final = "devices"
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
    place = [part] if part else []
    return {dialect: _valid(model, entry, (dialect, *place)) for dialect, entry in _merged(part).items()}


def _valid(model: type[M], entry: Mapping[str, Any], place: Sequence[str]) -> M:
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        (first, *_) = error.errors()
        where = ".".join(map(str, (*place, *first["loc"])))
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        raise refused(f"{where}: {first['msg']} (known: {known})") from None


def refused(why: str) -> UsageError:
    """The error that says what is wrong with the user's file."""
    return UsageError(f"{VARIABLE}={os.environ.get(VARIABLE)}: {why}")


def _paths() -> tuple[Path, ...]:
    own = os.environ.get(VARIABLE)
    return (_BUILT_IN, *([Path(own)] if own else ()))


def devices(model: type[M]) -> dict[str, M]:
    """By kind of containerlab: what is common to its nodes.

    Args:
        model: Of an entry.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    return {name: _valid(model, entry, (_DEVICES, name)) for name, entry in _common().items()}


def _common() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in _paths():
        for name, entry in (_all_entries(path).get(_DEVICES) or {}).items():
            if not isinstance(entry, dict):
                raise UsageError(f"{VARIABLE}={path}: {_DEVICES}.{name}: expected a mapping")
            found[name] = {**found.get(name, {}), **entry}
    return found


def _merged(part: str | None) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in _paths():
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
    return {name: entry for name, entry in _all_entries(path).items() if name != _DEVICES}


def _all_entries(path: Path) -> dict[str, dict[str, Any]]:
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{VARIABLE}={path}: cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{VARIABLE}={path}: {' '.join(str(error).split())}") from None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise UsageError(f"{VARIABLE}={path}: expected a mapping of dialects to entries, e.g. {{frr: {{image: …}}}}")
    return entries
