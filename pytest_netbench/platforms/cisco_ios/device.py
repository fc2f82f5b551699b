"""One IOS device: its config, what of it is applied, and what its commands may use."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import apply
from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.compile import Context, Facts, compile_plan
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import render
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.grammar.book import CONFIG, Book
from pytest_netbench.platforms.cisco_ios.plan import Plan
from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.services.programs import syslog
from pytest_netbench.platforms.frr import daemons, processes

if TYPE_CHECKING:
    from pytest_netbench.platforms.cisco_ios.session import Session

_INTERFACE_LINE = re.compile(
    r"\s*int(?:e(?:r(?:f(?:a(?:ce?)?)?)?)?)?\s+(?!range\b)([A-Za-z-]+\s*[\d/]+)\s*$", re.IGNORECASE
)
_LOG_LINES = 200
_OPTIONS = {"zebra": ("-n",), "mgmtd": ("-n",)}
"""A VRF is a network namespace (see ``apply/vrf.py``)."""
_COMMENT = re.compile(r"\s*(!|$)")


class Device:
    """The network OS of one node. May be used from several threads, which hold ``lock`` while they do.

    Args:
        node: The node that it drives.
        book: The grammar.
    """

    def __init__(self, node: HostedNode, book: Book) -> None:
        self.node = node
        self.book = book
        self.role = "switch" if node.role == "switch" else "router"  # a task says roles in words of its own
        self.lock = threading.RLock()
        self.cabled = tuple(interfaces.canonical(name) for name in node.interfaces)
        self._line_bps = {interfaces.canonical(name): bps for name, bps in node.line_rates.items()}
        self.physical = self.cabled
        self.config = Section(mode=CONFIG, parent=None)
        self.startup_config = ""
        self.refused_startup_lines: list[RefusedLine] = []
        self.plan = Plan()
        self.problems: list[str] = []
        """What a part of the node did not take: defects, since whatever cannot be done is to be refused when it is typed."""
        self.live: dict[str, Any] = {}
        """What areas observed of the running node and their compilation depends on; set, then call ``touch``."""
        self.memory: dict[str, Any] = {}
        """What exec commands keep (cleared counters, saved files), by a name of the area's own. Not config; lost on reload."""
        self.fellows: Mapping[str, Device] = {}
        """All devices of the lab by node, itself among them, once the lab stands."""
        self.flash: dict[str, Any] = {}
        """What survives a reload beside the startup config."""
        self.log_lines: list[str] = []
        self._logged_until = 0.0
        self._dirty = True
        self._started = time.monotonic()

    @property
    def uptime_s(self) -> float:
        """Seconds of lab time since it started."""
        return (time.monotonic() - self._started) * self.node.time_scale

    def log(self, mnemonic: str, text: str) -> None:
        """Write a line to the log, e.g. ``SYS-5-CONFIG_I``, and send it to the syslog hosts."""
        facility, severity, name = mnemonic.split("-", 2)
        if "syslog" in self.plan.services:
            runner.command(self.node, "syslog", f"send {severity} {facility} {name} {text}")
            return
        entry = {"facility": facility, "severity": int(severity), "mnemonic": name, "text": text}
        self._keep_line(f"{syslog.stamp(time.time())}: {syslog.formatted(entry)}")

    def collect_log(self) -> list[str]:
        """The log, with what services have said since it was last looked at."""
        if "syslog" in self.plan.services:
            for entry in runner.state(self.node, "syslog")["messages"]:
                if entry["time"] > self._logged_until:
                    self._logged_until = entry["time"]
                    self._keep_line(f"{syslog.stamp(entry['time'])}: {syslog.formatted(entry)}")
        return self.log_lines

    def _keep_line(self, line: str) -> None:
        self.log_lines.append(line)
        del self.log_lines[:-_LOG_LINES]

    def boot(self, startup_config: str) -> None:
        """Start FRR and load the startup config; ``refused_startup_lines`` has the lines that were not taken."""
        self.node.run(["mkdir", "-p", in_vrf.HOME])  # zebra watches it
        processes.start_router(self.node, (), options=_OPTIONS)
        self.startup_config = startup_config
        self._load_startup()
        self.commit()

    def reload(self) -> None:
        """Start anew with what was saved: everything that ran ends first."""
        with self.lock:
            self.problems += apply(self.node, self.plan, Plan())
            self.plan = Plan()
            processes.restart_router(self.node, options=_OPTIONS)
            self.memory.clear()
            self.live.clear()
            self._load_startup()
            self._started = time.monotonic()
            self.commit()

    def _load_startup(self) -> None:
        from pytest_netbench.platforms.cisco_ios.session import Session  # noqa: PLC0415 - a session needs a device

        self.config = Section(mode=CONFIG, parent=None)
        text = self.startup_config
        self.physical = (*self.cabled, *(name for name in _uncabled(text) if name not in self.cabled))
        session = Session(self, booting=True)
        session.enter("configure terminal")
        for line in factory_config(self):
            words = session.enter(line)
            assert not words, f"{line!r}: {words}"
        for entry in self.config:
            entry.factory = True
        session.enter("end")
        session.enter("configure terminal")
        self.refused_startup_lines = []
        skipped_below: int | None = None  # indentation of a refused line: what is indented below it has no section
        for number, line in enumerate(text.splitlines(), start=1):
            if _COMMENT.match(line) and not session.collecting:
                continue
            if (
                re.fullmatch(r"\s*(end|enable|conf(igure)? t(erminal)?|wr(ite)?( mem(ory)?)?)\s*", line)
                and not session.collecting
            ):
                continue
            indent = len(line) - len(line.lstrip())
            if skipped_below is not None and indent > skipped_below and not session.collecting:
                message = "not entered: the line above that opens its section was refused"
            else:
                skipped_below = None
                words = session.enter(line)
                if not session.refused:
                    continue
                skipped_below = indent
                message = _in_one_line(words, line)
            self.refused_startup_lines.append(
                RefusedLine(node=self.node.name, line_number=number, line=line, message=message)
            )
        self._dirty = True

    @property
    def hostname(self) -> str:
        """The host name in the prompt."""
        entry = self.config.get("hostname")
        return str(entry["name"]) if entry else self.node.name

    @property
    def facts(self) -> Facts:
        """What compilation knows beside the config."""
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
        """An editor for a line typed in ``section``."""
        return Edit(config=self.config, section=section, book=self.book, role=self.role, booting=booting)

    def vrf_prefix(self, vrf: str) -> Sequence[str]:
        """The words before a command that make it run in a VRF."""
        return in_vrf.prefix(vrf)

    def touch(self) -> None:
        """Say that the config, or what compilation depends on, is not what was applied."""
        self._dirty = True

    def commit(self) -> None:
        """Apply what changed since the last time."""
        with self.lock:
            if not self._dirty:
                return
            plan = compile_plan(self.book, self.config, self.facts)
            self._dirty = False
            self.problems += apply(self.node, self.plan, plan)
            self.plan = plan
            self.live["chosen"] = dict(plan.chosen)

    def context(self) -> Context:
        """A compilation context over the present config, for what reads the config as compilers do."""
        return Context(config=self.config, facts=self.facts)

    def running_config(self) -> str:
        """The running config without the lines that ``show running-config`` prints above it."""
        with self.lock:
            for area in self.book.areas:
                if area.observe is not None:
                    area.observe(self)
            return render(self.config)


