"""Tasks of ``netbench new task`` on real labs: each passes its self-test as it is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_netbench.backends.netns.machine.doctor import lacks
from pytest_netbench.cli.main import main
from pytest_netbench.cli.new import PLATFORMS


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_new_task_passes_its_self_test_as_it_is(tmp_path, monkeypatch, platform):
    lack = lacks((), {platform, "linux"})
    if lack is not None:
        pytest.skip(f"{lack[0]} (fix: {lack[1]})")
    monkeypatch.chdir(tmp_path)
    assert main(["new", "task", "two-sites", "--platform", platform]) == 0
    options = ("--netbench-selftest", "--netbench-selftest-repeats=1", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tasks/routing/two-sites.task.yaml", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "6 of 6" in done.stdout
    assert "'half of site B': 'nothing else changes'" in done.stdout
