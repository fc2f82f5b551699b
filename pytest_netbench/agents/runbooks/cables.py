"""Runbook: cables. Carrier as routers tell it; those that have it are looked at for losses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding, output_of
from pytest_netbench.agents.runbooks.losses import check_losses
from pytest_netbench.agents.runbooks.reading import Device
from pytest_netbench.ani.protocol import Ani

_FRR_STATE: Final = re.compile(
    r"Interface (\S+) is \w+, line protocol is (\w+)\s+Link ups:\s+(\d+).*\s+Link downs:\s+(\d+)"
)
_IOS_STATE: Final = re.compile(r"^(\S+) +\S+ +YES +\S+ +(.+?) +(up|down) *$", re.MULTILINE)
_IOS_LOG: Final = re.compile(r"%LINK-3-UPDOWN: Interface (\S+?), changed state to (\w+)")


class Carrier(NamedTuple):
    """The carrier of an interface: whether it has any, and how often it came back after it was lost."""

    is_up: bool
    returned: int


def check_cables(facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with cables."""
    carriers = {End(one.name, name): state for one in facts.routers for name, state in _carriers(one, ani)}
    whole = []
    for link in facts.links:
        known = [carriers[end] for end in link if end in carriers]
        if len(link) != 2 or not known or any((port := facts.port(end)) and port.is_shut for end in link):
            continue
        words = f"The cable between {link[0].node} {link[0].interface} and {link[1].node} {link[1].interface}"
        if any(one.returned for one in known):
            yield Finding("link-flapping", link[0], f"{words} loses carrier again and again.")
        elif not all(one.is_up for one in known):
            yield Finding("link-down", link[0], f"{words} has no carrier.")
        else:
            whole.append((link[0], link[1]))
    yield from check_losses(facts, ani, whole)


def _carriers(device: Device, ani: Ani) -> Iterator[tuple[str, Carrier]]:
    if device.platform == "frr":
        output = output_of(ani, device.name, "show interface")
        for name, state, ups, downs in _FRR_STATE.findall(output):
            yield name, Carrier(is_up=state == "up", returned=int(ups) if int(downs) else 0)
        return
    log = _IOS_LOG.findall(output_of(ani, device.name, "show logging"))
    for name, _, protocol in _IOS_STATE.findall(output_of(ani, device.name, "show ip interface brief")):
        states = [state for interface, state in log if interface == name]
        down = states.index("down") if "down" in states else len(states)
        yield name, Carrier(is_up=protocol == "up", returned=states[down:].count("up"))
