"""The file format of a sealed bundle.

A bundle is text with one line for the manifest, one for each task, and a last one with the seal of all before:

    {"netbench_sealed": 1, "created": …, "key": …, "tasks": [{"bytes": …, "name": …, "sha256": …}, …], "version": …}
    BASE64
    …
    {"mac": …, "sha256": …}

Without the key each change of a byte is found by a SHA-256 digest. With it, a bundle that someone else made is refused.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from pytest_netbench import __version__
from pytest_netbench.errors import SealedFileError
from pytest_netbench.model.base import Model
from pytest_netbench.sealing.keys import SealingKey

SUFFIX: Final = ".sealed"
_MAGIC: Final = b'{"netbench_sealed":'
_MAC: Final = "bundle"


class SealedEntry(Model):
    """A task of a bundle, as everybody may see it.

    Attributes:
        name: Of its items.
        bytes: Length of its line.
        sha256: Digest of its line, in hex.
    """

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    bytes: int
    sha256: str


class Manifest(Model):
    """What everybody may know of a bundle.

    Attributes:
        netbench_sealed: Version of the format.
        created: Day (UTC).
        key: Id of the key.
        tasks: In the order of their lines.
        version: Of pytest-netbench.
    """

    netbench_sealed: Literal[1] = 1
    created: str
    key: str
    tasks: tuple[SealedEntry, ...] = Field(min_length=1)
    version: str

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tasks."""
        return tuple(one.name for one in self.tasks)


@dataclass(frozen=True, kw_only=True)
class Packed:
    """The files of one task.

    Attributes:
        task: Path of the task file among ``files``.
        files: Content by path, relative and with ``/``.
    """

    task: str
    files: Mapping[str, str]


class Bundle:
    """A bundle that is complete and as it was written. Its tasks are read with the key.

    Args:
        path: Where it is.
        manifest: Its first line.
        lines: By name of a task: its line.
        mac: The authentication code of the last line.
        head: All that the last line is about.
    """

    def __init__(self, path: Path, manifest: Manifest, lines: Mapping[str, bytes], *, mac: str, head: bytes) -> None:
        self.path = path
        self.manifest = manifest
        self._lines = lines
        self._mac = mac
        self._head = head

    def check_key(self, key: SealingKey) -> None:
        """Check that ``key`` made this bundle.

        Raises:
            SealedFileError: It did not.
        """
        if key.id != self.manifest.key:
            raise SealedFileError(f"sealed with the key {self.manifest.key}, not with {key.id}", path=self.path)
        if key.digest(_MAC, self._head) != self._mac:
            raise SealedFileError("was made or changed by someone without the key: do not use it", path=self.path)

    def open(self, name: str, key: SealingKey) -> Packed:
        """The files of a task.

        Raises:
            SealedFileError: ``key`` is another one.
        """
        self.check_key(key)
        data = zlib.decompress(key.open(base64.b64decode(self._lines[name]), about=f"task {name}"))
        fields = json.loads(data)
        return Packed(task=fields["task"], files=fields["files"])


def write_bundle(path: Path, tasks: Mapping[str, Packed], key: SealingKey) -> Manifest:
    """Write the bundle of ``tasks``, which are given by name.

    Raises:
        OSError: It cannot be written.
    """
    lines = {name: _sealed_line(name, packed, key) for name, packed in tasks.items()}
    manifest = Manifest(
        created=datetime.now(UTC).date().isoformat(),
        key=key.id,
        tasks=tuple(
            SealedEntry(name=name, bytes=len(line), sha256=hashlib.sha256(line).hexdigest())
            for name, line in lines.items()
        ),
        version=__version__,
    )
    head = b"".join(line + b"\n" for line in (_manifest_line(manifest), *lines.values()))
    mac = key.digest(_MAC, head)
    last = {"mac": mac, "sha256": _digest(head, mac)}
    path.write_bytes(head + _plain(last) + b"\n")
    return manifest


def is_bundle(path: Path) -> bool:
    """Whether a file begins like a bundle."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_bundle(path: Path) -> Bundle:
    """Read a bundle and check all of it that can be checked without the key.

    Raises:
        SealedFileError: It is none, or was changed; names what was.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SealedFileError(f"cannot be read: {error.strerror}", path=path) from None
    first, _, rest = data.partition(b"\n")
    manifest = _manifest(path, first)
    lines: dict[str, bytes] = {}
    changed: list[str] = []
    for entry in manifest.tasks:
        line, rest = rest[: entry.bytes], rest[entry.bytes + 1 :]
        lines[entry.name] = line
        if hashlib.sha256(line).hexdigest() != entry.sha256:
            changed.append(entry.name)
    if changed:
        raise SealedFileError(f"was changed: task {', '.join(changed)}", path=path)
    head = data[: len(data) - len(rest)]
    return Bundle(path, manifest, lines, mac=_last(path, rest, head), head=head)


def placed(folder: Path, packed: Packed) -> Iterator[tuple[Path, str]]:
    """Where the files of a task go in ``folder``, with their contents.

    Raises:
        SealedFileError: A path leads out of it.
    """
    for name, text in packed.files.items():
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise SealedFileError(f"holds a file whose path leads elsewhere: {name!r}")
        yield folder.joinpath(*parts), text


def _sealed_line(name: str, packed: Packed, key: SealingKey) -> bytes:
    data = _plain({"task": packed.task, "files": dict(packed.files)})
    return base64.b64encode(key.seal(zlib.compress(data, 9), about=f"task {name}"))


def _manifest_line(manifest: Manifest) -> bytes:
    """The manifest with its version first, so that a bundle can be told by how it begins."""
    fields = manifest.model_dump(mode="json")
    return _plain({"netbench_sealed": fields.pop("netbench_sealed"), **dict(sorted(fields.items()))})


def _manifest(path: Path, line: bytes) -> Manifest:
    if not line.startswith(_MAGIC):
        raise SealedFileError("not a bundle of netbench seal", path=path)
    try:
        version = json.loads(line).get("netbench_sealed")
        if version != 1:
            raise SealedFileError(f"has format {version}; netbench {__version__} reads format 1", path=path)
        manifest = Manifest.model_validate_json(line)
    except (ValueError, ValidationError):
        raise SealedFileError("was changed: the manifest", path=path) from None
    if _manifest_line(manifest) != line or len(set(manifest.names)) != len(manifest.names):
        raise SealedFileError("was changed: the manifest", path=path)
    return manifest


def _last(path: Path, line: bytes, head: bytes) -> str:
    """The authentication code of the last line."""
    try:
        fields = json.loads(line)
        mac, digest = fields["mac"], fields["sha256"]
    except (ValueError, KeyError, TypeError):
        raise SealedFileError("was changed or cut off: the last line", path=path) from None
    if line != _plain({"mac": mac, "sha256": digest}) + b"\n":
        raise SealedFileError("was changed: the last line", path=path)
    if not isinstance(mac, str) or _digest(head, mac) != digest:
        raise SealedFileError("was changed: the manifest, a line end or the last line", path=path)
    return mac


def _digest(head: bytes, mac: str) -> str:
    """Of all lines, and of the authentication code."""
    return hashlib.sha256(head + mac.encode()).hexdigest()


def _plain(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()
