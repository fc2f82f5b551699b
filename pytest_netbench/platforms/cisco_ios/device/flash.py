"""The flash file system of a device: a few small files in memory, which survive a reload."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.device.device import Device

SIZE = 16 * 2**20
_KEY = "files"


@dataclass(frozen=True)
class File:
    """A file and when it was written, by the clock of the device."""

    data: bytes
    written_s: float


class Flash:
    """Implements ``platforms.terminal.FileStore`` for one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._files: dict[str, File] = device.flash.setdefault(_KEY, {})

    def names(self) -> Sequence[str]:
        with self._device.lock:
            return tuple(self._files)

    def load(self, name: str) -> bytes:
        return self.file(name).data

    def file(self, name: str) -> File:
        """Return the file called ``name``.

        Raises:
            FileNotFoundError: It does not exist.
        """
        try:
            return self._files[name]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", name) from None

    def store(self, name: str, data: bytes) -> None:
        with self._device.lock:
            kept = len(self._files[name].data) if name in self._files else 0
            if len(data) > self.free + kept:
                raise OSError(errno.ENOSPC, "No space left on device", name)
            self._files[name] = File(data, self._device.now)

    def remove(self, name: str) -> None:
        with self._device.lock:
            self.file(name)
            del self._files[name]

    @property
    def free(self) -> int:
        """The number of free bytes."""
        return SIZE - sum(len(file.data) for file in self._files.values())
