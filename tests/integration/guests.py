"""A Linux host for QEMU, made on this machine from the distribution's own packages: a kernel and an initramfs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from tests.integration.images import suite
from tests.support.programs import Build, Program, obtained

USER, PASSWORD = "root", "netbench"
"""Who logs in at the console."""
MEMORY_MB = 512
KERNEL_WORDS = "console=ttyS0 quiet mitigations=off tsc=reliable panic=-1"
_INIT = Path(__file__).with_name("guest_init.sh")
_PACKAGES = (
    *("bash", "busybox-static", "coreutils", "grep", "kmod", "procps", "sed", "util-linux"),
    *("frr", "iproute2", "iputils-ping", "nftables", "python3-minimal", "libpython3-stdlib", "traceroute"),
    "linux-image-cloud-amd64",
)
# A package is unpacked without its scripts, so what only these need is left out, and what is large and not used.
_LEFT_OUT_PACKAGES = (
    *("adduser", "cron", "cron-*", "cpio", "debconf", "dpkg", "gcc-*", "init*", "klibc*", "libdb*", "libgdbm*"),
    *(
        "libklibc*",
        "libpam-modules-bin",
        "libpam-runtime",
        "libperl*",
        "lib*-perl",
        "libsemanage*",
        "linux-base",
        "linux-image-cloud*",
    ),
    *("logrotate", "logsave", "lsof", "mailcap", "media-types", "passwd", "perl*", "tar", "tzdata", "udev", "usrmerge"),
)
_LEFT_OUT = (
    *("boot", "usr/lib/x86_64-linux-gnu/gconv", "usr/lib/x86_64-linux-gnu/perl*", "usr/share/[!y]*"),
    *(f"usr/lib/python3*/{name}" for name in ("asyncio", "distutils", "email", "lib2to3", "pydoc_data", "test")),
    *(f"usr/lib/python3*/{name}" for name in ("idlelib", "tkinter", "unittest", "xml*")),
    *(f"usr/lib/modules/*/kernel/{name}" for name in ("arch", "block", "drivers/[!nv]*", "fs", "mm", "virt")),
    *(
        f"usr/lib/modules/*/kernel/drivers/{name}"
        for name in ("nv*", "vd*", "vf*", "vh*", "net/ethernet", "net/hyperv")
    ),
    *(f"usr/lib/modules/*/kernel/net/{name}" for name in ("9p", "ceph", "rxrpc", "sctp", "sunrpc", "tipc", "vmw*")),
)
_MERGED = ("bin", "sbin", "lib", "lib64")
_ACCOUNTS = """\
root:{password}:0:0:root:/root:/bin/bash
frr:*:90:90::/nonexistent:/bin/false
nobody:*:65534:65534::/nonexistent:/bin/false
"""
_GROUPS = "root:*:0:\ntty:*:5:\nfrr:*:90:\nfrrvty:*:91:frr\nnogroup:*:65534:\n"


class Guest(NamedTuple):
    """The files that QEMU boots."""

    kernel: Path
    initramfs: Path


def guest(*, say: Callable[[str], None]) -> Guest:
    """The guest of this machine's distribution.

    Raises:
        NotToBeHad: It cannot be made here.
    """
    folder = obtained(_GUEST, say=say)
    return Guest(folder / "vmlinuz", folder / "initramfs")


def _make(build: Build) -> None:
    debs, tree = build.folder / "debs", build.folder / "tree"
    (debs / "partial").mkdir(parents=True)
    tree.mkdir()
    # of a machine on which nothing is installed, so that all that they depend on is loaded
    options = {
        "Dir::State::status": "/dev/null",
        "Dir::Cache::archives": debs,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "true",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    build.run("apt-get", "-q", "-y", *words, "--download-only", "install", *_PACKAGES)
    for deb in _chosen(debs.glob("*.deb")):
        build.run("dpkg", "-x", deb, tree)
    (kernel,) = (tree / "boot").glob("vmlinuz-*")
    kernel.rename(build.folder / "vmlinuz")
    _merge(tree)
    for pattern in _LEFT_OUT:
        for place in tree.glob(pattern):
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    _furnish(build, tree)
    build.run("sh", "-c", "cd tree && find . | cpio --quiet -o -H newc >../initramfs")
    for place in (debs, tree):
        shutil.rmtree(place)


def _chosen(debs: Iterable[Path]) -> list[Path]:
    named = {deb: deb.name.partition("_")[0] for deb in debs}
    return [deb for deb, name in named.items() if not any(fnmatch(name, pattern) for pattern in _LEFT_OUT_PACKAGES)]


def _merge(tree: Path) -> None:
    """Make ``/bin`` and its like links, as they are on an installed system."""
    for name in _MERGED:
        place = tree / name
        if place.is_symlink():
            continue
        if place.exists():
            shutil.copytree(place, tree / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(place)
        (tree / "usr" / name).mkdir(exist_ok=True)
        place.symlink_to(f"usr/{name}")


def _furnish(build: Build, tree: Path) -> None:
    """Do what the packages' scripts would (modules by name, bytecode, users); add busybox and the first process."""
    (modules,) = (tree / "usr/lib/modules").iterdir()
    build.run("depmod", "-b", tree / "usr", modules.name)
    build.run("chroot", tree, "/usr/bin/busybox", "--install", "-s", "/usr/bin")
    shutil.rmtree(tree / "var/run")
    (tree / "var/run").symlink_to("/run")
    # a shell of busybox takes its own programs for those of the packages
    (tree / "usr/bin/sh").unlink(missing_ok=True)
    (tree / "usr/bin/sh").symlink_to("bash")
    (python,) = (tree / "usr/lib").glob("python3.*")
    build.run("chroot", tree, "/usr/bin/python3", "-m", "compileall", "-q", f"/usr/lib/{python.name}")
    hashed = build.run("openssl", "passwd", "-6", PASSWORD).strip()
    (tree / "etc/passwd").write_text(_ACCOUNTS.format(password=hashed))
    (tree / "etc/group").write_text(_GROUPS)
    (tree / "etc/hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy(_INIT, tree / "init")
    (tree / "init").chmod(0o755)


_GUEST = Program(
    name="guest",
    version=f"6-{suite()}",
    make=_make,
    needs={
        name: f"apt-get install {package}"
        for name, package in {"apt-get": "apt", "cpio": "cpio", "depmod": "kmod", "openssl": "openssl"}.items()
    },
    within_s=300,
)
