"""The supervisor: PID 1 of a lab, so that its end is the end of everything in the lab.

Started by the backend with one socket to it. Opens the namespaces, gives its rights outside up, makes nodes and links, then serves
requests until the socket closes. Imports everything before it gives its rights up: the interpreter may lie where nobody may look.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import selectors
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, NoReturn, Self

from pytest_netbench.backends.netns.supervisor import (
    nodes,
    probes,
    roots,
    sandbox,
    terminals,
    traffic,
    wire_format,
    wiring,
)
from pytest_netbench.backends.netns.supervisor import syscalls as sys
from pytest_netbench.backends.netns.supervisor.desk import Desk
from pytest_netbench.backends.netns.supervisor.jobs import Job, Jobs
from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.backends.netns.supervisor.sandbox import Limits, Namespaces

_TRUSTED_OUTPUT = 64 * 2**20
_COLUMNS, _ROWS = 4096, 1000
_CONNECT_EVERY_S = 0.003
_LISTING_S = 5.0
_SHARED = "/opt/netbench/lib"
_NAMESPACES = (
    sys.CLONE_NEWUSER | sys.CLONE_NEWNS | sys.CLONE_NEWPID | sys.CLONE_NEWNET | sys.CLONE_NEWUTS | sys.CLONE_NEWIPC
)


def main(control_fd: int, spec_fd: int) -> None:
    """Become a lab's supervisor; never returns normally."""
    with os.fdopen(spec_fd, "rb") as file:
        spec = json.load(file)
    # It came here by inheritance and must not go on so: who holds it can answer in the lab's name.
    os.set_inheritable(control_fd, False)
    control = socket.socket(fileno=control_fd)
    host = roots.Host()
    shared = {}
    for name, path in spec["shared"].items():
        with open(path, "rb") as file:
            shared[name] = file.read()
    _raise_limits()
    if os.geteuid() == 0 and _has_uid(spec["uid"]):
        _unshare_as_root(spec["uid"])
    else:
        _unshare_as_user()
    alive_reader, alive = os.pipe()

    def init() -> NoReturn:
        sys.die_with_parent()
        os.close(alive)
        Supervisor(control, spec, host, shared).serve(alive_reader)
        os._exit(0)

    pid = sandbox.fork(init)
    os.close(alive_reader)
    _watch(pid, control)


def _watch(pid: int, control: socket.socket) -> NoReturn:
    """End the lab when its owner is gone, whatever the lab is doing; end with the lab."""
    poller = select.poll()
    poller.register(os.pidfd_open(pid), select.POLLIN)
    poller.register(control, select.POLLRDHUP)
    poller.poll()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os._exit(max(0, os.waitstatus_to_exitcode(status)))


def _has_uid(uid: int) -> bool:
    """Whether the present user namespace has ``uid``: root of a rootless container has few, and is nobody's root outside."""
    with open("/proc/self/uid_map") as table:
        extents = [[int(word) for word in line.split()] for line in table]
    return any(first <= uid < first + count for first, _, count in extents)


def _unshare_as_user() -> None:
    owner, group = os.geteuid(), os.getegid()
    sys.unshare(_NAMESPACES)
    _write_maps("self", owner, group)


def _unshare_as_root(uid: int) -> None:
    """Root makes the namespaces as root, for a machine may forbid them to others, and is ``uid`` and nobody else from then on.

    Only a process outside may map an id that is not its maker's, so a child waits there to do it.
    """
    parent = os.getpid()
    gate_reader, gate = os.pipe()

    def write_maps() -> NoReturn:
        os.close(gate)
        os.read(gate_reader, 1)
        _write_maps(str(parent), uid, uid)
        os._exit(0)

    child = sandbox.fork(write_maps)
    os.setgroups([])
    sys.unshare(_NAMESPACES)
    os.close(gate)
    os.close(gate_reader)
    _, status = os.waitpid(child, 0)
    if status:
        raise OSError("the uid of the lab could not be mapped")
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    # Without it the files in /proc/self belong to nobody in here.
    sys.set_dumpable()


def _write_maps(process: str, uid: int, gid: int) -> None:
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/{process}/{name}", "w") as table:
            table.write(text)


