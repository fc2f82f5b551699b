"""Whether labs can make their namespaces on this machine; if not, the reason and the remedy."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

from pytest_netbench.backends.netns.features import run_probe

_DOCKER_REMEDY = (
    "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined"
)


class Refusal(NamedTuple):
    """Why something is refused, and the command that allows it (``None`` if there is none)."""

    reason: str
    remedy: str | None


@functools.cache
def namespaces_refused() -> Refusal | None:
    """Tried for real: user, network, mount and PID namespaces with a device made in them; ``None`` if they work."""
    done = run_probe(
        ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "ip", "link", "set", "lo", "up"]
    )
    if done.returncode == 0:
        return None
    if done.returncode == 127:
        return Refusal(
            f"unshare or ip is missing ({done.stderr.strip()})", "sudo apt-get install -y util-linux iproute2"
        )
    return explain(Path("/"), done.stderr.strip())


@functools.cache
def proc_refused() -> Refusal | None:
    """Whether a new PID namespace can mount ``/proc``; a container with a masked ``/proc`` forbids it."""
    done = run_probe(["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "true"])
    if done.returncode == 0:
        return None
    remedy = _DOCKER_REMEDY if in_container(Path("/")) else None
    return Refusal(f"a new /proc cannot be mounted ({done.stderr.strip()})", remedy)


def explain(root: Path, words: str) -> Refusal:
    """Find the switch that forbids user namespaces.

    Args:
        root: Where ``/proc`` and the container marks are looked for.
        words: What the attempt said.
    """
    switches = (
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
    )
    for path, forbidding, setting in switches:
        if _read(root / "proc/sys" / path) == forbidding:
            name = path.replace("/", ".")
            return Refusal(f"{name} is {forbidding}", f"sudo sysctl -w {setting}")
    if in_container(root):
        return Refusal(f"the container's profile forbids them ({words})", _DOCKER_REMEDY)
    if not (root / "proc/self/ns/user").exists():
        return Refusal("this kernel was built without CONFIG_USER_NS", None)
    if _is_chroot(root):
        return Refusal("the kernel forbids them inside a chroot", "use a container or pivot_root instead of chroot")
    return Refusal(words or "refused without a reason", None)


def in_container(root: Path) -> bool:
    """Whether the usual marks of a container are there."""
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        return True
    cgroup = _read(root / "proc/1/cgroup") or ""
    return any(word in cgroup for word in ("docker", "kubepods", "containerd", "lxc"))


def _is_chroot(root: Path) -> bool:
    # the mount table of a process in a chroot does not show what "/" is
    mounts = _read(root / "proc/self/mountinfo")
    return mounts is not None and not any(line.split()[4] == "/" for line in mounts.splitlines() if line)


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
