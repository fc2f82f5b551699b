"""Where the tests of labs of the real containerlab deploy them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine import Engine

ROOT = Path(__file__).parents[2]
TASK = "tasks/security/nat-port-forward.task.yaml"
QUIET = ("-q", "-p", "no:cacheprovider")

NEEDED = [
    pytest.mark.skipif(
        shutil.which("containerlab") is None,
        reason="containerlab is not on the PATH (https://containerlab.dev/install/)",
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="backend containerlab enters containers as root"),
]
"""The marks of such tests."""


class Site:
    """Where labs are deployed: an engine with the image, and the state of a user of its own."""

    def __init__(self, engine: Engine, folder: Path, image: str) -> None:
        self.engine, self.folder, self.image = engine, folder, image
        kinds = folder / "kinds.yaml"
        kinds.write_text(f"frr: {{image: {image}}}\nlinux: {{image: {image}}}\n")
        self.environment = engine.environment | {
            "NETBENCH_KINDS": str(kinds),
            "XDG_STATE_HOME": str(folder / "state"),
            "PYTHONPATH": str(ROOT),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.engine.enter, sys.executable, *words],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str, timeout_s: float = 600) -> str:
        process = self.start(*words)
        output, _ = process.communicate(timeout=timeout_s)
        return f"{output}\nstatus {process.returncode}\n"

    def pytest(self, *words: str) -> tuple[str, list[dict[str, Any]]]:
        """The output of a run, and its results."""
        results = self.folder / f"results-{time.monotonic_ns()}"
        shown = self.run(
            "-m", "pytest", *QUIET, "--netbench-backend=containerlab", f"--netbench-results={results}", *words
        )
        lines = (results / "results.jsonl").read_text().splitlines() if (results / "results.jsonl").exists() else []
        return shown, [json.loads(line) for line in lines]

    def left(self) -> dict[str, list[str]]:
        """What there is of labs."""
        filters = ("--filter", "label=containerlab")
        return {
            "containers": self.engine.run("ps", "-aq", *filters).split(),
            "networks": [
                name for name in self.engine.run("network", "ls", "--format", "{{.Name}}").split() if "netbench" in name
            ],
            "folders": [str(path) for path in (self.folder / "state").rglob("netbench-*")],
        }


NOTHING: dict[str, list[str]] = {"containers": [], "networks": [], "folders": []}
