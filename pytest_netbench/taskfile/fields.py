"""Conversion of mappings in a file to mappings of the model: field names, quantities, and the common short forms."""

from __future__ import annotations

from functools import cache
from typing import Any

from pytest_netbench.documents.problems import Problems, Where, unknown
from pytest_netbench.model.base import Model
from pytest_netbench.taskfile.units import QUANTITIES


@cache
def spellings(model: type[Model]) -> dict[str, str]:
    """What a file may call the fields of ``model``: file name to model name, the documented spelling of each first."""
    own = [field.alias or name for name, field in model.model_fields.items()]
    friendly = {QUANTITIES[name].name if name in QUANTITIES else name: name for name in own}
    return friendly | {name: name for name in own if name not in friendly}


def documented(model: type[Model]) -> tuple[str, ...]:
    """The documented field names of ``model``, in order."""
    return tuple(spellings(model))[: len(model.model_fields)]


def mapping_of(value: Any, where: Where, problems: Problems, what: str) -> dict[str, Any] | None:
    """``value`` if it is a mapping, else ``None`` and a problem."""
    if isinstance(value, dict):
        return value
    problems.add(where, f"{what} must be a mapping, not {kind_of(value)}")
    return None


def list_of(value: Any, where: Where, problems: Problems, what: str) -> list[Any]:
    """``value`` if it is a list, else nothing and a problem."""
    if isinstance(value, list):
        return value
    problems.add(where, f"{what} must be a list, not {kind_of(value)}")
    return []


def kind_of(value: Any) -> str:
    """The type of a value, in YAML terms."""
    names = {
        dict: "a mapping",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "empty")


def known_fields(
    raw: dict[str, Any], model: type[Model], where: Where, problems: Problems, *, what: str, skip: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The fields of ``raw`` by their model names, quantities read.

    Args:
        raw: A mapping of the file.
        model: What it shall become.
        where: Its place.
        problems: Takes unknown fields, fields given in two spellings, quantities that cannot be read.
        what: Its name in messages, e.g. ``"testcase"``.
        skip: Fields that the caller reads itself.
    """
    result: dict[str, Any] = {}
    for key, value in raw.items():
        at = (*where, key)
        if key in skip:
            continue
        name = spellings(model).get(key)
        if name is None:
            problems.add(at, unknown(f"field of {what}", key, documented(model)))
        elif name in result:
            problems.add(at, f"{key!r} and {QUANTITIES[name].name!r} are two spellings of one field; give one")
        else:
            try:
                result[name] = _read(name, key, value)
            except ValueError as error:
                problems.add(at, f"{key}: {error}")
    return result


def one_or_many(value: Any) -> Any:
    """A list of one for a text; anything else as it is."""
    return [value] if isinstance(value, str) else value


def _read(name: str, key: str, value: Any) -> Any:
    quantity = QUANTITIES.get(name)
    if quantity is None or value is None or (key != quantity.name and isinstance(value, int | float)):
        return value
    return quantity.read(value)
