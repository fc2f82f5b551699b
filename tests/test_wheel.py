"""The wheel as somebody gets it who only did `pip install pytest-netbench`."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed; make setup installs it"
    ),
    pytest.mark.skipif(not any(ROOT.glob("tasks/*/*.task.yaml")), reason="there are no tasks to ship in this checkout"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out], cwd=ROOT, check=True)
    (path,) = out.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The ``bin`` of an environment with the wheel in it; what it depends on is borrowed from this one."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin/python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel], check=True
    )
    (site,) = home.glob("lib/python*/site-packages")
    # a path line is appended, and its own .pth files are not read: the editable checkout stays out of it
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return home / "bin"


def run(*argv: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV"))}
    done = subprocess.run(argv, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shipped(folder: str) -> set[str]:
    tracked = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    return set(tracked)


def test_the_wheel_carries_tasks_agents_c_sources_prompts_and_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("tasks", "agents", "container"):
        missing = {name for name in shipped(folder) if f"pytest_netbench/corpus/{name}" not in names}
        assert not missing
    for source in (
        *(ROOT / "pytest_netbench").rglob("*.c"),
        *(ROOT / "pytest_netbench").rglob("*.md"),
        *(ROOT / "pytest_netbench").rglob("*.yaml"),
        *(ROOT / "pytest_netbench").rglob("*.py"),
    ):
        assert source.relative_to(ROOT).as_posix() in names


def test_the_wheel_carries_nothing_that_was_left_lying_about(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/", 1)[0].split("-", 1)[0] for name in names} == {"pytest_netbench"}
    assert not [name for name in names if "__pycache__" in name or "/.netbench/" in name or "/.pytest_cache/" in name]


def test_netbench_runs_from_the_wheel(installed, tmp_path):
    import pytest_netbench

    assert pytest_netbench.__version__ in run(installed / "netbench", "version", cwd=tmp_path)
    where = run(installed / "python", "-c", "import pytest_netbench; print(pytest_netbench.__file__)", cwd=tmp_path)
    assert where.startswith(str(installed.parent))


def test_netbench_init_writes_a_folder_that_pytest_collects(installed, tmp_path):
    run(installed / "netbench", "init", "lab", cwd=tmp_path)
    lab = tmp_path / "lab"
    assert (lab / "conftest.py").exists()
    for name in shipped("tasks") | shipped("agents") | shipped("container"):
        assert (lab / name).read_bytes() == (ROOT / name).read_bytes()
    listed = run(installed / "python", "-m", "pytest", "tasks", "--collect-only", "-q", "--agent=oracle", cwd=lab)
    assert sum(listed.count(f".task.{kind}::") for kind in ("yaml", "json")) == len(list(ROOT.glob("tasks/*/*.task.*")))


def test_the_c_sources_in_the_wheel_can_be_built(installed, tmp_path):
    code = "from pytest_netbench.native import build; print(build.compiler() is None or build.wire())"
    assert run(installed / "python", "-c", code, cwd=tmp_path).strip() != "None"
