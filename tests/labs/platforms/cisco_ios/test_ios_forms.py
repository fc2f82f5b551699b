"""One form of a command typed after another one leaves a router as a boot with its running config does.

A sample runs here, every day another one. ``NETBENCH_WHOLE_CORPUS=1`` runs the first 4,000 pairs, in parts
(``make selftest`` does that). ``-k`` selects parts, so that a run can be resumed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import Session, ios_task
from tests.support.ios_forms import BASE, MOST_PAIRS, Pair, pairs
from tests.support.ios_state import differences, state
from tests.support.sampling import DAY

_TOGETHER = 20
_SETTLED_S = 3.0
_PARTS = MOST_PAIRS // _TOGETHER
_OTHER = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 ipv6 address 2001:DB8:12::2/64
interface Gi0/1
 ip address 10.0.13.2 255.255.255.0
"""
_TODAY = int(os.environ.get(DAY, "0"))
PARTS = range(_PARTS) if os.environ.get("NETBENCH_WHOLE_CORPUS") else [(_TODAY * 3 + at) % 12 for at in range(3)]


@pytest.fixture(scope="module")
def device(deploy_task: Any) -> Device:
    links = ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R2 Gi0/1"]
    return device_of(deploy_task(ios_task({"R1": "", "R2": _OTHER}, links)).nodes["R1"])


@pytest.mark.parametrize("part", PARTS)
def test_what_was_typed_before_leaves_no_trace(device: Device, part: int) -> None:
    found = traces(device, pairs("router")[part * _TOGETHER : (part + 1) * _TOGETHER])
    assert not found, "\n".join(found)


def traces(device: Device, some: Sequence[Pair]) -> list[str]:
    """The pairs of which something stays, with what stays."""
    left = _compared(device, some)
    if not left or len(some) == 1:
        return [f"{pair.mode}: {pair.first} | {pair.then}: {left[:6]}" for pair in some if left]
    half = len(some) // 2
    return [*traces(device, some[:half]), *traces(device, some[half:])] or left


def _compared(device: Device, some: Sequence[Pair]) -> list[str]:
    _boot(device, BASE)
    _type(device, [(pair, pair.first) for pair in some])
    sysctls = dict(device.applied.sysctls)
    _type(device, [(pair, pair.then) for pair in some])
    problems = list(device.problems)
    typed = _settled(device)
    _boot(device, device.running_config())
    lost = [f"sysctl {name} is not set any more" for name in sysctls if name not in device.applied.sysctls]
    lost = [line for line in lost if "net/netfilter/" not in line]  # these return to the kernel's values
    deadline = time.monotonic() + _SETTLED_S
    while (left := list(differences(typed, state(device)))) and time.monotonic() < deadline:
        threading.Event().wait(0.2)
    return [*problems, *lost, *left]


def _boot(device: Device, text: str) -> None:
    device.problems.clear()
    device.startup_config = text
    startup.reload(device)
    device.all_booted()


def _type(device: Device, lines: Sequence[tuple[Pair, str]]) -> None:
    with device.batch():
        for pair, line in lines:
            session = Session(device)
            session.enter("configure terminal")
            for words in (*pair.place, line):
                session.enter(words)
            session.interrupt()


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
