"""A node's files for ``scp`` and ``sftp``: one flat folder, whole files."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import asyncssh
from asyncssh import SFTPAttrs, SFTPName
from asyncssh.constants import FILEXFER_TYPE_DIRECTORY, FILEXFER_TYPE_REGULAR

from pytest_netbench.lab.ssh.hosts import Guard, Host
from pytest_netbench.platforms.terminal import CommandNotPermitted, FileStore

LARGEST_FILE = 4 * 2**20


@dataclass
class _Open:
    name: str
    data: bytearray
    writes: bool
    attrs: SFTPAttrs = field(default_factory=SFTPAttrs)


class NodeFiles(asyncssh.SFTPServer):
    """Serves one ``FileStore``. A file is kept once it has been sent whole, and that is recorded as a command."""

    def __init__(self, chan: Any, *, host: Host, guard: Guard) -> None:
        super().__init__(chan)
        assert host.files is not None
        self._host = host
        self._files: FileStore = host.files
        self._guard = guard

    async def open(self, path: bytes, pflags: int, attrs: SFTPAttrs) -> object:
        name = _name(path)
        if pflags & asyncssh.FXF_WRITE:
            old = b"" if pflags & asyncssh.FXF_TRUNC or name not in self._files.names() else self._files.load(name)
            return _Open(name, bytearray(old), writes=True)
        data = self._load(name)
        await self._record(f"read {name}", "read")
        return _Open(name, bytearray(data), writes=False)

    async def open56(self, path: bytes, desired_access: int, flags: int, attrs: SFTPAttrs) -> object:
        writes = desired_access & (asyncssh.ACE4_WRITE_DATA | asyncssh.ACE4_APPEND_DATA)
        return await self.open(path, asyncssh.FXF_WRITE | asyncssh.FXF_TRUNC if writes else asyncssh.FXF_READ, attrs)

    def read(self, file_obj: object, offset: int, size: int) -> bytes:
        assert isinstance(file_obj, _Open)
        return bytes(file_obj.data[offset : offset + size])

    def write(self, file_obj: object, offset: int, data: bytes) -> int:
        assert isinstance(file_obj, _Open)
        end = offset + len(data)
        if end > LARGEST_FILE:
            raise asyncssh.SFTPFailure(f"{file_obj.name}: no file may be larger than {LARGEST_FILE} bytes")
        file_obj.data.extend(bytes(max(0, end - len(file_obj.data))))
        file_obj.data[offset:end] = data
        return len(data)

    async def close(self, file_obj: object) -> None:
        assert isinstance(file_obj, _Open)
        if not file_obj.writes:
            return
        await self._record(f"write {file_obj.name}", "session")
        try:
            self._files.store(file_obj.name, bytes(file_obj.data))
        except OSError as error:
            raise asyncssh.SFTPFailure(f"{file_obj.name}: {error}") from error

    def stat(self, path: bytes) -> SFTPAttrs:
        if _is_folder(path):
            return SFTPAttrs(type=FILEXFER_TYPE_DIRECTORY, permissions=stat.S_IFDIR | 0o700, size=0)
        return self._attrs(len(self._load(_name(path))))

    lstat = stat

    def fstat(self, file_obj: object) -> SFTPAttrs:
        assert isinstance(file_obj, _Open)
        return self._attrs(len(file_obj.data))

    def setstat(self, path: bytes, attrs: SFTPAttrs) -> None:
        """Times and modes are not kept."""

    lsetstat = setstat

    def fsetstat(self, file_obj: object, attrs: SFTPAttrs) -> None:
        """Times and modes are not kept."""

    async def remove(self, path: bytes) -> None:
        name = _name(path)
        self._load(name)
        await self._record(f"delete {name}", "session")
        self._files.remove(name)

    def realpath(self, path: bytes) -> bytes:
        return b"/" if _is_folder(path) else b"/" + _name(path).encode()

    async def scandir(self, path: bytes) -> AsyncIterator[SFTPName]:
        for name in self._files.names():
            yield SFTPName(name.encode(), attrs=self._attrs(len(self._files.load(name))))

    def mkdir(self, path: bytes, attrs: SFTPAttrs) -> None:
        raise asyncssh.SFTPPermissionDenied("there is one folder only")

    rmdir = rename = posix_rename = symlink = link = readlink = mkdir  # type: ignore[assignment]

    def exit(self) -> None:
        # without a status OpenSSH's scp takes the copy for failed
        if not self.channel.is_closing():
            self.channel.exit(0)

    def _load(self, name: str) -> bytes:
        try:
            return self._files.load(name)
        except FileNotFoundError:
            raise asyncssh.SFTPNoSuchFile(f"no file {name}") from None

    @staticmethod
    def _attrs(size: int) -> SFTPAttrs:
        now = int(time.time())
        return SFTPAttrs(type=FILEXFER_TYPE_REGULAR, permissions=stat.S_IFREG | 0o600, size=size, atime=now, mtime=now)

    async def _record(self, line: str, kind: Any) -> None:
        """Record a command. In a network that stands still it waits for its turn, and other sessions must not."""
        try:
            await asyncio.to_thread(self._enter, line, kind)
        except CommandNotPermitted as error:
            raise asyncssh.SFTPPermissionDenied(str(error)) from None

    def _enter(self, line: str, kind: Any) -> None:
        with self._guard.enter(self._host.name, "files", line, kind):
            pass


def _is_folder(path: bytes) -> bool:
    return _name(path) in {"", ".", ".."}


def _name(path: bytes) -> str:
    """``flash:/x.txt``, ``/flash/x.txt`` and ``x.txt`` are the same file."""
    text = path.decode(errors="replace").removeprefix("/").rpartition(":")[2]
    return text.rpartition("/")[2]
