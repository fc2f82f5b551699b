"""Starting an agent's programs, each with only the privileges it needs. Standard library only.

Profiles
    read      a look: a user namespace of its own, so that it has no capability over the node; read-only files
    write     a change on a platform whose command line is a shell: network capabilities and nothing else

Agents' processes have a process namespace of their own: they see and can signal only themselves, and end together.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Self

from pytest_netbench.backends.netns.supervisor import processes, roots, spawn
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces, Stdio
from pytest_netbench.kernel import seccomp
from pytest_netbench.kernel import syscalls as sys

_AGENT_ID = 1000
_WRITE_CAPS = (sys.CAP_NET_ADMIN, sys.CAP_NET_RAW, sys.CAP_NET_BIND_SERVICE)
# files of /proc that tell of the host: how it was started, its disks, its modules
_HOSTS_OWN = ("cmdline", "partitions", "diskstats", "swaps", "modules", "mdstat", "iomem", "ioports")
_TAKE_TERMINAL = 0x540E  # TIOCSCTTY


class Limits(NamedTuple):
    """What an agent's command may use: bytes, processes, bytes."""

    memory_bytes: int
    processes: int
    disk_bytes: int

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self:
        """The limits that a request names."""
        return cls(request["memory_bytes"], request["processes"], request["disk_bytes"])


def spawn_agent(
    node: Namespaces,
    argv: Sequence[str],
    stdio: Stdio,
    *,
    writable: bool,
    limits: Limits,
    keep: Mapping[int, int] | None = None,
    terminal: bool = False,
) -> int:
    """Start an agent's program as PID 1 of a process namespace of its own; returns its pid as the lab sees it.

    Args:
        node: Where.
        argv: What.
        stdio: Its descriptors 0, 1, 2.
        writable: Profile ``write`` instead of ``read``.
        limits: What it may use.
        keep: Further descriptors: number in the program to descriptor here.
        terminal: Make descriptor 0 its controlling terminal.
    """
    node.furnish()
    # What may write is the lab's own user: its limit counts the threads of the lab too.
    most = limits.processes + (processes.count_threads() if writable else 0)
    home = "/root" if writable else "/tmp"
    env = {"PATH": spawn.PATH if writable else f"{roots.READERS}:{spawn.PATH}", "HOME": home, "PWD": home}

    def enter() -> None:
        node.enter()
        _leave_lab(writable=writable)

    def run() -> NoReturn:
        os.setsid()
        if terminal:
            fcntl.ioctl(stdio[0], _TAKE_TERMINAL, 0)
        _furnish(writable=writable, limits=limits)
        _let_go({*stdio, *(keep or {}).values()})
        _limit(limits, most_processes=most)
        sys.no_new_privileges()
        sys.keep_capabilities(_WRITE_CAPS if writable else ())
        seccomp.install(seccomp.PROGRAM)
        spawn.become(argv, stdio, env, keep=keep, directory=home)

    return _fork_within(enter, run)


def _fork_within(enter: Callable[[], None], run: Callable[[], NoReturn]) -> int:
    """Fork where ``enter`` leads: who opens a process namespace is not in it, only its children are."""
    reader, writer = os.pipe()

    def between() -> NoReturn:
        enter()
        os.write(writer, struct.pack("i", spawn.fork(run)))
        os._exit(0)

    middle = spawn.fork(between)
    os.close(writer)
    try:
        answer = os.read(reader, 4)
    finally:
        os.close(reader)
    _, status = os.waitpid(middle, 0)
    if len(answer) < 4:
        raise OSError(f"the sandbox could not be made (status {status})")
    return int(struct.unpack("i", answer)[0])


def _leave_lab(*, writable: bool) -> None:
    namespaces = sys.CLONE_NEWNS | sys.CLONE_NEWPID | sys.CLONE_NEWIPC
    sys.unshare(namespaces if writable else namespaces | sys.CLONE_NEWUSER)
    if not writable:
        _map_agent()


def _map_agent() -> None:
    with open("/proc/self/setgroups", "w") as file:
        file.write("deny")
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(f"{_AGENT_ID} 0 1")


def _furnish(*, writable: bool, limits: Limits) -> None:
    """A /proc of one's own, and files that are read-only but for what the agent may write."""
    sys.mount("proc", "/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    for name in _HOSTS_OWN:
        if os.path.exists(f"/proc/{name}"):
            sys.bind("/dev/null", f"/proc/{name}")
    if writable:
        roots.keep_trusted()
        return
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")
    size = f"size={limits.disk_bytes},nr_inodes=1024,mode=1777"
    sys.mount("tmp", "/tmp", "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    roots.hide_controls()
    sys.remount_read_only("/")


def _let_go(kept: Collection[int]) -> None:
    """Close what the supervisor of a large lab has open: the limit of files would leave no number free."""
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number not in kept:
            with contextlib.suppress(OSError):  # the listing's own
                os.close(number)


def _limit(limits: Limits, *, most_processes: int) -> None:
    for what, value in (
        (resource.RLIMIT_NPROC, most_processes),
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
