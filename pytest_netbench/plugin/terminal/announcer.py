"""What is told once, after collection and before the first trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import pytest


class Announcer(ABC):
    """Prints lines that follow from the collected items; subclasses say which.

    Args:
        config: Of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._told = False

    @abstractmethod
    def lines(self, node_ids: Sequence[str]) -> list[str]:
        """Lines about the items with these ids."""

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Tell it in a run of one process, and if tasks are only collected."""
        return self._once([item.nodeid for item in items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Tell it once in a run with workers."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        lines = self._once(ids)
        if reporter is not None and lines:
            reporter.ensure_newline()
            for line in lines:
                reporter.write_line(line)

    def _once(self, node_ids: Sequence[str]) -> list[str]:
        if self._told or self._config.get_verbosity() < 0:
            return []
        self._told = True
        return self.lines(node_ids)
