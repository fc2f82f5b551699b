"""Looks at flows in use while an agent works: before its first change, and after each change."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.evaluation.observation import BadTestcase, NotThere, View
from pytest_netbench.evaluation.testcases import reachability
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import Testcase, UnbrokenTestcase

LOOKS: Final = 3
"""So many looks in a row must find a flow broken: one packet may be lost on a busy machine."""
_PREFIX: Final = 120


class Unbroken:
    """Watches the flows of the testcases of kind ``unbroken``. Implements ``ani.protocol.WorkWatcher``.

    Args:
        testcases: Those of a task, of any kind.
        lab: The running network.
        devices: Its nodes and platforms.
    """

    def __init__(self, testcases: Sequence[Testcase], lab: Lab, devices: Devices) -> None:
        self._lab, self._devices = lab, devices
        self._flows = {one.name: one.flow for one in testcases if isinstance(one, UnbrokenTestcase)}
        self._found: dict[str, str] = {}
        self._looks = 0
        self._lock = threading.RLock()

    @property
    def found(self) -> Mapping[str, str]:
        """By testcase: when its flow did not get through. Those that always did are not there."""
        return self._found

    @property
    def looks(self) -> int:
        """How often the flows were looked at."""
        return self._looks

    def begin(self) -> None:
        """Look before the agent does anything.

        Raises:
            LabError: The lab broke.
        """
        self._look("before the first change")

    @contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        """Look after a change. Implements ``ani.protocol.WorkWatcher``."""
        try:
            yield
        finally:
            self.look_after(next((line.strip() for line in lines if line.strip()), device))

    def look_after(self, what: str) -> None:
        """Look after a change, or a part of one. Implements ``ani.protocol.LooksAtParts``."""
        self._look(f"after {' '.join(what.split())[:_PREFIX]!r}")

    def _look(self, when: str) -> None:
        with self._lock:
            self._looks += 1
            broken = [name for name in self._flows if name not in self._found]
            for _ in range(LOOKS):
                broken = self._broken(broken)
                if not broken:
                    return
            self._found |= dict.fromkeys(broken, f"not delivered {when}")

    def _broken(self, names: Sequence[str]) -> list[str]:
        """Which of these flows do not get through now."""
        view = View(self._lab, self._devices)
        probes: dict[str, Probe] = {}
        for name in names:
            try:
                probes[name] = reachability.plan(self._flows[name], view)
            except (BadTestcase, NotThere):
                continue
        try:
            results = self._lab.prober.probe([*probes.values()], repetitions=1)
        except LabError as error:
            if not agent_may_have_caused(error, *self._lab.nodes.values()):
                raise
            return list(names)
        delivered = {name for name, one in zip(probes, results, strict=True) if one.delivered}
        return [name for name in names if name not in delivered]
