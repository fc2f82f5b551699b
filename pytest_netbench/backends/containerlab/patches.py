"""Control of the links of a containerlab lab that are joined on its panel."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from pytest_netbench.backends.containerlab import authorities
from pytest_netbench.backends.containerlab.devices import ContainerDevice
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.errors import LabDied, LabError, RequirementMissing
from pytest_netbench.lab import wires
from pytest_netbench.lab.cables import Cables, KernelName
from pytest_netbench.model.topology import Topology
from pytest_netbench.native import build

_ANSWER_S: Final = 30.0


class Panel:
    """The process that has the links; implements ``lab.cables.Channel``.

    Args:
        place: The container of the panel.
        nodes: Where the nodes are.
        topology: Of the lab.
        ports: By node and interface: the port of the panel.

    Raises:
        RequirementMissing: A link is shaped and there is no compiler, or the kernel cannot redirect frames.
        LabError: The links cannot be joined.
    """

    def __init__(
        self,
        place: Place,
        nodes: Mapping[str, Place],
        topology: Topology,
        ports: Mapping[tuple[str, str], str],
    ) -> None:
        program = build.wire()
        if program is None and any(not link.quality.is_plain for link in topology.links):
            raise RequirementMissing(*wires.lack())
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*place.by.prefix, *authorities.module("patching")],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={"LANG": "C.UTF-8"},
            )
        self._answers = self._control.makefile("rb")
        self._control.settimeout(_ANSWER_S)
        try:
            self._exchange(
                {
                    "panel": [place.pid, place.started],
                    "nodes": {name: [one.pid, one.started] for name, one in nodes.items()},
                    "links": [
                        {
                            "ports": [ports[end.node, end.interface] for end in link.endpoints],
                            "wire": None
                            if link.quality.is_plain
                            else wires.shaping(link.quality, ports=len(link.endpoints)),
                        }
                        for link in topology.links
                    ],
                    "program": None if program is None else str(program),
                }
            )
        except BaseException:
            self.close()
            raise

    def call(self, op: str, **arguments: Any) -> Any:
        """Request an operation.

        Raises:
            LabDied: The process is gone.
            LabError: The operation failed.
        """
        return self._exchange({"op": op, **arguments})

    def _exchange(self, message: Mapping[str, Any]) -> Any:
        with self._lock:
            try:
                self._control.sendall(json.dumps(message).encode() + b"\n")
                line = self._answers.readline()
            except TimeoutError:
                raise LabError(f"the links of the lab do not answer within {_ANSWER_S:g} s") from None
            except (OSError, ValueError):
                line = b""
        if not line:
            raise LabDied("the process that has the links of the lab is gone")
        answer = json.loads(line)
        if "error" in answer:
            raise LabError(f"a link: {answer['error']}")
        return answer["ok"]

    def keep(self) -> None:
        """Let the process go on as long as the panel does.

        Raises:
            LabDied: It is gone.
        """
        self.call("stay")
        self._answers.close()
        self._control.close()

    def close(self) -> None:
        """End the process; no link carries anything then. Idempotent."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # also for who waits for an answer
        self.process.kill()
        self.process.wait()
        self._answers.close()
        self._control.close()


class PatchedLinks(Cables):
    """Control of links that all end at the panel.

    A cut takes the carrier from both ends and changes no interface of a node. A crash lets interfaces receive nothing.

    Args:
        panel: Where links are joined.
        place: Its container.
        ports: By node and interface: the port of the panel.
        topology: Of the lab.
        nodes: Its nodes.
        kernel_name: The kernel's name of an interface.
    """

    def __init__(
        self,
        panel: Panel,
        *,
        place: Place,
        ports: Mapping[tuple[str, str], str],
        topology: Topology,
        nodes: Mapping[str, ContainerNode | ContainerDevice],
        kernel_name: KernelName,
    ) -> None:
        super().__init__(
            channel=panel,
            topology=topology,
            kernel_name=kernel_name,
            line_rates={name: node.line_rates for name, node in nodes.items()},
            time_scale=_wall_time,
        )
        self._nodes = nodes
        self._panel_place = place
        self._ports = ports
        self._kernel = kernel_name
        self._crashed: frozenset[str] = frozenset()

    def set_crashed(self, crashed: Collection[str]) -> None:
        """Let these nodes send and receive nothing, and all others again; carriers stay.

        Raises:
            LabError: The kernel cannot do it.
        """
        before, self._crashed = self._crashed, frozenset(crashed)
        for name in before ^ self._crashed:
            silent = name in self._crashed
            for interface in self._nodes[name].interfaces:
                _silence(self._nodes[name].place, self._kernel(name, interface), silent=silent)
                _silence(self._panel_place, self._ports[name, interface], silent=silent)

    @contextlib.contextmanager
    def unplugged(self, node: str) -> Iterator[None]:
        """Let the interfaces of a node have no carrier for a moment; those whose links are cut have none anyway."""
        pulled = [name for name in self._nodes[node].interfaces if not self.is_cut(node, name)]
        for name in pulled:
            self.cut(node, name)
        try:
            yield
        finally:
            for name in pulled:
                self.restore(node, name)


def _wall_time() -> float:
    return 1.0


def _silence(place: Place, interface: str, *, silent: bool) -> None:
    try:
        place.by.set_silent(place.pid, interface, silent=silent)
    except OSError as error:
        raise LabError(f"a node cannot be made silent: {error.strerror or error}") from None
