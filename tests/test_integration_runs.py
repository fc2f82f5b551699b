"""`make integration`: what .ci/run and scripts/integration do, and how programs of others are kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support.programs import Build, NotToBeHad, Program, cache, obtained

ROOT = Path(__file__).parents[1]
WANTED = re.findall(r"^    ([\w-]+):[\w.-]+:", (ROOT / "scripts/integration").read_text(), re.MULTILINE)
"""The programs that the script would install."""


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


# ---- .ci/run ----


@pytest.mark.parametrize(("gate", "integration", "status"), [(0, 0, 0), (2, 0, 2), (0, 3, 3), (2, 3, 2)])
def test_ci_runs_both_and_has_the_status_of_the_first_that_failed(tmp_path, gate, integration, status):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    script(tmp_path / "bin/make", f'echo "$1"; [ "$1" = test ] && exit {gate}; exit {integration}')
    done = subprocess.run(
        [tmp_path / ".ci/run"],
        env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (status, "test\nintegration\n")


# ---- scripts/integration ----


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The script with a pytest of ours, on a machine that has what it would install."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for program in WANTED:
        script(tmp_path / "bin" / program, "exit 0")
    return tmp_path


def integrate(project: Path, pytest_body: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    script(project / ".venv/bin/pytest", pytest_body)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NETBENCH")}
    return subprocess.run(
        [project / "scripts/integration", *arguments],
        env={**clean, "PATH": f"{project}/bin:{os.environ['PATH']}", **env},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("status", [0, 1, 2])
def test_it_ends_with_what_pytest_says_and_prints_last(project, status):
    done = integrate(project, f'echo "pytest $*"; exit {status}', "-k", "ansible")
    assert done.returncode == status
    assert (
        done.stdout
        == "pytest tests/integration -rsfE --timeout=1500 -n 2 --dist loadgroup --no-loadscope-reorder -k ansible\n"
    )
    assert done.stderr == ""


def test_it_is_ended_after_its_limit_with_a_sentence(project):
    body = "trap 'echo ended in order; exit 2' INT; while :; do sleep 0.1; done"
    done = integrate(project, body, NETBENCH_INTEGRATION_LIMIT_S="2")
    assert done.returncode == 1
    assert done.stdout == "ended in order\n"
    assert "failed: the integration tests were ended after their limit of 2 s; pytest names above what" in done.stderr


def test_what_cannot_be_installed_is_named_and_the_tests_run(project):
    (project / "bin/dockerd").unlink()
    for name in ("bash", "timeout", "mktemp", "rm", "dirname"):
        (project / "bin" / name).symlink_to(shutil.which(name) or name)
    (project / "scripts/setup.d/system").write_text('has() { [ "$1" != dockerd ] && [ "$1" != apt-get ]; }\n')
    with (project / "scripts/setup.d/system").open("a") as file:
        file.write("may_be_root() { false; }\nservices_as_before() { :; }\n")
    done = integrate(project, "echo ran")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "left out: dockerd. Its tests are skipped; to add it: apt-get install docker.io" in done.stderr


def test_what_is_missing_is_installed_at_once_and_one_by_one_only_if_that_fails(project):
    for name in ("vpcs", "cpio"):
        (project / "bin" / name).unlink()
    for name in ("bash", "timeout", "mktemp", "rm", "dirname", "touch", "cat", "tail"):
        (project / "bin" / name).symlink_to(shutil.which(name) or name)
    system = """
        has() { [ -e "$HERE/bin/$1" ]; }
        may_be_root() { true; }
        as_root() { "$@"; }
        keep_services_off() { :; }
        services_as_before() { :; }
        leave_alone() { echo "left alone: $1"; }
        apt_install() { echo "$*" >>"$HERE/asked"; [ "$*" = cpio ] && touch "$HERE/bin/cpio"; }
    """
    (project / "scripts/setup.d/system").write_text(system)
    script(project / "bin/apt-get", "exit 0")
    done = integrate(project, "echo ran", HERE=str(project), PATH=f"{project}/bin")
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert list(dict.fromkeys((project / "asked").read_text().splitlines())) == ["vpcs cpio", "vpcs", "cpio"]
    assert "left out: vpcs. Its tests are skipped; to add it: apt-get install vpcs" in done.stderr
    assert "left out: cpio" not in done.stderr


# ---- two at a time ----


def example(folder: Path, dist: str = "loadgroup", late: str = "", **files: str) -> subprocess.CompletedProcess[str]:
    """What pytest says of tests that have the fixtures and hooks of the integration tests; a worker may begin late."""
    hooks = "from tests.integration.conftest import *\nimport tests.integration.conftest as shared\n"
    hooks += "shared.FOLDER = shared.Path(__file__).parent\n"
    hooks += f"if shared.os.environ.get('PYTEST_XDIST_WORKER') == '{late}': shared.time.sleep(3)\n"
    (folder / "conftest.py").write_text(hooks)
    for name, body in files.items():
        (folder / f"{name}.py").write_text(body)
    spread = ("-n2", f"--dist={dist}", "--no-loadscope-reorder")
    command = [sys.executable, "-m", "pytest", *spread, "-v", "-p", "no:cacheprovider", "."]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{folder}"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


TESTS = "import pytest\n@pytest.mark.parametrize('n', range(4))\ndef test(n): pass\n"


def test_what_shares_a_server_runs_in_one_process_and_other_modules_beside_it(tmp_path):
    names = ("test_gns3", "test_gns3_ios", "test_kube_tasks", "test_ray")
    done = example(tmp_path, **dict.fromkeys(names, TESTS))
    workers: dict[str, set[str]] = {}
    for worker, name in re.findall(r"\[(gw\d)\].* PASSED (\w+)\.py", done.stdout):
        workers.setdefault(name, set()).add(worker)
    assert sorted(workers) == list(names), done.stdout
    assert all(len(one) == 1 for one in workers.values())
    assert workers["test_gns3"] == workers["test_gns3_ios"] != workers["test_ray"]


def test_the_tests_of_a_module_are_spread_where_groups_are_not_asked_for(tmp_path):
    # make selftest runs whole modules so
    done = example(tmp_path, dist="load", test_kube_drawn=TESTS)
    assert set(re.findall(r"\[(gw\d)\].* PASSED", done.stdout)) == {"gw0", "gw1"}, done.stdout


def test_lines_of_progress_of_both_processes_are_shown(tmp_path):
    body = "def test(say, worker_id): say(f'hello from {worker_id}')\n"
    done = example(tmp_path, test_one=body, test_two=body)
    shown = re.findall(r"integration +\d+ s  hello from (gw\d)", done.stdout + done.stderr)
    assert sorted(shown) == ["gw0", "gw1"], done.stdout + done.stderr


def test_tests_that_an_interrupt_ends_are_named(tmp_path):
    body = "import os, signal, time\ndef test(): time.sleep(2); os.kill(os.getppid(), signal.SIGINT); time.sleep(30)\n"
    done = example(tmp_path, test_long=body)
    assert "did not end: test_long.py::test" in done.stdout, done.stdout


@pytest.mark.parametrize("unused", ["gw0", "gw1"])
def test_a_program_is_made_while_tests_run_that_do_not_need_it(tmp_path, unused):
    # both modules are of one group: the worker that begins last is sent home
    tool = "from tests.support.programs import *\nTOOL = Program(name='tool', version='1', make=lambda build: None)\n"
    waits = "from tests.support.programs import cache\nfrom tests.integration.kube import until\n"
    waits += "def test(): until((cache() / 'tool-1/.complete').exists, 'it is made', within_s=120)\n"
    needs = f"{tool}def test(obtain): assert obtain(TOOL).is_dir()\n"
    done = example(tmp_path, late=unused, test_inspect_one=waits, test_inspect_two=needs)
    assert f"[{unused}]" not in done.stdout, done.stdout
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_nothing_else_collects_the_tests_against_programs_of_others():
    def collected(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    ignoring = [f"--ignore=tests/{one.name}" for one in (ROOT / "tests").iterdir() if one.name != "integration"]
    assert "tests/integration" not in collected("tests", *ignoring)
    for named in ("tests/integration", "tests/integration/test_go_programs.py"):
        assert "test_go_programs.py::" in collected(named)


# ---- programs that are kept ----


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def tool(make, **fields) -> Program:
    return Program(**{"name": "tool", "version": "1.0", "make": make, **fields})


def test_a_program_is_made_once_per_version():
    said: list[str] = []
    made: list[str] = []

    def make(build: Build) -> None:
        made.append(build.folder.name)
        build.run("sh", "-c", "echo program >tool")

    folder = obtained(tool(make), say=said.append)
    assert folder == cache() / "tool-1.0"
    assert (folder / "tool").read_text() == "program\n"
    assert obtained(tool(make), say=said.append) == folder
    assert said == [f"making tool 1.0, once; it is kept in {folder}", "tool 1.0 is ready"]
    obtained(tool(make, version="1.1"), say=said.append)
    assert made == ["tool-1.0", "tool-1.1"]


def test_a_build_that_was_cut_off_is_begun_anew():
    (cache() / "tool-1.0").mkdir(parents=True)
    (cache() / "tool-1.0/half").touch()
    folder = obtained(tool(lambda build: build.run("touch", "whole")), say=lambda _: None)
    assert (folder / "whole").exists()
    assert not (folder / "half").exists()


def test_two_runs_that_want_a_program_make_it_once():
    made: list[float] = []

    def make(build: Build) -> None:
        made.append(time.monotonic())
        build.run("sleep", "0.3")

    threads = [threading.Thread(target=obtained, args=(tool(make),), kwargs={"say": lambda _: None}) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_what_building_needs_is_named_with_its_fix():
    with pytest.raises(NotToBeHad, match=r"^tool 1\.0 cannot be built: no-such-go is missing; fix: install Go$"):
        obtained(tool(lambda _: None, needs={"no-such-go": "install Go"}), say=lambda _: None)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("sh", "-c", "echo first; echo no route to host >&2; exit 3"), "sh -c: no route to host"),
        (("sh", "-c", "exit 1"), "sh -c: no output"),
        (("sleep", "60"), "sleep 60 did not end within 1 s"),
    ],
)
def test_a_build_that_fails_says_why_and_leaves_nothing(command, why):
    with pytest.raises(NotToBeHad) as caught:
        obtained(tool(lambda build: build.run(*command), within_s=1), say=lambda _: None)
    assert str(caught.value) == f"tool 1.0 could not be made: {why}"
    assert not (cache() / "tool-1.0").exists()


def test_a_build_that_takes_too_long_leaves_no_process():
    mark = f"sleep 61.{os.getpid()}"
    with pytest.raises(NotToBeHad):
        obtained(tool(lambda build: build.run("sh", "-c", f"{mark} & wait"), within_s=0.5), say=lambda _: None)
    assert mark not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
