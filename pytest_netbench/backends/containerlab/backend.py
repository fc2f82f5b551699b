"""The backend that deploys labs with containerlab."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any

from pytest_netbench import parts
from pytest_netbench.backends.containerlab import authorities, checks, commands, kinds, leftovers, networks
from pytest_netbench.backends.containerlab.assembly import assembled
from pytest_netbench.backends.containerlab.attached import deploying, running
from pytest_netbench.backends.containerlab.attached.lab import AttachedLab
from pytest_netbench.backends.containerlab.kinds import Node
from pytest_netbench.backends.containerlab.lab import ContainerLab
from pytest_netbench.backends.containerlab.topology import is_patched
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab import wires
from pytest_netbench.lab.capabilities import LINKS, NODES, PROBES, unmet
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.native import build
from pytest_netbench.platforms.capabilities import CLI, HOSTED
from pytest_netbench.platforms.driver import Boot

_OWNER = "backend containerlab"
CAPABILITIES = (*HOSTED, PROBES.name, LINKS.name, NODES.name)
"""What its labs and nodes offer."""


class ContainerlabBackend:
    """Deploys labs of containers. Enters them as root, or by a helper container."""

    name = "containerlab"
    capabilities = CAPABILITIES

    def report(self) -> list[Check]:
        return [
            *checks.all_checks(),
            *(
                Check(f"dialect {dialect}", ok=True, required=False, detail=str(node))
                for dialect, node in kinds.table().items()
            ),
            Check("capabilities", ok=True, required=False, detail=", ".join(CAPABILITIES)),
        ]

    def running(self) -> list[str]:
        return running.names()

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        if (lack := unmet(request.requirements, CAPABILITIES, owner=_OWNER)) is not None:
            return lack, None
        for check in checks.all_checks():
            if check.required and not check.ok:
                return f"{_OWNER} cannot run here: {check.name}: {check.detail}", check.remedy
        if request.lab is not None:
            if not authorities.is_root():
                return f"{_OWNER} uses labs that run already as root only", None
            return _beyond(request) or deploying.lacks(request)
        known = kinds.table()
        for dialect in dict.fromkeys(request.dialects.values()):
            if dialect not in known:
                return (
                    f"{_OWNER} has no kind of node for {dialect} (known: {', '.join(known)})",
                    f"add an entry {dialect!r} to the file that {kinds.VARIABLE} names",
                )
        return _beyond(request) or _unfit(request, known)

    def clean(self) -> Cleaned:
        restored = deploying.clean()
        folders = [*leftovers.abandoned()]
        for folder in folders:
            leftovers.remove(folder)
        return Cleaned(
            removed=(*restored.removed, *(folder.name for folder in folders)),
            left_alone=(
                *restored.left_alone,
                *(f"{folder} belongs to {owner}" for folder, owner in leftovers.foreign()),
            ),
        )

    def remove_kept(self) -> Cleaned:
        restored = deploying.remove_kept()
        folders = [*leftovers.kept()]
        for folder in folders:
            leftovers.remove(folder)
        return Cleaned(removed=(*restored.removed, *(folder.name for folder in folders)))

    def deploy(self, request: LabRequest) -> ContainerLab | AttachedLab:
        began = time.monotonic()
        if request.lab is not None:
            return deploying.deploy(request)
        with contextlib.suppress(LabError):  # the lab of somebody else: `netbench clean` tells
            self.clean()
        table = kinds.table()
        drivers = _drivers(request.dialects, table)
        folder = leftovers.new_folder(request.name)
        try:
            lab = assembled(folder, request, table, drivers)
        except BaseException:
            # why it could not be deployed is what counts; `netbench clean` removes what is left
            with contextlib.suppress(LabError):
                leftovers.remove(folder)
            raise
        lab.refused_startup_lines, lab.readiness = bring_up(lab, request)
        lab.deploy_s = time.monotonic() - began
        return lab


def _drivers(dialects: Mapping[str, str], table: Mapping[str, Node]) -> dict[str, Any]:
    """The driver of each dialect.

    Raises:
        RequirementMissing: It requires what nodes of this backend do not offer, or boots none.
    """
    drivers = {name: parts.load("drivers", table[name].driver)() for name in sorted(set(dialects.values()))}
    for name, driver in drivers.items():
        offered = CAPABILITIES if table[name].device is None else (CLI.name,)
        if (lack := unmet(driver.requires, offered, owner=_OWNER)) is not None:
            raise RequirementMissing(f"driver {driver.name} cannot be used here: {lack}")
        if not isinstance(driver, Boot):
            raise RequirementMissing(f"driver {driver.name} cannot be used here: it boots no nodes")
    return drivers


def _beyond(request: LabRequest) -> tuple[str, str | None] | None:
    """What of a network this backend cannot make."""
    topology = request.topology
    if any(not link.quality.is_plain for link in topology.links) and build.wire() is None:
        return wires.lack()
    if is_patched(request) and not networks.redirects():
        return (
            f"{_OWNER} cannot cut or shape links here: the kernel redirects no frames (ingress, cls_u32, act_mirred)",
            "load the kernel modules sch_ingress, cls_u32 and act_mirred",
        )
    for node in topology.nodes:
        if node.services:
            return f"{_OWNER} runs no servers, and {node.name} has {node.services[0].kind}", None
        if node.role == "switch":
            return f"{_OWNER} has no switches, and {node.name} is one", None
    return None


def _unfit(request: LabRequest, table: Mapping[str, Node]) -> tuple[str, str | None] | None:
    """What of a network its devices cannot be."""
    for name, dialect in request.dialects.items():
        kind, _, device = table[dialect]
        if device is None:
            continue
        for interface in request.topology.interfaces(name):
            if not device.interfaces.has(interface):
                stand_in = kind.device or kind.kind
                return (
                    f"{_OWNER} runs {dialect} as {stand_in}, of which {interface} cannot be cabled ({name})",
                    f"take another kind for {dialect} in the file that {kinds.VARIABLE} names",
                )
        if not commands.has_image(kind.image):
            return (
                f"the engine has no image {kind.image}, which nodes of {dialect} need",
                f"build or load it, or name another one in the file of {kinds.VARIABLE}: vendors publish none",
            )
    return None
