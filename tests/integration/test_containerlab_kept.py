"""Labs of containerlab that are left for a person: they are entered, outlive the run, and go when they are told to."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.integration.containerlab import NEEDED, NOTHING, Site

pytestmark = NEEDED
ROUTED = "tasks/routing/static-floating-backup.task.yaml"


def patching(site: Site) -> list[str]:
    """The processes that join the links of a lab."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        found += [path.parent.name] if "patching" in words else []
    return found


def clean(site: Site, *words: str) -> str:
    return site.run("-m", "pytest_netbench.cli", "clean", "--backend", "containerlab", *words)


def test_the_lab_of_a_failed_trial_is_entered_with_the_printed_words_and_goes_when_it_is_told_to(site: Site) -> None:
    shown, _ = site.pytest(ROUTED, "--agent=nop", "--agent=oracle", "--netbench-keep", "-n", "2")
    assert "to remove them: netbench clean --kept" in shown
    (name,) = re.findall(r"^  (netbench-static-\S+)$", shown, re.MULTILINE)
    entered = re.findall(r"docker exec -it (\S+) vtysh", shown)
    assert entered
    assert set(site.engine.run("ps", "--format", "{{.Names}}").split()) >= set(entered)
    said = subprocess.run(
        ["docker", "exec", entered[0], "vtysh", "-c", "show interface brief"],
        env=site.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.search(r"^eth\S+ +up ", said, re.MULTILINE), said  # its links still carry
    assert "nothing to remove" in clean(site)
    assert f"removed {name}" in clean(site, "--kept")
    assert site.left() == NOTHING
    assert patching(site) == []
