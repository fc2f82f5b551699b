"""The devices of a testbed in use: locked, saved before they are changed, put back at the end."""

from __future__ import annotations

from typing import Any

from pytest_netbench import parts
from pytest_netbench.backends.testbed import journal
from pytest_netbench.backends.testbed.inventory.reading import Known, Testbed
from pytest_netbench.backends.testbed.nodes import DRIVERS, AnyNode, node_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.exchanging import Exchanges, configs_of
from pytest_netbench.lab.attaching.guards import Guard
from pytest_netbench.lab.attaching.journal import key
from pytest_netbench.lab.owners import Owner
from pytest_netbench.model.topology import Topology


class Held:
    """A device that this process holds.

    Args:
        node: The node of the task that it stands for.
        known: The device.
        testbed: Its testbed.
        topology: Of the task; ``None`` only to put it back.
        wait_s: How long it is waited for.

    Raises:
        LabError: It is in use.
    """

    def __init__(
        self, node: str, known: Known, testbed: Testbed, topology: Topology | None, *, wait_s: float | None = None
    ) -> None:
        self.name = key(known.address, known.port)
        self.known = known
        self.guard = Guard(known.device, node)
        self._testbed = testbed
        self._as_node = node
        self._topology = topology
        self._lock = journal.JOURNALS.lock(
            self.name, known.device.name, wait_s=testbed.wait_s if wait_s is None else wait_s
        )
        self.node: AnyNode | None = None
        self.driver: Any = None
        self.configs: Exchanges | None = None
        self.saved: str | None = None

    def prepare(self) -> None:
        """Put back what a killed run left; then, for a task, save what is there.

        Raises:
            LabError: It does not answer, or cannot be put back.
            RequirementMissing: The environment lacks a password, or there is no SSH client.
        """
        known = self.known
        self.node = node_of(self._as_node, known, self._topology, within_s=self._testbed.prompt_s)
        self.driver = parts.load("drivers", known.entry.driver or DRIVERS[known.device.dialect])()
        self.configs = configs_of(known.device, self.driver, self.node, known.entry.keep or ())
        before = journal.read(self.name)
        if before is not None:
            if self._topology is not None:
                journal.JOURNALS.refuse_kept(self.name, known.device.name)
            _refuse_others(known.device.name, before)
            self.configs.restore(before.config)
            journal.JOURNALS.forget(self.name)
        if self._topology is not None:
            self._save()

    def _save(self) -> None:
        assert self.configs is not None
        self.saved = self.configs.running()
        written = journal.Saved(
            owner=Owner.here().to_json(),
            testbed=str(self._testbed.path),
            device=self.known.device.name,
            config=self.saved,
        )
        journal.write(self.name, written)

    def restore(self) -> None:
        """Put back what was saved, and forget that it was changed.

        Raises:
            LabError: It is not as it was; the journal stays.
        """
        if self.configs is not None and self.saved is not None:
            self.configs.restore(self.saved)
            journal.JOURNALS.forget(self.name)
            self.saved = None

    def keep(self) -> None:
        """Let it stay as it is, and let others log in."""
        journal.JOURNALS.keep(self.name)
        self.release()

    def forget(self) -> None:
        """Forget what was saved: nothing was changed yet."""
        if self.saved is not None:
            journal.JOURNALS.forget(self.name)
            self.saved = None

    def release(self) -> None:
        """Let others use it. Idempotent."""
        try:
            if self.node is not None:
                self.node.close()
        finally:
            self._lock.release()


def _refuse_others(name: str, saved: journal.Saved) -> None:
    if Owner.from_json(saved.owner).lives() is None:
        raise LabError(f"{name}: a run on another machine or in another container has changed it")
