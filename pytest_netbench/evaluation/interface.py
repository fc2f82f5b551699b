"""The draft's Task Evaluation Interface (§4.3) over a running lab. Only trusted code may use it, not an agent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from pytest_netbench.errors import AniError, RequirementMissing, TookTooLong
from pytest_netbench.evaluation.behaviour.observing import table_of
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.ordering import Events
from pytest_netbench.evaluation.reference import Reference
from pytest_netbench.evaluation.runner import Runner
from pytest_netbench.evaluation.testcases import KINDS, unmeasurable
from pytest_netbench.evaluation.testcases.reference import measuring_s
from pytest_netbench.evaluation.timeouts import run_all
from pytest_netbench.evaluation.unbroken import Unbroken
from pytest_netbench.evaluation.waiting import result_of
from pytest_netbench.evaluation.wire import testcases_of
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.model.behaviour import Table
from pytest_netbench.model.payload import CLUSTER_PLATFORM
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import TestcaseResult
from pytest_netbench.platforms.driver import Driver, ListsRoutes
from pytest_netbench.rpccodes import Code

METHODS = ("export-final-cfg", "run-testcases")
CONFIG = "reading its running config"
READERS = 8
UNENFORCED_S = 10.0
ROUTES_S = 10.0

T = TypeVar("T")


class TaskEvaluation:
    """The evaluator's requests to a lab.

    Args:
        lab: The running network.
        events: The events of the task, which testcases name with ``under``.
    """

    def __init__(self, lab: Lab, *, events: Events | None = None) -> None:
        self._lab = lab
        self._devices = Devices(lab)
        self._events: Events = events or {}
        self._reference: Reference | None = None
        self._unbroken: Unbroken | None = None
        self._one_at_a_time = threading.Lock()

    def hold_to(self, reference: Reference) -> None:
        """Let testcases of kind ``reference`` compare with a recorded behaviour."""
        self._reference = reference

    def watch(self, testcases: Sequence[Testcase]) -> Unbroken:
        """Watch the flows of testcases of kind ``unbroken`` from now on; return what must be told of each change.

        Raises:
            LabError: The lab broke.
        """
        self._unbroken = Unbroken(testcases, self._lab, self._devices)
        self._unbroken.begin()
        return self._unbroken

    def final_configs(self, names: Collection[str] | None = None) -> dict[str, str]:
        """The running config of each device, or of those in ``names``, in topology order.

        Raises:
            LabError: One could not be read.
        """
        asked = self._asked(names)
        with ThreadPoolExecutor(max_workers=READERS) as readers:
            found = readers.map(lambda name: self._devices.ask(name, CONFIG, _running_config), asked)
            return dict(zip(asked, found, strict=True))

    def configs_left(
        self, *, within_s: float, names: Collection[str] | None = None
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the running config of each device, and a phrase for each device whose config cannot be read in time.

        The config of a device that cannot be read is empty. With ``names``, only these devices are read.

        Raises:
            LabError: A device cannot be read, and the agent did not cause that.
        """
        found = self._answers(names, CONFIG, _running_config, within_s=within_s)
        configs, unreadable = {}, []
        for name in self._asked(names):
            answer = found[name] if name in found else self._excused(name, TookTooLong(within_s))
            configs[name] = answer if isinstance(answer, str) else ""
            if isinstance(answer, Exception):
                unreadable.append(f"{name}: the running config cannot be read after the agent's work: {answer}")
        return configs, tuple(unreadable)

    def routes(self, names: Collection[str]) -> dict[str, Table]:
        """The routing table of each device in ``names`` whose driver lists all routes.

        Devices that cannot be read because of the agent's changes are left out.

        Raises:
            LabError: A device cannot be read, and the agent did not cause that.
        """

        def read(driver: Driver[Any], node: LabNode) -> Table | None:
            return table_of(driver.table(node)) if isinstance(driver, ListsRoutes) else None

        found = self._answers(names, "reading its routes", read, within_s=ROUTES_S)
        return {name: table for name, table in found.items() if table is not None and not isinstance(table, Exception)}

    def unenforced(self) -> dict[str, tuple[str, ...]]:
        """Return, by device, the config lines that it accepted but does not implement, and why; only devices with any.

        Raises:
            LabError: A device could not be asked.
        """

        def read(driver: Driver[Any], node: LabNode) -> tuple[str, ...]:
            return tuple(driver.unenforced(node))

        found = self._answers(None, "listing what is not enforced", read, within_s=UNENFORCED_S)
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
            runner = Runner(
                self._lab,
                self._devices,
                testcases,
                events=self._events,
                reference=self._reference,
                unbroken=self._unbroken,
                stop_at_first_failure=stop_at_first_failure,
                look_again=look_again,
                settle_at_end=settle_at_end,
            )
            if within_s is None:
                runner.run()
                return [runner.results[index] for index in sorted(runner.results)]
            within_s += runner.longest_s + measuring_s(testcases, self._view())
            ended = run_all({"testcases": runner.run}, within_s=within_s, side_by_side=1)
        error = ended.get("testcases")
        if isinstance(error, Exception) and not isinstance(error, TookTooLong):
            raise error
        decided = dict(runner.results)
        words = f"the network that the agent left could not be looked at within {within_s:.0f} s"
        return [
            decided.get(index) or result_of(testcase, "fail", words, duration_s=within_s)
            for index, testcase in enumerate(testcases)
        ]

    def require_measurable(self, testcases: Sequence[Testcase]) -> None:
        """Ask whether all testcases can be measured, before anybody works on the network.

        Raises:
            RequirementMissing: One cannot; the sentence names it.
            LabError: The network could not be asked.
        """
        sends = [one for one in testcases if KINDS[one.kind].plan is not None]
        if sends and (lack := unmeasurable(sends, self._view())) is not None:
            raise RequirementMissing(lack)

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

    def _view(self) -> View:
        return View(self._lab, self._devices, reference=self._reference)

    def _asked(self, names: Collection[str] | None) -> tuple[str, ...]:
        """Those named; otherwise all. Of a cluster that is its workstation: addresses of pods are new each time."""
        known = {name: self._devices.node(name) for name in self._devices.names}
        if names is not None:
            return tuple(name for name in known if name in names)
        workstations = tuple(name for name, node in known.items() if node.platform == CLUSTER_PLATFORM)
        return workstations or tuple(known)

    def _answers(
        self,
        names: Collection[str] | None,
        what: str,
        question: Callable[[Driver[Any], LabNode], T],
        *,
        within_s: float,
    ) -> dict[str, T | Exception]:
        """What each device answers in time, or what keeps it from that because of the agent's changes."""
        work = {name: partial(self._devices.ask, name, what, question) for name in self._asked(names)}
        found = run_all(work, within_s=within_s, side_by_side=READERS)
        return {
            name: self._excused(name, answer) if isinstance(answer, Exception) else answer
            for name, answer in found.items()
        }

    def _excused(self, name: str, error: Exception) -> Exception:
        """The error of a device if the agent may have caused it; otherwise it is raised."""
        if not agent_may_have_caused(error, self._devices.node(name)):
            raise error
        return error


def _running_config(driver: Driver[Any], node: LabNode) -> str:
    return driver.running_config(node)
