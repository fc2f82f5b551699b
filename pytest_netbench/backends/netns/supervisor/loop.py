"""The supervisor's event loop: requests, messages of child processes, exits and timers. Standard library only."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import wire_format
from pytest_netbench.backends.netns.supervisor.connects import Connects
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Owner
from pytest_netbench.backends.netns.supervisor.requests import Requests
from pytest_netbench.backends.netns.supervisor.storm_control import Storms


def serve(owner: Owner, network: Network, alive: int) -> NoReturn:
    """Report the lab as up; serve requests until the owner, or the process with the other end of ``alive``, ends."""
    selector = selectors.DefaultSelector()
    jobs = Jobs(selector, daemons=network.wires)
    connects = Connects(owner=owner, network=network, jobs=jobs)
    requests = Requests(owner=owner, network=network, jobs=jobs, connects=connects, selector=selector)
    ended = _ends_of_children()
    selector.register(ended, selectors.EVENT_READ, lambda: _drain(ended))
    selector.register(owner, selectors.EVENT_READ, requests.take)
    selector.register(alive, selectors.EVENT_READ, lambda: os._exit(0))
    owner.answer({"id": wire_format.BUILT}, {"built": True})
    storms = Storms(
        spaces=network.spaces,
        home=network.home.network,
        excused=lambda: owner.awaits("shell", "traffic") or requests.streams.run,
        hurried=requests.pacing.has_moved,
    )
    always = (jobs, connects)
    moving = (storms, requests.flaps, requests.throttles)
    while True:
        timers = always if requests.halting.is_halted else (*always, *moving)
        _dispatch(selector, _sooner(*(one.wait_s() for one in timers)))
        jobs.reap()
        jobs.tick()
        connects.retry()
        if not requests.halting.is_halted:
            for one in moving:
                one.tick()


def _ends_of_children() -> int:
    """A descriptor that can be read once a child has ended."""
    reader, writer = os.pipe()
    for fd in (reader, writer):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return reader


def _drain(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(fd, 512):
            continue


def _dispatch(selector: selectors.BaseSelector, wait_s: float | None) -> None:
    for key, _ in selector.select(wait_s):
        # One event may have ended what the next one is about, and opened another descriptor with its number.
        if selector.get_map().get(key.fd) is key:
            key.data()


def _sooner(*waits_s: float | None) -> float | None:
    return min((wait for wait in waits_s if wait is not None), default=None)
