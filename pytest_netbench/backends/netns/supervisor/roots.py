"""Private file systems: what a node, and an agent in it, sees of files. Standard library only."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from pytest_netbench.backends.netns.supervisor import syscalls as sys

BASE = "/tmp"
PROC = f"{BASE}/proc"
PTS = f"{BASE}/pts"
NODE_MIB = 16
# As nodes see them.
READERS = "/opt/netbench/bin"
SHARED = "/opt/netbench/lib"
# As the lab sees it: among what is shared.
CLOCK = f"{BASE}/shared/clock"

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_COPIED = ("ld.so.cache", "protocols", "services", "ethertypes")
_ACCOUNTS = "root:x:0:0:root:/root:/bin/sh\nfrr:x:0:0:frr:/:/bin/false\nagent:x:1000:1000:agent:/tmp:/bin/sh\n"
_GROUPS = "root:x:0:\nfrr:x:0:\nfrrvty:x:0:frr,root,agent\nagent:x:1000:\n"
_FILES = {
    "etc/ld.so.preload": "",
    "etc/ld.so.conf": "",
    "etc/xtables.conf": "",
    "etc/passwd": _ACCOUNTS,
    "etc/group": _GROUPS,
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nprotocols: files\nservices: files\n",
    "etc/pam.d/frr": "auth sufficient pam_permit.so\naccount sufficient pam_permit.so\nsession optional pam_permit.so\n",
}
# Listings need CAP_NET_ADMIN: descriptor 9 carries the words to the lab's broker, 8 brings status, length and text.
_READER = """#!/bin/sh
if ! { true >&9; } 2>/dev/null; then exec "/usr/sbin/${0##*/}" "$@"; fi
exec 7>/tmp/.netbench-reads && flock 7
{ printf '%s\\037' "${0##*/}" "$@"; printf '\\n'; } >&9
read -r status size <&8 || exit 125
head -c "$size" <&8
exit "$status"
"""
# What an agent with the right to change its node may write. The rest decides what the framework's own programs load there.
_WRITABLE = ("/etc", "/home", "/root", "/run", "/tmp", "/var")
_TRUSTED = (
    "/etc/ld.so.preload", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/pam.d",
    "/etc/frr", "/run/frr", "/etc/ssl", "/etc/xtables.conf", "/etc/gss",
)  # fmt: skip
_READ_PROGRAMS = (
    "nft", "iptables", "iptables-save", "ip6tables", "ip6tables-save", "iptables-nft", "ip6tables-nft", "conntrack",
)  # fmt: skip


class Host:
    """What is read of the host before privileges are dropped.

    Args:
        shared: Path by name of the files that every node sees.
    """

    def __init__(self, shared: Mapping[str, str]) -> None:
        self.shared: dict[str, bytes] = {}
        for name, path in shared.items():
            with open(path, "rb") as file:
                self.shared[name] = file.read()
        self.etc: dict[str, bytes] = {}
        for name in _COPIED:
            try:
                with open(f"/etc/{name}", "rb") as file:
                    self.etc[name] = file.read()
            except FileNotFoundError:
                continue


def prepare_lab(hidden: list[str]) -> None:
    """Lay the lab's own tmpfs over ``BASE``: proc, ptys and one read-only copy of ``/usr``.

    Args:
        hidden: Directories below /usr that nobody in the lab may see (where tasks, results or this package lie).
    """
    sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
    sys.mount("netbench", BASE, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=64m,mode=755")
    for directory in ("proc", "pts", "usr", "n", "shared"):
        os.mkdir(f"{BASE}/{directory}")
    sys.mount("proc", PROC, "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
    sys.mount("devpts", PTS, "devpts", sys.MS_NOSUID | sys.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    sys.bind("/usr", f"{BASE}/usr")
    for path in hidden:
        target = f"{BASE}{os.path.realpath(path)}"
        if path.startswith("/usr/") and os.path.isdir(target):
            sys.mount("hidden", target, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=4k,mode=555")
    sys.make_read_only(f"{BASE}/usr")


def share_file(name: str, content: bytes) -> str:
    """Put a file where every node sees it as ``SHARED/NAME``; returns its path in the lab."""
    path = f"{BASE}/shared/{name}"
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o555)
    return path


def node_path(index: int) -> str:
    """Where the lab sees the root of node ``index``."""
    return f"{BASE}/n/{index}"


def mount_node(index: int, host: Host) -> None:
    """Make and fill the root of a node; runs in the lab's mount namespace, so that the lab can reach its files."""
    root = node_path(index)
    os.mkdir(root)
    sys.mount("node", root, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, f"size={NODE_MIB}m,nr_inodes=8192,mode=755")
    for directory in (
        "usr", "dev/pts", "proc", "sys", "root", "home", "tmp", "run/frr", "run/lock", "var/log", "var/tmp/frr",
        "var/lib/frr", "var/cache", "etc/frr", "etc/pam.d", "etc/ssl", "etc/gss", "etc/ld.so.conf.d", "etc/alternatives", "etc/iproute2",
        SHARED.lstrip("/"), READERS.lstrip("/"),
    ):  # fmt: skip
        os.makedirs(f"{root}/{directory}")
    os.chmod(f"{root}/tmp", 0o1777)
    os.chmod(f"{root}/var/tmp", 0o1777)
    os.symlink("/run", f"{root}/var/run")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.isdir(f"/usr/{name}"):
            os.symlink(f"usr/{name}", f"{root}/{name}")
    for name, text in _FILES.items():
        _write(f"{root}/{name}", text.encode())
    for name, content in host.etc.items():
        _write(f"{root}/etc/{name}", content)
    for name in _READ_PROGRAMS:
        _write(f"{root}{READERS}/{name}", _READER.encode(), 0o555)
    for device in _DEVICES:
        _write(f"{root}/dev/{device}", b"")


def enter_node(index: int, name: str) -> None:
    """Finish the root of a node and enter it; runs in the node's new mount namespace."""
    root = node_path(index)
    _write(f"{root}/etc/hostname", f"{name}\n".encode())
    _write(f"{root}/etc/hosts", f"127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {name}\n".encode())
    sys.bind(f"{BASE}/usr", f"{root}/usr")
    sys.bind(f"{BASE}/shared", f"{root}{SHARED}")
    sys.make_read_only(f"{root}{SHARED}")
    for directory in ("etc/alternatives", "etc/iproute2"):
        if os.path.isdir(f"/{directory}"):
            sys.bind(f"/{directory}", f"{root}/{directory}")
            sys.make_read_only(f"{root}/{directory}")
    for device in _DEVICES:
        sys.bind(f"/dev/{device}", f"{root}/dev/{device}")
    sys.mount(
        "devpts", f"{root}/dev/pts", "devpts", sys.MS_NOSUID | sys.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"
    )
    os.symlink("pts/ptmx", f"{root}/dev/ptmx")
    for link, target in (
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ):
        os.symlink(target, f"{root}/dev/{link}")
    sys.mount("proc", f"{root}/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
    sys.enter_root(root)


def open_file(root: int, path: str, flags: int, mode: int = 0o644) -> int:
    """Open a regular file of a node without waiting: an agent may have put a pipe, or a link, in its place.

    Raises:
        OSError: It is something else, or cannot be opened.
    """
    try:
        handle = sys.open_in_root(root, path, flags | os.O_NONBLOCK | os.O_NOCTTY, mode if flags & os.O_CREAT else 0)
    except OSError as error:
        raise OSError(error.errno, f"{path}: {os.strerror(error.errno or 0)}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path}: not a regular file")
    return handle


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


def _write(path: str, content: bytes, mode: int = 0o644) -> None:
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
