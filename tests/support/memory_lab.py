"""A lab that lives in memory: a small network whose behaviour follows from the config lines of its nodes.

Config lines of the dialect ``memory`` (anything else is refused; indented lines stand under the last top-level one)::

    address IFACE ADDR            route PREFIX via ADDR [PROTOCOL [METRIC [DISTANCE]]]
    deny PROTOCOL PORT SRC        drops what passes or ends here (``any`` matches all)
    mark DSCP                     sets the DSCP of what passes        snat ADDR     rewrites its source
    rate BPS                      limits flows that pass              policy NAME   a block, for hierarchy
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.syntax import Tree
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.lab.capabilities import PROBES
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import EXEC
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore

T = TypeVar("T")
LIMITS = SandboxLimits()
WORDS = ("address", "route", "deny", "mark", "snat", "rate", "policy", "slow")


class MemoryNode:
    """A node; its whole state is its config lines."""

    platform = "memory"
    time_scale = 1.0

    def __init__(self, lab: MemoryLab, name: str, lines: Sequence[str]) -> None:
        self.lab = lab
        self.name = name
        self.lines = list(lines)
        self.interfaces = lab.topology.interfaces(name)
        self.role = lab.topology.node(name).role
        self.peers = lab.topology.peers(name)
        self.line_rates = lab.topology.line_rates(name)
        self.memory: dict[str, Any] = {}
        self.outputs: dict[str, str] = {}
        self.offered: dict[str, object] = {}
        self.alive = True

    def words(self, first: str) -> list[list[str]]:
        return [line.split() for line in self.lines if line.split()[0] == first]

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return Completed(stdout="", stderr="", returncode=0 if self.alive else 1)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return [self.run(argv) for argv in argvs]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({EXEC.name: self, **self.offered}, owner=f"node {self.name}")


class MemoryDriver:
    """Operates memory nodes."""

    name = "memory"
    dialect = "memory"
    requires: tuple[str, ...] = ()
    has_console = False

    def version(self, node: MemoryNode) -> str | None:
        return "1"

    def installed_version(self) -> str | None:
        return "1"

    def kernel_interface(self, interface: str) -> str:
        return interface

    def boot(self, node: MemoryNode, startup_config: str) -> list[RefusedLine]:
        node.lines = startup_config.splitlines()
        return []

    def pending(self, nodes: Mapping[str, MemoryNode], *, excused: Excused = none_excused) -> Pending:
        for node in nodes.values():
            node.lab.tick()
        return Pending(fingerprint=repr({name: node.words("route") for name, node in nodes.items()}))

    def apply(self, node: MemoryNode, commands: Sequence[str]) -> list[CommandStatus]:
        return [self._apply(node, command) for command in commands]

    def _apply(self, node: MemoryNode, command: str) -> CommandStatus:
        with node.lab.writing(node.name):
            if command == "die":
                raise LabDied("the supervisor is gone")
            if command == "hang":
                raise LabError(f"{node.name}: no prompt within 30 s")
            line = command.removeprefix("no ")
            refused = line.split()[:1] == [] or line.split()[0] not in WORDS
            if refused or (command != line and line not in node.lines):
                message = f"% Unknown command: {command}"
                return CommandStatus(device=node.name, command=command, status="error", message=message)
            if command == line:
                node.lines.append(line)
            else:
                node.lines.remove(line)
            return CommandStatus(device=node.name, command=command, status="success")

    def running_config(self, node: MemoryNode) -> str:
        node.lab.tick()
        if not node.alive:
            raise LabDied(f"{node.name} is gone")
        return "\n".join(node.lines)

    def execute(self, node: MemoryNode, command: str, *, limits: SandboxLimits = LIMITS) -> str:
        node.lab.tick()
        if command == "hang":
            raise LabError(f"{node.name}: no prompt within {limits.timeout_s:g} s")
        if command == "crash":
            raise RuntimeError("a bug of the platform")
        if command == "die":
            node.alive = False
            raise LabDied("the supervisor is gone")
        if command == "show running-config":
            return self.running_config(node)
        return node.outputs.get(command, f"% Unknown command: {command}")

    def routes(self, node: MemoryNode, prefix: str) -> list[Route]:
        node.lab.tick()
        hops: dict[tuple[str, int, int], list[str]] = {}
        for _, to, _, hop, *rest in node.words("route"):
            protocol, metric, distance = (*rest, *("static", "0", "1")[len(rest) :])
            if to == prefix:
                hops.setdefault((protocol, int(metric), int(distance)), []).append(hop)
        return [
            Route(
                prefix=prefix,
                protocol=protocol,
                next_hops=tuple(via),
                interfaces=node.interfaces[:1],
                metric=metric,
                distance=distance,
            )
            for (protocol, metric, distance), via in hops.items()
        ]

    def unenforced(self, node: MemoryNode) -> Sequence[str]:
        return ()

    def console(self, node: MemoryNode, *, enable_secret: str) -> Console:
        raise LabError(f"{node.name}: a memory node has no command line")

    def files(self, node: MemoryNode) -> FileStore | None:
        return None


class MemoryDialect:
    """The configuration language of memory nodes."""

    name = "memory"
    hint = ""
    syntax = TYPED

    def interface(self, name: str) -> str:
        return name

    def normalise(self, line: str) -> str | None:
        return line.strip() or None

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:
        return None

    def free_names(self) -> Sequence[tuple[str, str]]:
        return ()

    def manual(self) -> Sequence[ManualSection]:
        return ()


class MemoryProber:
    """Packets that follow the shortest path and the config lines of the nodes on it."""

    def __init__(self, lab: MemoryLab) -> None:
        self._lab = lab
        self.batches: list[int] = []
        self.measurements = 0
        self.pause_s = 0.0
        self.sender_limit_bps = 10**12
        self.silent: str | None = None

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        self._lab.tick()
        self.batches.append(len(probes))
        return [self._probe(probe, (1 + repetitions) * probe.timeout_s) for probe in probes]

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        self._lab.tick()
        nodes = self._lab.way(source, target)[1:]
        return [Hop(address=self._hop(node, nodes[-1], target)) for node in nodes][:max_hops]

    def traffic(
        self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        self._lab.tick()
        self.measurements += 1
        time.sleep(self.pause_s)  # what a measurement takes
        reports = []
        for flow, target in zip(flows, targets, strict=True):
            rates = [int(words[1]) for node in self._lab.way(flow.source, target) for words in node.words("rate")]
            offered = min(flow.rate_bps, self.sender_limit_bps)
            received = min([offered, *rates])
            sent = int(offered * duration_s / 8 / flow.packet_bytes)
            reports.append(
                FlowReport(
                    offered_bps=offered,
                    received_bps=received,
                    sent_packets=sent,
                    received_packets=sent * received // offered,
                )
            )
        return reports

    def addresses(self, node: str) -> tuple[str, ...]:
        self._lab.tick()
        return tuple(words[2] for words in self._lab.nodes[node].words("address"))

    def _hop(self, node: MemoryNode, last: MemoryNode, target: str) -> str | None:
        if node.name == self.silent:
            return None
        return target if node is last else self.addresses(node.name)[0]

    def _probe(self, probe: Probe, waited_s: float) -> ProbeResult:
        way = self._lab.way(probe.source, probe.target)
        if not way:
            return ProbeResult(delivered=False, detail=f"no answer in {waited_s:g} s", arrived=False)
        for node in way:
            for _, protocol, port, source in node.words("deny"):
                hit = protocol in ("any", probe.protocol) and port in ("any", str(probe.port))
                if hit and source in ("any", probe.source):
                    return ProbeResult(delivered=False, detail=f"no answer in {waited_s:g} s", arrived=False)
        if any(int(words[1]) / 1000 > waited_s for node in way for words in node.words("slow")):
            return ProbeResult(delivered=False, detail=f"no answer in {waited_s:g} s", arrived=True)
        if probe.protocol != "icmp" and probe.listen_on != way[-1].name:
            return ProbeResult(delivered=False, detail="refused", arrived=True, arrived_at=way[-1].name)
        if probe.arrives_at and way[-1].name not in probe.arrives_at:
            detail = f"answered in place of {' or '.join(probe.arrives_at)}, which did not accept it"
            return ProbeResult(delivered=False, detail=detail, arrived=False, answered=True)
        marks = [int(words[1]) for node in way for words in node.words("mark")]
        sources = [words[1] for node in way for words in node.words("snat")]
        return ProbeResult(
            delivered=True,
            detail="1 of 1 replies, 0.1 ms",
            arrived=True,
            answered=True,
            arrived_at=way[-1].name,
            one_way_ms=0.05,
            round_trip_ms=0.1,
            received_dscp=[probe.dscp, *marks][-1],
            seen_source=[probe.source_address or self.addresses(probe.source)[0], *sources][-1],
        )


class MemoryLab:
    """A running network in memory.

    ``later`` makes a config change after some wall seconds, as a protocol that converges would.
    """

    features: tuple[str, ...] = ()
    substitutes: Mapping[str, str] = {}
    deploy_s = 0.0
    refused_startup_lines: tuple[RefusedLine, ...] = ()
    readiness = Readiness()

    def __init__(
        self,
        topology: Topology,
        configs: Mapping[str, str],
        *,
        driver: MemoryDriver | None = None,
        time_scale: float = 1.0,
    ) -> None:
        self.topology = topology
        self._driver = driver or MemoryDriver()
        self.time_scale = time_scale
        self.nodes = {
            node.name: MemoryNode(self, node.name, configs.get(node.name, "").splitlines()) for node in topology.nodes
        }
        self.prober = MemoryProber(self)
        self.interleaved = False
        self.gate = threading.Event()
        self.gate.set()
        self._changes: list[tuple[float, Callable[[], object]]] = []
        self._writers: dict[str, int] = {}

    def driver(self, node: str) -> MemoryDriver:
        return self._driver

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({PROBES.name: self.prober}, owner="this lab")

    def later(self, after_s: float, node: str, command: str) -> None:
        due = time.monotonic() + after_s
        self._changes.append((due, lambda: MemoryDriver().apply(self.nodes[node], (command,))))

    def tick(self) -> None:
        """Make the changes that are due."""
        self.gate.wait()
        due = [change for change in self._changes if change[0] <= time.monotonic()]
        self._changes = [change for change in self._changes if change not in due]
        for _, change in due:
            change()

    def writing(self, node: str) -> _Writing:
        return _Writing(self, node)

    def way(self, source: str, target: str) -> list[MemoryNode]:
        """Nodes on the shortest path from a node to an address, both ends included; empty if there is none."""
        owners = [name for name in self.nodes if target in self.prober.addresses(name)]
        ways = deque([[source]])
        seen = {source}
        while ways and owners:
            way = ways.popleft()
            if way[-1] == owners[0]:
                return [self.nodes[name] for name in way]
            for link in self.topology.links:
                names = [endpoint.node for endpoint in link.endpoints]
                if way[-1] in names:
                    ways.extend([*way, name] for name in names if name not in seen)
                    seen.update(names)
        return []

    def destroy(self) -> None:
        return

    def await_cleanup(self) -> None:
        return


class _Writing:
    """Notices two writers at once on one node."""

    def __init__(self, lab: MemoryLab, node: str) -> None:
        self._lab, self._node = lab, node

    def __enter__(self) -> None:
        writers = self._lab._writers
        writers[self._node] = writers.get(self._node, 0) + 1
        self._lab.gate.wait()
        self._lab.interleaved |= writers[self._node] > 1
        time.sleep(0)  # let another thread in, if the interface lets it

    def __exit__(self, *_: object) -> None:
        self._lab._writers[self._node] -= 1


DIALECTS = {"memory": MemoryDialect()}
CHAIN = Topology.model_validate(
    {
        "nodes": [{"name": "branch"}, {"name": "edge"}, {"name": "web"}],
        "links": [
            {"endpoints": [{"node": "branch", "interface": "e0"}, {"node": "edge", "interface": "e0"}]},
            {"endpoints": [{"node": "edge", "interface": "e1"}, {"node": "web", "interface": "e0"}]},
        ],
    }
)
CONFIGS = {
    "branch": "address e0 10.0.1.10",
    "edge": "address e0 10.0.1.1\naddress e1 10.0.2.1\nroute 10.9.0.0/16 via 10.0.2.10",
    "web": "address e0 10.0.2.10",
}


def chain(
    *,
    driver: MemoryDriver | None = None,
    time_scale: float = 100.0,
    control: Mapping[str, str] | None = None,
    **more: str,
) -> MemoryLab:
    """branch - edge - web; ``more`` are config lines added to a node's config, ``control`` is that of nodes."""
    configs = {name: "\n".join(filter(None, (text, more.get(name)))) for name, text in CONFIGS.items()}
    return MemoryLab(with_control(CHAIN, control or {}), configs, driver=driver, time_scale=time_scale)


def with_control(topology: Topology, control: Mapping[str, str]) -> Topology:
    """``topology`` with another control of some nodes."""
    nodes = [node.model_dump() | {"control": control.get(node.name, node.control)} for node in topology.nodes]
    return Topology.model_validate({"nodes": nodes, "links": [link.model_dump() for link in topology.links]})
