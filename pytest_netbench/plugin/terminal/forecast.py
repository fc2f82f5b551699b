"""What a run will probably use of models: told before it begins, from what the same agents used in earlier runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.plugin.items.node_ids import is_from_a_task, task_id, trial_of
from pytest_netbench.plugin.settings.run_options import label_of, run_of

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult


class Announcer(ABC):
    """Prints lines that follow from the collected items; subclasses say which.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._told = False

    @abstractmethod
    def lines(self, node_ids: Sequence[str]) -> list[str]:
        """Lines about the items with these ids."""

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Tell it in a run of one process, and if tasks are only collected."""
        return self._once([item.nodeid for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Tell it once in a run with workers."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        lines = self._once(ids)
        if reporter is not None and lines:
            reporter.ensure_newline()
            for line in lines:
                reporter.write_line(line)

    def _once(self, node_ids: Sequence[str]) -> list[str]:
        if self._told or self._config.get_verbosity() < 0:
            return []
        self._told = True
        return self.lines(node_ids)


USED: Final = "netbench/used"
"""In pytest's cache, by node id: what the last trial used."""


@dataclass(frozen=True, kw_only=True)
class Used:
    """What a trial used of models. ``cost_usd`` is ``None`` where prices are not known."""

    agent: str
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What the trials of an agent will use; ``None``: nothing is known of it.

    ``known`` is how many earlier trials it was computed from.
    """

    agent: str
    trials: int
    known: int
    tokens: int | None
    cost_usd: float | None


def forecast(agent: str, node_ids: Sequence[str], used: Mapping[str, Used]) -> Forecast:
    """Return what an agent will use at ``node_ids``.

    A trial is taken to use what it used the last time, else the mean of the agent's trials at the same task, else the
    mean of all its trials.
    """
    own = {name: one for name, one in used.items() if one.agent == agent}
    of_task: dict[str, list[Used]] = {}
    for name, one in own.items():
        of_task.setdefault(task_id(name), []).append(one)
    like = [[own[name]] if name in own else of_task.get(task_id(name), list(own.values())) for name in node_ids]
    if not own:
        return Forecast(agent=agent, trials=len(node_ids), known=0, tokens=None, cost_usd=None)
    costs = [_mean(one.cost_usd for one in several) for several in like]
    return Forecast(
        agent=agent,
        trials=len(node_ids),
        known=len(own),
        tokens=round(sum(_mean(one.tokens for one in several) or 0.0 for several in like)),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def worded(one: Forecast, *, most_cost_usd: float | None) -> str:
    """A forecast in words."""
    trials = f"netbench: {one.agent}, {one.trials} {'trial' if one.trials == 1 else 'trials'}:"
    if one.tokens is None:
        return f"{trials} no earlier run tells what it costs; --netbench-max-cost limits it"
    cost = "prices are not known" if one.cost_usd is None else f"{one.cost_usd:.2f} USD"
    words = f"{trials} about {one.tokens:,} tokens, {cost} (as in {one.known} earlier ones)"
    if most_cost_usd is not None and one.cost_usd is not None and one.cost_usd > most_cost_usd:
        words += f"; the budget of {most_cost_usd:g} USD will not be enough"
    return words


class Forecaster(Announcer):
    """Tells the forecast after collection, and keeps what trials use."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._now: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl
    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Note what a trial used, unless it did not end or nobody was asked."""
        usage = result.usage
        tokens = usage.prompt_tokens + usage.completion_tokens
        if result.status != "error" and tokens and result.replayed is None:
            self._now[result.node_id] = {
                "agent": result.agent.id,
                "tokens": tokens,
                "cost_usd": usage.cost_usd,
            }

    def pytest_sessionfinish(self) -> None:
        """Keep it for the next run."""
        cache = getattr(self._config, "cache", None)
        if cache is not None and self._now:
            cache.set(USED, {**cache.get(USED, {}), **self._now})

    def lines(self, node_ids: Sequence[str]) -> list[str]:
        """A line for each agent of which something is known, or that asks a model."""
        option = self._config.option
        if option.netbench_replay is not None:
            return []
        cache = getattr(self._config, "cache", None)
        used = {} if cache is None else {name: Used(**fields) for name, fields in cache.get(USED, {}).items()}
        found = (forecast(agent, names, used) for agent, names in self._by_agent(node_ids).items())
        told = [one for one in found if one.trials and (one.known or self._asks_a_model(one.agent))]
        return [worded(one, most_cost_usd=option.netbench_max_cost) for one in told]

    def _by_agent(self, node_ids: Sequence[str]) -> dict[str, list[str]]:
        run = run_of(self._config)
        agents = {label_of(agent, number): agent.id for agent in run.agents for number in range(1, run.trials + 1)}
        found: dict[str, list[str]] = {agent.id: [] for agent in run.agents}
        for name in node_ids:
            if is_from_a_task(name) and trial_of(name) in agents:
                found[agents[trial_of(name)]].append(name)
        return found

    def _asks_a_model(self, agent: str) -> bool:
        from pytest_netbench.agents.resolve import model_of  # only if nothing is known

        specs = (one.spec for one in run_of(self._config).agents if one.id == agent)
        return any(model_of(spec, self._config.rootpath) is not None for spec in specs)


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean; ``None`` if one is not known."""
    known = list(values)
    if not known or None in known:
        return None
    return sum(one for one in known if one is not None) / len(known)
