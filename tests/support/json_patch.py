"""JSON patches as RFC 6902 has them, apart from the product's own, and what ``kubectl`` lines do to objects."""

from __future__ import annotations

import copy
import json
import shlex
from typing import Any


def apply_patch(document: Any, operations: list[dict[str, Any]]) -> Any:
    """A document after operations ``add``, ``remove``, ``replace`` and ``test``."""
    document = copy.deepcopy(document)
    for one in operations:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in one["path"].lstrip("/").split("/")]
        parent = document
        for part in parts[:-1]:
            parent = parent[int(part)] if isinstance(parent, list) else parent[part]
        last = int(parts[-1]) if isinstance(parent, list) else parts[-1]
        if one["op"] == "test":
            assert parent[last] == one["value"]
            continue
        there = last < len(parent) if isinstance(parent, list) else last in parent
        if one["op"] in {"remove", "replace"}:
            assert there, f"{one} of nothing"
        if one["op"] == "remove":
            del parent[last]
        elif one["op"] == "replace" or isinstance(parent, dict):
            parent[last] = one["value"]
        else:
            assert last <= len(parent), f"{one} behind the end"
            parent.insert(last, one["value"])
    return document


def as_stored(whole: dict[str, Any]) -> dict[str, Any]:
    """An object as the API server gives it back: without empty lists of rules."""
    spec = {name: value for name, value in whole["spec"].items() if not (name in {"ingress", "egress"} and not value)}
    return {**whole, "spec": spec}


def type_line(objects: list[dict[str, Any]], line: str) -> list[dict[str, Any]]:
    """Objects of a cluster after a line of ``kubectl patch`` or ``kubectl delete``."""
    words = shlex.split(line)
    assert words[0] == "kubectl"
    verb, resource, name = words[1:4]
    namespace = words[words.index("-n") + 1]
    (place,) = [
        number
        for number, one in enumerate(objects)
        if (one["kind"].lower(), one["metadata"]["name"], one["metadata"].get("namespace"))
        == (resource, name, namespace)
    ]
    if verb == "delete":
        return [*objects[:place], *objects[place + 1 :]]
    assert verb == "patch"
    assert "--type=json" in words
    changed = apply_patch(objects[place], json.loads(words[words.index("-p") + 1]))
    return [*objects[:place], as_stored(changed), *objects[place + 1 :]]
