"""Who owns what outlives a killed process: named in a file, and asked whether it still lives."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from pytest_netbench.kernel import processes

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
_MACHINE: Final = Path("/etc/machine-id")
_PROCESSES: Final = Path("/proc/self/ns/pid")


@dataclass(frozen=True, kw_only=True)
class Owner:
    """A process, named so that nobody else is ever taken for it.

    Attributes:
        machine: The machine, or the container with a file system of its own.
        boot: The boot of its kernel.
        processes: The namespace of its number.
        pid: Its number.
        started: When it was started, as the kernel counts.
    """

    machine: str
    boot: str
    processes: str
    pid: int
    started: str

    @classmethod
    def here(cls) -> Self:
        """This process."""
        pid = os.getpid()
        return cls(
            machine=_machine(),
            boot=_BOOT.read_text().strip(),
            processes=str(_PROCESSES.readlink()),
            pid=pid,
            started=processes.started(pid),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What ``to_json`` made.

        Raises:
            ValueError: It is something else.
        """
        found = json.loads(text)
        kinds = {key: int if key == "pid" else str for key in cls.__dataclass_fields__}
        if not isinstance(found, dict) or found.keys() != kinds.keys():
            raise ValueError("names no owner")
        if not all(isinstance(found[key], kind) for key, kind in kinds.items()):
            raise ValueError("names no owner")
        return cls(**found)

    def to_json(self) -> str:
        """As one line."""
        return json.dumps(asdict(self))

    def lives(self) -> bool | None:
        """Whether it runs; ``None`` if that cannot be seen from here: it is of another machine or container."""
        here = Owner.here()
        if self.machine != here.machine:
            return None
        if self.boot != here.boot:
            return False
        if self.processes != here.processes:
            return None
        return processes.lives(self.pid, self.started)

    def __str__(self) -> str:
        return f"process {self.pid} on {self.machine.rpartition(' ')[2]}"


def _machine() -> str:
    try:
        number = _MACHINE.read_text().strip()
    except OSError:
        number = "-"
    # copies of a machine often have its number
    return f"{number} {platform.node()}"
