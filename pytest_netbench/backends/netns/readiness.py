"""Waiting until a network is up and quiet: proven, not slept for."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

from pytest_netbench.backends.netns.lab import NetnsLab
from pytest_netbench.errors import NotReady
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.driver import Driver

# The longest wait a healthy network has to go through is OSPF's election of a designated router: 40 lab seconds.
_DEADLINE_LAB_S = 300.0
_LEAST_DEADLINE_S = 30.0
_QUIET_LAB_S = 3.0
_LEAST_QUIET_S = 0.04
_POLL_S = 0.01
_LONGEST_POLL_S = 0.1


def wait_until_ready(lab: NetnsLab, platforms: Mapping[str, Driver[Any]], *, pace: float) -> None:
    """Return once nothing is missing and the routes have stayed the same for some lab seconds.

    Args:
        lab: The lab, its links up.
        platforms: Platform by name.
        pace: Lab seconds per wall second at present.

    Raises:
        NotReady: With what was still missing.
    """
    groups = _by_platform(lab)
    started = time.monotonic()
    deadline = started + max(_LEAST_DEADLINE_S, _DEADLINE_LAB_S / pace)
    quiet_s = max(_LEAST_QUIET_S, _QUIET_LAB_S / pace)
    fingerprint, since = "", started
    wait = _POLL_S
    never = threading.Event()
    while True:
        states = [platforms[name].pending(nodes) for name, nodes in groups.items()]
        missing = [phrase for state in states for phrase in state.missing]
        now = time.monotonic()
        # a platform without a fingerprint has no routes of its own that could still move
        present = "|".join(state.fingerprint for state in states if state.fingerprint)
        if missing or present != fingerprint:
            fingerprint, since = present, now
        elif not present or now - since >= quiet_s:
            return
        if now >= deadline:
            raise NotReady(missing or ["routes to become stable"], waited_s=now - started)
        # Daemons tell nobody of a formed adjacency; asking them costs a fraction of a millisecond each.
        wait = min(_LONGEST_POLL_S, max(_POLL_S, (time.monotonic() - now) * 2, wait * 1.1 if missing else _POLL_S))
        never.wait(wait)


def _by_platform(lab: NetnsLab) -> dict[str, dict[str, NodeAccess]]:
    groups: dict[str, dict[str, NodeAccess]] = {}
    for name, node in lab.nodes.items():
        groups.setdefault(node.platform, {})[name] = node
    return groups
