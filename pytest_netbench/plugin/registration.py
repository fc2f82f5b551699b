"""Which parts of the plugin a process needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_netbench.plugin import hookspecs
from pytest_netbench.plugin.items import collection, sealed_items, sealing
from pytest_netbench.plugin.scheduling import ray_options
from pytest_netbench.plugin.scheduling.orphan import end_with_parent
from pytest_netbench.plugin.selection import keywords
from pytest_netbench.plugin.settings import run_options
from pytest_netbench.plugin.trials import fixtures

if TYPE_CHECKING:
    from pytest_netbench.plugin.selection.resume import Resumed
    from pytest_netbench.plugin.trials.preload import Preload

_MARK = (
    "netbench(task, tag, domain, family, difficulty, platform, label, level, agent, trial): set on each item of a "
    "task, once for each of its tags; select with e.g. -m \"netbench(tag='nat', agent='oracle')\""
)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook specifications."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and register the parts that this process needs."""
    config.addinivalue_line("markers", _MARK)
    settings = run_options.configure(config)
    ray_options.check(config, settings)
    sealing.configure(config)
    register = config.pluginmanager.register
    register(collection, "netbench-collection")
    register(sealed_items, "netbench-sealed-collection")
    register(fixtures, "netbench-fixtures")
    withheld = keywords.Withheld()
    register(withheld, "netbench-keywords-withheld")
    register(keywords.Keywords(withheld), "netbench-keywords")
    if settings.draws.series:
        from pytest_netbench.plugin.items import series_collection  # only if tasks are drawn

        register(series_collection, "netbench-drawing")
    if not settings.is_worker:
        _register_report_files(config)
    if not settings.wanted:
        return
    if settings.is_worker:
        end_with_parent()
    from pytest_netbench.plugin.results import reports
    from pytest_netbench.plugin.scheduling import scheduler
    from pytest_netbench.plugin.trials import agents, preload, spending  # only for a benchmark

    config.stash[agents.AGENTS] = agents.Agents(config)
    register(config.stash[agents.AGENTS], "netbench-agents")
    reporting = reports.Reports(config)
    register(reporting, "netbench-reports")
    loading = preload.Preload(config)
    register(loading, "netbench-preload")
    resumed = _register_selection(config)
    if spending.is_wanted(config):
        register(spending.Spending(config), "netbench-spending")
    _register_keeper(config)
    if not settings.is_worker:
        _register_reporting(config, loading, resumed)
    if cassettes_are_wanted(config):  # its status comes after the gate's
        from pytest_netbench.plugin.trials import cassettes  # imports pydantic

        register(cassettes.Cassettes(config), "netbench-cassettes")
    ray = ray_options.options_of(config)
    if ray is not None and not config.option.collectonly:
        from pytest_netbench.plugin.scheduling import ray_loop  # only if it is asked for

        register(ray_loop.RayLoop(config, ray, begin=reporting.begin), "netbench-ray")
    if settings.distributes:
        register(scheduler.Distribution(config), "netbench-distribution")


def _register_selection(config: pytest.Config) -> Resumed | None:
    """Register what leaves items out when all others have selected: first other shards', then those that are done."""
    from pytest_netbench.plugin.selection import resume, sharding  # only for a benchmark

    settings = run_options.run_of(config)
    if settings.shard is not None:
        config.pluginmanager.register(sharding.Sharding(config), "netbench-sharding")
    resumed = resume.Resumed(config) if settings.resumes else None
    if resumed is not None:
        config.pluginmanager.register(resumed, "netbench-resume")
    return resumed


def _register_keeper(config: pytest.Config) -> None:
    if config.option.netbench_keep:
        from pytest_netbench.plugin.trials import keeping  # only if it is asked for

        config.stash[keeping.KEEPER] = keeping.Keeper(config)
        config.pluginmanager.register(config.stash[keeping.KEEPER], "netbench-keeping")


def cassettes_are_wanted(config: pytest.Config) -> bool:
    """Whether answers of models are recorded or replayed."""
    return config.option.netbench_record is not None or config.option.netbench_replay is not None


def _register_announcers(config: pytest.Config) -> None:
    settings = run_options.run_of(config)
    from pytest_netbench.plugin.terminal import forecast, wall_time  # only for a benchmark

    if settings.backend:
        config.pluginmanager.register(wall_time.WallTime(config), "netbench-wall-time")
    if settings.agents:
        config.pluginmanager.register(forecast.Forecaster(config), "netbench-forecast")


def _register_report_files(config: pytest.Config) -> None:
    """Register what writes files about all items, also about those that are no trials."""
    if config.option.netbench_ctrf:
        from pytest_netbench.plugin.results import ctrf  # only if it is asked for

        config.pluginmanager.register(ctrf.CtrfFile(config), "netbench-ctrf")


def _register_reporting(config: pytest.Config, loading: Preload, resumed: Resumed | None) -> None:
    """Register what only the process needs that reports the run."""
    settings = run_options.run_of(config)
    from pytest_netbench import workflow  # only for a benchmark
    from pytest_netbench.plugin.results import controller, gate, interruption, junit, otel, page
    from pytest_netbench.plugin.terminal import annotations, condensed, header, progress
    from pytest_netbench.plugin.trials import replays

    register = config.pluginmanager.register
    register(header, "netbench-header")
    if replays.are_checked(config):
        register(replays.Replays(config), "netbench-replays")
    _register_announcers(config)
    if settings.agents:
        register(interruption.Interruption(config, resumed=resumed), "netbench-interruption")
    if progress.is_wanted(config):
        register(progress.Progress(config), "netbench-progress")
    register(controller.Controller(config, scorer=loading.scorer, resumed=resumed), "netbench-controller")
    judge = gate.Gate(config, earlier=resumed.kept() if resumed else ()) if gate.is_wanted(config) else None
    if judge is not None:
        register(judge, "netbench-gate")
    if judge is not None and config.option.netbench_baseline:
        register(junit.JUnit(config, gate=judge), "netbench-junit")
    if config.option.netbench_html:
        register(page.Page(config, gate=judge), "netbench-page")
    if config.option.netbench_otel:
        register(otel.Spans(config), "netbench-otel")
    if workflow.read_by_github():
        level: workflow.Level = "warning" if config.option.netbench_baseline else "error"
        register(annotations.Annotations(config, level=level), "netbench-annotations")
    if config.pluginmanager.has_plugin("terminal"):
        register(condensed.Condensed(config), "netbench-condensed")  # the last one: it leaves out what others read
