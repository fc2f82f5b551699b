"""The operations that the owner may request, and their handlers. Standard library only."""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pytest_netbench.backends.netns.supervisor import nodes, roots
from pytest_netbench.backends.netns.supervisor.commands import Commands
from pytest_netbench.backends.netns.supervisor.connects import Connects
from pytest_netbench.backends.netns.supervisor.daemons import Daemons
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.measurements import Measurements
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.pacing import Pacing
from pytest_netbench.backends.netns.supervisor.programs import Programs
from pytest_netbench.backends.netns.supervisor.settings import Settings
from pytest_netbench.backends.netns.supervisor.streams import Streams
from pytest_netbench.backends.netns.supervisor.throttles import Throttles
from pytest_netbench.kernel.cabling.cables import Cables
from pytest_netbench.kernel.cabling.flaps import Flaps
from pytest_netbench.probing import neighbors
from pytest_netbench.probing.networks import Networks

_LONGEST = 64 * 2**20


class Files:
    """Serves requests for files."""

    def __init__(self, network: Network) -> None:
        self._spaces = network.spaces

    def write(self, request: Message) -> Message:
        """Put files in place: path, text and mode of each."""
        root = self._spaces[request["node"]].root
        for path, text, mode in request["files"]:
            content = text.encode()
            handle = roots.open_file(root, path, os.O_WRONLY | os.O_CREAT, mode)
            with os.fdopen(handle, "wb") as file:
                file.truncate()
                file.write(content)
        return {}

    def read(self, request: Message) -> Message:
        """The text of a file."""
        handle = roots.open_file(self._spaces[request["node"]].root, request["path"], os.O_RDONLY)
        with os.fdopen(handle, "rb") as file:
            return {"text": file.read(_LONGEST).decode("utf-8", "replace")}


_BY_THE_WALL: Final = {"base_reachable_time_ms": "30000", "gc_stale_time": "60", "delay_first_probe_time": "5"}
"""What the kernel does by itself."""
_LASTING: Final = {"base_reachable_time_ms": "86400000", "gc_stale_time": "86400", "delay_first_probe_time": "0"}
"""What is known is known for a day; what is not sure is asked for at once when it is used."""


class Ageing:
    """Serves requests about all neighbor entries of a lab."""

    def __init__(self, network: Network) -> None:
        spaces = {name: one.network for name, one in network.spaces.items()}
        self._networks = Networks(spaces, network.home.network)

    def neighbors(self, request: Message) -> Message:
        """Let entries last, or age by the wall; ``forget`` those that are there, so that each is asked for anew."""
        if request["lasting"] is not None:
            values = _LASTING if request["lasting"] else _BY_THE_WALL
            for node in self._networks:
                with self._networks.inside(node):
                    _set(values)
        if request["forget"]:
            neighbors.forget_all(self._networks)
        return {}


def _set(values: Mapping[str, str]) -> None:
    for folder in _folders():
        for name, value in values.items():
            with contextlib.suppress(OSError):  # the interface has gone
                nodes.write_sysctl(f"{folder}/{name}", value)


def _folders() -> Iterator[str]:
    for family in ("net/ipv4/neigh", "net/ipv6/neigh"):
        with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
            yield from (f"{family}/{name}" for name in os.listdir(f"{roots.PROC}/sys/{family}") if name != "default")


class Requests:
    """Hands each request to its operation. One that returns a message is answered at once, the others answer later."""

    def __init__(
        self, *, owner: Owner, network: Network, jobs: Jobs, connects: Connects, selector: selectors.BaseSelector
    ) -> None:
        self._owner = owner
        commands = Commands(owner=owner, network=network, jobs=jobs, selector=selector)
        daemons = Daemons(network.spaces, jobs.daemons)
        programs = Programs(owner=owner, network=network, jobs=jobs, daemons=daemons)
        measurements = Measurements(owner=owner, network=network, jobs=jobs)
        files = Files(network)
        self.pacing = pacing = Pacing(owner=owner, network=network, jobs=jobs)
        streams = Streams(owner=owner, network=network, jobs=jobs, daemons=daemons, selector=selector)
        cables = Cables(
            network.laying.links,
            networks={name: one.network for name, one in network.spaces.items()},
            home=network.home.network,
            program=network.wire_program,
            next_index=network.laying.next_index,
            running=jobs.daemons,
        )
        self.halting = pacing.halting
        self.flaps = Flaps(cables, self.halting.moving_s)
        self.throttles = Throttles(daemons, self.halting.moving_s)
        self.streams = streams
        selector.register(cables, selectors.EVENT_READ, cables.watch)
        self._operations: dict[str, Callable[[Message], Message | None]] = {
            "run": commands.run,
            "shell": commands.shell,
            "start": programs.start,
            "cli": programs.start_on_terminal,
            "stream": streams.start,
            "clear-node": streams.clear,
            "kill": programs.kill,
            "daemons": daemons.list,
            "signal": daemons.signal,
            "throttle": self.throttles.set,
            "end-node": daemons.end_all,
            "log": daemons.log,
            "cut-link": self.flaps.cut,
            "flap-link": self.flaps.start,
            "shape-link": cables.shape,
            "block-link": cables.block,
            "detach": cables.detach,
            "connect": connects.connect,
            "socket": connects.open,
            "write": files.write,
            "read": files.read,
            "settle": Settings(network).settle,
            "scale": pacing.scale,
            "halt": pacing.halt,
            "attend": pacing.attend,
            "forward": pacing.forward,
            "neighbors": Ageing(network).neighbors,
            "probe": measurements.probe,
            "path": measurements.path,
            "traffic": measurements.traffic,
            "counters": measurements.counters,
            "capture": measurements.capture,
        }

    def take(self) -> None:
        """Serve what the owner has sent."""
        for request in self._owner.receive():
            self._serve(request)

    def _serve(self, request: Message) -> None:
        try:
            answer = self._operations[request["op"]](request)
        except Exception as error:  # noqa: BLE001 - a request that fails is refused; the lab and its other requests go on
            self._owner.refuse(request, str(error) or repr(error))
            return
        if answer is not None:
            self._owner.answer(request, answer)
