"""Waiting is tested as on a quiet machine, however busy this one is; nodes are those of memory labs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.evaluation import slowness
from tests.support.memory_parts import install


@pytest.fixture(autouse=True)
def _quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slowness.os, "getloadavg", lambda: (0.0, 0.0, 0.0))


@pytest.fixture(scope="session")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site"))


@pytest.fixture(autouse=True)
def _installed(_site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the dialect of memory nodes, as that of a lab's nodes always is."""
    monkeypatch.syspath_prepend(_site)
