"""A kernel that lets a busy session keep all others waiting is reported."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.netns.machine.checks import scheduling_check


@pytest.mark.parametrize(
    ("enabled", "release", "ok", "detail"),
    [
        ("1", "6.18.44-generic", False, "among sessions: on Linux 6.18.44-generic labs that keep all cores busy"),
        ("0", "6.18.44-generic", True, "among processes"),
        ("1", "6.1.0-31-amd64", True, "among sessions"),
        (None, "6.18.44", True, "among processes"),
    ],
)
def test_groups_of_sessions_are_reported_where_they_starve_others(tmp_path, enabled, release, ok, detail):
    setting = tmp_path / "sched_autogroup_enabled"
    if enabled is not None:
        setting.write_text(enabled + "\n")
    check = scheduling_check(str(setting), release)
    assert check.ok is ok
    assert check.detail.startswith(detail)
    assert check.remedy == "sysctl kernel.sched_autogroup_enabled=0"
