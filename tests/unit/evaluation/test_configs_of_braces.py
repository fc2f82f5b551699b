"""Testcases of the kind ``config`` on a node whose config has braces."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.testcases import observe
from pytest_netbench.lab.devices import Devices
from pytest_netbench.model.testcase import Testcase
from tests.support.braces import braces_lab, install


@pytest.fixture(autouse=True)
def _installed_braces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(install(tmp_path / "braces"))


@pytest.mark.parametrize(("line", "holds"), [("address 10.0.1.1/24", True), ("address 10.0.2.1/24", False)])
def test_a_line_is_looked_for_in_its_block(line: str, holds: bool) -> None:
    lab = braces_lab()
    fields = {"name": "t", "kind": "config", "device": "edge", "parents": ["interfaces", "e0"], "line": line}
    (found,) = observe([TypeAdapter(Testcase).validate_python(fields)], View(lab, Devices(lab)))
    assert found.holds is holds
    if not holds:
        assert found.actual == "under these parents stand only: address 10.0.1.1/24"
