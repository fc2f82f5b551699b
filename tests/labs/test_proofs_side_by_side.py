"""``netbench generate --prove`` on labs of the default backend: several at a time, and what an end leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.generators.series import read_series
from pytest_netbench.lab.request import request_of
from tests.support.host import Lab

SERIES = "repair-routing:n={count},level=1,subnets=2,hosts=1,seed=7"


@pytest.fixture(autouse=True)
def _can_deploy() -> None:
    task = next(read_series(SERIES.format(count=1)).sources()).load()
    lack = parts.load("backends", "netns")().lacks(request_of(task))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


def started(folder: Path, *arguments: str, count: int) -> subprocess.Popen[str]:
    folder.mkdir()
    code = "import sys; from pytest_netbench.cli.main import main; sys.exit(main())"
    argv = [sys.executable, "-c", code, "generate", SERIES.format(count=count), "-o", "drawn", "--prove", *arguments]
    return subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_output_is_the_same_for_every_number_of_jobs(tmp_path):
    found = []
    for jobs in ("1", "2"):
        run = started(tmp_path / jobs, f"-n{jobs}", count=4)
        out, err = run.communicate(timeout=120)
        assert run.returncode == 0, err
        lines = [line.split(" ")[:2] + line.split(" s: ")[1:] for line in err.splitlines()]
        files = {path.name: path.read_bytes() for path in (tmp_path / jobs / "drawn").iterdir()}
        found.append((out, lines, files))
    assert found[0] == found[1]
    assert found[0][0] == "wrote 4 of 4 tasks to drawn\n"
    assert found[0][1][3] == ["4/4", "repair-routing[s7-0003]:", "proven"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_an_end_leaves_no_lab_and_whole_files(tmp_path, sent):
    run = started(tmp_path / "here", "--jobs=2", count=40)
    assert run.stderr is not None
    assert run.stderr.readline().endswith(" s: proven\n")
    left = Lab.of(run.pid)
    deadline = time.monotonic() + 20
    while len(left.namespaces) < 10 and time.monotonic() < deadline:  # both labs are up
        left = Lab.of(run.pid)
    assert len(left.namespaces) >= 10
    run.send_signal(sent)
    _, err = run.communicate(timeout=60)
    assert left.left_after(2) == []
    written = len(list((tmp_path / "here" / "drawn").iterdir()))
    assert 1 <= written < 40
    if sent == signal.SIGINT:
        assert run.returncode == 130
        assert "interrupted: waiting for the proofs that run; files that were written are complete" in err
        assert err.endswith("netbench: interrupted\n")
