"""The container that this process runs in: its runtime, and the option that grants a right. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

Right = Literal["seccomp", "apparmor", "proc", "tun"]
"""System calls by the profile of seccomp, mounts by that of AppArmor, an unmasked /proc, the device for tunnels."""

PROFILE: Final = "container/seccomp.json"
"""The profile with the system calls of labs, in a checkout and in what ``netbench init`` writes."""
PAGE: Final = "docs/how-to/run-in-a-container.md"
_GRANTS: Final[dict[str, dict[Right, str]]] = {
    "docker": {
        "seccomp": f"--security-opt seccomp={PROFILE}",
        "apparmor": "--security-opt apparmor=unconfined",
        "proc": "--security-opt systempaths=unconfined",
        "tun": "--device /dev/net/tun",
    },
    "podman": {
        "seccomp": f"--security-opt seccomp={PROFILE}",
        "apparmor": "--security-opt apparmor=unconfined",
        "proc": "--security-opt unmask=ALL",
        "tun": "--device /dev/net/tun",
    },
    "kubernetes": {
        "seccomp": "seccompProfile: {type: Localhost, localhostProfile: seccomp.json}",
        "apparmor": "appArmorProfile: {type: Unconfined}",
        "proc": "procMount: Unmasked (and hostUsers: false for the pod)",
        "tun": "a device plugin for /dev/net/tun",
    },
}


def runtime(root: Path = Path("/")) -> str | None:
    """Return ``docker``, ``podman`` or ``kubernetes``; others count as Docker. ``None`` outside of containers.

    Args:
        root: Where ``/proc`` and the marks of runtimes are looked for.
    """
    cgroup = _read(root / "proc/1/cgroup")
    if "kubepods" in cgroup or _is_there(root / "var/run/secrets/kubernetes.io"):
        return "kubernetes"
    if _is_there(root / "run/.containerenv"):
        return "podman"
    known = any(word in cgroup for word in ("docker", "containerd", "lxc"))
    return "docker" if known or _is_there(root / ".dockerenv") else None


def confining(root: Path = Path("/")) -> tuple[Right, ...]:
    """Return which of the profiles of seccomp and AppArmor this process is under."""
    status = dict(line.split(":", 1) for line in _read(root / "proc/self/status").splitlines() if ":" in line)
    label = _read(root / "proc/self/attr/current").strip("\0\n ")
    found: list[Right] = []
    if status.get("Seccomp", "0").strip() != "0":
        found.append("seccomp")
    # what SELinux says there has colons
    if label and label != "unconfined" and ":" not in label:
        found.append("apparmor")
    return tuple(found)


def masks_proc(root: Path = Path("/")) -> bool:
    """Return whether parts of /proc are covered: the kernel then lets nobody but root mount another one."""
    places = [line.split()[4] for line in _read(root / "proc/self/mountinfo").splitlines() if line]
    return any(place.startswith("/proc/") for place in places)


def grant(rights: Iterable[Right], root: Path = Path("/")) -> str:
    """Return what to start the container with, so that it has ``rights``."""
    kind = runtime(root) or "docker"
    words = [_GRANTS[kind][right] for right in rights]
    if kind == "kubernetes":
        return f"give the container of the pod {' and '.join(words)}, see {PAGE}"
    return f"start the container with {' '.join(words)}, see {PAGE}"


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # nobody may look there
        return False


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
