"""The lines at the top of a benchmark's output."""

from __future__ import annotations

import pytest

from pytest_netbench.plugin.settings.run_options import Run, run_of


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return the line: agents, backends and results directory; and one for each agent that cannot start."""
    run = run_of(config)
    agents = ", ".join(choice.id for choice in run.agents) or "none"
    what = "self-test" if run.selftest else f"agents {agents}"
    scale = "chosen per lab" if run.time_scale is None else f"{run.time_scale:g}"
    parts = [what, f"backend {_backends(run)}", f"time scale {scale}"]
    if run.clock != "events":
        parts.append(f"clock {run.clock}")
    if run.lab is not None:
        parts.insert(2, f"lab {run.lab}")
    if run.shard is not None:
        parts.append("shard {}/{}".format(*run.shard))
    if run.trials > 1 and not run.selftest:
        parts.append(f"{run.trials} trials")
    if not run.selftest:
        parts.append(f"results {run.shown_results(config.rootpath)}")
    lines = [f"netbench: {' · '.join(parts)}"]
    lines += [f"netbench: counts as regressed: {one.message.partition(chr(10))[0]}" for one in run.refused]
    return lines


def _backends(run: Run) -> str:
    """What deploys labs, and the others that were given."""
    from pytest_netbench.lab.resources import by_kind  # imports pydantic

    return ", ".join(dict.fromkeys((by_kind(run.backend)["lab"], *run.backend)))
