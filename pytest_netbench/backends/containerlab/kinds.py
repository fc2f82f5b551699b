"""The table of kinds: which container stands for which dialect."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_netbench.errors import UsageError

VARIABLE: Final = "NETBENCH_KINDS"
"""The variable of the environment that names a file with further entries."""
_BUILT_IN = Path(__file__).with_name("kinds.yaml")


class Kind(BaseModel):
    """One entry of the table, see ``kinds.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    kind: str = "linux"
    image: str
    driver: str
    entrypoint: str | None = None
    cmd: str | None = None
    memory: str | None = None
    cap_add: tuple[str, ...] = Field((), alias="cap-add")
    sysctls: Mapping[str, str | int] = {}


def table() -> dict[str, Kind]:
    """By dialect: what stands for it, from the built-in table and the user's own.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    entries = _read(_BUILT_IN)
    if own := os.environ.get(VARIABLE):
        for dialect, entry in _read(Path(own)).items():
            entries[dialect] = {**entries.get(dialect, {}), **entry}
    found = {}
    for dialect, entry in entries.items():
        try:
            found[dialect] = Kind.model_validate(entry)
        except ValidationError as error:
            (first, *_) = error.errors()
            place = ".".join(map(str, (dialect, *first["loc"])))
            raise UsageError(f"{VARIABLE}={own}: {place}: {first['msg']} (known: {', '.join(_fields())})") from None
    return found


def _fields() -> list[str]:
    return [field.alias or name for name, field in Kind.model_fields.items()]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{VARIABLE}={path}: cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{VARIABLE}={path}: {' '.join(str(error).split())}") from None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise UsageError(f"{VARIABLE}={path}: expected a mapping of dialects to entries, e.g. {{frr: {{image: …}}}}")
    return entries
