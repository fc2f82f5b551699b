"""IOS devices for tests: on real labs, and grammar-only ones that compile without applying."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_netbench.lab.readiness import wait_until_ready
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.render import render
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.log import Log
from pytest_netbench.platforms.cisco_ios.driver import CiscoIosDriver, device_of
from pytest_netbench.platforms.cisco_ios.session.session import Session
from pytest_netbench.platforms.cisco_ios.session.startup import load
from tests.support.netns_networks import network

T = TypeVar("T")


class PaperNode:
    """What a device asks of a node before anything is applied: its name and its ports."""

    def __init__(self, name: str, interfaces: Sequence[str], role: str | None = None) -> None:
        self.name, self.interfaces, self.role = name, tuple(interfaces), role
        self.peers: dict[str, Any] = {}
        self.line_rates: dict[str, int] = {}
        self.memory: dict[str, Any] = {}
        self.time_scale = 1.0

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({}, owner="a node on paper")


class PaperDevice(Device):
    """A device that parses, stores and compiles for real, and has no node to apply it to."""

    def commit(self) -> None:
        return

    def restart(self) -> None:
        return

    def collect_log(self) -> Log:
        return self._log


def paper(
    *lines: str, interfaces: Sequence[str] = ("Gi0/0", "Gi0/1"), role: str | None = None, startup: str = ""
) -> PaperDevice:
    """A device on paper to which ``lines`` were typed in config mode; what it printed must be nothing."""
    device = PaperDevice(PaperNode("R1", interfaces, role), grammar())  # type: ignore[arg-type]
    device.startup_config = startup
    load(device)
    if lines:
        session = Session(device)
        session.enter("configure terminal")
        for line in lines:
            words = session.enter(line)
            assert not words, f"{line!r}: {words}"
    return device


def typed(device: Device, commands: Sequence[str]) -> str:
    """The running config of a device on paper after commands, all of which it takes; exec commands are left out."""
    session = Session(device)
    session.enter("configure terminal")
    for line in commands:
        if not line.startswith("do "):
            assert not session.enter(line), line
    session.interrupt()
    return device.running_config()


def ios_task(
    configs: Mapping[str, str],
    links: Sequence[str],
    *,
    hosts: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    **fields: Any,
) -> Any:
    """A task with IOS devices (``configs``) and Linux hosts (``hosts``); links are written ``"R1 Gi0/0 - h1 eth0"``."""
    hosts = hosts or {}
    nodes = {**dict.fromkeys(configs, "cisco_ios"), **dict.fromkeys(hosts, "linux")}
    task = network(nodes, links, {**configs, **hosts}, **fields)
    placed = [node.model_copy(update={"role": (roles or {}).get(node.name)}) for node in task.network.topology.nodes]
    return task.with_payload(topology=task.network.topology.model_copy(update={"nodes": tuple(placed)}))


def type_lines(node: Any, *lines: str) -> None:
    """Type lines in config mode of a device; it refuses none, and its daemons take what comes of them."""
    device = device_of(node)
    session = Session(device)
    session.enter("configure terminal")
    for line in lines:
        words = session.enter(line)
        assert not words, f"{line!r}: {words}"
    session.enter("end")
    assert device.problems == []


def apply_lines(node: Any, *lines: str) -> None:
    """Have the platform apply lines, as ``update-cfg`` does; each is a success."""
    answers = CiscoIosDriver().apply(node, lines)
    assert [answer.status for answer in answers] == ["success"] * len(lines), answers


def show(node: Any, command: str) -> str:
    """What a device says to a command."""
    return Session(device_of(node)).enter(command)


def settle(lab: Any) -> None:
    """Wait until the routes of a lab that was changed are stable again."""
    wait_until_ready(lab, pace=lab.time_scale)


def eventually(condition: Callable[[], object], *, within_s: float = 20.0) -> bool:
    """Whether ``condition`` holds within some wall seconds; for changes that a network makes only when a timer ends."""
    deadline = time.monotonic() + within_s
    while not (held := bool(condition())) and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    return held


def await_that(condition: Callable[[], object], why: Callable[[], object], *, within_s: float = 10.0) -> None:
    """Wait until ``condition`` holds; ``why`` says what there was instead."""
    assert eventually(condition, within_s=within_s), why()


__all__ = [
    "Edit",
    "PaperDevice",
    "PaperNode",
    "Session",
    "apply_lines",
    "await_that",
    "eventually",
    "ios_task",
    "paper",
    "render",
    "settle",
    "show",
    "type_lines",
]
