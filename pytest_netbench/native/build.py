"""Compiles the C programs of this package, once per user, source and compiler.

Owns the cache directory and its trustworthiness: what is loaded into a lab's daemons, or run by root, must come from
this user. No compiler is not an error: labs then run at wall speed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_SOURCES = Path(__file__).parent
_COMPILERS = ("cc", "gcc", "clang")
# some compilers fortify by default: names of calls that are defined here are others then
_COMMON = ("-O2", "-std=gnu11", "-Wall", "-Wextra", "-U_FORTIFY_SOURCE")
_SHARED = (*_COMMON, "-fPIC", "-shared", "-fvisibility=hidden")
_RECIPES = {
    "labtime.c": ("labtime.so", (*_SHARED, "-ftls-model=initial-exec"), ("-ldl", "-lpthread")),
    "pacer.c": ("pacer", _COMMON, ()),
    "hostroutes.c": ("hostroutes.so", _SHARED, ("-ldl",)),
    "redistribution.c": ("redistribution.so", _SHARED, ("-ldl",)),
    "forwarding.c": ("forwarding.so", _SHARED, ("-ldl",)),
    "externals.c": ("externals.so", _SHARED, ("-ldl",)),
    "adjacencies.c": ("adjacencies.so", _SHARED, ("-ldl",)),
    "wire.c": ("wire", _COMMON, ()),
    "switch.c": ("switch", _COMMON, ()),
}
_MORE = {
    "labtime.c": (
        *(
            "clocks.c",
            "threads.c",
            "programs.c",
            "conditions.c",
            "locks.c",
            "c11.c",
            "children.c",
            "futexes.c",
            "signals.c",
            "descriptors.c",
        ),
        *("timers.c", "timerfds.c", "posixtimers.c", "alarms.c", "timers.h", "raw.h", "waiting.h", "labtime.h"),
    ),
    "pacer.c": ("kernel.c", "neighbors.c", "sleepers.c", "pacer.h", "labtime.h"),
    "wire.c": ("line.c", "line.h", "labtime.h"),
}
"""By source: the other files it is made of."""
IOS_RULES = {
    source: _RECIPES[source][0]
    for source in ("hostroutes.c", "redistribution.c", "forwarding.c", "externals.c", "adjacencies.c")
}
"""By source: the libraries that are preloaded into daemons of IOS routers (docs/adr/0055)."""
_COMPILE_TIMEOUT_S = 300.0


class _CannotBuild(Exception):
    """Why, in one sentence."""


def labtime() -> Path | None:
    """The library to preload into daemons that run in lab time, or ``None`` (see ``why_not``)."""
    return _attempt("labtime.c")[0]


def pacer() -> Path | None:
    """The program that moves a lab's clock by events, or ``None`` (see ``why_not``)."""
    return _attempt("pacer.c")[0]


def ios_rules() -> Mapping[str, Path]:
    """The libraries to preload into daemons of IOS routers, by file name; those that can be built (see ``why_not``)."""
    built = {product: _attempt(source)[0] for source, product in IOS_RULES.items()}
    return {product: path for product, path in built.items() if path is not None}


def wire() -> Path | None:
    """The program that delays, drops and paces packets between two interfaces, or ``None`` (see ``why_not``)."""
    return _attempt("wire.c")[0]


def switch() -> Path | None:
    """The program that switches frames between a node's interfaces, or ``None`` (see ``why_not``)."""
    return _attempt("switch.c")[0]


def why_not() -> str | None:
    """Why one of the functions above answers ``None``, in one sentence; ``None`` if all programs are there."""
    return next((why for source in _RECIPES if (why := _attempt(source)[1])), None)


def compiler() -> str | None:
    """The C compiler that would be used, ``$CC`` first."""
    names = (os.environ.get("CC", ""), *_COMPILERS)
    return next((found for name in names if name and (found := shutil.which(name))), None)


def cache_dir() -> Path:
    """This user's own cache directory for this package, made if need be.

    This is ``$XDG_CACHE_HOME/pytest-netbench`` or ``~/.cache``. If neither is writable, it is a directory in the
    temporary one. For root it is ``/var/cache``, because labs run as an unprivileged user who cannot enter root's home.

    Raises:
        OSError: None of them can be made, or what is there belongs to somebody else.
    """
    reasons = []
    for candidate in _cache_candidates():
        try:
            _make_directory(candidate)
            if os.access(candidate, os.W_OK | os.X_OK):
                return candidate
            reasons.append(f"{candidate} is not writable")
        except OSError as error:
            reasons.append(str(error))
    raise OSError("; ".join(reasons))


def _cache_candidates() -> list[Path]:
    parents = [os.environ.get("XDG_CACHE_HOME", "")]
    if os.geteuid() == 0:
        parents.append("/var/cache")
    with contextlib.suppress(RuntimeError):  # no home directory
        parents.append(str(Path.home() / ".cache"))
    # A relative XDG_CACHE_HOME is to be ignored, says its specification.
    candidates = [Path(parent) / "pytest-netbench" for parent in parents if parent.startswith("/")]
    return [*candidates, Path(tempfile.gettempdir()) / f"pytest-netbench-{os.geteuid()}"]


def _attempt(source: str) -> tuple[Path | None, str | None]:
    try:
        return _product(source), None
    except (OSError, subprocess.SubprocessError, _CannotBuild) as error:
        return None, f"{source} could not be built: {error}"


def _product(source: str) -> Path:
    program = compiler()
    if program is None:
        raise _CannotBuild(f"no C compiler (looked for {', '.join(_COMPILERS)})")
    product, flags, libraries = _RECIPES[source]
    files = [_SOURCES / name for name in (source, *_MORE.get(source, ()))]
    known = [*(file.read_bytes() for file in files), _identity(program), " ".join(flags + libraries).encode()]
    key = hashlib.sha256(b"\0".join(known)).hexdigest()[:20]
    directory = cache_dir() / key
    _make_directory(directory)
    target = directory / product
    if target.exists():
        _check_owner(target)
    else:
        _compile(program, [file for file in files if file.suffix == ".c"], target, flags, libraries)
    return target


def _compile(
    program: str, sources: Sequence[Path], target: Path, flags: tuple[str, ...], libraries: tuple[str, ...]
) -> None:
    """Compile beside the target and rename: whoever else builds it at the same time replaces it by the same file."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(descriptor)
    draft = Path(name)
    try:
        with tempfile.TemporaryDirectory() as scratch:  # a compiler that is ended leaves its files
            done = subprocess.run(
                [program, *flags, *map(str, sources), "-o", name, *libraries],
                capture_output=True,
                text=True,
                timeout=_COMPILE_TIMEOUT_S,
                env={**os.environ, "TMPDIR": scratch},
                check=False,
            )
        if done.returncode:
            raise _CannotBuild(f"{program} said: {done.stderr.strip()[-500:]}")
        draft.chmod(0o755)
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)


@functools.cache
def _identity(program: str) -> bytes:
    """What changes when the compiler does, without running it."""
    real = Path(program).resolve()
    status = real.stat()
    return f"{real} {status.st_size} {status.st_mtime_ns} {os.uname().machine}".encode()


def _make_directory(directory: Path) -> None:
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o755)
    _check_owner(directory)


def _check_owner(path: Path) -> None:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise PermissionError(f"{path} is a symbolic link")
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to uid {status.st_uid}, not to {os.geteuid()}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path} can be written by others: chmod go-w {path}")
