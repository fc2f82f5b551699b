"""Waiting is tested as on a quiet machine, however busy this one is."""

from __future__ import annotations

import pytest

from pytest_netbench.evaluation import slowness


@pytest.fixture(autouse=True)
def _quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slowness.os, "getloadavg", lambda: (0.0, 0.0, 0.0))
