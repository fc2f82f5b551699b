"""Network namespaces as users name them: by path, by process or by descriptor."""

from __future__ import annotations

import errno
import fcntl
import os
from dataclasses import dataclass
from typing import Final

from pytest_netbench.errors import RequirementMissing, UsageError
from pytest_netbench.kernel.syscalls import CLONE_NEWNET

NO_RIGHTS: Final = "run as root, or as the user who made the namespace"
_NS_GET_NSTYPE = 0xB703
_WAYS = "one of path, pid and descriptor"


@dataclass(frozen=True, kw_only=True)
class Namespace:
    """A network namespace to probe in, given in one of three ways.

    Attributes:
        path: A file that it is bound to, such as ``/run/netns/NAME`` of ``ip netns add NAME``.
        pid: A process in it.
        descriptor: An open descriptor of it, which stays the caller's.
        interfaces: Interfaces whose addresses others use to reach it, the first ones first; empty for all.
    """

    path: str | os.PathLike[str] | None = None
    pid: int | None = None
    descriptor: int | None = None
    interfaces: tuple[str, ...] = ()

    def open(self, node: str) -> int:
        """Return a new descriptor of it, which keeps the namespace in being until it is closed.

        Args:
            node: What the namespace is called in errors.

        Raises:
            UsageError: There is no such namespace, or it is given in no way or in several.
            RequirementMissing: This user may not open it.
        """
        if [self.path, self.pid, self.descriptor].count(None) != 2:
            raise UsageError(f"{node}: a namespace is given by {_WAYS}")
        found = self._duplicate(node) if self.descriptor is not None else self._open(node)
        try:
            kind = fcntl.ioctl(found, _NS_GET_NSTYPE)
        except OSError:
            kind = 0
        if kind != CLONE_NEWNET:
            os.close(found)
            raise UsageError(f"{node}: {self._words()} is no network namespace (expected: {_WAYS} of one)")
        return found

    def _duplicate(self, node: str) -> int:
        assert self.descriptor is not None
        try:
            return fcntl.fcntl(self.descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
        except (OSError, ValueError):
            raise UsageError(f"{node}: {self._words()} is not open") from None

    def _open(self, node: str) -> int:
        path = f"/proc/{self.pid}/ns/net" if self.pid is not None else os.fspath(self.path or "")
        try:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except PermissionError:
            raise RequirementMissing(f"{node}: {self._words()} may not be opened by this user", NO_RIGHTS) from None
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ESRCH):
                raise UsageError(f"{node}: {self._words()} cannot be opened: {error.strerror}") from None
            hint = "the process has ended" if self.pid is not None else "'ip netns list' shows those of iproute2"
            raise UsageError(f"{node}: {self._words()} does not exist; {hint}") from None

    def _words(self) -> str:
        if self.descriptor is not None:
            return f"descriptor {self.descriptor}"
        return f"the namespace of process {self.pid}" if self.pid is not None else f"'{os.fspath(self.path or '')}'"
