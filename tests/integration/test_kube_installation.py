"""Installations that build the programs, and are interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.backends.kube.binaries import NAMES, Binaries
from tests.integration.kube import until

pytestmark = pytest.mark.skipif(
    shutil.which("go") is None, reason="no Go to build with; fix: apt-get install golang-go"
)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_build_that_is_ended_leaves_no_process_and_no_installation(tmp_path: Path, how: signal.Signals) -> None:
    argv = [sys.executable, "-m", "pytest_netbench.cli", "kube", "install", "--from", "modules"]
    mark = f"netbench-{tmp_path.name}"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "GOTELEMETRYDIR": mark}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("compiling"):
                break
        else:
            pytest.skip("the modules of Kubernetes cannot be loaded here")
        until(lambda: len(_marked(mark)) > 1, "the compiler runs")
        process.send_signal(how)
        assert process.wait() == (130 if how == signal.SIGINT else -how)
    until(lambda: not _marked(mark), "the build has ended")
    left = [path.name for path in (tmp_path / "pytest-netbench/kube").iterdir() if path.name != ".lock"]
    assert left == ([] if how == signal.SIGINT else [".partial-1.36.3"])


def _marked(mark: str) -> list[int]:
    """Processes whose environment has a word."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_what_this_machine_has_installed_is_one_program_of_one_release(binaries: Binaries) -> None:
    folder = binaries.etcd.parent
    assert {path.name for path in folder.iterdir()} >= set(NAMES)
    said = subprocess.run([binaries.kubectl, "version", "--client"], capture_output=True, text=True, check=True).stdout
    assert f"Client Version: v{binaries.version}" in said
