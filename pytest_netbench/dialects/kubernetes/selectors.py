"""Selectors of labels in words: equal words for selectors that are written differently and select the same. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from pytest_netbench.model.objects import Object

_NAMESPACE: Final = "kubernetes.io/metadata.name"
"""The label of its name that the API server gives to each namespace."""


def selections(selector: Object) -> Iterator[str]:
    """Yield what a selector asks of labels, in alternatives: one for each value that ``In`` offers.

    A selector that selects everything gives the empty text.
    """
    demands = [[f"{key}={value}"] for key, value in (selector.get("matchLabels") or {}).items()]
    demands += [_alternatives(one) for one in selector.get("matchExpressions") or ()]
    for chosen in product(*demands):
        yield ", ".join(sorted(set(chosen)))


def _alternatives(expression: Any) -> list[str]:
    """What satisfies an expression: any one of these."""
    key, values = expression.get("key"), sorted(map(str, expression.get("values") or ()))
    match expression.get("operator"):
        case "In":
            return [f"{key}={value}" for value in values]
        case "NotIn":
            return [", ".join(f"{key}!={value}" for value in values)]
        case "Exists":
            return [f"{key}"]
        case _:
            return [f"!{key}"]


def homes(selector: Object) -> Iterator[str]:
    """Yield the namespaces that a selector selects, in words: a name where it asks for one."""
    for wanted in selections(selector):
        name = wanted.removeprefix(f"{_NAMESPACE}=")
        if not wanted:
            yield "every namespace"
        else:
            yield name if name != wanted and "," not in name else f"namespaces with {wanted}"


def pods(home: str, selector: Object) -> Iterator[str]:
    """Yield the pods of namespaces that a selector selects, in words."""
    for wanted in selections(selector):
        yield f"pods of {home} with {wanted}" if wanted else f"pods of {home}"
