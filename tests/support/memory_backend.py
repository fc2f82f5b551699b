"""A third party's backend, registered by entry points: labs in memory, so that tests of the plugin are quick."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from pytest_netbench import parts
from pytest_netbench.errors import LabError
from pytest_netbench.model.task import Task
from tests.support.memory_lab import MemoryDriver, MemoryLab

__all__ = ["JOURNAL", "MemoryBackend", "MemoryDriver"]

JOURNAL = "MEMORY_LABS"


class JournaledLab(MemoryLab):
    """Says in the journal when it goes."""

    slug = ""

    def destroy(self) -> None:
        if self.slug:
            journal("destroy", self.slug)
            self.slug = ""


class MemoryBackend:
    """Deploys labs in memory. A tag of the task says what goes wrong."""

    name = "memory"

    def lacks(self, task: Task) -> tuple[str, str | None] | None:
        if "unobtainium" in task.requirements:
            return "the kernel has no unobtainium", "modprobe unobtainium"
        return None

    def deploy(self, task: Task, *, time_scale: float | None = None, workers: int = 1) -> MemoryLab:
        journal("deploy", task.slug, time_scale=time_scale, workers=workers)
        if "lab-breaks" in task.tags:
            raise LabError("zebra of edge did not start: /usr/lib/frr/zebra: not found")
        if "process-dies" in task.tags:
            os._exit(9)
        lab = JournaledLab(
            task.network.topology,
            task.network.startup_configs,
            driver=parts.load("drivers", "memory")(),
            time_scale=time_scale or 100.0,
        )
        lab.slug = task.slug
        return lab


def journal(event: str, slug: str, **more: Any) -> None:
    path = os.environ.get(JOURNAL)
    if path is not None:
        entry = {"event": event, "slug": slug, "pid": os.getpid(), "at": time.monotonic(), **more}
        with Path(path).open("a") as file:
            file.write(json.dumps(entry) + "\n")
