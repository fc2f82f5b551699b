"""What can be required, what is installed and what is scaled is on the pages that say so."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_netbench.backends.netns.machine import checks, features
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


def exported() -> set[str]:
    """The calls that the preloaded library replaces."""
    sources = [path.read_text() for path in (ROOT / "pytest_netbench/native").glob("*.c")]
    parts = [text for text in sources if re.search(r'#include "(waiting|timers)\.h"', text)]
    return {name for text in parts for name in re.findall(r"^EXPORT .*?\b(\w+)\(", text, re.MULTILINE)}


def test_the_waits_that_are_documented_are_those_of_the_library():
    section = LAB_TIME.partition("\n## Waits\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [a-z ,]+ \| (.*) \|$", section, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([a-z_0-9]+)`", row)}
    no_waits = {"clock_gettime", "gettimeofday", "time", "timespec_get"}
    no_waits |= {"pthread_create", "thrd_create", "fork", "vfork", "execv", "execve", "execvp", "execvpe"}
    no_waits |= {"setsockopt", "fcntl64", "lockf64", "name"}
    no_waits |= {
        f"{kind}_{name}" for kind in ("pthread_cond", "cnd") for name in ("init", "destroy", "signal", "broadcast")
    }
    assert told == {name for name in exported() if not name.startswith("__")} - no_waits
