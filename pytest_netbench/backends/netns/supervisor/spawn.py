"""Starting processes, and the framework's own programs with the lab's privileges. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.forks import DEFAULTED, fork

PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/frr"
Stdio = tuple[int, int, int]

_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb", "VTYSH_PAGER": "cat"}


class Furniture(NamedTuple):
    """Descriptors of a node's mount and UTS namespaces, and of its root directory."""

    mount: int
    uts: int
    root: int


class Home(NamedTuple):
    """Descriptors of the lab's own namespaces, to come back to."""

    mount: int
    network: int
    uts: int

    def enter(self) -> None:
        """Move this process out of any node."""
        sys.setns(self.mount, sys.CLONE_NEWNS)
        sys.setns(self.uts, sys.CLONE_NEWUTS)
        sys.setns(self.network, sys.CLONE_NEWNET)


class Namespaces:
    """One node: its network from the start, its files and host name from their first use.

    Args:
        network: Descriptor of its network namespace.
        home: The lab's own namespaces.
        furnish: Makes its files and host name.
    """

    def __init__(self, *, network: int, home: Home, furnish: Callable[[], Furniture]) -> None:
        self.network = network
        self.home = home
        self._furnish = furnish
        self._furniture: Furniture | None = None

    def furnish(self) -> Furniture:
        """Make files and host name unless they are there. Must happen in the supervisor, before a fork.

        Raises:
            OSError: They could not be made.
        """
        if self._furniture is None:
            self._furniture = self._furnish()
        return self._furniture

    @property
    def mount(self) -> int:
        """Descriptor of its mount namespace."""
        return self.furnish().mount

    @property
    def root(self) -> int:
        """Descriptor of its root directory."""
        return self.furnish().root

    def enter(self) -> None:
        """Move this process into the node, which has its files."""
        assert self._furniture is not None
        sys.setns(self.network, sys.CLONE_NEWNET)
        sys.setns(self._furniture.uts, sys.CLONE_NEWUTS)
        sys.setns(self._furniture.mount, sys.CLONE_NEWNS)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Be in the node for a moment. What is started meanwhile is in the node."""
        self.furnish()
        self.enter()
        try:
            yield
        finally:
            self.home.enter()


def trusted(
    node: Namespaces | None,
    argv: Sequence[str],
    stdio: Stdio,
    env: Mapping[str, str] | None = None,
    *,
    mounts: int | None = None,
    keep: Mapping[int, int] | None = None,
) -> int:
    """Start ``argv`` with the lab's rights, in ``node`` or (``None``) beside all nodes; returns its pid.

    ``mounts`` is a descriptor of the mount namespace to use instead of the node's own, ``keep`` has further descriptors
    by their numbers in the program. The supervisor itself enters the node and spawns there, because a fork would copy
    its page tables without need.
    """
    full = {**_ENVIRONMENT, "PATH": PATH, "HOME": "/root", **(env or {})}
    with contextlib.nullcontext() if node is None else node.inside():
        if mounts is not None:
            sys.setns(mounts, sys.CLONE_NEWNS)
        program = _found(argv[0])
        with contextlib.suppress(OSError):
            return _spawned(program, argv, stdio, full, keep or {})

    def run() -> NoReturn:
        # says on standard error why it cannot be started, as the caller expects of a command
        if node is not None:
            node.enter()
        if mounts is not None:
            sys.setns(mounts, sys.CLONE_NEWNS)
        become(argv, stdio, full, keep=keep)

    return fork(run)


def _found(program: str) -> str:
    if "/" in program:
        return program
    paths = (f"{directory}/{program}" for directory in PATH.split(":"))
    return next((path for path in paths if os.access(path, os.X_OK)), program)


def _spawned(program: str, argv: Sequence[str], stdio: Stdio, env: Mapping[str, str], keep: Mapping[int, int]) -> int:
    wanted = {**dict(enumerate(stdio)), **keep}
    lifted = {number: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 64) for number, source in wanted.items()}
    try:
        return os.posix_spawn(
            program,
            list(argv),
            env,
            file_actions=[(os.POSIX_SPAWN_DUP2, source, number) for number, source in lifted.items()],
            setsigmask=(),
            setsigdef=DEFAULTED,
        )
    finally:
        for fd in lifted.values():
            os.close(fd)


def become(
    argv: Sequence[str],
    stdio: Stdio,
    env: Mapping[str, str],
    *,
    keep: Mapping[int, int] | None = None,
    directory: str = "/",
) -> NoReturn:
    """Become the program ``argv``.

    Args:
        argv: What.
        stdio: Its descriptors 0, 1, 2.
        env: What its environment has beside the common words.
        keep: Further descriptors: number in the program to descriptor here.
        directory: Where it begins.
    """
    # Duplicates above every number in use first, so that no dup2 overwrites a source.
    wanted = {0: stdio[0], 1: stdio[1], 2: stdio[2], **(keep or {})}
    lifted = {number: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 64) for number, source in wanted.items()}
    for number, source in lifted.items():
        os.dup2(source, number, inheritable=True)
    os.chdir(directory)
    os.execvpe(argv[0], list(argv), {**_ENVIRONMENT, **env})  # noqa: S606
