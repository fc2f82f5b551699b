"""A third party's backend that serves sandboxes and no labs: those of ``netns`` under another name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pytest_netbench.backends.netns.sandboxes import NetnsSandbox, NetnsSandboxes
from pytest_netbench.lab.report import Check

OPENED = "SMALL_SANDBOXES_OPENED"
"""The environment variable with the file to which a line is added for each sandbox."""
LACKS = "SMALL_SANDBOXES_LACK"
"""The environment variable with what this machine lacks."""


class SmallSandboxes(NetnsSandboxes):
    name = "small"
    memory_mb = 7.0

    def report(self) -> list[Check]:
        lack = os.environ.get(LACKS)
        return [Check("small sandboxes", lack is None, True, lack or "there are some", "ask for more")]

    def lacks(self) -> tuple[str, str | None] | None:
        lack = os.environ.get(LACKS)
        return super().lacks() if lack is None else (lack, "ask for more")

    def open(self, *, packages: Sequence[str]) -> NetnsSandbox:
        sandbox = super().open(packages=packages)
        if path := os.environ.get(OPENED):
            with Path(path).open("a") as file:
                file.write("opened\n")
        return sandbox
