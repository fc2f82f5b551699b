"""JSON patches (RFC 6902) as far as faults use them, and the lines of ``kubectl`` that apply them. Pure."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Sequence
from typing import Any

Object = dict[str, Any]
Operation = dict[str, Any]
"""``op`` is ``add``, ``remove`` or ``replace``; ``path`` is a JSON pointer; ``value`` is what is put there."""


def add(path: str, value: Any) -> Operation:
    """Return the operation that puts a value into a list before an index, or under a name."""
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> Operation:
    """Return the operation that takes a value away."""
    return {"op": "remove", "path": path}


def replace(path: str, value: Any) -> Operation:
    """Return the operation that puts a value in the place of one that is there."""
    return {"op": "replace", "path": path, "value": value}


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer to what is reached by these steps."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def patched(whole: Object, operations: Sequence[Operation]) -> Object:
    """Return an object after operations; it is left as it is.

    Raises:
        LookupError: A path leads to nothing.
    """
    changed = copy.deepcopy(whole)
    for one in operations:
        *above, last = (step.replace("~1", "/").replace("~0", "~") for step in one["path"].split("/")[1:])
        parent: Any = changed
        for step in above:
            parent = parent[int(step) if isinstance(parent, list) else step]
        _apply(parent, last, one)
    return changed


def patch_line(resource: str, namespace: str, name: str, operations: Sequence[Operation]) -> str:
    """Return the line of a shell that applies operations to an object.

    Args:
        resource: The kind, as ``kubectl`` is given it, e.g. ``networkpolicy``.
        namespace: Of the object.
        name: Of the object.
        operations: A JSON patch.
    """
    written = json.dumps(list(operations), separators=(",", ":"))
    return f"kubectl patch {resource} {name} -n {namespace} --type=json -p {shlex.quote(written)}"


def _apply(parent: Any, last: str, one: Operation) -> None:
    key: Any = int(last) if isinstance(parent, list) else last
    if one["op"] == "add" and isinstance(parent, list):
        if not 0 <= key <= len(parent):
            raise IndexError(one["path"])
        parent.insert(key, copy.deepcopy(one["value"]))
    elif one["op"] == "add":
        parent[key] = copy.deepcopy(one["value"])
    elif one["op"] == "replace":
        del parent[key]  # what is not there cannot be replaced
        _apply(parent, last, {**one, "op": "add"})
    else:
        del parent[key]
