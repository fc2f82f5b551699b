"""A cluster that runs: the gateway, the machines, and what is deployed on them. Everything runs in its event loop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Final

from pytest_netbench.backends.kube import names
from pytest_netbench.backends.kube.components import SECURE_PORT
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.gateway import identities
from pytest_netbench.backends.kube.gateway.pods import Pods
from pytest_netbench.backends.kube.gateway.server import Gateway
from pytest_netbench.backends.kube.machine.podrun import PodRun
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.machine.worker import Worker, connects
from pytest_netbench.backends.kube.plan import (
    API_PORT,
    CONTROL_PLANE,
    CONTROL_PLANE_ADDRESS,
    KUBELET_PORT,
    MACHINE_PORT,
    Machine,
)
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.kubernetes.objects import managed
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import (
    ENDPOINT_SLICE,
    MANAGED,
    NAMESPACE,
    NETWORK_POLICY,
    POD,
    SERVICE,
    Api,
    Kind,
    Object,
    identity,
)
from pytest_netbench.lab.kubernetes.stores import Key, key_of, version_of
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import FILES, SOCKETS

READY_S: Final = 60.0
_BARRIER_S: Final = 1.0
_BARRIERS: Final = 10
_AT_ONCE: Final = 8
_REACH_S: Final = 2.0
_AT_ONCE_GONE: Final = {"propagationPolicy": "Background", "gracePeriodSeconds": "0"}
_FOLLOWED: Final = (POD, NAMESPACE, SERVICE, ENDPOINT_SLICE, NETWORK_POLICY)
_NOT_MANAGED: Final = ("kube-root-ca.crt", "default")


class Connected(socket.socket):
    """A socket that is connected already."""

    def connect(self, address: object) -> None:
        """Stay connected to whom it is connected."""


class Runtime:
    """A cluster on a lab.

    Args:
        machines: Those of the lab.
        control_plane: The API server.
    """

    lab: Lab
    """Machines, slots and the workstation."""

    def __init__(self, machines: Sequence[Machine], control_plane: ControlPlane) -> None:
        self._machines = machines
        self._control_plane = control_plane
        self.changer, self.reader = identities.agents()
        self._asked: list[Object] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.workers: tuple[Worker, ...] = ()
        self._closing: list[Callable[[], Awaitable[None]]] = []

    @property
    def version(self) -> str:
        """Of the API server."""
        return self._control_plane.version

    async def deploy(self, objects: Sequence[Object], lab: Future[Lab]) -> None:
        """Create objects, start the machines, and return once all pods are ready and every machine acts on them.

        Args:
            objects: Of the application.
            lab: What the machines are nodes of, once it runs. Objects are created meanwhile.

        Raises:
            LabError: The API refuses an object, or the lab could not be deployed.
            NotReady: A pod is not ready in time.
        """
        self._asked = [*names.resolver(), *objects]
        self.api = Api(
            f"https://127.0.0.1:{SECURE_PORT}",
            token=self._control_plane.admin_token,
            open_socket=self._connection,
            tls=ssl.create_default_context(cadata=self._control_plane.ca_pem),
        )
        self._closing.append(self.api.close)
        async with asyncio.TaskGroup() as both:
            both.create_task(self._create())
            both.create_task(self._start(lab))
        await self.await_ready()

    async def _start(self, lab: Future[Lab]) -> None:
        """Start the gateway and the machines."""
        self.lab = await asyncio.wrap_future(lab)
        users = [identities.machine_user(one.name) for one in self._machines]
        pods = Pods(self.api, run_of=self.run_of, reaches=self._reaches)
        self.gateway = Gateway(self.api, (self.changer, self.reader, *users), pods, in_force=self.barrier)
        self._closing.append(self.gateway.close)
        plain, secure = (self._listener(port) for port in (MACHINE_PORT, API_PORT))
        await self.gateway.start(plain, secure, self._server_tls())
        self.workers = tuple(
            Worker(one, self.lab, token=user.token, version=self.version, toolboxes=self._toolboxes)
            for one, user in zip(self._machines, users, strict=True)
        )
        self._closing += [worker.close for worker in self.workers]
        await asyncio.gather(*(worker.start() for worker in self.workers))
        self.workers[0].stores[SERVICE].listen(lambda _, __: self._resolve())
        self.workers[0].stores[POD].listen(lambda _, __: self._resolve())

    def _connection(self) -> socket.socket:
        return Connected(fileno=self._control_plane.connect().detach())

    def _listener(self, port: int) -> socket.socket:
        opened = self.lab.nodes[CONTROL_PLANE].capability(SOCKETS).tcp_socket()
        opened.bind((CONTROL_PLANE_ADDRESS, port))
        opened.listen(128)
        return opened

    async def _reaches(self, machine: str) -> bool:
        """Whether the control plane reaches the port of a machine where its kubelet serves."""
        found = next((one for one in self._machines if one.name == machine), None)
        node = self.lab.nodes[CONTROL_PLANE]
        return found is not None and await connects(
            node.capability(SOCKETS), found.address, KUBELET_PORT, within_s=_REACH_S
        )

    def _server_tls(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._control_plane.server_certificate)
        return context

    async def close(self) -> None:
        """Stop the machines and the gateway, whatever of them was started. Idempotent."""
        for task in self._tasks:
            task.cancel()
        while self._closing:
            await self._closing.pop()()

    # what is deployed

    async def _create(self) -> None:
        spaces = [one["metadata"]["name"] for one in self._asked if one["kind"] == NAMESPACE.name]
        machines = [one.name for one in self._machines]
        first = [one for one in self._asked if one["kind"] == NAMESPACE.name]
        later = [one for one in self._asked if one["kind"] != NAMESPACE.name]
        await self._all(self.api.create(one) for one in (*identities.machine_roles(machines), *first))
        await self._all(self.api.create(one) for one in (*later, *identities.roles(spaces)))

    async def _all(self, work: Iterable[Awaitable[object]]) -> None:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(awaitable: Awaitable[object]) -> None:
            async with limit:
                await awaitable

        await asyncio.gather(*(one(each) for each in work))

    async def await_ready(self) -> None:
        """Return once what was asked for is there, and every machine acts on it.

        Raises:
            NotReady: Something is missing after ``READY_S``.
            LabError: A kernel refuses a ruleset.
        """
        deployments = [one for one in self._asked if one["kind"] == "Deployment"]
        services = [one for one in self._asked if one["kind"] == "Service"]
        stores = self.workers[0].stores

        def lacks() -> list[str]:
            pods, slices = stores[POD].objects.values(), stores[ENDPOINT_SLICE].objects.values()
            return [*workloads.missing(deployments, pods, services, slices)]

        try:
            async with asyncio.timeout(READY_S):
                await stores[POD].wait_for(lambda: not any(line.startswith("Deployment") for line in lacks()))
                await stores[ENDPOINT_SLICE].wait_for(lambda: not lacks())
        except TimeoutError:
            raise NotReady(lacks(), waited_s=READY_S) from None
        await self.barrier()
        await self._write_zone()

    async def barrier(self) -> None:
        """Return once every machine acts on what the API has now.

        Raises:
            LabError: A machine does not, or its kernel refuses a ruleset.
        """
        for _ in range(_BARRIERS):
            try:
                async with asyncio.timeout(_BARRIER_S):
                    await asyncio.gather(*(self._catch_up(kind) for kind in _FOLLOWED))
                    await asyncio.gather(*(worker.settled() for worker in self.workers))
                    break
            except TimeoutError:
                continue
        else:
            raise LabError("the machines of the cluster do not act on what the API has")
        for worker in self.workers:
            for name, table in worker.tables.items():
                if table.problem:
                    raise LabError(f"{worker.machine.name}: the kernel refuses the ruleset of {name}: {table.problem}")

    async def _catch_up(self, kind: Kind) -> None:
        listed = await self.api.list_all(kind)
        wanted = [(key_of(one), version_of(one)) for one in listed.get("items") or ()]
        await asyncio.gather(*(worker.stores[kind].await_versions(wanted) for worker in self.workers))

    # pods

    def pod_of(self, workload: str) -> Object | None:
        """The pod that stands for a Deployment."""
        return workloads.pod_of([*self.workers[0].objects(POD).values()], workload)

    def slot_of(self, pod: Object) -> SlotNode | None:
        """Where a pod runs."""
        run = self.run_of(pod)
        return None if run is None else run.slot

    def run_of(self, pod: Object) -> PodRun | None:
        """What a machine knows of a pod."""
        return next((run for worker in self.workers if (run := worker.kubelet.run_of(pod)) is not None), None)

    def target_port(self, address: str, port: int, protocol: str) -> int | None:
        """The port of pods behind a port of a service address; ``None`` if there is no such service."""
        for one in self.workers[0].objects(SERVICE).values():
            if one["spec"].get("clusterIP") == address:
                for each in one["spec"].get("ports") or ():
                    if each["port"] == port and each.get("protocol", "TCP").lower() == protocol:
                        return self._pod_port(one, each)
        return None

    def _pod_port(self, service: Object, port: Object) -> int | None:
        """The number of the port that a service's port leads to, as its endpoints have it."""
        for one in self.workers[0].objects(ENDPOINT_SLICE).values():
            metadata = one["metadata"]
            labels = metadata.get("labels") or {}
            if metadata["namespace"] != service["metadata"]["namespace"]:
                continue
            if labels.get(workloads.SERVICE_OF) == service["metadata"]["name"]:
                for each in one.get("ports") or ():
                    if (each.get("name") or "") == (port.get("name") or ""):
                        return int(each["port"])
        return None

    def _toolboxes(self) -> int:
        return sum(worker.kubelet.toolboxes for worker in self.workers)

    # names

    def _resolve(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.get_running_loop().create_task(self._write_zone()))

    async def _write_zone(self) -> None:
        text = names.zone(self.workers[0].objects(SERVICE).values())
        for pod in [*self.workers[0].objects(POD).values()]:
            slot = self.slot_of(pod) if workloads.workload_of(pod) == names.RESOLVER else None
            if slot is not None and slot.zone != text:
                slot.zone = text
                await asyncio.to_thread(slot.node.capability(FILES).write_file, names.ZONE, text)

    # what people manage

    async def managed(self) -> list[Object]:
        """The objects of the application that people manage."""
        kinds = sorted({*MANAGED, *(identity(one)[0] for one in self._asked)})
        found = [one for kind in kinds for one in await self.listed(kind, None)]
        return [one for one in found if self._space_of(one) in self._spaces]

    async def listed(self, kind: Kind, namespace: str | None) -> list[Object]:
        """The objects of a kind, but for those that the cluster makes for itself."""
        listed = await self.api.list_all(kind, namespace)
        found = [managed({"apiVersion": kind.version, "kind": kind.name, **one}) for one in listed.get("items") or ()]
        return [one for one in found if one["metadata"]["name"] not in _NOT_MANAGED]

    @property
    def _spaces(self) -> set[str]:
        return {one["metadata"]["name"] for one in self._asked if one["kind"] == NAMESPACE.name}

    def _space_of(self, one: Object) -> str | None:
        metadata = one["metadata"]
        return str(metadata["name"]) if one["kind"] == NAMESPACE.name else metadata.get("namespace")

    async def put(self, kind: Kind, objects: Sequence[Object], *, gone: Key | None = None) -> None:
        """Let the cluster have these objects of a kind, and one no more, as if it had been deployed so.

        All objects of the kind in the application's namespaces are created anew, so that nothing tells which changed.
        """
        if kind is NAMESPACE:
            await self._all(self.api.replace(one) for one in objects)
            await self.barrier()
            return
        wanted = {key_of(one): one for one in await self.managed() if one["kind"] == kind.name}
        await self._all(
            self.api.request("DELETE", kind.path(space), params=_AT_ONCE_GONE) for space in sorted(self._spaces)
        )
        wanted |= {key_of(one): one for one in objects}
        wanted = {key: one for key, one in wanted.items() if key != gone}
        self._asked = [
            one for one in self._asked if one["kind"] != kind.name or self._space_of(one) not in self._spaces
        ]
        self._asked += wanted.values()
        await self._all(self.api.create(wanted[key]) for key in sorted(wanted))
        await self.await_ready()
