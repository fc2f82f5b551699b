"""Programs that run on: daemons, and what sits on a pseudo-terminal. Standard library only."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable

from pytest_netbench.backends.netns.supervisor import roots, sandbox, spawn, terminals
from pytest_netbench.backends.netns.supervisor.daemons import Daemons
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.resource_counts import Growth
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.confinement import Limits

_WRITABLE = ("/run", "/tmp", "/var")
# mounts that the node makes here later (``ip netns add``) are those of its daemons, too
_SHARED = "/run/netns"


class Views:
    """The mount namespaces of daemons, one for each node that has any; made at first use.

    Args:
        home: Descriptor of the mount namespace of this process.
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._made: dict[Namespaces, int] = {}

    def of(self, node: Namespaces) -> int:
        """Return a descriptor of the mount namespace of a node's daemons.

        Raises:
            OSError: It could not be made.
        """
        if node not in self._made:
            sys.setns(node.mount, sys.CLONE_NEWNS)
            try:
                self._made[node] = _open_beside()
            finally:
                sys.setns(self._home, sys.CLONE_NEWNS)
        return self._made[node]


def _open_beside() -> int:
    os.makedirs(_SHARED, exist_ok=True)
    sys.bind(_SHARED, _SHARED)
    sys.mount("none", _SHARED, "", sys.MS_SHARED)
    sys.unshare(sys.CLONE_NEWNS)
    for path in _WRITABLE:
        sys.bind(path, path)
    sys.remount_read_only("/")
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)


_COLUMNS, _ROWS = 4096, 1000
# With this setting, the default value, glibc does not raise the threshold: what a daemon frees after its start, two
# megabytes of zebra's, goes back to the kernel.
_FRUGAL = {"MALLOC_MMAP_THRESHOLD_": "131072"}
_SLOTS = 3
_IN_LAB_TIME = {"NETBENCH_CLOCK": f"{roots.SHARED}/clock", "NETBENCH_SLOTS": str(_SLOTS)}
_PRELOADED = "NETBENCH_PRELOADED"


class Programs:
    """Starts programs in nodes and ends them."""

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs, daemons: Daemons) -> None:
        self._owner = owner
        self._daemons = daemons
        self._network = network
        self._jobs = jobs
        self._views = Views(os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC))

    def start(self, request: Message) -> Message:
        """A daemon."""
        argv, name = request["argv"], request["name"]
        node = self._network.spaces[request["node"]]
        clock = self._network.clock if request["lab_time"] else None
        in_lab_time = clock is not None
        env = {**_FRUGAL, **request["env"], **(_IN_LAB_TIME if in_lab_time else {})}
        libraries = _libraries(["labtime.so"] * in_lab_time + env.pop(_PRELOADED, "").split())
        env |= {"LD_PRELOAD": libraries} if libraries else {}
        keep = {_SLOTS: clock.slots} if clock is not None else {}
        log = self._daemons.open_log(request["node"], name)
        try:
            with open(os.devnull, "rb") as null:
                pid = spawn.trusted(node, argv, (null.fileno(), log, log), env, mounts=self._views.of(node), keep=keep)
        finally:
            os.close(log)
        self._jobs.daemons[pid] = f"{request['node']}: {name}"
        self._daemons.add(request["node"], name, pid)
        return {"pid": pid}

    def start_on_terminal(self, request: Message) -> None:
        """A program on a pty; the owner gets the master end. An agent's own is watched for what it uses."""
        limits = Limits.of(request)
        node = self._network.spaces[request["node"]]
        master, slave = terminals.open_terminal(
            columns=request.get("columns", _COLUMNS), rows=request.get("rows", _ROWS)
        )
        try:
            growth = Growth(node) if request.get("writable") else None
            pid = sandbox.spawn_agent(
                node,
                request["argv"],
                (slave, slave, slave),
                writable=request.get("writable", False),
                limits=limits,
                terminal=True,
            )
            if "writable" in request:
                self._jobs.watch(pid, memory_bytes=limits.memory_bytes, growth=growth)
            self._owner.answer(request, {"pid": pid}, fds=[master])
        finally:
            os.close(master)
            os.close(slave)

    def kill(self, request: Message) -> Message:
        """End a program, if it runs still."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(request["pid"], signal.SIGKILL)
        return {}


def _libraries(names: Iterable[str]) -> str:
    """Return the libraries to preload: those that this machine could build."""
    shared = os.path.dirname(roots.CLOCK)
    return ":".join(f"{roots.SHARED}/{name}" for name in names if os.path.exists(f"{shared}/{name}"))
