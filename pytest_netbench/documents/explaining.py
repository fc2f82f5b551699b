"""Say in words what a model objects to in a file."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from pydantic import BaseModel, ValidationError

from pytest_netbench.documents.problems import Where
from pytest_netbench.documents.tree import Tree


def first_problem(
    error: ValidationError, tree: Tree, model: type[BaseModel], *, spelling: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, int]:
    """The first problem of a file that ``model`` refused, in words, and its line.

    Args:
        error: What the model said.
        tree: The file.
        model: The model.
        spelling: By the name of a field: what files call it.
    """
    # Missing keys come last: a missing key may be a misspelt one, which the unknown key reports.
    first = min(error.errors(), key=lambda problem: (problem["type"] == "missing", tree.line_of(problem["loc"])))
    where: Where = first["loc"]
    name = ".".join(spelling.get(str(part), str(part)) for part in where)
    if first["type"] == "extra_forbidden":
        known = sorted(spelling.get(name, name) for name in _fields_at(model, where[:-1]))
        near = get_close_matches(str(where[-1]), known, n=1)
        message = f"unknown key {name!r} (known: {', '.join(known)})." + (f" Did you mean {near[0]!r}?" if near else "")
    elif first["type"] == "missing":
        message = f"{name!r} is missing"
    else:
        said = first["msg"].removeprefix("Value error, ")
        message = f"{name}: {said[0].lower()}{said[1:]}, not {first['input']!r}"
    return message, tree.line_of(where)


def _fields_at(model: type[BaseModel], where: Where) -> set[str]:
    for part in where:
        if isinstance(part, int):
            continue
        inner = model.model_fields[str(part)].annotation
        candidates = [inner, *getattr(inner, "__args__", ())]
        model = next(kind for kind in candidates if isinstance(kind, type) and issubclass(kind, BaseModel))
    return set(model.model_fields)
