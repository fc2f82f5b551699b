"""Starting processes in a node: the framework's own, daemons, and an agent's, each with the rights it is due.

Profiles
    trusted   the framework's commands and daemons: the node's namespaces, the lab's rights
    read      an agent's look: a user namespace of its own, so that it has no capability over the node; read-only files
    write     an agent's change on a platform whose command line is a shell: network capabilities and nothing else

Agents' processes have a process namespace of their own: they see and can signal only themselves, and end together.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Self

from pytest_netbench.backends.netns.supervisor import processes, roots, seccomp
from pytest_netbench.backends.netns.supervisor import syscalls as sys

PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/frr"
_AGENT_ID = 1000
_WRITE_CAPS = (sys.CAP_NET_ADMIN, sys.CAP_NET_RAW, sys.CAP_NET_BIND_SERVICE)
_ENVIRONMENT = {"PATH": PATH, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb", "VTYSH_PAGER": "cat"}


class Namespaces(NamedTuple):
    """Descriptors of a node's namespaces and of its root directory as the lab sees it."""

    mount: int
    network: int
    uts: int
    root: int

    def enter(self) -> None:
        """Move this process into the node."""
        sys.setns(self.network, sys.CLONE_NEWNET)
        sys.setns(self.uts, sys.CLONE_NEWUTS)
        sys.setns(self.mount, sys.CLONE_NEWNS)


class Limits(NamedTuple):
    """What an agent's command may use: bytes, processes, bytes."""

    memory_bytes: int
    processes: int
    disk_bytes: int

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self:
        """The limits that a request names."""
        return cls(request["memory_bytes"], request["processes"], request["disk_bytes"])


def spawn_trusted(
    node: Namespaces | None, argv: Sequence[str], stdio: tuple[int, int, int], env: Mapping[str, str] | None = None
) -> int:
    """Start ``argv`` with the lab's rights, in ``node`` or (``None``) beside all nodes; returns its pid."""

    def run() -> NoReturn:
        if node is not None:
            node.enter()
        _become(argv, stdio, {**_ENVIRONMENT, "HOME": "/root", **(env or {})})

    return fork(run)


def spawn_agent(
    node: Namespaces,
    argv: Sequence[str],
    stdio: tuple[int, int, int],
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
    # What may write is the lab's own user: its limit counts the lab's processes too.
    most = limits.processes + (processes.count() if writable else 0)
    reader, writer = os.pipe()

    def run() -> NoReturn:
        node.enter()
        namespaces = sys.CLONE_NEWNS | sys.CLONE_NEWPID | sys.CLONE_NEWIPC
        sys.unshare(namespaces if writable else namespaces | sys.CLONE_NEWUSER)
        if not writable:
            _map_agent()
        pid = fork(inside)
        os.write(writer, struct.pack("i", pid))
        os._exit(0)

    def inside() -> NoReturn:
        os.setsid()
        if terminal:
            fcntl.ioctl(stdio[0], 0x540E, 0)  # TIOCSCTTY
        _furnish(writable=writable, limits=limits)
        _limit(limits, processes=most)
        sys.no_new_privileges()
        sys.keep_capabilities(_WRITE_CAPS if writable else ())
        seccomp.install(seccomp.PROGRAM)
        path = PATH if writable else f"{roots.READERS}:{PATH}"
        home = "/root" if writable else "/tmp"
        _become(argv, stdio, {**_ENVIRONMENT, "PATH": path, "HOME": home, "PWD": home}, keep=keep, directory=home)

    middle = fork(run)
    os.close(writer)
    try:
        answer = os.read(reader, 4)
    finally:
        os.close(reader)
    _, status = os.waitpid(middle, 0)
    if len(answer) < 4:
        raise OSError(f"the sandbox could not be made (status {status})")
    return int(struct.unpack("i", answer)[0])


def fork(run: Callable[[], NoReturn]) -> int:
    """Fork; the child runs ``run`` and never returns. What it raises goes to its standard error."""
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        run()
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happened
        with contextlib.suppress(OSError):
            os.write(2, f"netbench: {error}\n".encode())
    os._exit(126)


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
    if writable:
        roots.keep_trusted()
        return
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")
    size = f"size={limits.disk_bytes},nr_inodes=1024,mode=1777"
    sys.mount("tmp", "/tmp", "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    sys.remount_read_only("/")


def _limit(limits: Limits, *, processes: int) -> None:
    for what, value in (
        (resource.RLIMIT_NPROC, processes),
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


def _become(
    argv: Sequence[str],
    stdio: tuple[int, int, int],
    env: Mapping[str, str],
    *,
    keep: Mapping[int, int] | None = None,
    directory: str = "/",
) -> NoReturn:
    # Duplicates above every number in use first, so that no dup2 overwrites a source.
    wanted = {0: stdio[0], 1: stdio[1], 2: stdio[2], **(keep or {})}
    lifted = {number: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 64) for number, source in wanted.items()}
    for number, source in lifted.items():
        os.dup2(source, number, inheritable=True)
    os.chdir(directory)
    os.execvpe(argv[0], list(argv), dict(env))  # noqa: S606
