"""The slots of a machine: nodes of the lab that can be pods."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_netbench.backends.kube.plan import Slot
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.capabilities import (
    FILES,
    LOGS,
    PROCESSES,
    PROGRAMS,
    STREAMS,
    StreamedProgram,
    TerminalSize,
)

_EMPTIED: Final = "/etc/zone"


class SlotNode:
    """A slot in use or not, and the node of the lab behind it. Its methods block.

    Args:
        slot: Its address and interface.
        node: The node.
    """

    def __init__(self, slot: Slot, node: LabNode) -> None:
        self.address = slot.address
        self.name = slot.node
        self.node = node
        self.zone = ""
        """What the pod resolves names from, if it does."""

    def furnish(self, files: Mapping[str, str]) -> None:
        """Put the pod's files in place."""
        access = self.node.capability(FILES)
        for path, text in files.items():
            access.write_file(path, text)

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a program of the framework, by the name of its container."""
        self.node.capability(PROCESSES).start(argv, env=env, lab_time=False, name=name)

    def stream(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        host_name: str,
        terminal: TerminalSize | None,
        limits: SandboxLimits,
    ) -> StreamedProgram:
        """Start a program of an agent, with the name of its pod.

        Raises:
            LabError: It cannot be started.
        """
        streams = self.node.capability(STREAMS)
        return streams.stream(argv, env=env, host_name=host_name, terminal=terminal, limits=limits)

    def log(self, name: str) -> str:
        """What a program of the framework wrote.

        Raises:
            LabError: None was started by this name.
        """
        return self.node.capability(LOGS).log(name)

    def runs(self, name: str) -> bool:
        """Whether a program of the framework runs."""
        return name in self.node.capability(PROGRAMS).running()

    def end(self) -> None:
        """End all programs, forget their files and logs: the slot is ready for another pod."""
        if self.zone:
            self.zone = ""
            self.node.capability(FILES).write_file(_EMPTIED, "")
        self.node.capability(STREAMS).clear()


class Slots:
    """The free slots of a machine; the one that was used last comes last."""

    def __init__(self, slots: Sequence[Slot], nodes: Any) -> None:
        self.all = {slot.node: SlotNode(slot, nodes[slot.node]) for slot in slots}
        self._free = deque(self.all.values())

    def take(self) -> SlotNode | None:
        """A free one; ``None`` if there is none."""
        return self._free.popleft() if self._free else None

    def give(self, slot: SlotNode) -> None:
        """Give one back."""
        self._free.append(slot)
