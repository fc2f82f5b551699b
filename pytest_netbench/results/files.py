"""Writing of files that stay valid after a kill: whole lines are appended, whole files replaced."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import sha256
from pathlib import Path

from pytest_netbench.errors import ResultsError


def append_line(path: Path, text: str, *, to_disk: bool = True) -> None:
    """Append one line in one write, and wait until it is on the disk.

    A torn line of a killed process is ended first, so that the new line stays intact. Without ``to_disk`` the line
    outlives the process, but not the machine.

    Raises:
        ResultsError: It cannot be written, e.g. because the disk is full.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            data = (_end_of_torn_line(descriptor) + text + "\n").encode("utf-8", errors="replace")
            written = os.write(descriptor, data)
            while written < len(data):
                written += os.write(descriptor, data[written:])
            if to_disk:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _cannot_write(path, error) from error


def replace_file(path: Path, text: str) -> None:
    """Replace ``path`` atomically: it always has the old or the new text.

    Raises:
        ResultsError: It cannot be written, e.g. because the disk is full.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("w", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(path, error) from error


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` that takes its place at the end of the block; if the block fails, nothing is left.

    What a killed process left is removed: a lock shows that nobody writes it any more.

    Raises:
        ResultsError: It cannot be made, or ``path`` is a folder that is not empty by then.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        for old in path.parent.glob(f".{path.name}.*.new"):
            _remove_unless_locked(old)
        beside.mkdir(parents=True)
        descriptor = os.open(beside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(OSError):  # NFS locks no folders: then nothing that was left is removed
                flock(descriptor, LOCK_EX)
            yield beside
            beside.rename(path)
        finally:
            os.close(descriptor)
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from error


def _remove_unless_locked(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
        shutil.rmtree(folder)
    except OSError:
        return  # it is being written, or nobody can tell
    finally:
        os.close(descriptor)


def safe_name(text: str, *also: object) -> str:
    """A file name that people can read, for any text: its end, and a digest of all of it and of ``also``."""
    digest = sha256("\0".join([text, *map(str, also)]).encode(errors="surrogatepass")).hexdigest()[:8]
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", text.rpartition("::")[2]).strip("-.")[-80:]
    return f"{readable}-{digest}" if readable else digest


def _end_of_torn_line(descriptor: int) -> str:
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if size == 0:
        return ""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return "" if os.read(descriptor, 1) == b"\n" else "\n"


def _cannot_write(path: Path, error: OSError) -> ResultsError:
    return ResultsError(
        f"{path}: results cannot be written: {error.strerror}. What was written before is whole; free some space or"
        " give another directory with --netbench-results DIR"
    )
