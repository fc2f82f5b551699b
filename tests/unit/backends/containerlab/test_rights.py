"""What an ordinary user lacks for labs of containers, and engines whose containers nobody enters."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab import checks, exchange, helpers
from pytest_netbench.lab.report import Check


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    return Path(shutil.copy("/bin/true", tmp_path / "containerlab"))


def test_a_binary_without_the_bit_of_root_is_named_with_the_command_that_mends_it(binary: Path) -> None:
    why = checks.without_rights(binary)
    assert why is not None
    assert why[0] == "is no SUID binary of root, and this user is not root"
    assert f"sudo chmod u+s {binary}" in why[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a SUID binary of root")
def test_a_suid_binary_of_root_has_its_rights_and_one_of_another_user_has_not(binary: Path) -> None:
    if os.statvfs(binary).f_flag & os.ST_NOSUID:
        pytest.skip("the temporary folder is mounted nosuid")
    binary.chmod(binary.stat().st_mode | stat.S_ISUID)
    why = checks.without_rights(binary)
    assert why is None or why[0].startswith("serves members of group clab_admins")
    os.chown(binary, 65534, -1)
    binary.chmod(binary.stat().st_mode | stat.S_ISUID)
    assert checks.without_rights(binary) is not None


def test_a_script_is_taken_to_call_it_with_rights(tmp_path: Path) -> None:
    script = tmp_path / "containerlab"
    script.write_text('#!/bin/sh\nexec sudo -n containerlab "$@"\n')
    assert checks.without_rights(script) is None


def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Check:
    """What is said of an engine whose command line answers so."""
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\n{script}\n")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return checks._engine()


def info(**told: object) -> str:
    answer = json.dumps({"ServerVersion": "29.1", "SecurityOptions": ["name=seccomp,profile=default"], **told})
    return f"case $1 in info) echo '{answer}';; *) echo 'Docker version 29.1';; esac"


def test_an_engine_of_this_machine_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    assert engine(tmp_path, monkeypatch, info()) == Check("docker", True, True, "29.1")


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:2376", "ssh://me@far"])
def test_an_engine_of_another_machine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    found = engine(tmp_path, monkeypatch, info())
    assert not found.ok
    assert found.detail == f"the engine is at {address}, and containers can be entered only on its own machine"


@pytest.mark.parametrize("option", ["rootless", "userns"])
def test_an_engine_without_roots_rights_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    found = engine(tmp_path, monkeypatch, info(SecurityOptions=[f"name={option}"]))
    assert not found.ok
    assert found.detail == f"root in its containers is not root of this machine ({option})"


def test_podman_under_dockers_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = engine(tmp_path, monkeypatch, "echo podman version 5.4.0")
    assert (found.ok, found.detail) == (False, "it is Podman, which this backend cannot use")


def test_who_may_not_use_the_socket_is_told_of_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "case $1 in info) echo 'permission denied while trying to connect' >&2; exit 1;; esac; echo Docker"
    found = engine(tmp_path, monkeypatch, script)
    assert not found.ok
    assert "sudo usermod -aG docker USER" in (found.remedy or "")


def test_a_helper_asks_for_no_capability_that_this_machine_lacks() -> None:
    bounding = int(Path("/proc/self/status").read_text().split("CapBnd:")[1].split()[0], 16)
    asked = helpers._capabilities()
    assert {helpers._CAPABILITIES[name] for name in asked} <= {number for number in range(64) if bounding >> number & 1}


def test_a_message_arrives_whole_with_its_descriptors(tmp_path: Path) -> None:
    here, there = socket.socketpair()
    file = (tmp_path / "x").open("w+b")
    exchange.send(here, b"x" * 100_000, [file.fileno()])
    data, (descriptor,) = exchange.receive(there)
    assert len(data) == 100_000
    assert not os.get_inheritable(descriptor)  # no program that starts meanwhile gets it
    assert os.fstat(descriptor).st_ino == os.fstat(file.fileno()).st_ino
    here.close()
    with pytest.raises(ConnectionError):
        exchange.receive(there)
    os.close(descriptor)
    there.close()
    file.close()
