"""What can be required, what is installed and what is scaled is on the pages that say so."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_netbench.backends.netns import checks, features
from pytest_netbench.cli import extras
from pytest_netbench.lab.capabilities import CAPABILITIES

ROOT = Path(__file__).parents[2]
DOCTOR = (ROOT / "docs/reference/doctor.md").read_text()
INSTALL = (ROOT / "docs/how-to/install.md").read_text()
LAB_TIME = (ROOT / "docs/explanation/lab-time.md").read_text()


def test_every_feature_program_substitute_and_capability_is_documented():
    for name in (*features.FEATURES, *checks.PROGRAMS, *features.SUBSTITUTES, *CAPABILITIES, "lab-time"):
        assert f"`{name}`" in DOCTOR, name


def test_every_extra_is_documented():
    for distribution, *_ in extras.EXTRAS.values():
        assert distribution in DOCTOR


def test_every_package_that_set_up_installs_is_documented():
    script = (ROOT / "scripts/setup.d/system").read_text() + (ROOT / "scripts/setup.d/python").read_text()
    packages = {name for names in re.findall(r"packages\+=\(([a-z0-9. -]+)\)", script) for name in names.split()}
    for name in packages - {"util-linux", "iproute2", "python3", "python3.11", "python3.11-venv"}:
        assert name in INSTALL, name


def test_every_wait_that_is_scaled_is_documented():
    parts = [ROOT / f"pytest_netbench/native/{name}.c" for name in ("labtime", "threads", "conditions")]
    names = {name for part in parts for name in re.findall(r"^EXPORT .*?\b(\w+)\(", part.read_text(), re.MULTILINE)}
    no_waits = {"connect", "accept", "accept4", "pthread_create"} | {
        f"pthread_cond_{name}" for name in ("init", "destroy", "signal", "broadcast")
    }
    for name in names - no_waits - {"__poll_chk", "__ppoll_chk", "syscall"}:
        assert f"`{name}`" in LAB_TIME, name
