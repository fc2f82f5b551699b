"""The protocol of a sandbox for Python programs of agents, and of its backends (``pytest_netbench.sandboxes``).

A program in a sandbox is confined like an agent's command in a node: it sees no network, no file of the host but
``/usr``, no other process, and has bounds for memory, processes, output and time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pytest_netbench.lab.report import Check
from pytest_netbench.platforms.access import Completed, SandboxLimits


class Sandbox(Protocol):
    """A place for programs. They run one after the other or side by side and leave nothing to each other."""

    def put(self, files: Mapping[str, str]) -> None:
        """Put text files in place, which programs can read and not change.

        Args:
            files: Text by path; the directory is ``DIRECTORY``.

        Raises:
            LabError: The sandbox broke.
        """
        ...

    def run(self, path: str, *, limits: SandboxLimits) -> Completed:
        """Run the Python program at ``path`` to its end.

        Raises:
            LabError: The sandbox broke, which no program can cause.
        """
        ...

    def close(self) -> None:
        """End everything. Idempotent; leaves no process, namespace, mount or file."""
        ...


class Sandboxes(Protocol):
    """Makes sandboxes. It is made without arguments, whenever it is needed."""

    name: str
    memory_mb: float
    """Megabytes of this machine that a sandbox and a program in it use; the scheduler charges them."""

    def report(self) -> Sequence[Check]:
        """What this machine and the backend can do, for ``netbench doctor``; the required checks first."""
        ...

    def lacks(self) -> tuple[str, str | None] | None:
        """The one thing that this machine lacks and its remedy, or ``None``."""
        ...

    def open(self, *, packages: Sequence[str]) -> Sandbox:
        """Open a sandbox.

        Args:
            packages: Names of pure Python packages, installed here, that programs can import beside the standard
                library.

        Raises:
            RequirementMissing: This machine lacks something.
            LabError: The sandbox could not be made.
        """
        ...


DIRECTORY = "/home"
"""Where the files of a sandbox are."""
