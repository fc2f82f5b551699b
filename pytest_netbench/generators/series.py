"""A series of draws of one generator, and how it is written: ``repair-routing:n=200,level=1-3,seed=7``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench import parts
from pytest_netbench.errors import InputError, TaskFileError, UsageError
from pytest_netbench.generators.listing import is_set
from pytest_netbench.generators.protocol import Generator, Parameters
from pytest_netbench.generators.sources import GeneratedSource
from pytest_netbench.model.search import Sought

COUNT: Final = "n"
SEED: Final = "seed"
DEFAULTS: Final = {COUNT: 10, SEED: 0}
_ADVICE: Final = {COUNT: "a whole number above 0", SEED: "a whole number, 0 or above"}


@dataclass(frozen=True, kw_only=True)
class Series:
    """The first ``count`` draws of a seed, or as many that a search chose. Draw ``i`` is the same for every ``count``.

    ``sought`` is by index, in order: why the search chose the draw.
    """

    written: str
    generator: str
    parameters: Parameters
    seed: int
    count: int
    sought: Mapping[int, Sought] | None = None

    @property
    def indices(self) -> Sequence[int]:
        """The indices of the draws, in order."""
        return range(self.count) if self.sought is None else tuple(self.sought)

    def source(self, index: int) -> GeneratedSource:
        """The source of the draw at ``index``."""
        return GeneratedSource(generator=self.generator, parameters=self.parameters, seed=self.seed, index=index)

    def sources(self) -> Iterator[GeneratedSource]:
        """The sources of all draws. Nothing is drawn yet."""
        return map(self.source, self.indices)


def read_series(text: str) -> Series:
    """Return the series that ``text`` describes: ``NAME`` or ``NAME:PARAMETER=VALUE,…``.

    Raises:
        UsageError: There is no such generator, a parameter is wrong, or nothing can be drawn with the parameters. The
            message names them all.
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    generator: type[Generator[Any]] = parts.load("generators", name)
    model = parameters_of(name, generator)
    given, problems = _pairs(rest, known=(*DEFAULTS, *model.model_fields), also_called=model.also_called)
    numbers = dict(DEFAULTS)
    for key in DEFAULTS.keys() & given.keys():
        value = given.pop(key)
        if value.isascii() and value.isdecimal() and int(value) >= (key == COUNT):
            numbers[key] = int(value)
        else:
            problems.append(f"{key}={value}: must be {_ADVICE[key]}")
    try:
        given = model.respelled(given)
    except UsageError as error:
        problems.append(str(error))
    parameters = None
    try:
        parameters = model.model_validate({key: _value(model, key, value) for key, value in given.items()})
    except ValidationError as error:
        problems += _told(error, given)
    if problems or parameters is None:
        raise UsageError(f"{text!r}: {'; '.join(problems)}. Parameters of {name}: {_names(model)}")
    series = Series(written=text, generator=name, parameters=parameters, seed=numbers[SEED], count=numbers[COUNT])
    _check_drawable(series)
    return series


def _names(model: type[Parameters]) -> str:
    names = ", ".join((*DEFAULTS, *model.model_fields))
    return f"{names} (`netbench generate --list` describes them)"


def _check_drawable(series: Series) -> None:
    """Raise an error if the parameters do not fit together, which the generator notices when it draws.

    Raises:
        UsageError: They do not.
    """
    try:
        series.source(0).load()
    except TaskFileError:
        pass  # a fault of one draw, which its item reports
    except InputError as error:
        raise UsageError(f"{series.written!r}: {error}") from error


def parameters_of(name: str, generator: type[Generator[Any]]) -> type[Parameters]:
    """The parameters of ``generator``, the part called ``name``.

    Raises:
        UsageError: A parameter has a name that every series has.
    """
    model: type[Parameters] = generator.parameters
    taken = sorted(DEFAULTS.keys() & model.model_fields.keys())
    if taken:
        raise UsageError(f"generator {name!r}: it has parameters that every generator has: {', '.join(taken)}")
    return model


def _pairs(text: str, *, known: tuple[str, ...], also_called: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """``"a=1,b=2"`` as a mapping, and the problems found."""
    given: dict[str, str] = {}
    problems: list[str] = []
    for pair in text.split(",") if text.strip() else ():
        key, equals, value = (one.strip() for one in pair.partition("="))
        key = also_called.get(key, key)
        if not equals or not value:
            problems.append(f"{pair.strip()!r} is not PARAMETER=VALUE")
        elif key not in known:
            near = get_close_matches(key, (*known, *also_called), n=1)
            problems.append(f"unknown parameter {key!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
        elif key in given:
            problems.append(f"{key!r} is given twice")
        else:
            given[key] = value
    return given, problems


def _value(model: type[Parameters], key: str, value: str) -> Any:
    return value.split("+") if is_set(model.model_fields[key].annotation) else value


def _told(error: ValidationError, given: Mapping[str, str]) -> list[str]:
    """One phrase for each wrong parameter."""
    told: dict[str, str] = {}
    for one in error.errors(include_url=False):
        key = str(one["loc"][0]) if one["loc"] else ""
        message = one["msg"].removeprefix("Value error, ").removeprefix("Input ")
        told.setdefault(f"{key}={given[key]}" if key in given else key or "parameters", message)
    return [f"{what}: {message}" for what, message in told.items()]
