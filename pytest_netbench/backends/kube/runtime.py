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
from pytest_netbench.backends.kube.machine import registration
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
from pytest_netbench.backends.kube.view import FOLLOWED, View
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.kubernetes.objects import managed
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import (
    DEPLOYMENT,
    ENDPOINT_SLICE,
    EVENT,
    MANAGED,
    NAMESPACE,
    NETWORK_POLICY,
    NODE,
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
RENEWED: Final = (DEPLOYMENT, NETWORK_POLICY)
"""The kinds of objects that faults change."""
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
        self.view = View(self.api)
        self._closing.append(self.view.close)
        async with asyncio.TaskGroup() as both:
            both.create_task(self.view.start())
            both.create_task(self._create())
            both.create_task(self._start(lab))
        await self._await_pods()
        # before, each pod that begins would change the rules of all machines, and nobody uses them
        for worker in self.workers:
            worker.enforce()
        await self._await_rules()

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
        self.view.on_change(self._resolve, SERVICE, POD)

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
        names = [one.name for one in self._machines]
        machines = [registration.node(one, self.version) for one in self._machines]
        spaces = [one for one in self._asked if one["kind"] == NAMESPACE.name]
        workloads = [one for one in self._asked if one["kind"] == DEPLOYMENT.name]
        others = [one for one in self._asked if one["kind"] not in (NAMESPACE.name, DEPLOYMENT.name)]
        roles = identities.roles(one["metadata"]["name"] for one in spaces)
        await self._all(self.api.create(one) for one in (*machines, *identities.machine_roles(names), *spaces))
        # a pod for which the scheduler finds no machine is not tried again for a second
        await self._await_machines(names)
        # workloads first, since controllers and machines have most to do with them
        await self._all(self.api.create(one) for one in (*workloads, *others, *roles))

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
        await self._await_pods()
        await self._await_rules()

    async def _await_rules(self) -> None:
        await self.barrier()
        await self._write_zone()
        for worker in self.workers:
            worker.kubelet.recorder.release()

    async def _await_pods(self) -> None:
        deployments = [one for one in self._asked if one["kind"] == "Deployment"]
        services = [one for one in self._asked if one["kind"] == "Service"]
        view = self.view

        def lacks() -> list[str]:
            return [*workloads.missing(deployments, view.objects(POD), services, view.objects(ENDPOINT_SLICE))]

        try:
            async with asyncio.timeout(READY_S):
                await view.stores[POD].wait_for(lambda: not any(line.startswith("Deployment") for line in lacks()))
                await view.stores[ENDPOINT_SLICE].wait_for(lambda: not lacks())
        except TimeoutError:
            raise NotReady(lacks(), waited_s=READY_S) from None

    async def _await_machines(self, names: Sequence[str]) -> None:
        def lacks() -> list[str]:
            return [name for name in names if not self.view.takes_pods(name)]

        try:
            async with asyncio.timeout(READY_S):
                await self.view.stores[NODE].wait_for(lambda: not lacks())
        except TimeoutError:
            raise NotReady([f"the machine {name}" for name in lacks()], waited_s=READY_S) from None

    async def barrier(self) -> None:
        """Return once every machine acts on what the API has now, but for those that are cut off from it.

        Raises:
            LabError: A machine does not, or its kernel refuses a ruleset.
        """
        for _ in range(_BARRIERS):
            try:
                async with asyncio.timeout(_BARRIER_S):
                    await asyncio.gather(*(self._catch_up(kind) for kind in FOLLOWED))
                    await asyncio.gather(*(worker.settled() for worker in self._acting))
                    break
            except TimeoutError:
                continue
        else:
            raise LabError("the machines of the cluster do not act on what the API has")
        for worker in self._acting:
            for name, table in worker.tables.items():
                if table.problem:
                    raise LabError(f"{worker.machine.name}: the kernel refuses the ruleset of {name}: {table.problem}")

    async def _catch_up(self, kind: Kind) -> None:
        listed = await self.api.list_all(kind)
        wanted = [(key_of(one), version_of(one)) for one in listed.get("items") or ()]
        followers = [self.view.stores, *(worker.stores for worker in self._acting)]
        stores = [stores[kind] for stores in followers if kind in stores]
        await asyncio.gather(*(store.await_versions(wanted) for store in stores))

    @property
    def _acting(self) -> list[Worker]:
        """The machines that are not cut off from the API."""
        return [worker for worker in self.workers if not worker.is_cut_off]

    # machines that are cut off, and others

    def worker(self, name: str) -> Worker:
        """A machine.

        Raises:
            LabError: There is none of this name.
        """
        found = next((one for one in self.workers if one.machine.name == name), None)
        if found is None:
            raise LabError(f"the cluster has no machine {name}")
        return found

    async def restore(self, name: str) -> None:
        """Let a machine pass all packets again, and return once it and all that was asked for are ready.

        Raises:
            LabError: There is no such machine, or its kernel refuses it.
            NotReady: Something is missing after ``READY_S``.
        """
        await self.worker(name).restore()
        await self._await_machines([name])
        await self.await_ready()

    # pods

    def slot_of(self, pod: Object) -> SlotNode | None:
        """Where a pod runs."""
        run = self.run_of(pod)
        return None if run is None else run.slot

    def run_of(self, pod: Object) -> PodRun | None:
        """What a machine knows of a pod."""
        return next((run for worker in self.workers if (run := worker.kubelet.run_of(pod)) is not None), None)

    def _toolboxes(self) -> int:
        return sum(worker.kubelet.toolboxes for worker in self.workers)

    async def _forget_pods(self) -> None:
        """Let machines write nothing of what happened to pods of the application until they are ready again."""
        pods = [one["metadata"]["uid"] for one in self.view.objects(POD) if self._space_of(one) in self._spaces]
        recorders = [worker.kubelet.recorder for worker in self.workers]
        for recorder in recorders:
            recorder.hold()
        await asyncio.gather(*(recorder.forget(pods) for recorder in recorders))

    # names

    def _resolve(self) -> None:
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.get_running_loop().create_task(self._write_zone()))

    async def _write_zone(self) -> None:
        text = names.zone(self.view.objects(SERVICE))
        for pod in self.view.objects(POD):
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

        All of ``RENEWED`` in the application's namespaces are created anew, so that nothing tells which changed.
        Events, which name the pods of before, are deleted.
        """
        if kind is NAMESPACE:
            await self._all(self.api.replace(one) for one in objects)
            await self.barrier()
            return
        kinds = tuple(dict.fromkeys((*RENEWED, kind)))
        names = {one.name for one in kinds}
        wanted = {_place(one): one for one in await self.managed() if one["kind"] in names}
        wanted |= {_place(one): one for one in objects}
        wanted = {place: one for place, one in wanted.items() if place != (kind.name, gone)}
        await self._forget_pods()
        await self._all(
            self.api.request("DELETE", one.path(space), params=_AT_ONCE_GONE)
            for one in (*kinds, EVENT)
            for space in sorted(self._spaces)
        )
        kept = [one for one in self._asked if one["kind"] not in names or self._space_of(one) not in self._spaces]
        self._asked = [*kept, *wanted.values()]
        # pods must not be seen to begin before the policies that isolate them
        await self._all(self.api.create(wanted[place]) for place in sorted(wanted, reverse=True))
        await self.await_ready()


def _place(one: Object) -> tuple[str, Key]:
    """The kind and the key of an object."""
    return str(one["kind"]), key_of(one)
