"""Parameters that no task can be drawn with: which of them, changed alone, make a draw possible."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from pydantic import ValidationError

from pytest_netbench.errors import InputError, UsageError
from pytest_netbench.generators.eligible import Eligible
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.values import Span

MOST_VALUES: Final = 3
"""Values that are named for a parameter."""
LONGEST_S: Final = 3.0
"""How long further values are tried. What helps most often is tried in any case."""
_NUMBERS: Final = range(1, 9)
_MOST_WORDS: Final = 12
"""Of more words, such as faults, most do as well as the default ones, or as badly."""

Given = Mapping[str, str]


class _Change(NamedTuple):
    """Another value of a parameter; ``None`` leaves the parameter out."""

    name: str
    value: str | None

    def of(self, given: Given) -> dict[str, str]:
        others = {name: value for name, value in given.items() if name != self.name}
        return others if self.value is None else {**others, self.name: self.value}

    def __str__(self) -> str:
        return f"leave out {self.name}" if self.value is None else f"{self.name}={self.value}"


def literals(annotation: Any) -> tuple[str, ...]:
    """The words that a parameter of this type takes; none if it takes others than words."""
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    if isinstance(annotation, Eligible):
        return annotation.words
    return tuple(dict.fromkeys(word for one in get_args(annotation) for word in literals(one)))


def ways_out(
    model: type[Parameters],
    given: Given,
    possible: Callable[[Given], bool],
    *,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """Return which changes make a draw possible: of one parameter, else of two; empty if none is known.

    Args:
        model: The parameters of the generator.
        given: What was written, by parameter.
        possible: Whether a task can be drawn with what is written.
        clock: Seconds, monotonic.
    """
    until = clock() + LONGEST_S
    first, further = _changes(model, given)
    works = [one for one in first if possible(one.of(given))]
    for one in further:
        if clock() > until:
            break
        if sum(other.name == one.name for other in works) < MOST_VALUES and possible(one.of(given)):
            works.append(one)
    if works:
        return f"To make a draw possible, change one of these: {'; '.join(_in_words(works, given))}"
    for one, other in combinations(first, 2):
        if one.name != other.name and possible(other.of(one.of(given))):
            return f"To make a draw possible, change two parameters: {one}, and {other}"
    return ""


def drawable(draw: Callable[[], object]) -> bool:
    """Whether ``draw`` returns a task: an error of its parameters says no, any other error is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pydantic warns of values that a draw was not asked for
            draw()
    except (UsageError, ValidationError):
        return False
    except InputError:
        return True  # the failure of one draw, which its item reports
    return True


def _in_words(works: Sequence[_Change], given: Given) -> Iterator[str]:
    """By parameter, those that were written first: the values that work, or that it can be left out."""
    for name in sorted(dict.fromkeys(one.name for one in works), key=lambda name: name not in given):
        values = [one.value for one in works if one.name == name and one.value is not None]
        yield f"{name}={' or '.join(values[:MOST_VALUES])}" if values else f"leave out {name}"


def _changes(model: type[Parameters], given: Given) -> tuple[list[_Change], list[_Change]]:
    """What helps most often (nothing for what was written, less of what is counted), and all else."""
    first = [_Change(name, None) for name in given]
    further = []
    for name in sorted(model.model_fields, key=lambda name: name not in given):
        values = [_Change(name, value) for value in _values(model, name) if value != given.get(name)]
        is_count = model.model_fields[name].annotation is Span
        first += values[:1] if is_count else []
        further += values[1:] if is_count else values
    return first, further


def _values(model: type[Parameters], name: str) -> tuple[str, ...]:
    """Other values of a parameter that may be tried, as they are written."""
    annotation = model.model_fields[name].annotation
    if annotation is Span:
        return tuple(map(str, _NUMBERS))
    if annotation is bool:
        return ("true", "false")
    words = literals(annotation)
    return words if len(words) <= _MOST_WORDS else ()
