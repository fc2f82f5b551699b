"""Whether labs can make their namespaces on this machine; if not, the reason and the remedy."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import NamedTuple

from pytest_netbench.backends.netns.machine.features import run_probe
from pytest_netbench.kernel import containers

_ATTEMPT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from pytest_netbench.backends.netns.supervisor.attempt import main; main()"
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
    remedy = containers.grant(["proc"]) if containers.runtime() and containers.masks_proc() else None
    return Refusal(f"a new /proc cannot be mounted ({done.stderr.strip()})", remedy)


@functools.cache
def files_refused() -> Refusal | None:
    """Whether nodes can have files of their own, tried with the lab's own code."""
    package = str(Path(__file__).parents[4])
    done = run_probe([sys.executable, "-I", "-S", "-c", _ATTEMPT, package])
    if done.returncode == 0:
        return None
    words = done.stderr.strip().removeprefix("netbench: ") or f"ended with {done.returncode}"
    if "Function not implemented" in words:
        return Refusal(words, "use Linux 5.12 or newer")
    return Refusal(words, containers.grant(_profiles(Path("/"))) if containers.runtime() else None)


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
    if containers.runtime(root):
        profiles = _profiles(root)
        whose = " or ".join({"seccomp": "seccomp", "apparmor": "AppArmor"}[right] for right in profiles)
        # what would be refused next is told as well: the container is started again once
        missing = (*profiles, "proc") if containers.masks_proc(root) else profiles
        return Refusal(f"the container's profile of {whose} forbids them ({words})", containers.grant(missing, root))
    if not (root / "proc/self/ns/user").exists():
        return Refusal("this kernel was built without CONFIG_USER_NS", None)
    if _is_chroot(root):
        return Refusal("the kernel forbids them inside a chroot", "use a container or pivot_root instead of chroot")
    return Refusal(words or "refused without a reason", None)


def _profiles(root: Path) -> tuple[containers.Right, ...]:
    return containers.confining(root) or ("seccomp", "apparmor")


def _is_chroot(root: Path) -> bool:
    # the mount table of a process in a chroot does not show what "/" is
    mounts = _read(root / "proc/self/mountinfo")
    return mounts is not None and not any(line.split()[4] == "/" for line in mounts.splitlines() if line)


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
