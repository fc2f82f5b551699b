"""A plugin of ``make selftest``: of each stage the tests of one part, less those that passed at this commit.

``NETBENCH_PART=2/4`` in the environment runs the second quarter. A test belongs to the same part on every machine. What
passed is kept by the name of the stage, which ``NETBENCH_STAGE`` gives.
"""

from __future__ import annotations

import os
from typing import Any, Final
from zlib import crc32

import pytest

from tests.support.parts import asked_for, note_passed, passed

_GIVEN: Final = "passed_in_a_part"
"""Under this name a worker of xdist is told what had passed when the run began: all workers collect the same tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Take up the part."""
    given: dict[str, Any] = getattr(config, "workerinput", {})
    stage = f"stage-{crc32(os.environ['NETBENCH_STAGE'].encode()):08x}"
    known = frozenset(given[_GIVEN]) if _GIVEN in given else passed(stage)
    config.pluginmanager.register(PartOfTests(stage, known, reports=_GIVEN not in given), "part-of-tests")


class PartOfTests:
    """Leaves out the tests of other parts, and notes those that pass.

    Args:
        stage: Names the stage.
        known: The tests that had passed when the run began.
        reports: Whether this process hears of all tests: it is no worker of xdist.
    """

    def __init__(self, stage: str, known: frozenset[str], *, reports: bool) -> None:
        self._stage, self._known, self._reports = stage, known, reports
        self._failed: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist what had passed."""
        node.workerinput[_GIVEN] = sorted(self._known)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is not of this part, or passed before."""
        asked, count = asked_for()
        others = [one for one in items if part_of(one.nodeid, count) != asked or one.nodeid in self._known]
        if others:
            config.hook.pytest_deselected(items=others)
            left_out = set(others)
            items[:] = [one for one in items if one not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that passed, once it has been torn down. Only the process that reports does."""
        if not self._reports:
            return
        if not report.passed:
            self._failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self._failed:
            note_passed(self._stage, report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A part in which nothing is left has not failed."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK


def part_of(nodeid: str, count: int) -> int:
    """Return the part of a test, from 1."""
    return crc32(nodeid.encode()) % count + 1
