"""What this machine lacks for labs of containers: the checks of ``netbench doctor``."""

from __future__ import annotations

import contextlib
import functools
import grp
import json
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.backends.containerlab import authorities, commands
from pytest_netbench.lab.report import Check

_INSTALL: Final = "https://containerlab.dev/install/"
_SUID: Final = "as its installation does: sudo chown root {0} && sudo chmod u+s {0}"
_ADMINS: Final = "clab_admins"
_ASK_S = 20
# by which the engine can be on this machine
_LOCAL: Final = ("unix://", "fd://")
# where root in a container is not root of this machine
_SHIFTED: Final = ("name=rootless", "name=userns")


def all_checks() -> list[Check]:
    """All that must be there, and who runs it."""
    found = [_user()]
    program = shutil.which("containerlab")
    if program is None:
        return [*found, Check("containerlab", False, True, "not installed", _INSTALL)]
    release = release_of(program)
    if release.ok and not authorities.is_root():
        release = _rights(program, release)
    return [*found, release, _engine()]


def _user() -> Check:
    if authorities.is_root():
        return Check("user", True, True, "root")
    return Check("user", True, True, "an ordinary user; containers are entered by a container with root's rights")


@functools.cache
def release_of(program: str) -> Check:
    """Check which release of the program this machine has."""
    oldest = ".".join(map(str, commands.OLDEST))
    try:
        text = commands.call([program, "version", "--short"], timeout_s=_ASK_S)
    except commands.Failed as error:
        return Check("containerlab", False, True, str(error), _INSTALL)
    release = commands.version(text)
    if release is None:
        return Check("containerlab", True, True, f"{program}, built without a release")
    shown = ".".join(map(str, release))
    new_enough = release[:2] >= commands.OLDEST
    detail = f"{shown} ({program})" if new_enough else f"{shown}, too old: {oldest} is the oldest that is accepted"
    return Check("containerlab", new_enough, True, detail, f"a newer one: {_INSTALL}")


def _rights(program: str, release: Check) -> Check:
    """Whether an ordinary user deploys with it as root. A script is taken to call it so, by sudo for example."""
    if (why := without_rights(Path(program))) is None:
        return release
    return Check("containerlab", False, True, f"{program} {why[0]}", why[1])


def without_rights(program: Path) -> tuple[str, str] | None:
    """Why a program does not get root's rights when this user starts it, and the remedy; ``None`` if it does."""
    status = program.stat()
    with program.open("rb") as file:
        if file.read(2) == b"#!":
            return None
    if not status.st_mode & stat.S_ISUID or status.st_uid != 0:
        return "is no SUID binary of root, and this user is not root", _SUID.format(program.resolve())
    if os.statvfs(program).f_flag & os.ST_NOSUID:
        return "is on a file system that is mounted nosuid", "install it on another one, or run as root"
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text(encoding="utf-8"):
        return (
            "cannot get root's rights: privileges are locked",
            "run it elsewhere, or as root",
        )
    with contextlib.suppress(KeyError):
        if grp.getgrnam(_ADMINS).gr_gid not in os.getgroups():
            return f"serves members of group {_ADMINS} only", f"sudo usermod -aG {_ADMINS} USER, then log in again"
    return None


def _engine() -> Check:
    program = shutil.which("docker")
    if program is None:
        other = "; Podman alone is not enough" if shutil.which("podman") else ""
        return _no_engine(f"not installed{other}", "apt-get install docker.io")
    try:
        if "podman" in commands.call([program, "--version"], timeout_s=_ASK_S).lower():
            return _no_engine("it is Podman, which this backend cannot use", "install Docker")
        told = json.loads(commands.engine("info", "--format", "{{json .}}", timeout_s=_ASK_S))
    except (commands.Failed, ValueError) as error:
        return _unreachable(str(error))
    if errors := told.get("ServerErrors"):
        return _unreachable(" ".join(errors))
    return _elsewhere(told) or Check("docker", True, True, str(told.get("ServerVersion", "")))


def _elsewhere(told: Mapping[str, Any]) -> Check | None:
    """Why root of this machine does not enter the containers of an engine, from what that tells of itself."""
    where = endpoint()
    if not where.startswith(_LOCAL):
        return _no_engine(
            f"the engine is at {where}, and containers can be entered only on its own machine",
            "unset DOCKER_HOST, or run there",
        )
    shifted = [name for name in _SHIFTED for one in told.get("SecurityOptions") or () if name in one]
    if shifted:
        return _no_engine(
            f"root in its containers is not root of this machine ({shifted[0].removeprefix('name=')})",
            "an engine that root runs, without userns-remap",
        )
    return None


def _unreachable(why: str) -> Check:
    remedy = "start Docker, or set DOCKER_HOST"
    if "permission denied" in why.lower():
        remedy = "become a member of the group of its socket: sudo usermod -aG docker USER, then log in again"
    return _no_engine(why.removeprefix("docker info: "), remedy)


def _no_engine(detail: str, remedy: str) -> Check:
    return Check("docker", False, True, detail, remedy)


def endpoint() -> str:
    """The address of the engine that ``docker`` calls."""
    if given := os.environ.get("DOCKER_HOST"):
        return given
    try:
        return commands.engine("context", "inspect", "--format", "{{.Endpoints.docker.Host}}", timeout_s=_ASK_S).strip()
    except commands.Failed:
        return "unix:///var/run/docker.sock"
