"""The draft's Task Evaluation Interface (§4.3) over a running lab. Its callers are trusted; an agent never holds it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pytest_netbench.errors import AniError
from pytest_netbench.evaluation.runner import Runner
from pytest_netbench.evaluation.wire import INVALID_PARAMS, testcases_of
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import Testcase
from pytest_netbench.model.trial import TestcaseResult

METHOD_NOT_FOUND = -32601
METHODS = ("export-final-cfg", "run-testcases")
READERS = 8


class TaskEvaluation:
    """What the evaluator may ask of a lab.

    Args:
        lab: The running network.
    """

    def __init__(self, lab: Lab) -> None:
        self._devices = Devices(lab)
        self._runner = Runner(lab, self._devices)
        self._one_at_a_time = threading.Lock()

    def final_configs(self) -> dict[str, str]:
        """The running config of each device, in topology order.

        Raises:
            LabError: One could not be read.
        """
        names = self._devices.names
        with ThreadPoolExecutor(max_workers=min(READERS, len(names))) as readers:
            return dict(zip(names, readers.map(self._running_config, names), strict=True))

    def unenforced(self) -> dict[str, tuple[str, ...]]:
        """By device: lines of its config that it accepted without doing what they say, and why; devices without any are left out.

        Raises:
            LabError: A device could not be asked.
        """
        what = "listing what is not enforced"
        found = {
            name: self._devices.ask(name, what, lambda driver, node: tuple(driver.unenforced(node)))
            for name in self._devices.names
        }
        return {name: lines for name, lines in found.items() if lines}

    def run_testcases(
        self, testcases: Sequence[Testcase], *, stop_at_first_failure: bool = False, look_again: bool = True
    ) -> list[TestcaseResult]:
        """Run testcases; one result each, in order.

        Args:
            testcases: What must be true.
            stop_at_first_failure: Return as soon as one has failed, with the results there are by then.
            look_again: Look a second time at what must be. A network that nobody has just changed does not need it.

        Raises:
            LabError: The lab broke; a testcase that cannot be run on this network is a failed one instead.
        """
        with self._one_at_a_time:
            return self._runner.run(testcases, stop_at_first_failure=stop_at_first_failure, look_again=look_again)

    def call(self, method: str, params: Any = None) -> dict[str, Any]:
        """One request by its wire name, answered in the draft's shape.

        Raises:
            AniError: Unknown method or invalid parameters.
        """
        if method == "export-final-cfg":
            if params:
                raise AniError("export-final-cfg takes no parameters", code=INVALID_PARAMS)
            return {"configs": self.final_configs()}
        if method == "run-testcases":
            results = self.run_testcases(testcases_of(params))
            return {"results": [{"name": result.name, "status": result.status} for result in results]}
        raise AniError(f"unknown method {method!r} (known: {', '.join(map(repr, METHODS))})", code=METHOD_NOT_FOUND)

    def _running_config(self, name: str) -> str:
        what = "reading its running config"
        return self._devices.ask(name, what, lambda driver, node: driver.running_config(node))
