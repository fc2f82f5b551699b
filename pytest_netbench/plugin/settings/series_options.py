"""What ``--netbench-generate`` asks for, and which of it the command line selects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.plugin.settings import adversarial
from pytest_netbench.plugin.settings.series_ids import DrawnId, drawn_id

if TYPE_CHECKING:
    from pytest_netbench.generators.series import Series
    from pytest_netbench.stats.regions import Regions

OPTION = "--netbench-generate"


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The series of a run.

    ``named``: ids on the command line, by which only these items are collected. ``known``: by index of the series, the
    verdicts by which a search chose its draws.
    """

    series: tuple[Series, ...] = ()
    named: tuple[str, ...] = ()
    known: tuple[tuple[tuple[Regions, bool], ...], ...] = ()

    def series_of(self, drawn: DrawnId) -> Series | None:
        """The series that a draw belongs to; ``None`` if it belongs to none."""
        return next((one for one in self.series if _belongs(drawn, one)), None)

    def indices(self, series: Series) -> Iterator[int]:
        """The indices of the draws of ``series`` that are needed, in order."""
        if not self.named:
            yield from series.indices
            return
        ids = filter(None, map(drawn_id, self.named))
        yield from sorted({drawn.index for drawn in ids if _belongs(drawn, series)})

    def selects(self, task_id: str, name: str) -> bool:
        """Whether the item called ``name`` of the task ``task_id`` is selected."""
        return not self.named or task_id in self.named or name in self.named


def configure(config: pytest.Config, *, agents: Sequence[str], trials: Collection[str]) -> Draws:
    """Read the series, and take the ids of drawn tasks out of the command line's paths: pytest knows only files.

    Without paths on the command line, only drawn tasks are collected.

    Args:
        config: Of the run.
        agents: The ids of the agents.
        trials: The trials of each task, as in ids: ``oracle``, ``oracle-2``, ``selftest``.

    Raises:
        InputError: A series cannot be used.
        pytest.UsageError: An id names nothing that is drawn.
    """
    named = tuple(arg for arg in config.args if drawn_id(arg) and not Path(config.invocation_params.dir, arg).exists())
    texts: list[str] = config.option.netbench_generate
    if not texts:
        if named:
            raise pytest.UsageError(f"{named[0]}: a drawn task; give the option that draws it, too: {OPTION}=…")
        adversarial.check_unused(config)
        return Draws()
    series, known = adversarial.search(config, _series(texts), agents=agents)
    draws = Draws(series=series, named=named, known=known)
    for name in named:
        _check_named(name, draws, trials)
    given = config.args_source is pytest.Config.ArgsSource.ARGS
    config.args[:] = [arg for arg in config.args if arg not in named] if given else []
    config.args_source = pytest.Config.ArgsSource.ARGS
    return draws


def _series(texts: list[str]) -> tuple[Series, ...]:
    from pytest_netbench.errors import UsageError
    from pytest_netbench.generators.series import read_series  # imports pydantic

    found: dict[tuple[str, int], Series] = {}
    for text in dict.fromkeys(texts):
        try:
            one = read_series(text)
        except UsageError as error:
            raise pytest.UsageError(f"{OPTION}: {error}") from error
        other = found.setdefault((one.generator, one.seed), one)
        if other is not one:
            raise pytest.UsageError(
                f"{OPTION}: {other.written!r} and {text!r} have the same generator and seed, so their tasks would have"
                " the same ids; give one of them another seed"
            )
    return tuple(found.values())


def _check_named(name: str, draws: Draws, trials: Collection[str]) -> None:
    drawn = drawn_id(name)
    assert drawn is not None
    series = draws.series_of(drawn)
    if series is None:
        known = ", ".join(repr(one.written) for one in draws.series)
        raise pytest.UsageError(f"{name}: no {OPTION} draws it (given: {known})")
    if drawn.trial is not None and drawn.trial not in trials:
        known = ", ".join(trials) or "none; give --agent or --netbench-selftest"
        raise pytest.UsageError(f"{name}: there is no trial {drawn.trial!r} (known: {known})")
    task_id = next(iter(_task_ids(series, drawn)), None)
    written = name if drawn.trial is None else f"{name.removesuffix(f'-{drawn.trial}]')}]"
    if task_id is not None and task_id != written:
        raise pytest.UsageError(f"{name}: {series.written!r} draws {task_id} there")


def _task_ids(series: Series, drawn: DrawnId) -> Iterator[str]:
    """The id of the task at this place, if it can be drawn."""
    from pytest_netbench.errors import InputError

    try:
        task = series.source(drawn.index).load()
    except InputError:
        return  # its item says what is wrong
    assert task.drawn is not None
    yield task.drawn.id


def _belongs(drawn: DrawnId, series: Series) -> bool:
    return (drawn.generator, drawn.seed) == (series.generator, series.seed) and drawn.index in series.indices
