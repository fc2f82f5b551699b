"""The process that runs one program in a container, by entering its namespaces as root. Standard library only.

Profiles
    trusted   the framework's own program, with the rights of this process
    daemon    the same; it goes on when this process ends, as a child of the container's first process
    read      an agent's look: a user of its own without capabilities, files that are read-only, a /tmp of its own
    write     an agent's change: the same, with the network capabilities over the container's own network

Agents' programs have a process namespace of their own below the container's: they see and can signal only themselves,
and end together. This process waits for the program and ends as it did.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import fcntl
import json
import os
import signal
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from pytest_netbench.backends.containerlab import listing_server
from pytest_netbench.kernel import confinement, seccomp
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.processes import end_as, started

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/frr"
NOT_ENTERED = 125
"""The exit status if the container could not be entered; standard error says why."""
READERS = "/mnt"
"""Where an agent's look finds the scripts that ask for listings."""

_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb", "VTYSH_PAGER": "cat", "PATH": PATH}
_NAMESPACES = (
    ("cgroup", sys.CLONE_NEWCGROUP),
    ("ipc", sys.CLONE_NEWIPC),
    ("uts", sys.CLONE_NEWUTS),
    ("net", sys.CLONE_NEWNET),
    ("pid", sys.CLONE_NEWPID),
    ("mnt", sys.CLONE_NEWNS),
)
_FIRST_USER = 0x60000000  # nobody has these numbers; each of an agent's commands has one
_AGENT_HOME = "/tmp"
_SHARED = ("/dev/shm", "/dev/mqueue")
_TAKE_TERMINAL = 0x540E  # TIOCSCTTY

Request = dict[str, Any]


def encode(request: Mapping[str, Any]) -> str:
    """A request as one word of a command line."""
    return base64.urlsafe_b64encode(json.dumps(dict(request)).encode()).decode()


def main(word: str) -> NoReturn:
    """Serve one request: what ``encode`` made, or ``@N`` if descriptor N has that."""
    if word.startswith("@"):
        with os.fdopen(int(word[1:]), "rb") as file:
            data = file.read()
    else:
        data = word.encode()
    try:
        status = serve(json.loads(base64.urlsafe_b64decode(data)))
    except OSError as error:
        os.write(2, f"netbench: {error}\n".encode())
        os._exit(NOT_ENTERED)
    end_as(status)


def serve(request: Request) -> int:
    """Run the program of a request; return its status as ``waitpid`` gives it.

    Raises:
        OSError: The container is gone, or may not be entered.
    """
    own_user = _FIRST_USER + os.getpid()
    enter(request["pid"], request["started"])
    profile = request["profile"]
    if profile in ("trusted", "daemon"):
        return _trusted(request, stays=profile == "daemon")
    desk = listing_server.ListingServer(request["reads"], _run_listing) if request["reads"] else None
    child = _fork(lambda: _agent(request, desk, own_user))
    if desk is not None:
        return desk.serve_until_end_of(child)
    return os.waitpid(child, 0)[1]


def enter(pid: int, since: str) -> None:
    """Enter all namespaces of a process, and its control groups; processes that are forked from now on are in them.

    Raises:
        OSError: The process has ended, or may not be entered.
    """
    try:
        opened = [(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), kind) for name, kind in _NAMESPACES]
        groups = _control_groups(pid)
        lives = started(pid) == since
    except FileNotFoundError:
        lives = False
    if not lives:
        raise ProcessLookupError(errno.ESRCH, "the container has ended")
    for path in groups:
        with contextlib.suppress(OSError), open(path, "w", encoding="ascii") as file:
            file.write("0")
    for descriptor, kind in opened:
        sys.setns(descriptor, kind)
        os.close(descriptor)
    os.chdir("/")


def _control_groups(pid: int) -> list[str]:
    with open(f"/proc/{pid}/cgroup", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(":", 2) for line in file]
    # the unified hierarchy has no name; beside named ones it has a folder of its own
    folders = [(path, [name.removeprefix("name=")] if name else ["", "unified"]) for _, name, path in lines]
    return [f"/sys/fs/cgroup/{folder}{path}/cgroup.procs" for path, several in folders for folder in several]


