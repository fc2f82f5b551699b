"""Building for real, in cache directories of the test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.machine import checks
from pytest_netbench.native import build

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="no C compiler; apt-get install gcc libc6-dev")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pytest-netbench"


def test_all_programs_are_built_into_the_users_cache(cache):
    library, *programs = build.labtime(), build.wire(), build.switch()
    assert library is not None
    assert library.is_relative_to(cache)
    for program in programs:
        assert program is not None
        assert program.is_relative_to(cache)
        assert os.access(program, os.X_OK)
    assert build.why_not() is None, "all were built"


def test_the_rules_of_ios_are_built_together_or_doctor_says_why_not(cache, monkeypatch, tmp_path):
    assert sorted(build.ios_rules()) == [
        "adjacencies.so",
        "externals.so",
        "forwarding.so",
        "hostroutes.so",
        "redistribution.so",
    ]
    assert all(path.is_relative_to(cache) for path in build.ios_rules().values())
    [check] = [check for check in checks.native_checks() if check.name == "IOS rules"]
    assert check.ok
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert build.ios_rules() == {}
    [check] = [check for check in checks.native_checks() if check.name == "IOS rules"]
    assert not check.ok
    assert "no C compiler" in check.detail


def test_a_second_build_is_the_first_one(cache):
    first = build.labtime()
    assert first is not None
    made = first.stat().st_mtime_ns
    assert build.labtime() == first
    assert first.stat().st_mtime_ns == made


def test_eight_processes_that_build_at_once_get_the_same_whole_file(cache):
    code = (
        "import ctypes; from pytest_netbench.native import build; "
        "path = build.labtime(); ctypes.CDLL(str(path)); print(path)"
    )
    children = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(8)]
    answers = {child.communicate(timeout=60)[0] for child in children}
    assert len(answers) == 1
    assert all(child.returncode == 0 for child in children)
    assert [entry.name for entry in Path(answers.pop().strip()).parent.iterdir()] == ["labtime.so"]


def test_without_a_compiler_there_is_none_and_a_reason(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert build.labtime() is None
    assert build.why_not() == "labtime.c could not be built: no C compiler (looked for cc, gcc, clang)"


def test_a_compiler_that_fails_is_quoted(monkeypatch, tmp_path):
    broken = tmp_path / "broken-cc"
    broken.write_text("#!/bin/sh\necho 'stdio.h: no such file' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    assert build.labtime() is None
    assert build.why_not() == f"labtime.c could not be built: {broken} said: stdio.h: no such file"


def test_a_cache_that_cannot_be_written_is_replaced_by_the_temporary_directory(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setenv("HOME", "/proc/nowhere")
    if os.geteuid() == 0:
        pytest.skip("root may write /var/cache")
    library = build.labtime()
    assert library is not None
    assert library.is_relative_to(tmp_path / f"pytest-netbench-{os.geteuid()}")


def test_a_cache_that_others_can_write_is_not_trusted(cache, monkeypatch, tmp_path):
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    library = build.labtime()
    assert library is not None
    assert not library.is_relative_to(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users: run as root")
def test_a_cache_of_somebody_else_is_not_trusted(cache):
    cache.mkdir(parents=True)
    os.chown(cache, 12345, 12345)
    library = build.labtime()
    assert library is not None
    assert not library.is_relative_to(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs two users: run as root")
def test_a_library_that_somebody_else_put_there_is_not_loaded(cache):
    library = build.labtime()
    assert library is not None
    os.chown(library, 12345, 12345)
    assert build.labtime() is None
    assert build.why_not() == f"labtime.c could not be built: {library} belongs to uid 12345, not to 0"


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_what_root_builds_can_be_read_by_the_unprivileged_user_of_its_labs(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    library = build.labtime()
    assert library is not None
    assert library.is_relative_to("/var/cache/pytest-netbench")
    reading = subprocess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "test", "-r", library], check=False
    )
    assert reading.returncode == 0


def test_the_library_is_built_where_the_compiler_fortifies_by_default(tmp_path: Path, cache: Path) -> None:
    fortifying = tmp_path / "bin/cc"
    fortifying.parent.mkdir()
    fortifying.write_text('#!/bin/sh\nexec /usr/bin/cc -D_FORTIFY_SOURCE=3 "$@"\n')
    fortifying.chmod(0o755)
    code = "from pytest_netbench.native import build; print(build.labtime() is not None, build.why_not() or '')"
    environment = {**os.environ, "PATH": f"{fortifying.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout == "True \n", done.stdout + done.stderr
    assert list(cache.rglob("labtime.so"))
