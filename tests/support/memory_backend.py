"""A third party's backend, registered by entry points: labs in memory, so that tests of the plugin are quick."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from pytest_netbench import parts
from pytest_netbench.errors import LabError
from pytest_netbench.lab.capabilities import unmet
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from tests.support.memory_lab import MemoryDriver, MemoryLab

__all__ = ["JOURNAL", "MemoryBackend", "MemoryDriver", "WatchedBackend"]

JOURNAL = "MEMORY_LABS"


class JournaledLab(MemoryLab):
    """Says in the journal when it goes."""

    slug = ""

    def destroy(self) -> None:
        if self.slug:
            journal("destroy", self.slug)
            self.slug = ""


class MemoryBackend:
    """Deploys labs in memory. A requirement of the request says what goes wrong."""

    name = "memory"
    capabilities = ("probes",)

    def report(self) -> list[Check]:
        return [Check("memory", ok=True, required=True, detail="there is some")]

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if (lack := unmet(request.requirements, self.capabilities, owner="backend memory")) is not None:
            return lack, None
        if "unobtainium" in request.requirements:
            return "the kernel has no unobtainium", "modprobe unobtainium"
        return None

    def deploy(self, request: LabRequest) -> MemoryLab:
        journal("deploy", request.name, time_scale=request.time_scale, workers=request.workers)
        if "lab-breaks" in request.requirements:
            raise LabError("zebra of edge did not start: /usr/lib/frr/zebra: not found")
        if "process-dies" in request.requirements:
            os._exit(9)
        lab = JournaledLab(
            request.topology,
            request.startup_configs,
            driver=parts.load("drivers", "memory")(),
            time_scale=request.time_scale or 100.0,
        )
        lab.slug = request.name
        return lab


def journal(event: str, slug: str, **more: Any) -> None:
    path = os.environ.get(JOURNAL)
    if path is not None:
        entry = {"event": event, "slug": slug, "pid": os.getpid(), "at": time.monotonic(), **more}
        with Path(path).open("a") as file:
            file.write(json.dumps(entry) + "\n")


class WatchedBackend(MemoryBackend):
    """Keeps its labs, and knows which of them were destroyed, and how often."""

    def __init__(self) -> None:
        self.labs: list[MemoryLab] = []
        self.destroyed: list[MemoryLab] = []

    def deploy(self, request: Any) -> MemoryLab:
        lab = super().deploy(request)
        self.labs.append(lab)
        own = lab.destroy
        lab.destroy = lambda: (self.destroyed.append(lab), own())  # type: ignore[method-assign]
        return lab

    @property
    def left(self) -> int:
        """How many labs were never destroyed."""
        return len({id(lab) for lab in self.labs} - {id(lab) for lab in self.destroyed})
