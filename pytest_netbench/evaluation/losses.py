"""The streams of probes of the testcases of kind ``loss`` that observe one event."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from pytest_netbench.errors import LabError
from pytest_netbench.evaluation.observation import BadTestcase, Losses, NotThere, View
from pytest_netbench.evaluation.stream import Stream, StreamReport
from pytest_netbench.evaluation.testcases import loss
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.model.testcase import LossTestcase, Testcase


class Streams:
    """Runs one stream per testcase of kind ``loss``. A context manager: entering it begins to send.

    Args:
        testcases: Those of one event, of any kind.
        lab: The running network.
        devices: Its nodes and platforms.
    """

    def __init__(self, testcases: Sequence[Testcase], lab: Lab, devices: Devices) -> None:
        self._lab = lab
        self._testcases = [one for one in testcases if isinstance(one, LossTestcase)]
        self._streams: list[tuple[LossTestcase, Probe, Stream]] = []
        self._pace = ExitStack()
        self._losses: dict[str, tuple[Probe, StreamReport] | str] = {}
        view = View(lab, devices) if self._testcases else None
        for testcase in self._testcases:
            assert view is not None
            try:
                probe = loss.plan(testcase, view)
            except (BadTestcase, NotThere) as error:
                self._losses[testcase.name] = f"nothing could be sent before the event: {error}"
                continue
            stream = Stream(lab, probe, side_by_side=len(self._testcases))
            self._streams.append((testcase, probe, stream))

    def __enter__(self) -> Self:
        if self._streams:  # their probes go by the wall
            self._pace.enter_context(stopwatch_of(self._lab).following_the_wall())
        for _, _, stream in self._streams:
            stream.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._pace:
            for _, _, stream in self._streams:
                stream.stop()

    def reports(self) -> Losses:
        """Return what came of each stream, once its path works again or has not for longer than the testcase allows.

        Raises:
            LabError: A stream could not go on, and the agent did not cause that.
        """
        for testcase, probe, stream in self._streams:
            try:
                self._losses[testcase.name] = (probe, stream.end(after_gap_s=testcase.at_most_s + testcase.within_s))
            except LabError as error:
                if not agent_may_have_caused(error, *self._lab.nodes.values()):
                    raise
                self._losses[testcase.name] = f"probing failed: {error}"
        return self._losses
