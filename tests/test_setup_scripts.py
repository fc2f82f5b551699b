"""The Makefile and scripts/setup, run for real in copies, with stand-ins for what is on the machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASH = shutil.which("bash") or "/bin/bash"


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def bash(
    code: str, *, cwd: Path = ROOT, path: str = os.environ["PATH"], **env: str
) -> subprocess.CompletedProcess[str]:
    sources = "".join(f". {ROOT}/scripts/setup.d/{name}; " for name in ("report", "system", "python", "extras"))
    return subprocess.run(
        [BASH, "-c", f"set -euo pipefail; {sources} {code}"],
        cwd=cwd,
        env={"PATH": path, **env},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def bare(tmp_path) -> Path:
    """A directory to be all of PATH: nothing in it but what keeps the log."""
    for name in ("mktemp", "rm"):
        (tmp_path / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    return tmp_path


# ---- make bench and its exit status ----


@pytest.fixture
def project(tmp_path) -> Path:
    """The Makefile and scripts/bench with a set-up and a pytest that only say they ran."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/bench", tmp_path / "scripts/bench")
    script(tmp_path / "scripts/setup", "echo set up; exit ${SETUP:-0}")
    script(tmp_path / ".venv/bin/pytest", 'echo "pytest $*"; exit ${PYTEST:-0}')
    return tmp_path


def make(project: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *arguments], cwd=project, env=clean | env, capture_output=True, text=True, check=False
    )


def test_make_bench_runs_the_oracle_on_all_tasks_unless_told_otherwise(project):
    done = make(project, "bench")
    assert (done.returncode, done.stdout) == (0, "set up\npytest tasks/ --agent=oracle -n auto\n")
    done = make(project, "bench", "ARGS=--agent=nop -x")
    assert (done.returncode, done.stdout) == (0, "set up\npytest tasks/ --agent=nop -x\n")


@pytest.mark.parametrize(
    ("asked", "passed"),
    [
        (["AGENT=nop"], "--agent=nop -n auto"),
        (["AGENT=oracle nop"], "--agent=oracle --agent=nop -n auto"),
        (["AGENT=agents/mine.agent.yaml"], "--agent=agents/mine.agent.yaml -n auto"),
        (["AGENT=mine:Class(x=1)"], "--agent=mine:Class(x=1) -n auto"),
        (["AGENT=nop", "ARGS=-x -k nat"], "--agent=nop -x -k nat"),
        (["AGENT="], "--agent=oracle -n auto"),
    ],
)
def test_make_bench_runs_the_agent_that_is_named(project, asked, passed):
    done = make(project, "bench", *asked)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"set up\npytest tasks/ {passed}\n", "")


def test_an_agent_that_the_environment_names_is_not_meant(project):
    done = make(project, "bench", AGENT="goose")
    assert done.stdout == "set up\npytest tasks/ --agent=oracle -n auto\n"


def test_arguments_may_stand_in_the_environment(project):
    done = make(project, "bench", ARGS="--agent=nop -x")
    assert done.stdout == "set up\npytest tasks/ --agent=nop -x\n"


@pytest.mark.parametrize("status", ["1", "2", "5", "137"])
def test_make_bench_ends_with_1_when_the_run_failed(project, status):
    done = make(project, "bench", PYTEST=status)
    assert done.returncode == 1
    assert done.stderr == ""


def test_make_bench_ends_with_0_after_a_run_that_failed_before(project):
    assert make(project, "bench", PYTEST="1").returncode == 1
    assert make(project, "bench").returncode == 0


def test_make_bench_ends_with_2_when_the_set_up_failed(project):
    done = make(project, "bench", SETUP="3")
    assert done.returncode == 2
    assert "pytest" not in done.stdout


def test_a_dry_run_of_make_bench_runs_nothing(project):
    done = make(project, "-n", "bench")
    assert done.returncode == 0
    assert not (project / ".netbench").exists()


def test_make_without_a_goal_says_what_there_is(project):
    done = make(project)
    targets = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("make ")]
    assert targets == ["bench", "test", "integration", "check", "selftest", "image", "release-check"]


# ---- what is missing ----


