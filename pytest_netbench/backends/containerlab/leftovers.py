"""What labs leave when their owner is killed: found by their folders, and removed.

Each lab has a folder before anything of it is deployed, in the user's state directory. The folder names the process
that owns the lab, and goes last.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_netbench.backends.containerlab import commands
from pytest_netbench.backends.containerlab.entrance import started
from pytest_netbench.errors import LabError

TOPOLOGY: Final = "topology.clab.yml"
_OWNER = "owner.json"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_numbers = itertools.count(1)


def state() -> Path:
    """Where the folders of labs are."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(home) / "netbench/containerlab"


def new_folder(slug: str) -> Path:
    """Make the folder of a new lab, named as the lab will be; this process owns it."""
    stem = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:24] or "lab"
    state().mkdir(parents=True, exist_ok=True, mode=0o700)
    owner = {"pid": os.getpid(), "started": started(os.getpid()), "boot": _BOOT.read_text().strip()}
    draft = Path(tempfile.mkdtemp(prefix=".", dir=state()))
    (draft / _OWNER).write_text(json.dumps(owner))
    # whoever looks for what is abandoned sees a folder only with its owner
    return draft.rename(state() / f"netbench-{stem}-{os.getpid()}-{next(_numbers)}")


def remove(folder: Path) -> None:
    """Remove a lab: its containers, its network, its folder.

    Raises:
        LabError: Something of it is left; the folder stays.
    """
    lab = folder.name
    topology = folder / TOPOLOGY
    if topology.exists():
        commands.containerlab("destroy", "--topo", str(topology), "--cleanup")
    left = commands.engine("ps", "-aq", "--filter", f"label=containerlab={lab}").split()
    if left:
        commands.engine("rm", "-f", *left)
    # a deployment that failed leaves its network behind
    if commands.engine("network", "ls", "-q", "--filter", f"name=^{lab}-mgmt$").split():
        commands.engine("network", "rm", f"{lab}-mgmt")
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise LabError(f"{folder} could not be removed")


def abandoned() -> Iterator[Path]:
    """The folders of labs whose owner has ended."""
    for folder in sorted(state().glob("netbench-*")):
        if not _is_owned(folder):
            yield folder


def _is_owned(folder: Path) -> bool:
    try:
        owner = json.loads((folder / _OWNER).read_text())
        here = owner["boot"] == _BOOT.read_text().strip()
        return here and _lives(int(owner["pid"]), owner["started"])
    except (OSError, ValueError, KeyError):
        return False


def _lives(pid: int, since: str) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for does not."""
    state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    return state not in ("Z", "X") and started(pid) == since