@dataclass(frozen=True, kw_only=True)
class Exec:
    """What an exec command may use. ``device.commit()`` was called before.

    Args:
        device: The device.
        session: Where it was typed.
        limits: How long it may take.
    """

    device: Device
    session: Session
    limits: SandboxLimits

    @property
    def node(self) -> HostedNode:
        """The node."""
        return self.device.node

    @property
    def config(self) -> Section:
        """The running config."""
        return self.device.config

    def ask(self, daemon: str, command: str) -> str:
        """What an FRR daemon answers; "" if it does not run."""
        if daemon not in processes.running(self.node):
            return ""
        return self.node.vty([(daemon, command)])[0][0]

    def ask_json(self, daemon: str, command: str) -> Any:
        """The same, read as JSON; ``{}`` where it answers anything else."""
        text = self.ask(daemon, command)
        start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
        try:
            return json.loads(text[start:]) if start >= 0 else {}
        except json.JSONDecodeError:  # words of refusal with a bracket in them
            return {}

    def run_in_vrf(self, vrf: str, argv: Sequence[str], *, timeout_s: float = 30.0) -> Completed:
        """Run a program of the machine in a VRF's network; "" is the global one."""
        prefix = self.device.vrf_prefix(vrf) if vrf else ()
        return self.node.run([*prefix, *argv], timeout_s=timeout_s)

    def ip_json(self, *words: str) -> list[Mapping[str, Any]]:
        """What ``ip -j WORDS`` prints, in all VRFs."""
        found: list[Mapping[str, Any]] = []
        for name in in_vrf.names(self.node):
            done = in_vrf.inside(self.node, name).run(["ip", "-j", *words])
            found += json.loads(done.stdout or "[]")
        return found


class Interrupted(Exception):
    """Thrown into a running command: whoever is at the terminal wants no more of it."""


@dataclass(frozen=True)
class Ask:
    """A question that a running command puts to the person at the terminal.

    Yielded among pieces of output; the answer line is sent back. Where nobody can be asked, the answer is "", which takes the default.
    """

    prompt: str
    secret: bool = False


def _in_one_line(words: str, line: str) -> str:
    """What the device said, with the word that its marker stands below."""
    marker, _, rest = words.partition("\n")
    if marker.strip() != "^":
        return words.strip()
    return f"{rest.strip()} (at {line[marker.index('^') :].split(maxsplit=1)[0]!r})"


def factory_config(device: Device) -> list[str]:
    """What a device has before its startup config: its ports and what IOS says of itself."""
    lines = [line for area in device.book.areas for line in area.factory]
    lines.append(f"hostname {device.node.name}")
    for name in device.physical:
        lines += [f"interface {name}", "exit"]
    return lines


def _uncabled(text: str) -> list[str]:
    """Ports that a startup config speaks of: the device has them, whether or not a cable is in."""
    found = []
    for line in text.splitlines():
        name = _INTERFACE_LINE.match(line)
        if name is None:
            continue
        try:
            parsed = interfaces.parse(name[1])
        except ValueError:
            continue
        if not parsed.is_virtual and str(parsed) not in found:
            found.append(str(parsed))
    return found