def test_what_the_machine_lacks_is_told_as_debian_packages(bare):
    done = bash("missing_packages", cwd=bare, path=str(bare))
    packages = set(done.stdout.split())
    assert {"iproute2", "util-linux", "nftables", "iptables", "iputils-ping", "traceroute"} <= packages
    assert {"tcpdump", "iperf3", "procps", "gcc", "python3", "python3-venv"} <= packages
    assert {
        "dnsmasq-base",
        "busybox",
        "lighttpd",
        "haproxy",
        "wireguard-go",
        "wireguard-tools",
        "curl",
        "openvswitch-switch",
    } <= packages


def test_a_machine_with_everything_lacks_nothing(bare):
    programs = "ip tc unshare nsenter setpriv nft iptables ping traceroute tcpdump iperf3 bwrap ps ssh cc python3"
    programs += " dnsmasq busybox lighttpd haproxy wireguard-go wg curl ovs-vswitchd"
    for name in programs.split():
        script(bare / name, "exit 0")
    left = set(bash("missing_packages", cwd=bare, path=str(bare)).stdout.split())
    assert left <= {"frr", "libc6-dev", "python3"}, "these are looked for in the file system"


def test_an_old_python_gets_a_newer_one_beside_it(bare):
    script(bare / "python3", "exit 1")
    packages = bash("missing_packages", cwd=bare, path=str(bare)).stdout.split()
    assert packages[-2:] == ["python3.11", "python3.11-venv"]


def test_a_newer_python_beside_an_old_one_is_taken(bare):
    script(bare / "python3", "exit 1")
    newer = script(bare / "python3.12", "exit 0")
    assert bash("find_python", cwd=bare, path=str(bare)).stdout.strip() == str(newer)


