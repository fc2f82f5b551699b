"""Installs the parts that tests use as a third party would: by a distribution's entry points."""

from __future__ import annotations

from pathlib import Path

ENTRY_POINTS = """\
[pytest_netbench.backends]
memory = tests.support.memory_backend:MemoryBackend
[pytest_netbench.dialects]
memory = tests.support.login:LoginDialect
[pytest_netbench.drivers]
memory = tests.support.login:LoginDriver
[pytest_netbench.scorers]
thrift = tests.support.memory_scorer:Thrift
[pytest_netbench.generators]
branches = tests.support.memory_generator:Branches
[pytest_netbench.sandboxes]
small = tests.support.small_sandboxes:SmallSandboxes
"""


def install(site: Path) -> Path:
    """Make ``site`` a folder that provides the parts above once it is on ``sys.path``."""
    info = site / "memory_labs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: memory-labs\nVersion: 1.0\n")
    return site
