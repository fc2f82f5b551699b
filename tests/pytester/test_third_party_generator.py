"""The generator of docs/how-to/add-a-generator.md, installed by an entry point: listed, drawn, proved, scored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.how_to_package import install

PATIENCE_S = 200


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install("add-a-generator.md", tmp_path_factory.mktemp("site"))


def run(site: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_it_is_listed_with_its_parameters(site, tmp_path):
    done = run(site, tmp_path, "pytest_netbench.cli", "generate", "--list")
    assert done.returncode == 0, done.stderr
    assert "missing-route" in done.stdout
    assert "the routers that may lack the route" in done.stdout


def test_equal_arguments_give_equal_files_and_others_give_others(site, tmp_path):
    for folder, index in (("one", 0), ("again", 0), ("other", 1)):
        spec = f"missing-route:n=2,seed={index}"
        done = run(site, tmp_path, "pytest_netbench.cli", "generate", spec, "--output", folder)
        assert done.returncode == 0, done.stderr
    contents = {
        folder: sorted(path.read_text() for path in (tmp_path / folder).rglob("*.task.*"))
        for folder in ("one", "again", "other")
    }
    assert len(contents["one"]) == 2
    assert contents["one"] == contents["again"] != contents["other"]


def test_what_a_parameter_cannot_be_is_refused_by_name(site, tmp_path):
    done = run(
        site, tmp_path, "pytest_netbench.cli", "generate", "missing-route:sides=middle,n=1,seed=1", "--output", "x"
    )
    assert done.returncode != 0
    assert "sides" in done.stderr


@pytest.mark.parametrize(
    ("options", "outcome"),
    [(["--netbench-selftest"], "1 passed"), (["--agent=oracle"], "1 passed"), (["--agent=nop"], "1 failed")],
)
def test_it_is_proved_and_scored_on_a_real_network(options, outcome, site, tmp_path):
    spec = "missing-route:sides=left,n=1,seed=1"
    done = run(site, tmp_path, "pytest", "-p", "no:cacheprovider", "--netbench-generate", spec, *options)
    assert outcome in done.stdout, done.stdout + done.stderr
