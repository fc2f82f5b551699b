"""A third party's fault in one file: it is drawn where it is named, proved, documented for the agent and scored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.how_to_package import install

NAME = "host-route-prohibited"
PATIENCE_S = 200
SMALL = "shapes=line,size=1,hosts=1,level=1,names=plain,routings=static,platforms=frr,services=filter,n=1,seed=1"
DRAW = """
import json, sys
from pytest_netbench.generators.series import read_series
(source,) = read_series(sys.argv[1]).sources()
print(json.dumps(source.load().model_dump(mode="json", by_alias=True)))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install("add-a-fault.md", tmp_path_factory.mktemp("site"))


def python(site: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize("generator", ["diagnose", "troubleshoot", "repair-network"])
def test_it_is_drawn_where_it_is_named_and_the_task_names_its_package(generator, site, tmp_path):
    share = "" if generator == "repair-network" else ",healthy=0"
    done = python(site, "-c", DRAW, f"{generator}:faults={NAME},{SMALL}{share}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    task = json.loads(done.stdout)
    assert [one["fault"] for one in task["faults"]] == [NAME]
    assert task["drawn"]["packages"] == {NAME: "my-faults 1.2"}
    assert "prohibits what it would send" in task["ground_truth_reasoning"]


def test_a_draw_that_does_not_name_it_is_the_same_task(site, tmp_path):
    with_it = python(site, "-c", DRAW, f"diagnose:{SMALL}", cwd=tmp_path)
    without = python(tmp_path, "-c", DRAW, f"diagnose:{SMALL}", cwd=tmp_path)
    assert with_it.returncode == 0, with_it.stderr
    assert with_it.stdout == without.stdout
    assert "packages" not in json.loads(without.stdout)["drawn"]


def test_without_the_package_its_name_is_unknown(tmp_path):
    done = python(tmp_path, "-c", DRAW, f"diagnose:faults={NAME},{SMALL}", cwd=tmp_path)
    assert f"faults={NAME}: unknown '{NAME}'" in done.stderr


@pytest.mark.parametrize("arguments", [("--netbench-selftest",), ("--agent=oracle",)])
def test_it_is_proved_and_scored_on_a_real_network(arguments, site, tmp_path):
    done = python(
        site,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--netbench-generate",
        f"diagnose:faults={NAME},{SMALL},healthy=0",
        *arguments,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