def _trusted(request: Request, *, stays: bool) -> int:
    def run() -> NoReturn:
        # a container's own /proc lets nobody set variables of its network
        sys.unshare(sys.CLONE_NEWNS)
        sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
        sys.mount("proc", "/proc", "proc", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC)
        if stays:
            os.setsid()
            if os.fork():
                os._exit(0)
        else:
            sys.die_with_parent()
        _become(request, "/root")

    return os.waitpid(_fork(run), 0)[1]


def _run_listing(argv: list[str], output: int) -> int:
    def run() -> NoReturn:
        sys.die_with_parent()
        os.dup2(output, 1)
        os.dup2(output, 2)
        _become({"argv": argv, "env": {}}, "/")

    return _fork(run)


def _agent(request: Request, desk: listing_server.ListingServer | None, own_user: int) -> NoReturn:
    sys.die_with_parent()
    sys.unshare(sys.CLONE_NEWNS | sys.CLONE_NEWPID | sys.CLONE_NEWIPC)
    limits = confinement.Limits.of(request)

    def run() -> NoReturn:
        sys.die_with_parent()
        if request["terminal"]:
            os.setsid()
            fcntl.ioctl(0, _TAKE_TERMINAL, 0)
        _furnish(limits, with_readers=desk is not None)
        kept = {8: desk.theirs[0], 9: desk.theirs[1]} if desk is not None else {}
        # above both numbers first: either pipe may have one of them already
        lifted = {number: fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, max(kept) + 1) for number, one in kept.items()}
        for number, descriptor in lifted.items():
            os.dup2(descriptor, number, inheritable=True)
        confinement.let_go(kept)
        known = _identity(request["user"])
        # the kernel counts the processes of a user in all containers and on this machine together
        confinement.limit(limits, most_processes=None if known else limits.processes)
        user, groups = known or (own_user, [])
        os.setgroups(groups)
        sys.no_new_privileges()
        caps = confinement.WRITE_CAPS if request["profile"] == "write" else ()
        sys.keep_capabilities(caps, user=user)
        seccomp.install(seccomp.PROGRAM)
        sys.die_with_parent()  # a change of user takes it back
        _become(request, _AGENT_HOME)

    status = os.waitpid(_fork(run), 0)[1]
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status))


def _furnish(limits: confinement.Limits, *, with_readers: bool) -> None:
    sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
    confinement.mount_proc()
    if with_readers:
        os.makedirs(READERS, exist_ok=True)
        sys.mount("readers", READERS, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, "size=256k,mode=755")
        confinement.write_readers(READERS)
        sys.remount_read_only(READERS)
    confinement.make_read_only(limits.disk_bytes, hidden=_SHARED)


def _identity(user: str) -> tuple[int, list[int]] | None:
    """The number of a user of the container, and its groups; ``None`` if it has no such user.

    The files are read here: the library's own look-up would load code of the container.
    """
    users = {words[0]: int(words[2]) for words in _entries("/etc/passwd") if words[2].isdigit()}
    groups = [int(words[2]) for words in _entries("/etc/group") if user in (words[0], *words[3].split(","))]
    return (users[user], groups) if users.get(user) else None


def _entries(path: str) -> list[list[str]]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(":") for line in file]
    except OSError:
        return []
    return [words for words in lines if len(words) >= 4]


def _fork(run: Callable[[], NoReturn]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        run()
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happened
        with contextlib.suppress(OSError):
            os.write(2, f"netbench: {error}\n".encode())
    os._exit(126)


def _become(request: Request, directory: str) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    env = {**_ENVIRONMENT, "HOME": directory, "PWD": directory, **request["env"]}
    with contextlib.suppress(OSError):  # an image may have no such directory
        os.chdir(directory)
    argv = request["argv"]
    os.execvpe(argv[0], argv, env)  # noqa: S606
