"""How many IOS devices can run side by side."""

from __future__ import annotations

import pytest

from pytest_netbench.backends.netns.machine.checks import inotify_check


@pytest.mark.parametrize(("allowed", "ok"), [(1024, True), (128, True), (16, False)])
def test_the_number_of_devices_is_told_and_a_small_one_is_reported(tmp_path, allowed, ok):
    setting = tmp_path / "max_user_instances"
    setting.write_text(f"{allowed}\n")
    check = inotify_check(str(setting))
    assert check.ok is ok
    assert f"fewer than {allowed} IOS devices" in check.detail
    assert check.remedy == "sysctl fs.inotify.max_user_instances=128"


def test_a_setting_that_cannot_be_read_is_no_lack(tmp_path):
    assert inotify_check(str(tmp_path / "nowhere")).ok
