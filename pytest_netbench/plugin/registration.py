"""Which parts of the plugin a process needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_netbench.plugin import collection, fixtures, hookspecs, run, sealing
from pytest_netbench.plugin.orphan import end_with_parent

if TYPE_CHECKING:
    from pytest_netbench.plugin.preload import Preload
    from pytest_netbench.plugin.resume import Resumed

_MARK = (
    "netbench(name, domain, family, difficulty, platform, label, level): set on every task item from its task; "
    "select with e.g. -m \"netbench(family='configure')\""
)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hook specifications."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options and register the parts that this process needs."""
    config.addinivalue_line("markers", _MARK)
    settings = run.configure(config)
    sealing.configure(config)
    register = config.pluginmanager.register
    register(collection, "netbench-collection")
    register(sealing, "netbench-sealed-collection")
    register(fixtures, "netbench-fixtures")
    if settings.draws.series:
        from pytest_netbench.plugin import drawing  # noqa: PLC0415  (only if tasks are drawn)

        register(drawing, "netbench-drawing")
    if not settings.wanted:
        return
    if settings.is_worker:
        end_with_parent()
    from pytest_netbench.plugin import preload, reports, resume, scheduler, spending  # noqa: PLC0415  (only for a benchmark)

    register(reports.Reports(config), "netbench-reports")
    loading = preload.Preload(config)
    register(loading, "netbench-preload")
    resumed = resume.Resumed(config) if settings.resumes else None
    if resumed is not None:
        register(resumed, "netbench-resume")
    if spending.is_wanted(config):
        register(spending.Spending(config), "netbench-spending")
    if not settings.is_worker:
        _register_reporting(config, loading, resumed)
    if settings.distributes:
        register(scheduler.Distribution(config), "netbench-distribution")


def _register_reporting(config: pytest.Config, loading: Preload, resumed: Resumed | None) -> None:
    """Register what only the process needs that reports the run."""
    from pytest_netbench.plugin import controller, gate, header, page, progress  # noqa: PLC0415  (only for a benchmark)

    register = config.pluginmanager.register
    register(header, "netbench-header")
    if progress.is_wanted(config):
        register(progress.Progress(config), "netbench-progress")
    register(controller.Controller(config, scorer=loading.scorer, resumed=resumed), "netbench-controller")
    judge = gate.Gate(config, earlier=resumed.kept() if resumed else ()) if gate.is_wanted(config) else None
    if judge is not None:
        register(judge, "netbench-gate")
    if config.option.netbench_html:
        register(page.Page(config, gate=judge), "netbench-page")
