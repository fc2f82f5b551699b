"""What keeps an agent's program from harming its node and this machine. Standard library only.

All of it is done by the process that becomes the program, in mount and process namespaces of its own.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Self

from pytest_netbench.kernel import syscalls as sys

AGENT_ID = 1000
WRITE_CAPS = (sys.CAP_NET_ADMIN, sys.CAP_NET_RAW, sys.CAP_NET_BIND_SERVICE)
"""What a change of a node needs: its network capabilities and nothing else."""
# files of /proc that tell of the host: how it was started, its disks, its modules
_HOSTS_OWN = ("cmdline", "partitions", "diskstats", "swaps", "modules", "mdstat", "iomem", "ioports")
# Listings need CAP_NET_ADMIN: descriptor 9 carries the words to the lab's broker, 8 brings status, length and text.
_READER = """#!/bin/sh
if ! { true >&9; } 2>/dev/null; then
    real=/usr/sbin/${0##*/}; [ -x "$real" ] || real=/usr/bin/${0##*/}
    exec "$real" "$@"
fi
exec 7>/tmp/.netbench-reads && flock 7
{ printf '%s\\037' "${0##*/}" "$@"; printf '\\n'; } >&9
read -r status size <&8 || exit 125
head -c "$size" <&8
exit "$status"
"""
# What an agent that may change its node may write. The other paths decide what the framework's own programs load there.
_WRITABLE = ("/etc", "/home", "/root", "/run", "/tmp", "/var")
_TRUSTED = (
    "/etc/ld.so.preload",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/pam.d",
    "/etc/frr",
    "/run/frr",
    "/etc/ssl",
    "/etc/xtables.conf",
    "/etc/gss",
    "/etc/udhcpc",
    "/etc/haproxy",
    "/etc/wireguard",
    "/etc/stayrtr",
)
_READ_PROGRAMS = (
    "nft",
    "iptables",
    "iptables-save",
    "ip6tables",
    "ip6tables-save",
    "iptables-nft",
    "ip6tables-nft",
    "conntrack",
    "ovs-vsctl",
    "ovs-ofctl",
    "ovs-appctl",
    "wg",
)


class Limits(NamedTuple):
    """What an agent's command may use: bytes, processes, bytes."""

    memory_bytes: int
    processes: int
    disk_bytes: int

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self:
        """The limits that a request names."""
        return cls(request["memory_bytes"], request["processes"], request["disk_bytes"])


def mount_proc() -> None:
    """Mount a /proc of one's own that tells nothing of this machine, and be the first to end when memory is short."""
    sys.mount("proc", "/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    for name in _HOSTS_OWN:
        if os.path.exists(f"/proc/{name}"):
            sys.bind("/dev/null", f"/proc/{name}")


def make_read_only(disk_bytes: int | None, *, hidden: Collection[str] = ()) -> None:
    """Make the files of the node read-only, but for a /tmp of one's own.

    Args:
        disk_bytes: How much fits into /tmp; ``None`` leaves the /tmp that is there.
        hidden: Directories with sockets that take commands from whoever may open them.
    """
    if disk_bytes is not None:
        size = f"size={disk_bytes},nr_inodes=1024,mode=1777"
        sys.mount("tmp", "/tmp", "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    for path in hidden:
        if os.path.isdir(path):
            sys.mount("hidden", path, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=4k,mode=555")
    sys.remount_read_only("/")


def keep_trusted() -> None:
    """Make the node read-only but for what an agent may write; runs in a mount namespace of the agent's own.

    A mount point can be neither renamed nor removed, so nothing can be put in the place of what is kept.
    """
    for path in _WRITABLE:
        sys.bind(path, path)
    for path in _TRUSTED:
        if os.path.lexists(path):
            sys.bind(path, path)
            sys.remount_read_only(path)
    sys.remount_read_only("/")


def let_go(kept: Collection[int]) -> None:
    """Close what the supervisor of a large lab has open: the limit of files would leave no number free."""
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number not in kept:
            with contextlib.suppress(OSError):  # the listing's own
                os.close(number)


def limit(limits: Limits, *, most_processes: int | None) -> None:
    """Set the limits of this process and its children.

    Args:
        limits: The limits.
        most_processes: How many the user may have, all of it on this machine counted; ``None`` for no limit.
    """
    for what, value in (
        *(() if most_processes is None else ((resource.RLIMIT_NPROC, most_processes),)),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_AS, 4 * limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.disk_bytes),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 65536),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (bound, bound))


def write_readers(folder: str) -> None:
    """Write the scripts that stand for programs whose listings need a capability into a folder."""
    for name in _READ_PROGRAMS:
        path = f"{folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(_READER)
        os.chmod(path, 0o555)
