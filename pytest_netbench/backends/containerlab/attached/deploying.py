"""Uses a lab that runs already for a task, and puts it back: at once, or after a run that was killed."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.backends.containerlab import commands, networks
from pytest_netbench.backends.containerlab.attached.held import HeldNode
from pytest_netbench.backends.containerlab.attached.lab import AttachedLab
from pytest_netbench.backends.containerlab.attached.running import Container, RunningLab, container, find
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.attaching.journal import Journals, Lock, key
from pytest_netbench.lab.attaching.matching import NoMatch, match
from pytest_netbench.lab.attaching.putting_back import put_back_all, side_by_side
from pytest_netbench.lab.attaching.site import alone
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.request import LabRequest

JOURNALS: Final = Journals("attached", what="a lab")
"""By name of a lab."""
_WAIT_S: Final = 600.0


def lacks(request: LabRequest) -> tuple[str, str | None] | None:
    """What a lab that runs lacks for a request; ``None`` if nothing. Programs in its nodes are not looked at.

    Raises:
        UsageError: There is no such lab, or its nodes can stand for those of the task in several ways.
    """
    assert request.lab is not None
    lab = find(request.lab)
    try:
        match(request.topology, request.dialects, lab.site)
    except NoMatch as lack:
        return f"lab {lab.name}: {lack}{lab.beyond()}", None
    return None


def deploy(request: LabRequest) -> AttachedLab:
    """Use a lab for a task; return when the task's network is ready there.

    Raises:
        RequirementMissing: The lab lacks something; nothing was changed.
        LabError: It is in use for too long, or could not be made what the task asks for; it is put back.
    """
    began = time.monotonic()
    assert request.lab is not None
    found = find(request.lab)
    name = key(found.name)
    lock = JOURNALS.lock(name, f"lab {found.name}", wait_s=_WAIT_S)
    logs = _logs(name)
    held: dict[str, HeldNode] = {}
    try:
        JOURNALS.refuse_kept(name, f"lab {found.name}")
        _put_back_left(name)
        held = _held(request, found, logs)
        lab = AttachedLab(
            found.name,
            request,
            held,
            put_back=lambda: _let_go(name, held, lock, logs),
            leave=lambda: _leave(name, held, lock, logs),
        )
        _write(name, found, held)
        logs.mkdir(exist_ok=True)
    except BaseException:
        _close(held, lock, logs)
        raise
    try:
        for one in held.values():
            networks.plug_in(one.container.place.pid, one.own)
        lab.refused_startup_lines, lab.readiness = bring_up(lab, request)
    except BaseException:
        lab.destroy()
        raise
    lab.deploy_s = time.monotonic() - began
    return lab


def clean() -> Cleaned:
    """Put labs back that killed runs have changed.

    Raises:
        LabError: One cannot be put back; its journal stays.
    """
    restored, left_alone = [], []
    for name in JOURNALS.names():
        saved = JOURNALS.read(name)
        if saved is None or JOURNALS.is_kept(name):
            continue
        owner = Owner.from_json(saved["owner"])
        if owner.lives() is not False:
            left_alone.append(f"lab {saved['lab']}: {owner} uses it, or nobody can tell from here")
            continue
        restored.append(_cleaned(name, saved["lab"]))
    return Cleaned(tuple(restored), tuple(left_alone))


def remove_kept() -> Cleaned:
    """Put labs back that were kept.

    Raises:
        LabError: One cannot be put back; its journal stays.
    """
    kept = {name: JOURNALS.read(name) for name in JOURNALS.names() if JOURNALS.is_kept(name)}
    return Cleaned(tuple(_cleaned(name, saved["lab"]) for name, saved in kept.items() if saved is not None))


def _cleaned(name: str, lab: str) -> str:
    """Put a lab back that nobody uses; says so."""
    lock = JOURNALS.lock(name, f"lab {lab}", wait_s=0)
    try:
        _put_back_left(name)
    finally:
        lock.release()
    return f"what a run had configured in lab {lab}"


def _held(request: LabRequest, found: RunningLab, logs: Path) -> dict[str, HeldNode]:
    """The nodes that stand for those of a task, in the task's order; checked, and not changed."""
    try:
        chosen = match(request.topology, request.dialects, found.site).devices
    except NoMatch as lack:
        raise RequirementMissing(f"lab {found.name}: {lack}{found.beyond()}") from None
    held: dict[str, HeldNode] = {}
    try:
        for node in request.topology.nodes:
            held[node.name] = HeldNode(
                node.name, found.containers[chosen[node.name]], request.dialects[node.name], request.topology, logs
            )
        side_by_side(held, lambda node, one: one.check(request.programs.get(node, ())))
    except BaseException:
        _close(held)
        raise
    return held


