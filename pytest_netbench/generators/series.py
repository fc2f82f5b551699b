"""A series of draws of one generator, and how it is written: ``repair-routing:n=200,level=1-3,seed=7``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench import parts
from pytest_netbench.errors import InputError, TaskFileError, UsageError
from pytest_netbench.generators.listing import is_set
from pytest_netbench.generators.protocol import Generator, Parameters
from pytest_netbench.generators.refusals import drawable, literals, ways_out
from pytest_netbench.generators.sources import GeneratedSource
from pytest_netbench.model.search import Sought
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile.nearby import did_you_mean, exists

COUNT: Final = "n"
SEED: Final = "seed"
DEFAULTS: Final = {COUNT: 10, SEED: 0}
_MOST_WORDS: Final = 12
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
    generator = _generator(name, text)
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
        problems += _told(model, error, given)
    if problems or parameters is None:
        raise UsageError(f"{text!r}: {'; '.join(problems)}. Parameters of {name}: {_names(model)}")
    series = Series(written=text, generator=name, parameters=parameters, seed=numbers[SEED], count=numbers[COUNT])
    _check_drawable(series, given)
    return series


def _generator(name: str, text: str) -> type[Generator[Any]]:
    """The generator called ``name``. The error names files too, as commands take tasks or generators.

    Raises:
        UsageError: There is none.
    """
    if name not in parts.names("generators") and exists(text):
        known = ", ".join(parts.names("generators"))
        raise UsageError(f"{text} is a file or folder, and tasks are drawn by generators (known: {known})")
    try:
        generator: type[Generator[Any]] = parts.load("generators", name)
    except UsageError as error:
        raise UsageError(f"{error}{did_you_mean(text)}") from None
    return generator


def _names(model: type[Parameters]) -> str:
    names = ", ".join((*DEFAULTS, *model.model_fields))
    return f"{names} (`netbench generate --list` describes them)"


def _check_drawable(series: Series, given: Mapping[str, str]) -> None:
    """Raise an error if the parameters do not fit together, which the generator notices when it draws.

    Args:
        series: What is drawn.
        given: Its parameters as they were written, without those of every series.

    Raises:
        UsageError: They do not. The message names each parameter that, changed alone, makes a draw possible.
    """
    try:
        series.source(0).load()
    except TaskFileError:
        pass  # a fault of one draw, which its item reports
    except UsageError as error:
        raise UsageError(f"{series.written!r}: {error}{_advice(series, given)}") from error
    except InputError as error:
        raise UsageError(f"{series.written!r}: {error}") from error


def _advice(series: Series, given: Mapping[str, str]) -> str:
    model = type(series.parameters)

    def possible(other: Mapping[str, str]) -> bool:
        def draw() -> Task:
            values = {key: _value(model, key, value) for key, value in other.items()}
            return replace(series, parameters=model.model_validate(values)).source(0).load()

        return drawable(draw)

    advice = ways_out(model, given, possible)
    return f". {advice}" if advice else ""


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


def _told(model: type[Parameters], error: ValidationError, given: Mapping[str, str]) -> list[str]:
    """One phrase for each wrong parameter."""
    told: dict[str, str] = {}
    for one in error.errors(include_url=False):
        key = str(one["loc"][0]) if one["loc"] else ""
        message = _of_words(model, key, one["input"]) if one["type"] == "literal_error" else one["msg"]
        message = message.removeprefix("Value error, ").removeprefix("Input ")
        told.setdefault(f"{key}={given[key]}" if key in given else key or "parameters", message)
    return [f"{what}: {message}" for what, message in told.items()]


def _of_words(model: type[Parameters], key: str, value: Any) -> str:
    """What is said of a value that is none of the words of a parameter. Long lists are left to ``--list``."""
    known = literals(model.model_fields[key].annotation)
    near = get_close_matches(str(value), known, n=1)
    listed = f" (known: {', '.join(known)})" if len(known) <= _MOST_WORDS else ""
    return f"unknown {value!r}{listed}" + (f". Did you mean {near[0]!r}?" if near else "")
