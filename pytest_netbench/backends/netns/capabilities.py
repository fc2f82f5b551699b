"""The capabilities that a netns lab and its nodes offer beyond their core."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import struct
import termios
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.backends.netns.nodes.operations import (
    NetnsCaptures,
    NetnsCounters,
    NetnsLogs,
    NetnsSignals,
    NetnsSockets,
)
from pytest_netbench.backends.netns.nodes.program import sandbox_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.cables import Cables
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.deployment import serve
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import (
    CAPTURES,
    CLOCK,
    COUNTERS,
    DAEMONS,
    FRR_SOCKETS,
    LOGS,
    PROGRAMS,
    SOCKETS,
    STREAMS,
    TerminalSize,
)
from pytest_netbench.platforms.frr.control import FrrDaemons
from pytest_netbench.platforms.power import EndsProcesses, Rebooting

_LONGEST_S = 1e9  # JSON has no infinity
_END_OF_INPUT = b"\x04"
_LONGEST_STATUS = 65_536


class Streamed:
    """Implements ``platforms.capabilities.StreamedProgram``.

    Args:
        ended: The end of the supervisor's socket pair.
        streams: Standard input, output and error, or the master end of a terminal.
    """

    def __init__(self, ended: int, streams: Sequence[int]) -> None:
        self.ended = ended
        self.stdin, self.stdout = streams[0], streams[1] if len(streams) > 1 else streams[0]
        self.stderr = streams[2] if len(streams) > 2 else None
        self._open = {ended, *streams}
        self._lock = threading.Lock()
        for fd in self._open:
            os.set_blocking(fd, False)

    def status(self) -> Completed:
        with self._lock:
            try:
                said = os.read(self.ended, _LONGEST_STATUS) if self.ended in self._open else b""
            except BlockingIOError:
                raise LabError("the program has not ended") from None
            except OSError:
                said = b""
        if not said:
            raise LabError("the program's lab is gone")
        return Completed(**json.loads(said))

    def close_stdin(self) -> None:
        with self._lock:
            if self.stdin not in self._open:
                return
            if self.stdin == self.stdout:
                with contextlib.suppress(OSError):  # nobody reads
                    os.write(self.stdin, _END_OF_INPUT)
            else:
                self._open.discard(self.stdin)
                os.close(self.stdin)

    def resize(self, *, columns: int, rows: int) -> None:
        size = (max(1, min(value, 0xFFFF)) for value in (rows, columns))
        with self._lock:
            if self.stdin == self.stdout and self.stdin in self._open:
                fcntl.ioctl(self.stdin, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def close(self) -> None:
        with self._lock:
            for fd in self._open:
                os.close(fd)
            self._open.clear()


class NetnsStreams:
    """Implements ``platforms.capabilities.Streams`` over the lab's supervisor.

    Args:
        channel: To it.
        node: The node's name.
    """

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def stream(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        host_name: str | None = None,
        terminal: TerminalSize | None = None,
        limits: SandboxLimits = DEFAULT_LIMITS,
    ) -> Streamed:
        _, (ended, *streams) = self._channel.call_for_fds(
            "stream",
            node=self._node,
            argv=list(argv),
            env=dict(env or {}),
            host_name=host_name,
            terminal=None if terminal is None else [terminal.columns, terminal.rows],
            lives_s=limits.timeout_s if math.isfinite(limits.timeout_s) else _LONGEST_S,
            **sandbox_of(limits),
        )
        return Streamed(ended, streams)

    def clear(self) -> None:
        self._channel.call("clear-node", node=self._node)


def equip(lab: NetnsLab, channel: Channel, startup_configs: Mapping[str, str], *, redirecting: bool) -> None:
    """Let a lab and its nodes offer what this backend can do.

    Args:
        lab: The lab.
        channel: To its supervisor.
        startup_configs: By node, for reboots.
        redirecting: Whether the kernel can redirect frames. Otherwise cables cannot be cut, and nodes not be rebooted.
    """
    for name, node in lab.nodes.items():
        driver = lab.driver(name)
        node.offered[COUNTERS.name] = NetnsCounters(channel, node, driver.kernel_interface)
        node.offered[CAPTURES.name] = NetnsCaptures(channel, node, driver.kernel_interface, lab.clock.at)
        node.offered[CLOCK.name] = lab.clock
        node.offered[SOCKETS.name] = NetnsSockets(channel, name)
        node.offered[STREAMS.name] = NetnsStreams(channel, name)
        node.offered[LOGS.name] = NetnsLogs(channel, name)
        node.offered[PROGRAMS.name] = signals = NetnsSignals(channel, name)
        if FRR_SOCKETS.name in driver.requires:
            node.offered[DAEMONS.name] = FrrDaemons(node, signals)
    if not redirecting:
        return
    links = Cables(
        channel=channel,
        topology=lab.topology,
        kernel_name=partial(_kernel_name, lab),
        line_rates={name: node.line_rates for name, node in lab.nodes.items()},
        time_scale=lambda: lab.time_scale,
    )
    lab.offered[LINKS.name] = links
    lab.offered[NODES.name] = NetnsNodes(lab, channel, links, startup_configs)


def _kernel_name(lab: NetnsLab, node: str, interface: str) -> str:
    return lab.driver(node).kernel_interface(interface)


class NetnsNodes:
    """Implements ``lab.capabilities.NodeControl``."""

    def __init__(self, lab: NetnsLab, channel: Channel, links: Cables, startup_configs: Mapping[str, str]) -> None:
        self._lab = lab
        self._channel = channel
        self._links = links
        self._startup_configs = startup_configs
        self._crashed: dict[str, None] = {}

    @property
    def crashed(self) -> Collection[str]:
        return tuple(self._crashed)

    def crash(self, node: str) -> None:
        self._check(node)
        if node not in self._crashed:
            for name in self._lab.nodes[node].interfaces:
                self._links.block(node, name, blocked=True)
            self._crashed[node] = None

    def revive(self, node: str) -> None:
        self._check(node)
        if node in self._crashed:
            for name in self._lab.nodes[node].interfaces:
                self._links.block(node, name, blocked=False)
            del self._crashed[node]

    def _check(self, node: str) -> None:
        if node not in self._lab.nodes:
            raise LabError(f"there is no node {node!r} (known: {', '.join(self._lab.nodes)})")

    def reboot(self, node: str, *, config: str | None = None) -> None:
        self._check(node)
        driver, access = self._lab.driver(node), self._lab.nodes[node]
        if not isinstance(driver, Rebooting):
            raise LabError(f"{node}: driver {driver.name!r} cannot reboot its nodes")
        pulled = [name for name in access.interfaces if not self._links.is_cut(node, name)]
        for name in pulled:
            self._links.cut(node, name)
        try:
            if not isinstance(driver, EndsProcesses):
                self._channel.call("end-node", node=node)
            driver.reboot(access, self._startup_configs.get(node, "") if config is None else config)
            serve(self._lab, node)
        finally:
            for name in pulled:
                self._links.restore(node, name)
