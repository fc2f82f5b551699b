"""The slots of a machine: nodes of the lab that can be pods."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from pytest_netbench.backends.kube.plan import Slot
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.platforms.capabilities import EXEC, FILES, LOGS, PROCESSES, PROGRAMS

PROGRAM_NAME = "container"
_KILL = 9


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
        self._before = ""

    def start(self, argv: Sequence[str], env: dict[str, str], files: dict[str, str]) -> None:
        """Start the pod's program."""
        access = self.node.capability(FILES)
        for path, text in files.items():
            access.write_file(path, text)
        self.node.capability(PROCESSES).start(argv, env=env, lab_time=False, name=PROGRAM_NAME)

    def log(self) -> str:
        """What the program wrote; empty if none was started."""
        return self.node.capability(LOGS).log(PROGRAM_NAME)[len(self._before) :]

    def runs(self) -> bool:
        """Whether the program runs."""
        return PROGRAM_NAME in self.node.capability(PROGRAMS).running()

    def end(self) -> None:
        """End the program, and make the slot ready for another pod."""
        self.zone = ""
        self.node.capability(PROGRAMS).signal(PROGRAM_NAME, _KILL)
        self._before = self.node.capability(LOGS).log(PROGRAM_NAME)
        self.node.capability(EXEC).run(["sh", "-c", "rm -rf /tmp/* /home/* /root/* /var/tmp/*"])


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