def test_no_python_that_is_new_enough_is_an_error_with_the_way_out(bare):
    script(bare / "python3", '[ "$1" = --version ] && echo Python 3.9.2; exit 1')
    done = bash("names=(python3); find_python", cwd=bare, path=f"{bare}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert "failed: Python 3.11 or newer is needed; found: Python 3.9.2" in done.stderr
    assert "then again: make setup" in done.stderr


def test_without_root_and_sudo_the_command_for_root_is_told(bare):
    script(bare / "id", "echo 1000")
    script(bare / "apt-get", "exit 0")
    done = bash("install_packages frr nftables", cwd=bare, path=str(bare))
    assert done.returncode == 1
    assert "Ask root for:\n             apt-get install -y --no-install-recommends frr nftables\n" in done.stderr


def test_a_set_up_that_fails_before_it_ran_anything_leaves_no_log(bare, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    done = bash("fail 'no such luck'", cwd=bare, path=str(bare), TMPDIR=str(logs))
    assert done.returncode == 1
    assert "no such luck" in done.stderr
    assert not list(logs.iterdir())


def test_without_apt_the_packages_are_told(bare):
    done = bash("install_packages frr nftables", cwd=bare, path=str(bare))
    assert done.returncode == 1
    assert (
        "not a Debian or Ubuntu: install these by hand, then again: make setup\n             frr nftables"
        in done.stderr
    )


def test_services_that_fresh_packages_bring_are_not_enabled(bare):
    script(bare / "id", "echo 0")
    (bare / "env").symlink_to("/usr/bin/env")
    script(bare / "apt-get", "exit 0")
    script(bare / "systemctl", f'echo "$@" >>{bare}/asked')
    done = bash("keep_services_off() { :; }; install_packages haproxy curl", cwd=bare, path=str(bare))
    assert done.returncode == 0, done.stderr
    assert (bare / "asked").read_text() == "disable haproxy.service\n"


# ---- what only some tests and extras want ----


def test_a_manual_that_cannot_be_had_fails_no_set_up(bare):
    done = bash("manual=/none; install_manual; echo went on", cwd=bare, path=str(bare))
    assert done.stdout == "went on\n"
    assert "left out: FRR's manual, for search-manual. To add it: apt-get install frr-doc" in done.stderr


def test_a_manual_is_installed_though_the_image_leaves_documentation_out(bare):
    script(bare / "id", "echo 0")
    (bare / "env").symlink_to("/usr/bin/env")
    (bare / "mkdir").symlink_to("/bin/mkdir")
    script(bare / "apt-get", f'echo "$@" >{bare}/asked; mkdir {bare}/sources')
    done = bash(f"manual={bare}/sources; install_manual", cwd=bare, path=str(bare))
    assert "left out" not in done.stderr
    assert "--path-include=/usr/share/doc/frr/* frr-doc" in (bare / "asked").read_text()


def test_rpki_that_cannot_be_had_fails_no_set_up(bare):
    done = bash("modules=/none; install_rpki; echo went on", cwd=bare, path=str(bare))
    assert done.stdout == "went on\n"
    assert "left out: RPKI caches and FRR's module for them" in done.stderr


def test_rpki_is_installed_and_its_service_does_not_start(bare):
    (bare / "env").symlink_to("/usr/bin/env")
    (bare / "find").symlink_to("/usr/bin/find")
    script(bare / "id", "echo 0")
    script(bare / "systemctl", f'echo "$@" >>{bare}/asked')
    brought = f"printf '#!/bin/sh\n' >{bare}/stayrtr; /bin/chmod 755 {bare}/stayrtr; /bin/mkdir -p {bare}/frr/modules"
    script(bare / "apt-get", f'echo "$@" >>{bare}/asked; {brought}; : >{bare}/frr/modules/bgpd_rpki.so')
    steps = f"keep_services_off() {{ :; }}; modules={bare}; install_rpki; install_rpki; echo went on"
    done = bash(steps, cwd=bare, path=str(bare))
    assert done.stdout == "went on\n"
    assert "left out" not in done.stderr
    install, disable = (bare / "asked").read_text().splitlines()
    assert install.endswith(" stayrtr frr-rpki-rtrlib")
    assert disable == "disable stayrtr.service"


# ---- processors are shared among processes ----


def evenly(setting: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts/evenly", *command],
        env={"PATH": os.environ["PATH"], "NETBENCH_AUTOGROUP": str(setting)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def setting(tmp_path, monkeypatch) -> Path:
    script(tmp_path / "bin/sudo", 'exec "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    path = tmp_path / "sched_autogroup_enabled"
    path.write_text("1\n")
    return path


@pytest.mark.parametrize("status", [0, 3])
def test_sessions_are_no_groups_while_a_command_runs_and_are_again_when_it_has_ended(setting, status):
    done = evenly(setting, "sh", "-c", f"cat {setting}; exit {status}")
    assert (done.stdout, done.returncode) == ("0\n", status)
    assert setting.read_text() == "1\n"


def test_sessions_are_groups_again_after_an_interruption(setting):
    # dash that is interrupted while it starts a child may go on: hence exec
    process = subprocess.Popen(
        [ROOT / "scripts/evenly", "sh", "-c", "echo begun; exec sleep 20"],
        env={**os.environ, "NETBENCH_AUTOGROUP": str(setting)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert setting.read_text() == "0\n"
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=10)
    assert setting.read_text() == "1\n"


@pytest.mark.parametrize("text", ["0\n", None])
def test_a_machine_whose_sessions_are_no_groups_is_left_as_it_is(setting, text):
    setting.unlink() if text is None else setting.write_text(text)
    done = evenly(setting, "echo", "ran")
    assert (done.stdout, done.stderr) == ("ran\n", "")
    assert not setting.exists() if text is None else setting.read_text() == text


def test_who_may_not_change_the_setting_is_told_and_the_command_runs(setting, tmp_path):
    script(tmp_path / "bin/sudo", "exit 1")
    script(tmp_path / "bin/id", "echo 1000")
    done = evenly(setting, "echo", "ran")
    assert done.stdout == "ran\n"
    assert "Ask root for: sysctl kernel.sched_autogroup_enabled=0" in done.stderr
    assert setting.read_text() == "1\n"


# ---- nothing to do ----


def test_a_second_set_up_does_nothing_and_takes_no_time():
    if not (ROOT / ".venv/.netbench-setup").exists():
        pytest.skip("this checkout was not set up by make setup")
    began = time.monotonic()
    done = subprocess.run(
        [ROOT / "scripts/setup"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    took = time.monotonic() - began
    if done.stderr:
        pytest.skip("pyproject.toml has changed since the last make setup")
    assert done.returncode == 0
    assert took < 0.3


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("scripts/*"), *ROOT.glob("scripts/setup.d/*"), ROOT / ".ci/run"]), ids=str
)
def test_every_script_is_well_formed(path):
    if path.is_file() and path.suffix not in {".py", ".txt"}:
        subprocess.run([BASH, "-n", path], check=True)
