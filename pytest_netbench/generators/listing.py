"""What can be chosen of a generator, as text for people."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from pytest_netbench.generators.eligible import Eligible
from pytest_netbench.generators.protocol import Generator, Parameters
from pytest_netbench.generators.values import Span

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", Span: "a number or a range such as 2-4"}
_SHARED = {"n": "how many tasks are drawn", "seed": "the seed of the series of draws"}
_LONGEST_LEFT = 32
_LINE = 110
"""Columns of the list."""


def is_set(annotation: Any) -> bool:
    """Whether a parameter of this type takes several values, written ``a+b``."""
    return get_origin(annotation) in {tuple, list, set, frozenset} or any(
        is_set(one) for one in get_args(annotation) if get_origin(annotation) is not Literal
    )


def generator_lines(name: str, generator: type[Generator[Any]], shared: Mapping[str, int]) -> list[str]:
    """The generator called ``name`` and its parameters, each on a line or, if it is long, on several."""
    about = (inspect.getdoc(generator) or "").partition("\n")[0]
    rows = [(f"{key}={default}", meaning) for key, default, meaning in _rows(generator.parameters, shared)]
    width = max(len(left) for left, _ in rows if len(left) <= _LONGEST_LEFT)
    return [f"{name}  {about}".rstrip(), *(line for left, meaning in rows for line in _row(left, meaning, width))]


def _row(left: str, meaning: str, width: int) -> Iterator[str]:
    indent = " " * (width + 4)
    first = f"  {left:<{width}}  "
    if len(left) > width:
        for line in textwrap.wrap(
            left.replace("+", "+ "), _LINE, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        ):
            yield line.replace("+ ", "+")
        first = indent
    yield from textwrap.wrap(
        meaning, _LINE, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    ) or [first.rstrip()]


def _rows(model: type[Parameters], shared: Mapping[str, int]) -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of each parameter."""
    for name, number in shared.items():
        yield name, str(number), _SHARED[name]
    for name, field in model.model_fields.items():
        meaning = ": ".join(filter(None, (field.description, _kind(field.annotation))))
        yield name, written(field.get_default(call_default_factory=True)), meaning


def written(value: Any) -> str:
    """A value of a parameter as it is written on a command line."""
    if isinstance(value, tuple | list):
        return "+".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)


def _kind(annotation: Any) -> str:
    """What a value of this type looks like; empty for text."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if isinstance(annotation, Eligible):
        return f"one of {', '.join(annotation.words)}"
    if is_set(annotation):
        inner = next((_kind(one) for one in arguments if one is not Ellipsis), "")
        return f"{inner.replace('one of ', 'any of ')}, joined by +".lstrip(", ")
    return _KINDS.get(annotation, "") or next((_kind(one) for one in arguments if one is not type(None)), "")
