"""What labs leave when their owner is killed: found by their folders, and removed.

Each lab has a folder before anything of it is deployed, in the user's state directory. The folder names the process
that owns the lab, and goes last.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_netbench.backends.containerlab import commands
from pytest_netbench.backends.containerlab.topology import OWNER
from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.owners import Owner

TOPOLOGY: Final = "topology.clab.yml"
_OWNER = "owner.json"
_KEPT = "kept"
_CALL_S = 60.0
_PAUSE_S = 0.1


def state() -> Path:
    """Where the folders of labs are."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(home) / "netbench/containerlab"


def new_folder(slug: str) -> Path:
    """Make the folder of a new lab, named as the lab will be; this process owns it."""
    stem = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:24] or "lab"
    state().mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = Path(tempfile.mkdtemp(prefix=".", dir=state()))
    (draft / _OWNER).write_text(Owner.here().to_json())
    # whoever looks for what is abandoned sees a folder only with its owner
    return draft.rename(state() / f"netbench-{stem}-{secrets.token_hex(4)}")


def remove(folder: Path) -> None:
    """Remove a lab: its containers, its network, its folder.

    Raises:
        LabError: Something of it is left; the folder stays.
    """
    lab = folder.name
    topology = folder / TOPOLOGY
    _await_end_of_calls(topology)
    if topology.exists():
        commands.containerlab("destroy", "--topo", str(topology), "--cleanup")
    marks = (f"containerlab={lab}", f"{OWNER}={lab}")
    left = {one for mark in marks for one in commands.engine("ps", "-aq", "--filter", f"label={mark}").split()}
    if left:
        commands.engine("rm", "-f", *left)
    # a deployment that failed leaves its network behind
    if commands.engine("network", "ls", "-q", "--filter", f"name=^{lab}-mgmt$").split():
        commands.engine("network", "rm", f"{lab}-mgmt")
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise LabError(f"{folder} could not be removed")


def _await_end_of_calls(topology: Path) -> None:
    """A call that has root's rights goes on when its caller is killed, and would make what is then left."""
    poll(lambda: _calls(topology), until=lambda found: not found, within_s=_CALL_S, pause_s=_PAUSE_S)


def _calls(topology: Path) -> list[str]:
    """The processes of containerlab that work on a lab."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if {str(topology).encode(), b"deploy"} <= {*words}:
                found.append(process.name)
    return found


def abandoned() -> Iterator[Path]:
    """The folders of labs whose owner has ended. One whose owner cannot be seen from here is left alone."""
    for folder in _not_kept():
        if (owner := owner_of(folder)) is None or owner.lives() is False:
            yield folder


def foreign() -> Iterator[tuple[Path, Owner]]:
    """The folders of labs whose owner is of another machine or container."""
    for folder in _not_kept():
        if (owner := owner_of(folder)) is not None and owner.lives() is None:
            yield folder, owner


def keep(folder: Path) -> None:
    """Let a lab stay when its owner has ended."""
    (folder / _KEPT).touch()


def kept() -> Iterator[Path]:
    """The folders of labs that were kept."""
    yield from (folder for folder in sorted(state().glob("netbench-*")) if (folder / _KEPT).exists())


def _not_kept() -> Iterator[Path]:
    yield from (folder for folder in sorted(state().glob("netbench-*")) if not (folder / _KEPT).exists())


def owner_of(folder: Path) -> Owner | None:
    """Who owns a lab; ``None`` if its folder does not say so."""
    try:
        return Owner.from_json((folder / _OWNER).read_text())
    except (OSError, ValueError):
        return None
