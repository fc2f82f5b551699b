"""The verdicts of earlier runs on an agent, for a search for failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.stats.regions import Regions


@dataclass(frozen=True, kw_only=True)
class History:
    """What is known of an agent at the tasks of a series.

    ``verdicts`` are the regions and the failure of each trial. ``start``: no draw from this index on was used.
    """

    verdicts: tuple[tuple[Regions, bool], ...]
    start: int


def history(path: Path, *, agent: str, generator: str, parameters: Mapping[str, Any], seed: int) -> History:
    """Read the verdicts on an agent at tasks that the generator drew with these parameters, from any seed.

    Infrastructure errors are no verdicts.

    Args:
        path: The results directory of earlier runs.
        agent: The agent's id.
        generator: The generator's part name.
        parameters: Its parameters, all of them, as JSON values.
        seed: The seed of the series whose used draws are left out.

    Raises:
        UsageError: There are no such verdicts.
        ResultsError: The results cannot be read.
    """
    if not path.is_dir():
        raise UsageError("no such results directory; give the --netbench-results of an earlier run", path=path)
    results = ResultsDir(path).results()
    of_series = [one for one in results if one.drawn and _source(one) == (generator, dict(parameters))]
    known = verdicts(one for one in of_series if one.agent.id == agent)
    if not known:
        raise UsageError(
            f"no trial of agent {agent!r} at tasks of {generator} with these parameters was passed or failed here;"
            f" run the series without a search first (there are: {_listed(results)})",
            path=path,
        )
    used = [one.drawn.index for one in of_series if one.drawn and one.drawn.seed == seed]
    return History(verdicts=known, start=max(used, default=-1) + 1)


def verdicts(results: Iterable[TrialResult]) -> tuple[tuple[Regions, bool], ...]:
    """Regions and failure of each trial at a drawn task that was passed or failed."""
    return tuple((one.regions, one.status == "failed") for one in results if one.drawn and one.status != "error")


def _source(result: TrialResult) -> tuple[str, dict[str, Any]]:
    assert result.drawn is not None
    return result.drawn.generator, result.drawn.parameters


def _listed(results: Iterable[TrialResult]) -> str:
    kinds = sorted({f"{one.agent.id} at {one.drawn.generator}" for one in results if one.drawn})
    return ", ".join(kinds) or "no drawn tasks"
