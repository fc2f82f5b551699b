"""The backend that uses devices which exist already."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_netbench.backends.testbed import journal
from pytest_netbench.backends.testbed.connections import connections
from pytest_netbench.backends.testbed.devices import Held
from pytest_netbench.backends.testbed.inventory import reading
from pytest_netbench.backends.testbed.inventory.reading import VARIABLE, Testbed
from pytest_netbench.backends.testbed.lab import TestbedLab
from pytest_netbench.backends.testbed.nodes import DRIVERS, SHELLS
from pytest_netbench.errors import LabError, NetbenchError, RequirementMissing
from pytest_netbench.lab.attaching.matching import NoMatch, match
from pytest_netbench.lab.capabilities import PROBES, unmet
from pytest_netbench.lab.deployment import bring_up
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.protocols import Cleaned
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.platforms.capabilities import CLI, HOST

_OWNER = "backend testbed"
_REMEDY = f"write a testbed file, and set {VARIABLE} to its name"


class TestbedBackend:
    """Implements ``lab.protocols.Backend`` and ``Cleans``."""

    __test__ = False  # no class of tests, whatever its name
    name = "testbed"
    capabilities: tuple[str, ...] = (*HOST, CLI.name, PROBES.name)

    def report(self) -> list[Check]:
        path = reading.named()
        if path is None:
            return [Check("testbed file", False, True, f"{VARIABLE} is not set", _REMEDY)]
        testbed = reading.read(path)
        checks = [Check("testbed file", True, True, f"{path}: {len(testbed.devices)} devices")]
        for known in testbed.devices.values():
            kind = "disposable" if known.entry.disposable else "not disposable: it is not used"
            try:
                connections(known.device.name, known, within_s=testbed.prompt_s).connect().close()
            except NetbenchError as error:
                checks.append(Check(f"device {known.device.name}", False, False, str(error)))
            else:
                checks.append(Check(f"device {known.device.name}", True, False, f"{known.device.dialect}, {kind}"))
        return checks

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        hosts = not SHELLS.isdisjoint(request.dialects.values())
        offered = self.capabilities if hosts else (CLI.name,)
        if (lack := unmet(request.requirements, offered, owner=_OWNER)) is not None:
            return lack, None
        path = reading.named()
        if path is None:
            return f"{_OWNER} has no testbed: {VARIABLE} is not set", _REMEDY
        testbed = reading.read(path)
        for dialect in dict.fromkeys(request.dialects.values()):
            if dialect not in DRIVERS:
                return f"{_OWNER} cannot exchange configurations of {dialect} (known: {', '.join(DRIVERS)})", None
        try:
            devices = match(request.topology, request.dialects, testbed.site).devices
        except NoMatch as lack:
            return f"{_OWNER}: {lack}", None
        return _beyond(request, testbed, devices.values())

    def clean(self) -> Cleaned:
        removed, left_alone = [], []
        for name in journal.JOURNALS.names():
            saved = journal.read(name)
            if saved is None or journal.JOURNALS.is_kept(name):
                continue
            owner = Owner.from_json(saved.owner)
            if owner.lives() is not False:
                left_alone.append(f"{saved.device}: {owner} uses it, or nobody can tell from here")
                continue
            removed.append(_put_back(saved))
        return Cleaned(tuple(removed), tuple(left_alone))

    def remove_kept(self) -> Cleaned:
        saved = [journal.read(name) for name in journal.JOURNALS.names() if journal.JOURNALS.is_kept(name)]
        return Cleaned(tuple(_put_back(one) for one in saved if one is not None))

    def deploy(self, request: LabRequest) -> TestbedLab:
        began = time.monotonic()
        if (lack := self.lacks(request)) is not None:
            raise RequirementMissing(*lack)
        path = reading.named()
        assert path is not None
        testbed = reading.read(path)
        devices = match(request.topology, request.dialects, testbed.site).devices
        held: dict[str, Held] = {}
        try:
            # in one order for all, so that nobody waits for ever
            for node in sorted(devices, key=lambda one: devices[one]):
                held[node] = Held(node, testbed.devices[devices[node]], testbed, request.topology)
            _side_by_side(held.values(), Held.prepare)
        except BaseException:
            for one in held.values():
                one.forget()
                one.release()
            raise
        lab = TestbedLab(request, {node.name: held[node.name] for node in request.topology.nodes})
        lab.refused_startup_lines, lab.readiness = bring_up(lab, request)
        lab.deploy_s = time.monotonic() - began
        return lab


def _put_back(saved: journal.Saved) -> str:
    """Put a device back; says so.

    Raises:
        LabError: It cannot be put back; its journal stays.
    """
    testbed = reading.read(Path(saved.testbed))
    if saved.device not in testbed.devices:
        raise LabError(f"{testbed.path} has no device {saved.device!r} any more, which is to be put back")
    held = Held(saved.device, testbed.devices[saved.device], testbed, None, wait_s=0)
    try:
        held.prepare()
    finally:
        held.release()
    return f"what a run had configured on {saved.device}"


def _side_by_side(devices: Collection[Held], do: Callable[[Held], None]) -> None:
    """Do something with all devices.

    Raises:
        NetbenchError: The first that one of them raised, once all are done.
    """
    with ThreadPoolExecutor(max_workers=len(devices), thread_name_prefix="netbench-testbed") as pool:
        failures = [one.exception() for one in [pool.submit(do, device) for device in devices]]
    for failure in failures:
        if failure is not None:
            raise failure


def _beyond(request: LabRequest, testbed: Testbed, devices: Iterable[str]) -> tuple[str, str | None] | None:
    """What of a network a testbed does not have."""
    for name in devices:
        if not testbed.devices[name].entry.disposable:
            return (
                f"{_OWNER}: the configuration of {name} may not be exchanged",
                f"if it may, write `disposable: true` into {testbed.path}",
            )
    for link in request.topology.links:
        if not link.quality.is_plain:
            return f"{_OWNER} has links without delay, loss or a limited rate only: {str(link)!r}", None
    for node in request.topology.nodes:
        if node.services:
            return f"{_OWNER} runs no servers, and {node.name} has {node.services[0].kind}", None
    return None
