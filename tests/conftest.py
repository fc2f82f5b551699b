"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.memory_parts import install

pytest_plugins = ("pytester",)


@pytest.fixture
def memory_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the backend and the platform ``memory`` be found by name."""
    monkeypatch.syspath_prepend(install(tmp_path / "site"))