def _raise_limits() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Supervisor:
    """Serves one lab."""

    def __init__(
        self, control: socket.socket, spec: dict[str, Any], host: roots.Host, shared: dict[str, bytes]
    ) -> None:
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._jobs = Jobs(self._selector)
        self._decoder = wire_format.Decoder()
        self._spaces: dict[str, Namespaces] = {}
        self._connecting: list[tuple[dict[str, Any], float]] = []
        self._held: list[int] = []
        self._build(spec, host, shared)

    # -- building ------------------------------------------------------------------------------------------------

    def _build(self, spec: dict[str, Any], host: roots.Host, shared: dict[str, bytes]) -> None:
        roots.prepare_lab(spec["hidden"])
        paths = {name: roots.share_file(name, content) for name, content in shared.items()}
        self._clock = (
            LabClock.create(f"{roots.BASE}/shared/clock", spec["time_scale"]) if "labtime.so" in shared else None
        )
        self._home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        wiring.quiet_outside()
        makers = [nodes.Maker(index, node["name"], host) for index, node in enumerate(spec["nodes"])]
        for maker in makers:
            self._spaces[maker.name] = maker.wait()
        lines, wires = wiring.batch(spec["links"], {maker.name: maker.pid for maker in makers})
        wiring.lay(lines)
        for maker in makers:
            maker.release()
        for node in spec["nodes"]:
            nodes.plug_in(self._spaces[node["name"]], self._home, node["interfaces"])
        for wire in wires:
            self._start_wire(paths["wire"], *wire)

    def _start_wire(self, program: str, near: str, far: str, arguments: list[str]) -> None:
        reader, writer = os.pipe()
        stdin, keep = os.pipe()
        self._held.append(keep)
        null = os.open("/dev/null", os.O_WRONLY)
        pid = sandbox.spawn_trusted(None, [program, near, far, *arguments], (stdin, writer, 2))
        for fd in (writer, stdin, null):
            os.close(fd)
        said = os.read(reader, 64)
        os.close(reader)
        if not said.startswith(b"ready"):
            raise OSError(f"the wire between {near} and {far} did not start")
        self._jobs.daemons[pid] = f"wire {near}-{far}"

    # -- serving -------------------------------------------------------------------------------------------------

    def serve(self, alive: int) -> None:
        """Answer requests until the owner or the parent is gone."""
        wake_reader, wake = os.pipe()
        for fd in (wake_reader, wake):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._selector.register(wake_reader, selectors.EVENT_READ, lambda: self._drain(wake_reader))
        self._selector.register(self._control, selectors.EVENT_READ, self._receive)
        self._selector.register(alive, selectors.EVENT_READ, lambda: os._exit(0))
        self._send({"id": 0, "ok": {"built": True}})
        while True:
            for key, _ in self._selector.select(self._wait_s()):
                # One event may have ended what the next one is about, and opened another descriptor with its number.
                if self._selector.get_map().get(key.fd) is key:
                    key.data()
            self._jobs.reap()
            self._jobs.tick()
            self._retry_connects()

    def _wait_s(self) -> float | None:
        wait = self._jobs.wait_s()
        if self._connecting:
            return min(wait, _CONNECT_EVERY_S) if wait is not None else _CONNECT_EVERY_S
        return wait

    def _drain(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(fd, 512):
                continue

    def _receive(self) -> None:
        try:
            data = self._control.recv(1 << 20)
        except ConnectionError:
            data = b""
        if not data:
            os._exit(0)
        for message in self._decoder.feed(data):
            self._handle(message)

    def _handle(self, message: dict[str, Any]) -> None:
        operation: Callable[[dict[str, Any]], Any] = getattr(self, f"_do_{message['op']}")
        try:
            answer = operation(message)
        except (OSError, ValueError) as error:
            # ValueError: text that is none, such as a lone surrogate
            self._send({"id": message["id"], "error": str(error)})
            return
        if answer is not None:
            self._send({"id": message["id"], "ok": answer})

    def _send(self, message: dict[str, Any], fd: int | None = None) -> None:
        data = wire_format.encode({**message, "fd": True} if fd is not None else message)
        try:
            if fd is not None:
                sent = socket.send_fds(self._control, [data], [fd])
                data = data[sent:]
            self._control.sendall(data)
        except (BrokenPipeError, ConnectionError):
            os._exit(0)

    # -- requests: each answers at once (returns a dict) or later (returns None) -------------------------------------

    def _do_run(self, message: dict[str, Any]) -> None:
        """Trusted commands one after the other."""
        waiting = list(message["argvs"])
        results: list[dict[str, Any]] = []

        def next_one() -> None:
            if not waiting:
                self._send({"id": message["id"], "ok": {"results": results}})
                return
            try:
                self._start_trusted(message, waiting.pop(0), finished)
            except OSError as error:
                self._send({"id": message["id"], "error": str(error)})

        def finished(result: dict[str, Any]) -> None:
            results.append(result)
            next_one()

        next_one()

    def _start_trusted(self, message: dict[str, Any], argv: list[str], done: Callable[[dict[str, Any]], None]) -> None:
        with _Pipes(stdin=True) as pipes:
            pid = sandbox.spawn_trusted(self._spaces[message["node"]], argv, pipes.theirs)
            self._jobs.add(
                Job(
                    pid=pid,
                    outputs=pipes.ours,
                    done=done,
                    deadline=time.monotonic() + message["timeout_s"],
                    limit=_TRUSTED_OUTPUT,
                    stdin=pipes.stdin,
                    stdin_data=(message.get("input") or "").encode(),
                )
            )

    def _do_shell(self, message: dict[str, Any]) -> None:
        """An agent's shell command."""
        limits = Limits(message["memory_bytes"], message["processes"], message["disk_bytes"])
        desk = self._open_desk(message) if message["reads"] else None
        keep = desk.theirs if desk else {}

        def done(result: dict[str, Any]) -> None:
            if desk:
                desk.close()
            self._send({"id": message["id"], "ok": result})

        with contextlib.ExitStack() as cleanup, _Pipes() as pipes:
            for fd in keep.values():
                cleanup.callback(os.close, fd)
            abandon = cleanup.enter_context(contextlib.ExitStack())
            if desk:
                abandon.callback(desk.close)
            pid = sandbox.spawn_agent(
                self._spaces[message["node"]],
                ["/bin/sh", "-c", message["command"]],
                pipes.theirs,
                writable=message["writable"],
                limits=limits,
                lab_processes=self._count_processes(),
                keep=keep,
            )
            self._jobs.add(
                Job(
                    pid=pid,
                    outputs=pipes.ours,
                    done=done,
                    deadline=time.monotonic() + message["timeout_s"],
                    limit=message["output_bytes"],
                    memory_bytes=limits.memory_bytes,
                )
            )
            abandon.pop_all()

    def _open_desk(self, message: dict[str, Any]) -> Desk:
        asking = {"node": message["node"], "timeout_s": _LISTING_S}
        return Desk(
            selector=self._selector,
            allowed=frozenset(message["reads"]),
            start=lambda argv, answer: self._start_trusted(asking, argv, answer),
        )

    def _do_start(self, message: dict[str, Any]) -> dict[str, Any]:
        """A daemon."""
        env = dict(message["env"])
        if message["lab_time"] and self._clock is not None:
            env |= {"LD_PRELOAD": f"{_SHARED}/labtime.so", "NETBENCH_CLOCK": f"{_SHARED}/clock"}
        node = self._spaces[message["node"]]
        null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        log = roots.open_file(
            node.root, f"/var/log/{os.path.basename(message['argv'][0])}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND
        )
        try:
            pid = sandbox.spawn_trusted(node, message["argv"], (null, log, log), env)
        finally:
            os.close(null)
            os.close(log)
        self._jobs.daemons[pid] = f"{message['node']}: {message['argv'][0]}"
        return {"pid": pid}

    def _do_cli(self, message: dict[str, Any]) -> None:
        """A program on a pty; the owner gets the master end. An agent's own is watched for what it uses."""
        writable = message.get("writable", False)
        limits = Limits(message["memory_bytes"], message["processes"], message["disk_bytes"])
        master, slave = terminals.open_terminal(
            columns=message.get("columns", _COLUMNS), rows=message.get("rows", _ROWS)
        )
        try:
            pid = sandbox.spawn_agent(
                self._spaces[message["node"]],
                message["argv"],
                (slave, slave, slave),
                writable=writable,
                limits=limits,
                lab_processes=self._count_processes() if writable else 0,
                terminal=True,
            )
            if "writable" in message:
                self._jobs.watch(pid, memory_bytes=limits.memory_bytes)
            self._send({"id": message["id"], "ok": {"pid": pid}}, fd=master)
        finally:
            os.close(master)
            os.close(slave)

    def _do_kill(self, message: dict[str, Any]) -> dict[str, Any]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(message["pid"], signal.SIGKILL)
        return {}

    def _do_connect(self, message: dict[str, Any]) -> None:
        """A connection to a Unix socket in a node, as soon as somebody listens there."""
        self._connecting.append((message, time.monotonic() + message["timeout_s"]))
        self._retry_connects()

    def _retry_connects(self) -> None:
        still = []
        for message, deadline in self._connecting:
            try:
                with self._connected(message) as connection:
                    self._send({"id": message["id"], "ok": {}}, fd=connection.fileno())
            except (FileNotFoundError, ConnectionRefusedError, BlockingIOError) as error:
                if time.monotonic() < deadline:
                    still.append((message, deadline))
                else:
                    self._send({"id": message["id"], "error": f"{message['path']}: {error.strerror}{self._deaths()}"})
            except OSError as error:
                self._send({"id": message["id"], "error": f"{message['path']}: {error}"})
        self._connecting = still

    def _connected(self, message: dict[str, Any]) -> socket.socket:
        handle = sys.open_in_root(self._spaces[message["node"]].root, message["path"], os.O_PATH)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.setblocking(False)
            connection.connect(f"/proc/self/fd/{handle}")
        except OSError:
            connection.close()
            raise
        finally:
            os.close(handle)
        return connection

    def _deaths(self) -> str:
        return "".join(f"; {what} ended with status {code}" for what, code in self._jobs.ended_daemons[-3:])

    def _do_write(self, message: dict[str, Any]) -> dict[str, Any]:
        root = self._spaces[message["node"]].root
        for path, text, mode in message["files"]:
            content = text.encode()
            handle = roots.open_file(root, path, os.O_WRONLY | os.O_CREAT, mode)
            with os.fdopen(handle, "wb") as file:
                file.truncate()
                file.write(content)
        return {}

    def _do_read(self, message: dict[str, Any]) -> dict[str, Any]:
        handle = roots.open_file(self._spaces[message["node"]].root, message["path"], os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            return {"text": file.read(_TRUSTED_OUTPUT).decode("utf-8", "replace")}

    def _do_scale(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._clock is not None:
            self._clock.set_factor(message["factor"])
        return {}

    def _do_daemons(self, _message: dict[str, Any]) -> dict[str, Any]:
        return {"ended": self._jobs.ended_daemons}

    def _do_probe(self, message: dict[str, Any]) -> None:
        self._fork_answer(message, lambda: probes.Prober(self._spaces, self._home).run(message["probes"]))

    def _do_path(self, message: dict[str, Any]) -> None:
        self._fork_answer(message, lambda: probes.trace(self._spaces, self._home, message))

    def _do_traffic(self, message: dict[str, Any]) -> None:
        self._fork_answer(message, lambda: traffic.Traffic(self._spaces, self._home, message).run())

    def _fork_answer(self, message: dict[str, Any], work: Callable[[], Any]) -> None:
        """Run ``work`` in a child and send what it returns."""

        def done(result: dict[str, Any]) -> None:
            if result["returncode"]:
                self._send({"id": message["id"], "error": result["stderr"].strip() or f"status {result['returncode']}"})
            else:
                self._send({"id": message["id"], "ok": {"result": json.loads(result["stdout"])}})

        with _Pipes() as pipes:

            def run() -> NoReturn:
                os.dup2(pipes.theirs[2], 2)
                data = json.dumps(work()).encode()
                while data:
                    data = data[os.write(pipes.theirs[1], data) :]
                os._exit(0)

            pid = sandbox.fork(run)
            deadline = time.monotonic() + message["timeout_s"]
            self._jobs.add(Job(pid=pid, outputs=pipes.ours, done=done, deadline=deadline, limit=_TRUSTED_OUTPUT))

    def _count_processes(self) -> int:
        return sum(entry.isdigit() for entry in os.listdir(roots.PROC))


class _Pipes:
    """The standard descriptors of a child: ours to follow, theirs to be closed here once it has started."""

    def __init__(self, *, stdin: bool = False) -> None:
        out_reader, out = os.pipe()
        err_reader, err = os.pipe()
        self.ours = {out_reader: "stdout", err_reader: "stderr"}
        self.stdin: int | None = None
        if stdin:
            source, self.stdin = os.pipe()
        else:
            source = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        self.theirs = (source, out, err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        for fd in self.theirs:
            os.close(fd)
        if failure is not None:
            for fd in (*self.ours, *([] if self.stdin is None else [self.stdin])):
                os.close(fd)
