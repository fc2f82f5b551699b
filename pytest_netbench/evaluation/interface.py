"""The draft's Task Evaluation Interface (§4.3) over a running lab. Only trusted code may use it, not an agent."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from pytest_netbench.errors import AniError, TookTooLong
from pytest_netbench.evaluation.behaviour.observing import table_of
from pytest_netbench.evaluation.bounded import run_all
from pytest_netbench.evaluation.ordering import Events
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.evaluation.runner import Runner
from pytest_netbench.evaluation.wire import testcases_of
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.lab.wellness import may_be_the_agents
from pytest_netbench.model.behaviour import Table
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import TestcaseResult
from pytest_netbench.platforms.driver import Driver, ListsRoutes
from pytest_netbench.rpccodes import Code

METHODS = ("export-final-cfg", "run-testcases")
READERS = 8
UNENFORCED_S = 10.0
ROUTES_S = 10.0


class TaskEvaluation:
    """The evaluator's requests to a lab.

    Args:
        lab: The running network.
        events: The events of the task, which testcases name with ``under``.
    """

    def __init__(self, lab: Lab, *, events: Events | None = None) -> None:
        self._devices = Devices(lab)
        self._runner = Runner(lab, self._devices, events=events)
        self._one_at_a_time = threading.Lock()

    def hold_to(self, reference: Reference) -> None:
        """Let testcases of kind ``reference`` compare with a recorded behaviour."""
        self._runner.reference = reference

    def final_configs(self, names: Collection[str] | None = None) -> dict[str, str]:
        """The running config of each device, or of those in ``names``, in topology order.

        Raises:
            LabError: One could not be read.
        """
        asked = self._asked(names)
        with ThreadPoolExecutor(max_workers=READERS) as readers:
            return dict(zip(asked, readers.map(self._running_config, asked), strict=True))

    def configs_left(
        self, *, within_s: float, names: Collection[str] | None = None
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the running config of each device, and a phrase for each device whose config cannot be read in time.

        The config of a device that cannot be read is empty. With ``names``, only these devices are read.

        Raises:
            LabError: A device cannot be read, and the agent did not cause that.
        """
        asked = self._asked(names)
        work = {name: partial(self._running_config, name) for name in asked}
        found = run_all(work, within_s=within_s, side_by_side=READERS)
        configs, unreadable = {}, []
        for name in asked:
            answer = found.get(name, TookTooLong(within_s))
            if isinstance(answer, str):
                configs[name] = answer
            elif may_be_the_agents(answer, self._devices.node(name)):
                configs[name] = ""
                unreadable.append(f"{name}: the running config cannot be read after the agent's work: {answer}")
            else:
                raise answer
        return configs, tuple(unreadable)

    def routes(self, names: Collection[str]) -> dict[str, Table]:
        """The routing table of each device in ``names`` whose driver lists all routes.

        Devices that cannot be read because of the agent's changes are left out.

        Raises:
            LabError: A device cannot be read, and the agent did not cause that.
        """
        work = {name: partial(self._table, name) for name in self._asked(names)}
        found = run_all(work, within_s=ROUTES_S, side_by_side=READERS)
        for name, table in found.items():
            if isinstance(table, Exception) and not may_be_the_agents(table, self._devices.node(name)):
                raise table
        return {name: table for name, table in found.items() if table is not None and not isinstance(table, Exception)}

    def unenforced(self) -> dict[str, tuple[str, ...]]:
        """Return, by device, the config lines that it accepted but does not implement, and why; only devices with any.

        Raises:
            LabError: A device could not be asked.
        """
        what = "listing what is not enforced"
        work = {
            name: partial(self._devices.ask, name, what, lambda driver, node: tuple(driver.unenforced(node)))
            for name in self._devices.names
        }
        found = run_all(work, within_s=UNENFORCED_S, side_by_side=READERS)
        for name, lines in found.items():
            if isinstance(lines, Exception) and not may_be_the_agents(lines, self._devices.node(name)):
                raise lines
        return {name: lines for name, lines in found.items() if lines and not isinstance(lines, Exception)}

    def run_testcases(
        self,
        testcases: Sequence[Testcase],
        *,
        stop_at_first_failure: bool = False,
        look_again: bool = True,
        settle_at_end: bool = True,
        within_s: float | None = None,
    ) -> list[TestcaseResult]:
        """Run testcases; one result each, in order.

        Args:
            testcases: What must be true.
            stop_at_first_failure: Return as soon as one has failed, with the results there are by then. What an event
                changed is brought back then and not waited for.
            look_again: Check a second time what must hold. Not needed for a network without recent changes.
            settle_at_end: Wait, after the last event has been undone, until the network is as before it. Not needed for
                a network that nobody looks at any more.
            within_s: Wall seconds for all of them beyond what they wait for; those not decided by then have failed.
                ``None``: as long as it takes.

        Raises:
            LabError: The lab broke; a testcase that cannot be run on this network is a failed one instead.
        """
        with self._one_at_a_time:
            return self._runner.run(
                testcases,
                stop_at_first_failure=stop_at_first_failure,
                look_again=look_again,
                settle_at_end=settle_at_end,
                within_s=within_s,
            )

    def call(self, method: str, params: Any = None) -> dict[str, Any]:
        """One request by its wire name, answered in the draft's shape.

        Raises:
            AniError: Unknown method or invalid parameters.
        """
        if method == "export-final-cfg":
            if params:
                raise AniError("export-final-cfg takes no parameters", code=Code.INVALID_PARAMS)
            return {"configs": self.final_configs()}
        if method == "run-testcases":
            results = self.run_testcases(testcases_of(params))
            return {"results": [{"name": result.name, "status": result.status} for result in results]}
        raise AniError(
            f"unknown method {method!r} (known: {', '.join(map(repr, METHODS))})", code=Code.METHOD_NOT_FOUND
        )

    def _asked(self, names: Collection[str] | None) -> tuple[str, ...]:
        return tuple(name for name in self._devices.names if names is None or name in names)

    def _table(self, name: str) -> Table | None:
        def read(driver: Driver[Any], node: LabNode) -> Table | None:
            return table_of(driver.table(node)) if isinstance(driver, ListsRoutes) else None

        return self._devices.ask(name, "reading its routes", read)

    def _running_config(self, name: str) -> str:
        what = "reading its running config"
        return self._devices.ask(name, what, lambda driver, node: driver.running_config(node))
