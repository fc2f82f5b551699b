"""The Linux calls that Python 3.11 does not have, by ctypes. Standard library only."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MS_SHARED = 0x100000
MNT_DETACH = 0x2

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_KEEPCAPS = 8
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2

CAP_NET_BIND_SERVICE = 10
CAP_NET_ADMIN = 12
CAP_NET_RAW = 13
_LAST_CAP = 63

_SYS_OPENAT2 = 437
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_ATTR_RDONLY_NOSUID_NODEV = 0x1 | 0x2 | 0x4
_RESOLVE_NO_XDEV = 0x01
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_IN_ROOT = 0x10

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that ``fd`` refers to."""
    _check(_libc.setns(fd, kind), f"setns {kind:#x}")


def unshare(flags: int) -> None:
    """Leave the namespaces named by ``flags``."""
    _check(_libc.unshare(flags), f"unshare {flags:#x}")


def mount(source: str, target: str, fstype: str, flags: int = 0, data: str = "") -> None:
    """Mount a file system, as the call of that name does."""
    _check(
        _libc.mount(source.encode(), target.encode(), fstype.encode(), ctypes.c_ulong(flags), data.encode()),
        f"mount {fstype or source} on {target}",
    )


def bind(source: str, target: str) -> None:
    """Bind ``source`` with everything below it on ``target``."""
    mount(source, target, "", MS_BIND | MS_REC)


class _MountAttr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


def make_read_only(target: str) -> None:
    """Make a mount and all below it read-only, without set-uid programs and devices."""
    attributes = _MountAttr(attr_set=_ATTR_RDONLY_NOSUID_NODEV)
    _check(
        _libc.syscall(
            _SYS_MOUNT_SETATTR,
            _AT_FDCWD,
            target.encode(),
            _AT_RECURSIVE,
            ctypes.byref(attributes),
            ctypes.sizeof(attributes),
        ),
        f"make {target} read-only",
    )


def remount_read_only(target: str) -> None:
    """Make one mount of this mount namespace read-only, what is mounted below it not."""
    attributes = _MountAttr(attr_set=0x1)
    _check(
        _libc.syscall(
            _SYS_MOUNT_SETATTR, _AT_FDCWD, target.encode(), 0, ctypes.byref(attributes), ctypes.sizeof(attributes)
        ),
        f"make {target} read-only",
    )


def enter_root(path: str) -> None:
    """Make ``path`` (a mount point) the root of this mount namespace and let go of the old one."""
    os.chdir(path)
    _check(_libc.pivot_root(b".", b"."), f"pivot_root {path}")
    _check(_libc.umount2(b".", MNT_DETACH), "umount of the old root")
    os.chdir("/")


_RESOLVES = _RESOLVE_IN_ROOT | _RESOLVE_NO_MAGICLINKS


class _OpenHow(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "mode", "resolve")]


def open_in_root(root_fd: int, path: str, flags: int, mode: int = 0, *, mounts: bool = False) -> int:
    """Open ``path`` with ``root_fd`` as its root. Symbolic links and ``..`` cannot lead out of it.

    Args:
        root_fd: The root.
        path: An absolute path there.
        flags: As of ``os.open``.
        mode: Of a file that is made.
        mounts: Whether mount points may be crossed, too.
    """
    resolve = _RESOLVES | (0 if mounts else _RESOLVE_NO_XDEV)
    how = _OpenHow(flags=flags | os.O_CLOEXEC, mode=mode, resolve=resolve)
    return _check(
        _libc.syscall(_SYS_OPENAT2, root_fd, path.encode(), ctypes.byref(how), ctypes.sizeof(how)), f"open {path}"
    )


def die_with_parent() -> None:
    """SIGKILL for this process once its parent thread ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl PDEATHSIG")


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose parents end."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl CHILD_SUBREAPER")


def set_dumpable() -> None:
    """Own one's /proc files again after a change of uid."""
    _check(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl DUMPABLE")


def no_new_privileges() -> None:
    """No program may raise this process's rights from now on."""
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl NO_NEW_PRIVS")


def control_process(option: int, argument: int, address: int, what: str) -> None:
    """``prctl`` with a number and a pointer."""
    _check(_libc.prctl(option, argument, ctypes.c_void_p(address), 0, 0), what)


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapData(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


def keep_capabilities(kept: Iterable[int], *, user: int | None = None) -> None:
    """Drop every capability but ``kept``, from the bounding set too.

    Args:
        kept: Their numbers.
        user: The user, and group, to become; programs that are run keep the capabilities all the same.
    """
    keep = frozenset(kept)
    for capability in range(_LAST_CAP + 1):
        # EINVAL: the kernel knows no capability of that number
        if capability not in keep and _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == -1:
            if ctypes.get_errno() != 22:
                _check(-1, "prctl CAPBSET_DROP")
            break
    if user is not None:
        _check(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl KEEPCAPS")
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    mask = sum(1 << capability for capability in keep)
    header = _CapHeader(version=0x20080522, pid=0)
    data = (_CapData * 2)(_CapData(mask, mask, 0 if user is None else mask), _CapData(0, 0, 0))
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")
    for capability in keep if user is not None else ():
        _check(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0), "prctl CAP_AMBIENT")
