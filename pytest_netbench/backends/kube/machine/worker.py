"""One machine of a cluster: its view of the API, and what it does with it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from typing import Final

from pytest_netbench.backends.kube.machine import drops, services
from pytest_netbench.backends.kube.machine.kubelet import Kubelet
from pytest_netbench.backends.kube.machine.slots import Slots
from pytest_netbench.backends.kube.machine.table import Table
from pytest_netbench.backends.kube.plan import CONTROL_PLANE_ADDRESS, KUBELET_PORT, MACHINE_PORT, SERVICES, Machine
from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.policies import World, ruleset
from pytest_netbench.lab.capabilities import Dropped
from pytest_netbench.lab.kubernetes.client import (
    ENDPOINT_SLICE,
    NAMESPACE,
    NETWORK_POLICY,
    POD,
    SERVICE,
    Api,
    Kind,
    Object,
)
from pytest_netbench.lab.kubernetes.loop import ended
from pytest_netbench.lab.kubernetes.stores import Key, Store
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import EXEC, SOCKETS, NetworkSockets

_CONNECT_S: Final = 1.0
_RULED_BY: Final = (NAMESPACE, SERVICE, ENDPOINT_SLICE, NETWORK_POLICY)
"""What rules in the kernel are made of, beside pods."""


class Worker:
    """A machine. All but the constructor runs in the cluster's event loop.

    Args:
        machine: Which.
        lab: The lab that it is a node of.
        token: With which it logs in to the API.
        version: Of the API server.
        toolboxes: Counts pods with images of others in the whole cluster.
    """

    def __init__(self, machine: Machine, lab: Lab, *, token: str, version: str, toolboxes: Callable[[], int]) -> None:
        self.machine = machine
        node = lab.nodes[machine.name]
        self._sockets = node.capability(SOCKETS)
        self._programs = programs = node.capability(EXEC)
        self._token = token
        self._version = version
        self._toolboxes = toolboxes
        self._slots = Slots(machine.slots, lab.nodes)
        self._tasks: list[asyncio.Task[None]] = []
        self._api: Api | None = None
        self._served: asyncio.Server | None = None
        self.tables = {
            "services": Table(programs, self._services),
            "policies": Table(programs, self._policies),
        }
        self.stores: Mapping[Kind, Store] = {}
        self.dropped: Dropped | None = None
        """What the machine drops of what it should pass."""

    @property
    def is_cut_off(self) -> bool:
        """Whether it drops all packets to the API and from there."""
        return self.dropped == drops.API

    @property
    def problem(self) -> str:
        """Which of its parts has ended, though it goes on until ``close``; empty if none has."""
        return "; ".join(f"{self.machine.name}: {one}" for one in ended(self._tasks))

    async def start(self, known: Mapping[Kind, Store]) -> None:
        """Say that the machine is alive, and begin to follow the API and to run pods. It passes no service yet.

        Args:
            known: What the API has, so that the machine need not ask for all of it.
        """
        url = f"http://{CONTROL_PLANE_ADDRESS}:{MACHINE_PORT}"
        self._api = Api(url, token=self._token, open_socket=self._sockets.tcp_socket)
        self.stores = {kind: Store(self._api, kind) for kind in (POD, *_RULED_BY)}
        self.kubelet = Kubelet(
            self.machine,
            self._api,
            self._slots,
            version=self._version,
            connects=self._connects,
            toolboxes=self._toolboxes,
        )
        for kind in (POD, SERVICE, ENDPOINT_SLICE):
            self.stores[kind].listen(lambda _, __: self.tables["services"].changed())
        for kind in (POD, NAMESPACE, NETWORK_POLICY):
            self.stores[kind].listen(lambda _, __: self.tables["policies"].changed())
        self.stores[POD].listen(self.kubelet.take)
        listener = await asyncio.to_thread(self._listener)
        self._served = await asyncio.start_server(lambda _, writer: writer.close(), sock=listener)
        # pods begin meanwhile, which take longest
        for kind, store in self.stores.items():
            store.begin_with(known[kind])
        await self.kubelet.register()
        self._tasks += [
            asyncio.create_task(self.kubelet.stay_alive()),
            asyncio.create_task(self.kubelet.recorder.follow()),
            *(asyncio.create_task(table.follow()) for table in self.tables.values()),
            *(asyncio.create_task(store.follow()) for store in self.stores.values()),
        ]

    def enforce(self) -> None:
        """Let the kernel have services and policies, and each change of them, until ``hold``."""
        for table in self.tables.values():
            table.release()

    def hold(self) -> None:
        """Let the kernel keep what it has, and write nothing of what happens to pods.

        Much changes, and nobody uses the machine meanwhile.
        """
        for table in self.tables.values():
            table.hold()
        self.kubelet.recorder.hold()

    def _listener(self) -> socket.socket:
        """Where the control plane finds out whether it reaches this machine. What is asked for the gateway serves."""
        opened = self._sockets.tcp_socket()
        opened.bind((self.machine.address, KUBELET_PORT))
        opened.listen(128)
        return opened

    async def close(self) -> None:
        """Stop following. No effect if it has not started."""
        if self._api is None:
            return
        if self._served is not None:
            self._served.close()
        for task in self._tasks:
            task.cancel()
        await self.kubelet.close()
        await self._api.close()

    async def drop(self, what: Dropped) -> None:
        """Drop packets from now on.

        Raises:
            LabError: The kernel refuses the rules, or something is dropped already.
        """
        if self.dropped is not None:
            raise LabError(f"{self.machine.name} drops packets already ({self.dropped})")
        await self._filter(drops.ruleset(self.machine, what))
        self.dropped = what

    async def restore(self) -> None:
        """Pass all packets again. No effect if none are dropped.

        Raises:
            LabError: The kernel refuses the rules.
        """
        was_cut_off, self.dropped = self.is_cut_off, None
        await self._filter(drops.cleared())
        if was_cut_off and self._api is not None:
            await self._api.reconnect()

    async def _filter(self, rules: str) -> None:
        done = await asyncio.to_thread(self._programs.run, ["nft", "-f", "-"], input=rules)
        if done.returncode:
            raise LabError(f"{self.machine.name}: the kernel refuses to filter: {done.stderr.strip()}")

    async def settled(self) -> None:
        """Return once the kernel has what this machine knows."""
        await asyncio.gather(*(table.settled() for table in self.tables.values()))

    def objects(self, kind: Kind) -> dict[Key, Object]:
        """The objects of a kind that this machine knows."""
        return self.stores[kind].objects

    def _services(self) -> str:
        local = [
            status["podIP"]
            for pod in self.objects(POD).values()
            if pod["spec"].get("nodeName") == self.machine.name and (status := pod.get("status") or {}).get("podIP")
        ]
        return services.ruleset(
            self.objects(SERVICE), self.objects(ENDPOINT_SLICE).values(), local=local, addresses=SERVICES
        )

    def _policies(self) -> str:
        kinds = (NAMESPACE, POD, NETWORK_POLICY)
        # objects in lists and in events of a watch do not always say their kind
        found = [one | {"kind": kind.name} for kind in kinds for one in self.objects(kind).values()]
        return ruleset(World.of(found), self.machine.name)

    async def _connects(self, address: str, port: int) -> bool:
        return await connects(self._sockets, address, port, within_s=_CONNECT_S)


async def connects(sockets: NetworkSockets, address: str, port: int, *, within_s: float) -> bool:
    """Whether a TCP port takes a connection from the network of these sockets."""
    opened = await asyncio.to_thread(sockets.tcp_socket)
    with opened:
        opened.setblocking(False)
        try:
            async with asyncio.timeout(within_s):  # wait_for of Python 3.11 may swallow a cancellation
                await asyncio.get_running_loop().sock_connect(opened, (address, port))
        except (OSError, TimeoutError):
            return False
        return True
