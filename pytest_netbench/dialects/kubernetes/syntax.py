"""How a cluster's objects are compared: as leaf rules and leaf values below what they belong to. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench.dialects.indentation import SHOWN
from pytest_netbench.dialects.kubernetes.policies import rules
from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.dialects.syntax import Commit, Edit, Path, Tree
from pytest_netbench.model.objects import Object, objects_of

_POLICY: Final = "NetworkPolicy"
_LABELS: Final = {"metadata.labels.": "label ", "spec.template.metadata.labels.": "pod label "}
_NAMING: Final = frozenset({"metadata.name", "metadata.namespace"})


@dataclass(frozen=True)
class ObjectsSyntax:
    """Implements ``syntax.Syntax`` for API objects as YAML.

    NetworkPolicies become leaf rules below the pods that they select (``pods of shop with app=web``). Each other object
    is a line such as ``Deployment shop/web``, with a line for each of its values. All lines are in alphabetical order.
    A text that has no objects is read as lines with indentation: so ``render`` writes a tree.
    """

    commit: Commit = "line"

    def parse(self, text: str) -> tuple[Tree, ...]:
        try:
            return tree(objects_of(text))
        except (AttributeError, KeyError, TypeError, ValueError):  # no objects, or cut ones
            return SHOWN.parse(text)

    def render(self, tree: Sequence[Tree]) -> str:
        return SHOWN.render(tree)

    def paths(self, text: str) -> Sequence[Path]:
        return tuple(config_paths(self.render(self.parse(text))))

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        return SHOWN.edits(commands)

    def negate(self, path: Path) -> tuple[str, ...]:  # a command is no line of what is shown
        return ()


SYNTAX: Final = ObjectsSyntax()


def tree(objects: Sequence[Object]) -> tuple[Tree, ...]:
    """Return what objects say as lines with lines below them."""
    found: dict[str, set[str]] = {}
    for one in objects:
        if one["kind"] == _POLICY:
            for selected, leaf in rules(one):
                found.setdefault(selected, set()).add(leaf)
        else:
            found.setdefault(_title(one), set()).update(_values(one))
    return tuple((line, tuple((leaf, ()) for leaf in sorted(found[line]))) for line in sorted(found))


def _title(one: Object) -> str:
    metadata = one["metadata"]
    home = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{one['kind']} {home}{metadata.get('name')}"


def _values(one: Object) -> Iterator[str]:
    plain = {key: value for key, value in one.items() if key not in ("apiVersion", "kind")}
    for path, value in _scalars(plain, ""):
        if path in _NAMING:
            continue
        for prefix, word in _LABELS.items():
            if path.startswith(prefix):
                yield f"{word}{path.removeprefix(prefix)}={value}"
                break
        else:
            yield f"{path}: {value}"


def _scalars(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield leaf values with their paths; items of a list by their names if they have some."""
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _scalars(below, f"{path}.{key}" if path else f"{key}")
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for one in value:
            if "name" in one:
                yield from _scalars({key: each for key, each in one.items() if key != "name"}, f"{path}[{one['name']}]")
            else:
                yield path, json.dumps(one, sort_keys=True)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value, sort_keys=True)
