"""``--netbench-adversarial``: the draws that a search for failures chose.

The search runs once, in the process that reads the command line. Workers are given its choices: results that are
written meanwhile must not change what they collect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_netbench.generators.series import Series
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.stats.regions import Regions

    Known = tuple[tuple[Regions, bool], ...]

OPTION: Final = "--netbench-adversarial"
WORKER_SOUGHT: Final = "netbench_sought"


def search(
    config: pytest.Config, series: Sequence[Series], *, agents: Sequence[str]
) -> tuple[tuple[Series, ...], tuple[Known, ...]]:
    """Return the series with the draws that a search chooses, if one is asked for, and the verdicts that it knew.

    Raises:
        InputError: The history cannot be used, or nothing can be drawn.
        pytest.UsageError: There is not exactly one agent.
    """
    given = config.option.netbench_adversarial
    if given is None:
        return tuple(series), ()
    workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
    if WORKER_SOUGHT in workerinput:
        choices: list[dict[str, Any]] = workerinput[WORKER_SOUGHT]
        return tuple(map(_given, series, choices)), ()
    if len(agents) != 1:
        found = ", ".join(agents) or "none"
        raise pytest.UsageError(f"{OPTION} searches for failures of one agent: give one --agent (given: {found})")
    from pytest_netbench.generators.search import sought  # imports pydantic
    from pytest_netbench.results.history import history
    from pytest_netbench.stats.regions import Tally

    path = Path(config.invocation_params.dir, given)
    found_series, known = [], []
    for one in series:
        parameters = one.parameters.model_dump(mode="json")
        past = history(path, agent=agents[0], generator=one.generator, parameters=parameters, seed=one.seed)
        found_series.append(replace(one, sought=sought(one, Tally(past.verdicts), start=past.start)))
        known.append(past.verdicts)
    return tuple(found_series), tuple(known)


def check_unused(config: pytest.Config) -> None:
    """Raise an error if a search is asked for and there is nothing to draw."""
    if config.option.netbench_adversarial is not None:
        raise pytest.UsageError(
            f"{OPTION} continues a series: give the option that draws it, too: --netbench-generate=…"
        )


def plain_choices(series: Sequence[Series]) -> list[dict[str, Any]]:
    """What a search chose of each series, as values that can be sent to a worker."""
    return [{str(index): one.model_dump(mode="json") for index, one in (each.sought or {}).items()} for each in series]


def _given(series: Series, choices: Mapping[str, Any]) -> Series:
    from pytest_netbench.model.search import Sought  # imports pydantic

    return replace(series, sought={int(index): Sought.model_validate(one) for index, one in choices.items()})


def lines(series: Sequence[Series], known: Sequence[Known], results: Sequence[TrialResult], *, width: int) -> list[str]:
    """The failures by region that a search knew of each series and found, for people; nothing without a search."""
    if not known:
        return []
    from pytest_netbench.reporting.regions import failure_lines  # imports pydantic
    from pytest_netbench.results.history import verdicts

    shown: list[str] = []
    for one, before in zip(series, known, strict=True):
        own = [
            result for result in results if result.drawn and _key(one) == (result.drawn.generator, result.drawn.seed)
        ]
        shown += ["", *failure_lines(one.written, before, verdicts(own), width=width)]
    return shown


def _key(series: Series) -> tuple[str, int]:
    return series.generator, series.seed
