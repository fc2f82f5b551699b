"""Starting processes, and the framework's own programs with the lab's rights. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, NoReturn

from pytest_netbench.backends.netns.supervisor import syscalls as sys

PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/frr"
Stdio = tuple[int, int, int]

_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb", "VTYSH_PAGER": "cat"}


class Namespaces(NamedTuple):
    """Descriptors of a node's namespaces and of its root directory as the lab sees it."""

    mount: int
    network: int
    uts: int
    root: int

    def enter(self) -> None:
        """Move this process into the node."""
        sys.setns(self.network, sys.CLONE_NEWNET)
        sys.setns(self.uts, sys.CLONE_NEWUTS)
        sys.setns(self.mount, sys.CLONE_NEWNS)


def trusted(
    node: Namespaces | None,
    argv: Sequence[str],
    stdio: Stdio,
    env: Mapping[str, str] | None = None,
    *,
    mounts: int | None = None,
) -> int:
    """Start ``argv`` with the lab's rights, in ``node`` or (``None``) beside all nodes; returns its pid.

    ``mounts`` is a descriptor of the mount namespace that it is in instead of the node's own.
    """

    def run() -> NoReturn:
        if node is not None:
            node.enter()
        if mounts is not None:
            sys.setns(mounts, sys.CLONE_NEWNS)
        become(argv, stdio, {"PATH": PATH, "HOME": "/root", **(env or {})})

    return fork(run)


def fork(run: Callable[[], NoReturn]) -> int:
    """Fork; the child runs ``run`` and never returns. What it raises goes to its standard error."""
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        run()
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happened
        with contextlib.suppress(OSError):
            os.write(2, f"netbench: {error}\n".encode())
    os._exit(126)


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
