"""Private file systems: what a node, and an agent in it, sees of files. Standard library only."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Mapping
from typing import NamedTuple

from pytest_netbench.backends.netns.supervisor import tunnels as tun
from pytest_netbench.backends.netns.supervisor.spawn import Furniture, Home
from pytest_netbench.kernel import confinement
from pytest_netbench.kernel import syscalls as sys

BASE = "/tmp"
PROC = f"{BASE}/proc"
PTS = f"{BASE}/pts"
NODE_MIB = 16
# As nodes see them.
SHARED = "/opt/netbench/lib"
READERS = f"{SHARED}/readers"
TIMED = f"{SHARED}/timed"
# As the lab sees it: among what is shared.
CLOCK = f"{BASE}/shared/clock"

_LARGEST_COPY = 8 * 2**20

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DIRECTORIES = (
    "usr",
    "dev",
    "dev/pts",
    "proc",
    "sys",
    "root",
    "home",
    "tmp",
    "run",
    "run/frr",
    "run/lock",
    "run/netns",
    "var",
    "var/log",
    "var/tmp",
    "var/tmp/frr",
    "var/lib",
    "var/lib/frr",
    "var/cache",
    "etc",
    "etc/frr",
    "etc/pam.d",
    "etc/ssl",
    "etc/gss",
    "etc/ld.so.conf.d",
    "etc/alternatives",
    "etc/iproute2",
    "opt",
    "opt/netbench",
    "opt/netbench/lib",
)
_LINKS = (
    ("var/run", "/run"),
    ("dev/ptmx", "pts/ptmx"),
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
)
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
    "etc/pam.d/frr": (
        "auth sufficient pam_permit.so\naccount sufficient pam_permit.so\nsession optional pam_permit.so\n"
    ),
}
# Sockets that take commands from whoever may open them. A look goes to the lab's broker instead.
CONTROLS = ("/run/openvswitch", "/run/wireguard", tun.DIRECTORY)


class Host:
    """What is read of the host before privileges are dropped.

    Args:
        shared: Path by name of the files that every node sees. Large ones are in one directory, which becomes the
            current one: whoever has dropped privileges may not reach it by its path.

    Raises:
        OSError: A file cannot be read, or large ones are in several directories.
    """

    def __init__(self, shared: Mapping[str, str]) -> None:
        self.shared: dict[str, bytes] = {}
        self.large: dict[str, str] = {}
        """By name, a file of the current directory: it is bound, not copied."""
        for name, path in shared.items():
            if os.path.getsize(path) > _LARGEST_COPY:
                self._bind_later(name, os.path.realpath(path))
                continue
            with open(path, "rb") as file:
                self.shared[name] = file.read()
        self.etc: dict[str, bytes] = {}
        for name in _COPIED:
            try:
                with open(f"/etc/{name}", "rb") as file:
                    self.etc[name] = file.read()
            except FileNotFoundError:
                continue

    def _bind_later(self, name: str, path: str) -> None:
        directory, file = os.path.split(path)
        if self.large and not os.path.samefile(directory, "."):
            raise OSError(f"{path}: large files that nodes share must be in one directory")
        os.chdir(directory)
        self.large[name] = file


def prepare_lab(hidden: list[str]) -> None:
    """Lay the lab's own tmpfs over ``BASE``: proc, ptys and one read-only copy of ``/usr``.

    Args:
        hidden: Directories below /usr that nobody in the lab may see (where tasks, results or this package lie).
    """
    sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
    sys.mount("netbench", BASE, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=64m,mode=755")
    for directory in ("proc", "pts", "usr", "shared", "shared/readers"):
        os.mkdir(f"{BASE}/{directory}")
    sys.mount("proc", PROC, "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
    sys.mount("devpts", PTS, "devpts", sys.MS_NOSUID | sys.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    sys.bind("/usr", f"{BASE}/usr")
    for path in hidden:
        target = f"{BASE}{os.path.realpath(path)}"
        if path.startswith("/usr/") and os.path.isdir(target):
            sys.mount("hidden", target, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=4k,mode=555")
    sys.make_read_only(f"{BASE}/usr")
    confinement.write_readers(f"{BASE}/shared/readers")


def share_file(name: str, content: bytes) -> str:
    """Put a file where every node sees it as ``SHARED/NAME``; returns its path in the lab."""
    path = f"{BASE}/shared/{name}"
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o555)
    return path


def share_large_file(name: str, file: str) -> None:
    """The same for a file of the current directory, without a copy."""
    path = f"{BASE}/shared/{name}"
    _write(path, b"")
    sys.bind(file, path)


class Stem(NamedTuple):
    """What every node's root is grown from.

    Attributes:
        mount: A mount namespace with no more in it than nodes share.
        etc: Contents of files of the host's ``/etc``, by name.
        devices: Paths below ``/dev``.
    """

    mount: int
    etc: Mapping[str, bytes]
    devices: tuple[str, ...]


def prepare_stem(host: Host, home: Home, *, tunnels: bool) -> Stem:
    """Make the mount namespace that nodes copy: a copy of the lab's own would carry every mount of the host along.

    Its root holds ``usr``, ``shared``, ``alternatives``, ``iproute2``, ``dev``, a ``proc`` and an empty ``node``.
    With ``tunnels``, nodes have the device for them, if there is one.
    """
    root = f"{BASE}/stem"
    devices = (*_DEVICES, *((tun.DEVICE.removeprefix("/dev/"),) if tunnels and os.path.exists(tun.DEVICE) else ()))
    os.mkdir(root)
    sys.unshare(sys.CLONE_NEWNS)
    try:
        sys.mount("stem", root, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=1m,mode=755")
        for directory in ("usr", "shared", "alternatives", "iproute2", "dev", "node", "proc"):
            os.mkdir(f"{root}/{directory}")
        sys.bind(f"{BASE}/usr", f"{root}/usr")
        sys.bind(f"{BASE}/shared", f"{root}/shared")
        sys.make_read_only(f"{root}/shared")
        for directory in ("alternatives", "iproute2"):
            if os.path.isdir(f"/etc/{directory}"):
                sys.bind(f"/etc/{directory}", f"{root}/{directory}")
                sys.make_read_only(f"{root}/{directory}")
        for device in devices:
            _place(root, device)
            sys.bind(f"/dev/{device}", f"{root}/dev/{device}")
        sys.mount("proc", f"{root}/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
        sys.enter_root(root)
        mount = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        return Stem(mount=mount, etc=host.etc, devices=devices)
    finally:
        home.enter()


def furnish(name: str, *, stem: Stem, home: Home) -> Furniture:
    """Make the root of a node in a mount namespace of its own, and its host name.

    Raises:
        OSError: With what could not be made.
    """
    try:
        sys.setns(stem.mount, sys.CLONE_NEWNS)
        sys.unshare(sys.CLONE_NEWNS | sys.CLONE_NEWUTS)
        socket.sethostname(name)
        _fill("/node", name, stem)
        _mount("/node", stem.devices)
        sys.enter_root("/node")
        mount, uts = (os.open(f"/proc/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in ("mnt", "uts"))
        return Furniture(mount=mount, uts=uts, root=os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError as error:
        raise OSError(error.errno, f"the files of node {name} could not be made: {error}") from None
    finally:
        home.enter()


def _fill(root: str, name: str, stem: Stem) -> None:
    sys.mount("node", root, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, f"size={NODE_MIB}m,nr_inodes=8192,mode=755")
    for directory in _DIRECTORIES:
        os.mkdir(f"{root}/{directory}")
    for directory in ("tmp", "var/tmp"):
        os.chmod(f"{root}/{directory}", 0o1777)
    for link, target in (*_LINKS, *((name, f"usr/{name}") for name in _MERGED if os.path.isdir(f"/usr/{name}"))):
        os.symlink(target, f"{root}/{link}")
    hosts = f"127.0.0.1 localhost\n::1 localhost\n127.0.1.1 {name}\n"
    for path, text in {**_FILES, "etc/hostname": f"{name}\n", "etc/hosts": hosts}.items():
        _write(f"{root}/{path}", text.encode())
    for file, content in stem.etc.items():
        _write(f"{root}/etc/{file}", content)
    for device in stem.devices:
        _place(root, device)


def _place(root: str, device: str) -> None:
    """Make a file that a device can be bound on."""
    path = f"{root}/dev/{device}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _write(path, b"")


def _mount(root: str, devices: tuple[str, ...]) -> None:
    for source, target in (("usr", "usr"), ("shared", SHARED.lstrip("/"))):
        sys.bind(f"/{source}", f"{root}/{target}")
    for directory in ("alternatives", "iproute2"):
        sys.bind(f"/{directory}", f"{root}/etc/{directory}")
    for device in devices:
        sys.bind(f"/dev/{device}", f"{root}/dev/{device}")
    sys.mount(
        "devpts", f"{root}/dev/pts", "devpts", sys.MS_NOSUID | sys.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"
    )
    sys.mount("proc", f"{root}/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)


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


def _write(path: str, content: bytes, mode: int = 0o644) -> None:
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)
