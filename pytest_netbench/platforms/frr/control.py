"""Control of the daemons of an FRR router: stop, kill, freeze, start and configure them.

Knows what a daemon's configuration is and when it takes commands. Signals are the backend's (``Signals``).
"""

from __future__ import annotations

from operator import not_
from typing import Protocol

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import answers, installation, processes, vtysh

_FILE = "/run/frr/replay.conf"
_MEMORY = "frr-daemon-configs"
_TERM, _KILL, _STOP, _CONT = 15, 9, 19, 18
_GONE_S = 10.0
_PACE_S = 0.003  # the end of a daemon is known to the supervisor, which answers questions only


class Signals(Protocol):
    """What a backend does to the processes of a node."""

    def running(self) -> dict[str, bool]:
        """By daemon that runs: whether it is frozen."""
        ...

    def signal(self, program: str, number: int) -> bool:
        """Send a signal to a daemon; whether it ran."""
        ...


class FrrDaemons:
    """Implements ``platforms.capabilities.DaemonControl`` for a node that runs FRR.

    Args:
        node: The node.
        signals: Its processes.
    """

    def __init__(self, node: HostedNode, signals: Signals) -> None:
        self._node = node
        self._signals = signals

    def running(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._signals.running()) & set(installation.of(self._node).names)))

    def stop(self, daemon: str) -> None:
        self._end(daemon, _TERM)

    def kill(self, daemon: str) -> None:
        self._end(daemon, _KILL)

    def freeze(self, daemon: str) -> None:
        self._check(daemon)
        if self._signals.running().get(daemon) is False:  # later it cannot be asked
            self._save(daemon)
        self._send(daemon, _STOP)

    def resume(self, daemon: str) -> None:
        self._send(daemon, _CONT)

    def start(self, daemon: str) -> None:
        self._check(daemon)
        if daemon in self._signals.running():
            return
        processes.start(self._node, [daemon], running=processes.running(self._node))
        vtysh.drop_all(self._node)
        config = self._configs().pop(daemon, "")
        if config:
            self.configure(daemon, config)

    def configure(self, daemon: str, config: str) -> None:
        self._check(daemon)
        if daemon not in self._signals.running():
            raise LabError(f"{self._node.name}: {daemon} does not run; start it first")
        self._node.write_file(_FILE, config, mode=0o600)
        try:
            done = self._node.run(["vtysh", "-d", daemon, "-f", _FILE])
        finally:
            self._node.write_file(_FILE, "")
        said = f"{done.stdout}\n{done.stderr}".strip()
        rejection = answers.first_rejection(done.stdout, done.stderr)
        if rejection is not None:
            lines = config.splitlines()
            number = rejection.line_number
            line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            raise LabError(f"{self._node.name}: {daemon} refused line {number}: {line!r}: {rejection.device_message}")
        if done.returncode or answers.is_error(done.stdout):
            raise LabError(f"{self._node.name}: {daemon} did not take the configuration: {said or 'no output'}")

    def _end(self, daemon: str, signal: int) -> None:
        self._check(daemon)
        state = self._signals.running()
        if daemon not in state:
            return
        if not state[daemon]:
            self._save(daemon)
        processes.note_running(self._node, processes.running(self._node) - {daemon})  # first: nobody asks it any more
        self._signals.signal(daemon, signal)
        if state[daemon]:
            self._signals.signal(daemon, _CONT)
        if poll(lambda: daemon in self._signals.running(), until=not_, within_s=_GONE_S, pause_s=_PACE_S):
            raise LabError(f"{self._node.name}: {daemon} did not end within {_GONE_S:g} s")
        vtysh.drop_all(self._node)

    def _save(self, daemon: str) -> None:
        self._configs()[daemon] = _settings(self._node.vty([(daemon, "show running-config")])[0][0])

    def _send(self, daemon: str, signal: int) -> None:
        self._check(daemon)
        if not self._signals.signal(daemon, signal):
            raise LabError(f"{self._node.name}: {daemon} does not run")

    def _check(self, daemon: str) -> None:
        known = installation.of(self._node).names
        if daemon not in known:
            raise LabError(f"{self._node.name}: there is no daemon {daemon!r} (known: {', '.join(known)})")

    def _configs(self) -> dict[str, str]:
        configs: dict[str, str] = self._node.memory.setdefault(_MEMORY, {})
        return configs


def _settings(text: str) -> str:
    """The configuration lines in what ``show running-config`` says."""
    lines = text.replace("\r", "").splitlines()
    skipped = ("Building configuration", "Current configuration", "frr version", "frr defaults", "end")
    return "".join(f"{line}\n" for line in lines if line.strip() and not line.startswith(skipped))
