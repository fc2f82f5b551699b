"""Objects as YAML: the same text on every machine, whatever its library for YAML, and in a small part of its time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_netbench.kubernetes.applications.policies import Object

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What is no text in YAML unless it is quoted."""


def as_yaml(objects: Iterable[Object]) -> str:
    """Return objects as one YAML text of several documents, keys in alphabetical order. Equal objects, equal text."""
    return "".join(f"{line}\n" for one in objects for line in ("---", *_mapping(one)))


def _mapping(whole: Object) -> Iterator[str]:
    for key in sorted(whole):
        value = whole[key]
        if not (isinstance(value, dict | list) and value):
            yield f"{_scalar(key)}: {_scalar(value)}"
            continue
        yield f"{_scalar(key)}:"
        if isinstance(value, dict):
            yield from (f"  {line}" for line in _mapping(value))
        else:
            yield from _items(value)


def _items(several: list[Any]) -> Iterator[str]:
    for one in several:
        lines = list(_mapping(one)) if isinstance(one, dict) and one else [_scalar(one)]
        yield f"- {lines[0]}"
        yield from (f"  {line}" for line in lines[1:])


def _scalar(value: Any) -> str:
    """A text, a number, or an empty list or mapping. JSON is YAML, too."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value)
