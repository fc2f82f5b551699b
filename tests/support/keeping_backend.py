"""A third party's backend whose labs can be kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.protocols import Cleaned
from tests.support.memory_backend import JOURNAL, MemoryBackend, journal

ENTRY_POINT = "[pytest_netbench.backends]\nkeeping = tests.support.keeping_backend:KeepingBackend\n"


def install(site: Path) -> None:
    """Let a folder on ``sys.path`` provide the backend ``keeping``."""
    info = site / "keeping_labs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: keeping-labs\nVersion: 1.0\n")


class KeepingBackend(MemoryBackend):
    """Labs in memory that say that they are kept."""

    name = "keeping"

    def deploy(self, request: Any) -> Any:
        lab: Any = super().deploy(request)

        def keep() -> Kept:
            if "stubborn" in request.requirements:
                raise LabError("the server does not answer")
            journal("keep", request.name)
            return Kept(f"lab {request.name}", {node: f"enter {node}" for node in lab.nodes})

        lab.keep = keep
        return lab

    def lacks(self, request: Any) -> tuple[str, str | None] | None:
        return None

    def clean(self) -> Cleaned:
        return Cleaned()

    def remove_kept(self) -> Cleaned:
        path = Path(os.environ[JOURNAL])
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        return Cleaned(removed=tuple(one["slug"] for one in entries if one["event"] == "keep"))
