"""One form of a command typed after another one leaves a device as a boot with the other one does.

The devices, their daemons and their running config are compared with those of a boot whose config has only the form
that was typed last. Exceptions, where IOS keeps something, are in ``tests/support/ios_histories.py``, and compared with
a boot of the running config.

A sample runs here, another one on each commit. ``NETBENCH_WHOLE_CORPUS=1`` runs the first 4,000 pairs, as
``make selftest`` does, ``NETBENCH_PART=2/4`` the second quarter of them. Parts that passed at this
commit are not run again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support import parts as shares
from tests.support.ios import ios_task
from tests.support.ios_forms import Pair
from tests.support.ios_histories import history
from tests.support.ios_pairs import base, changed, enter, parts, traces, with_all
from tests.support.ios_state import differences, state
from tests.support.sampling import NUMBER

_SETTLED_S = 3.0
_OTHER = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 ipv6 address 2001:DB8:12::2/64
interface Gi0/1
 ip address 10.0.13.2 255.255.255.0
"""
_NUMBER = int(os.environ.get(NUMBER, "0"))
_ALL = range(len(parts()))
_WHOLE = bool(os.environ.get("NETBENCH_WHOLE_CORPUS"))
PARTS = shares.share(_ALL) if _WHOLE else [(_NUMBER * 3 + at) % len(_ALL) for at in range(3)]


@pytest.fixture(scope="module")
def devices(deploy_task: Any) -> Mapping[str, Device]:
    links = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R2 Gi0/1", "S1 Gi0/0 - R2 Gi0/2", "S1 Gi0/1 - R2 Gi0/3"]
    lab = deploy_task(ios_task({"R1": "", "R2": _OTHER, "S1": ""}, links, roles={"S1": "switch"}))
    return {"router": device_of(lab.nodes["R1"]), "switch": device_of(lab.nodes["S1"])}


@pytest.mark.parametrize("part", PARTS)
def test_what_was_typed_before_leaves_no_trace(devices: Mapping[str, Device], part: int) -> None:
    if _WHOLE and shares.is_passed("forms", part):
        pytest.skip("it passed at this commit (remove .netbench/cache/parts to run it again)")
    some = parts()[part]
    found = traces(some, lambda pairs: _compared(devices[some[0].role], pairs))
    assert not found, "\n".join(found)
    shares.note_passed("forms", part)


def _compared(device: Device, some: Sequence[Pair]) -> list[str]:
    _boot(device, base(some[0]))
    enter(device, [(pair, pair.first) for pair in some])
    sysctls = dict(device.applied.sysctls)
    enter(device, [(pair, pair.then) for pair in some])
    problems = list(device.problems)
    typed, text = _settled(device), device.running_config()
    _boot(device, text if history(some[0]) else with_all((pair, pair.then) for pair in some))
    problems += [line for line in device.problems if line not in problems]
    lost = [f"sysctl {name} is not set any more" for name in sysctls if name not in device.applied.sysctls]
    lost = [line for line in lost if "net/netfilter/" not in line]  # these return to the kernel's values
    deadline = time.monotonic() + _SETTLED_S
    while (left := list(differences(typed, state(device)))) and time.monotonic() < deadline:
        threading.Event().wait(0.2)
    return [*problems, *changed(text, device.running_config(), ordered=len(some) == 1), *lost, *left]


def _boot(device: Device, text: str) -> None:
    device.problems.clear()
    device.startup_config = text
    startup.reload(device)
    device.all_booted()


def _settled(device: Device) -> dict[str, list[str]]:
    deadline = time.monotonic() + _SETTLED_S
    before = state(device)
    while time.monotonic() < deadline:
        threading.Event().wait(0.1)
        now = state(device)
        if now == before:
            break
        before = now
    return before