def _write(name: str, found: RunningLab, held: Mapping[str, HeldNode]) -> None:
    saved = side_by_side(held, lambda _, one: one.save())
    nodes = {
        node: {
            "container": one.container.place.name,
            "id": one.container.id,
            "started_at": one.container.started_at,
            "dialect": one.dialect,
            "interfaces": list(one.node.interfaces),
            "saved": saved[node],
        }
        for node, one in held.items()
    }
    JOURNALS.write(name, {"owner": Owner.here().to_json(), "lab": found.name, "nodes": nodes})


def _logs(name: str) -> Path:
    """The folder for what programs say: beside a journal, so that it goes with that."""
    return JOURNALS.state() / f"{name}.logs"


def _let_go(name: str, held: Mapping[str, HeldNode], lock: Lock, logs: Path) -> None:
    try:
        written = JOURNALS.read(name)
        assert written is not None
        _restore(written, held)
        JOURNALS.forget(name)
    finally:
        _close(held, lock, logs)


def _leave(name: str, held: Mapping[str, HeldNode], lock: Lock, logs: Path) -> None:
    JOURNALS.keep(name)
    _close(held, lock, logs)


def _close(held: Mapping[str, HeldNode], lock: Lock | None = None, logs: Path | None = None) -> None:
    for one in held.values():
        one.close()
    if logs is not None:
        shutil.rmtree(logs, ignore_errors=True)
    if lock is not None:
        lock.release()


def _restore(written: Mapping[str, Any], held: Mapping[str, HeldNode]) -> None:
    """Put all nodes back.

    Raises:
        LabError: Some are not as they were; the text names all.
    """
    put_back_all(held, lambda node, one: one.restore(written["nodes"][node]["saved"]))


def _put_back_left(name: str) -> None:
    """Put back what a run has changed that ended without doing so. The lab is locked.

    Raises:
        LabError: It is not as it was, or a run elsewhere has changed it; the journal stays.
    """
    written = JOURNALS.read(name)
    if written is None:
        return
    if Owner.from_json(written["owner"]).lives() is None:
        raise LabError(f"lab {written['lab']}: a run on another machine or in another container has changed it")
    with _reopened(name, written) as held:
        _restore(written, held)
    JOURNALS.forget(name)


@contextlib.contextmanager
def _reopened(name: str, written: Mapping[str, Any]) -> Iterator[dict[str, HeldNode]]:
    logs = _logs(name)
    logs.mkdir(exist_ok=True)  # of a run that was killed
    held: dict[str, HeldNode] = {}
    try:
        for node, one in written["nodes"].items():
            # what was started anew has nothing of the run any more
            if (there := _still(one)) is not None:
                held[node] = HeldNode(node, there, one["dialect"], alone(node, one["interfaces"]), logs)
        yield held
    finally:
        _close(held, None, logs)


def _still(one: Mapping[str, Any]) -> Container | None:
    """The container of a journal, if it runs since then."""
    try:
        (inspected,) = json.loads(commands.engine("inspect", "--type", "container", one["id"]))
    except commands.Failed as error:
        if "No such" in str(error):
            return None
        raise
    same = inspected["State"]["Running"] and inspected["State"]["StartedAt"] == one["started_at"]
    return container(inspected) if same else None
