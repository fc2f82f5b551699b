"""Starting an agent's programs, each with only the privileges it needs. Standard library only.

Profiles
    read      a look: a user namespace of its own, so that it has no capability over the node; read-only files
    write     a change on a platform whose command line is a shell: network capabilities and nothing else
    scratch   as read, but with the files of an agent that the node keeps for its programs

Agents' processes have a process namespace of their own: they see and can signal only themselves, and end together.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import processes, roots, spawn
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces, Stdio
from pytest_netbench.kernel import confinement, seccomp
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.confinement import Limits
from pytest_netbench.kernel.forks import fork

_TAKE_TERMINAL = 0x540E  # TIOCSCTTY


def spawn_agent(
    node: Namespaces,
    argv: Sequence[str],
    stdio: Stdio,
    *,
    writable: bool,
    limits: Limits,
    keep: Mapping[int, int] | None = None,
    terminal: bool = False,
    scratch: int | None = None,
    env: Mapping[str, str] | None = None,
    host_name: str | None = None,
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
        scratch: Profile ``scratch`` instead of ``read``: a descriptor of the mount namespace that has the files.
        env: Variables beside the usual ones.
        host_name: What it sees as the name of its host; that of the node by default.
    """
    node.furnish()
    # What may write is the lab's own user: its limit counts the threads of the lab too.
    most = limits.processes + (processes.count_threads() if writable else 0)
    home = "/root" if writable else "/tmp"
    path = f"{roots.TIMED}:{spawn.PATH}" if writable else f"{roots.READERS}:{roots.TIMED}:{spawn.PATH}"
    full = {"PATH": path, "HOME": home, "PWD": home, **(env or {})}

    def enter() -> None:
        node.enter()
        if scratch is not None:
            sys.setns(scratch, sys.CLONE_NEWNS)
        _leave_lab(writable=writable)
        if host_name is not None:
            sys.unshare(sys.CLONE_NEWUTS)
            socket.sethostname(host_name)

    def run() -> NoReturn:
        os.setsid()
        if terminal:
            fcntl.ioctl(stdio[0], _TAKE_TERMINAL, 0)
        _furnish(limits, writable=writable, keeps_files=scratch is not None)
        confinement.let_go({*stdio, *(keep or {}).values()})
        confinement.limit(limits, most_processes=most)
        sys.no_new_privileges()
        sys.keep_capabilities(confinement.WRITE_CAPS if writable else ())
        seccomp.install(seccomp.PROGRAM)
        spawn.become(argv, stdio, full, keep=keep, directory=home)

    return _fork_within(enter, run)


def _fork_within(enter: Callable[[], None], run: Callable[[], NoReturn]) -> int:
    """Fork where ``enter`` leads: who opens a process namespace is not in it, only its children are."""
    reader, writer = os.pipe()

    def between() -> NoReturn:
        enter()
        os.write(writer, struct.pack("i", fork(run)))
        os._exit(0)

    middle = fork(between)
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
            file.write(f"{confinement.AGENT_ID} 0 1")


def _furnish(limits: Limits, *, writable: bool, keeps_files: bool) -> None:
    """Make a /proc of one's own, and files that are read-only but for what the agent may write."""
    confinement.mount_proc()
    if writable:
        confinement.keep_trusted()
        return
    with open("/proc/sys/user/max_user_namespaces", "w") as file:
        file.write("0")
    confinement.make_read_only(None if keeps_files else limits.disk_bytes, hidden=roots.CONTROLS)
