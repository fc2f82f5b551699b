"""One IOS device: its config, its applied state, and the operations that its commands may use."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.capabilities import CLOCK, LOGS, HostedNode
from pytest_netbench.platforms.cisco_ios.apply import apply, frr, seen
from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.compile.context import BOOTING, Context, Facts
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import render
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device import events
from pytest_netbench.platforms.cisco_ios.device.events import Message
from pytest_netbench.platforms.cisco_ios.device.log import Log, of_service
from pytest_netbench.platforms.cisco_ios.grammar.grammar import CONFIG, Grammar
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.frr import daemons, processes

_EVENTS = ("enable", "debug zebra events")
_OPTIONS = dict.fromkeys(("zebra", "mgmtd"), (*frr.OPTIONS, "-n"))
"""Options of FRR's daemons: a VRF is a network namespace (see ``apply/vrf.py``)."""


class Device:
    """The network OS of one node. Threads that use it must hold ``lock``.

    Args:
        node: The node that it drives.
        grammar: The grammar.
    """

    def __init__(self, node: HostedNode, grammar: Grammar) -> None:
        self.node = node
        self.grammar = grammar
        self.role = "switch" if node.role == "switch" else "router"  # a task may use other words for roles
        self.lock = threading.RLock()
        self.cabled = tuple(interfaces.canonical(name) for name in node.interfaces)
        self._line_bps = {interfaces.canonical(name): bps for name, bps in node.line_rates.items()}
        self.physical = self.cabled
        self.config = Section(mode=CONFIG, parent=None)
        self.startup_config = ""
        self.applied = DesiredState()
        self.refused_startup_lines: list[RefusedLine] = []
        self.problems: list[str] = []
        """Errors of applying the state. They are defects: what cannot be applied has to be refused when typed."""
        self.live: dict[str, Any] = {}
        """Observations of the running node that compilation depends on; call ``touch`` after a change."""
        self.memory: dict[str, Any] = {}
        """Data of exec commands (cleared counters, saved files), by a name of the area. Not config; lost on reload."""
        self.lab_devices: Mapping[str, Device] = {}
        """All devices of the lab by node, including itself, once the lab is deployed."""
        self.flash: dict[str, Any] = {}
        """Files, which survive a reload beside the startup config."""
        self._booted_at = self.now
        self._log = Log()
        self._logged_until: dict[str, float] = {}
        self._read_until: dict[str, str] = {}
        self._dirty = True
        self._batches = 0
        self._unlogged = 0

    @property
    def uptime_s(self) -> float:
        """Seconds of lab time since its start."""
        return self.now - self._booted_at

    @property
    def now(self) -> float:
        """The date now in seconds since 1970, by the clock of the lab: the same on all its devices."""
        try:
            return self.node.capability(CLOCK).at(time.time())
        except RequirementMissing:
            return time.time()  # the backend has no clock of its own

    def lab_s(self, wall_s: float) -> float:
        """Return how many lab seconds ago it is what the kernel says to be so many seconds ago."""
        now = time.time()
        try:
            clock = self.node.capability(CLOCK)
        except RequirementMissing:
            return wall_s
        return clock.at(now) - clock.at(now - wall_s)

    def log(self, mnemonic: str, text: str) -> None:
        """Write a line to the log, e.g. ``SYS-5-CONFIG_I``, and send it to the syslog hosts."""
        facility, severity, name = mnemonic.split("-", 2)
        if "syslog" in self.applied.services:
            runner.command(self.node, "syslog", f"send {severity} {facility} {name} {text}")
            return
        message = Message(time=self.now, facility=facility, severity=int(severity), mnemonic=name, text=text)
        self._log.add([message], self.config)

    def collect_log(self) -> Log:
        """Return the log, with all messages of services and daemons until now."""
        found: list[Message] = []
        for process, entries in runner.messages(self.node, self.applied.services).items():
            new = [entry for entry in entries if entry["time"] > self._logged_until.get(process, 0.0)]
            found += map(of_service, new)
            self._logged_until[process] = max((entry["time"] for entry in new), default=0.0) or (
                self._logged_until.get(process, 0.0)
            )
        found += self._events()
        self._log.add(found, self.config)
        return self._log

    def _events(self) -> Iterator[Message]:
        known = events.DeviceNames(
            is_shut=self._log.was_shut,
            is_change=self._log.changes_link,
            ospf_process=self._ospf_process,
            vrf_of=self._vrf_of,
        )
        try:
            logs = self.node.capability(LOGS)
        except RequirementMissing:
            return  # the backend does not keep what daemons write
        for daemon in sorted(processes.running(self.node) & set(events.DAEMONS)):
            text = logs.log(daemon)
            lines = events.lines(text, after=self._read_until.get(daemon, ""))
            self._read_until[daemon] = text.rstrip("\n").rpartition("\n")[2]
            yield from events.messages((one for one in lines if one.time >= self._booted_at), known)

    def _ospf_process(self, vrf: str) -> int:
        found = [e for e in self.config.all("router ospf") if (e.get("vrf") or "default") == vrf]
        return int(found[0]["process"]) if found else 0

    def _vrf_of(self, interface: str) -> str:
        return next((one.vrf for one in self.context().interfaces if one.name == interface), "") or "default"

    def start(self) -> None:
        """Start FRR."""
        self.node.run(["mkdir", "-p", in_vrf.HOME])  # zebra watches this directory
        self._booted_at = self.now
        processes.start_router(self.node, (), options=_OPTIONS)
        self._tell_events()
        seen.begin(self.node)

    def _tell_events(self) -> None:
        """Let zebra write to its log when a link goes up or down."""
        self.node.vty([("zebra", line) for line in _EVENTS])
        frr.stamp_events(self.node, "zebra")

    def all_booted(self) -> None:
        """Start what waits until all devices of the lab have booted."""
        with self.lock:
            if self.live.pop(BOOTING, None):
                self.touch()
                self.commit()

    def restart(self) -> None:
        """Stop all programs, start FRR again and clear what a reload clears."""
        self.problems += apply(self.node, self.applied, DesiredState())
        self.applied = DesiredState()
        self._log.restart()
        self._booted_at = self.now
        # the other daemons start when lines need them, each with its environment
        processes.end_router(self.node)
        processes.start_router(self.node, (), options=_OPTIONS)
        self._tell_events()
        seen.begin(self.node)
        self.memory.clear()
        self.live.clear()

    @property
    def hostname(self) -> str:
        """The host name in the prompt."""
        entry = self.config.get("hostname")
        return str(entry["name"]) if entry else self.node.name

    @property
    def facts(self) -> Facts:
        """The facts that compilation needs beside the config."""
        return Facts(
            name=self.node.name,
            role=self.role,
            cabled=self.cabled,
            frr=daemons.version() or "",
            line_bps=self._line_bps,
            live=self.live,
            time_scale=self.node.time_scale,
        )

    def edit(self, section: Section, *, booting: bool = False) -> Edit:
        """Return an editor for a line typed in ``section``."""
        return Edit(
            config=self.config, section=section, grammar=self.grammar, role=self.role, booting=booting, running=self
        )

    def ask(self, daemon: str, question: str) -> str:
        """Return a daemon's answer to a ``show`` command; "" if the daemon does not run."""
        if daemon not in self.applied.frr.daemons:
            return ""
        return self.node.vty([(daemon, question)])[0][0]

    def chosen(self, process: str) -> str | None:
        """Return the router ID of a running routing process, e.g. ``ospf 1``."""
        found = self.live.get("chosen", {}).get(process)
        return None if found is None else str(found)

    def forget(self, process: str) -> None:
        """Let a routing process choose its router ID again at the next commit."""
        self.live.get("chosen", {}).pop(process, None)

    def vrf_prefix(self, vrf: str) -> Sequence[str]:
        """Return the words before a command that make it run in a VRF."""
        return in_vrf.prefix(vrf)

    def touch(self) -> None:
        """Mark the applied state as outdated, because the config or an observation changed."""
        self._dirty = True

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Lock the device while lines are typed, and apply them together at the end. Batches may be nested."""
        with self.lock:
            self._batches += 1
            try:
                yield
            finally:
                self._batches -= 1
            self._end_batch()

    def configured(self, *, log: bool = True) -> None:
        """Apply the changes of a session that leaves configuration mode; within a batch, at its end.

        Args:
            log: Whether to log that the device was configured.
        """
        with self.lock:
            self._unlogged += int(log)
            self._end_batch()

    def _end_batch(self) -> None:
        if self._batches:
            return
        self.commit()
        while self._unlogged:
            self._unlogged -= 1
            self.log("SYS-5-CONFIG_I", "Configured from console by console")

    @property
    def has_changes(self) -> bool:
        """Whether something was configured since the last commit."""
        return self._dirty

    def commit(self) -> None:
        """Apply all changes since the last commit."""
        with self.lock:
            if not self._dirty:
                return
            state = compile_state(self.grammar, self.config, self.facts)
            self._dirty = False
            self._note_up(state)
            shut = frozenset(one.name for one in self.context().interfaces if not one.enabled)
            self._log.note_shut(shut, self.now)
            self.problems += apply(self.node, self.applied, state)
            for name in state.vrfs:
                if name not in self.applied.vrfs:
                    seen.begin(in_vrf.inside(self.node, name))
            self.applied = state
            self.live["chosen"] = dict(state.chosen)

    def _note_up(self, state: DesiredState) -> None:
        """Note which links are up of those whose MTU changes: zebra then says once more that they are."""
        before = self.applied.links
        changed = [name for name, one in state.links.items() if name in before and before[name].mtu != one.mtu]
        if changed:
            lines = self.node.run(["ip", "-o", "link", "show", "up"]).stdout.splitlines()
            up = {line.split(": ")[1].partition("@")[0] for line in lines if "LOWER_UP" in line}
            names = [interfaces.from_kernel(name) for name in changed if name in up]
            self.collect_log().note_up(name for name in names if name is not None)

    def context(self) -> Context:
        """Return a compilation context of the current config, for commands that interpret it as compilers do."""
        return Context(config=self.config, facts=self.facts)

    def running_config(self) -> str:
        """Return the running config without the head that ``show running-config`` prints."""
        with self.lock:
            for area in self.grammar.areas:
                if area.observe is not None:
                    area.observe(self)
            return render(self.config)
