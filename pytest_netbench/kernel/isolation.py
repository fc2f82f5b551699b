"""Isolation from the host: namespaces of one's own, in which a process is root without privileges outside.

Standard library only.
"""

from __future__ import annotations

import os
from typing import NoReturn

from pytest_netbench.kernel import forks
from pytest_netbench.kernel import syscalls as sys

_NAMESPACES = (
    sys.CLONE_NEWUSER | sys.CLONE_NEWNS | sys.CLONE_NEWPID | sys.CLONE_NEWNET | sys.CLONE_NEWUTS | sys.CLONE_NEWIPC
)


# Uids that no account has: what runs in there cannot signal other runs, nor anything else of the host.
_FIRST_UID = 0x70000000


def unused_uid() -> int:
    """Return a host user that no account has, the same for all namespaces of this process."""
    return _FIRST_UID + os.getpid() % 0x0FFFFFFF


def changes_user(uid: int) -> bool:
    """Return whether ``leave_host`` becomes the host user ``uid``, which only root does, where that user is mapped."""
    return os.geteuid() == 0 and _has_uid(uid)


def leave_host(uid: int) -> None:
    """Open the namespaces; children are in all of them, this process in all but that of processes.

    Args:
        uid: The host user that root becomes; any other user is kept.

    Raises:
        OSError: The machine forbids it.
    """
    if changes_user(uid):
        _unshare_as_root(uid)
    else:
        _unshare_as_user()


def _has_uid(uid: int) -> bool:
    """Whether ``uid`` is mapped in the present user namespace; a rootless container maps only a few."""
    with open("/proc/self/uid_map") as table:
        extents = [[int(word) for word in line.split()] for line in table]
    return any(first <= uid < first + count for first, _, count in extents)


def _unshare_as_user() -> None:
    owner, group = os.geteuid(), os.getegid()
    sys.unshare(_NAMESPACES)
    _write_maps("self", owner, group)


def _unshare_as_root(uid: int) -> None:
    """As root, make the namespaces as root, because a machine may forbid them to other users; then become ``uid``.

    Only a process outside may map an id other than its creator's, so a child waits there to do it.
    """
    parent = os.getpid()
    gate_reader, gate = os.pipe()

    def write_maps() -> NoReturn:
        os.close(gate)
        os.read(gate_reader, 1)
        _write_maps(str(parent), uid, uid)
        os._exit(0)

    child = forks.fork(write_maps)
    os.setgroups([])
    sys.unshare(_NAMESPACES)
    os.close(gate)
    os.close(gate_reader)
    _, status = os.waitpid(child, 0)
    if status:
        raise OSError("the uid could not be mapped")
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    # Without it the files in /proc/self belong to nobody in here.
    sys.set_dumpable()


def _write_maps(process: str, uid: int, gid: int) -> None:
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/{process}/{name}", "w") as table:
            table.write(text)
