"""A cluster that runs: the gateway, the machines, and what is deployed on them. Everything runs in its event loop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import Final

from pytest_netbench.backends.kube.components import SECURE_PORT
from pytest_netbench.backends.kube.contents import Contents, at_once
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
from pytest_netbench.backends.kube.renewal import Renewal
from pytest_netbench.backends.kube.resolving import Resolving
from pytest_netbench.backends.kube.supervised import Connected
from pytest_netbench.backends.kube.view import FOLLOWED, View
from pytest_netbench.backends.kube.waits import Waits
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.lab.kubernetes.client import DEPLOYMENT, NAMESPACE, RENEWED, Api, Kind, Object
from pytest_netbench.lab.kubernetes.stores import Key
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import SOCKETS

_REACH_S: Final = 2.0


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
        self.control_plane = control_plane
        """The API server, and its store."""
        self.changer, self.reader = identities.agents()
        self.workers: tuple[Worker, ...] = ()
        self.renewed: Sequence[Kind] = RENEWED
        self.is_in_doubt = False
        """Whether machines were waited for in vain, which may not act on what the API has."""
        self._closing = AsyncExitStack()

    @property
    def version(self) -> str:
        """Of the API server."""
        return self.control_plane.version

    async def deploy(self, objects: Sequence[Object], lab: Future[Lab]) -> None:
        """Create objects, start the machines, and return once all pods are ready and every machine acts on them.

        Args:
            objects: Of the application.
            lab: What the machines are nodes of, once it runs. Objects are created meanwhile.

        Raises:
            LabError: The API refuses an object, or the lab could not be deployed.
            NotReady: A pod is not ready in time.
        """
        self.api = Api(
            f"https://127.0.0.1:{SECURE_PORT}",
            token=self.control_plane.admin_token,
            open_socket=self._connection,
            tls=ssl.create_default_context(cadata=self.control_plane.ca_pem),
        )
        self._closing.push_async_callback(self.api.close)
        self.view = View(self.api)
        self._closing.push_async_callback(self.view.close)
        self._contents = Contents(self.api, objects)
        self._waits = Waits(self.api, self.view, lambda: self.workers)
        self._renewal = Renewal(self.api, self.control_plane, self.view, self._contents)
        self._resolving = Resolving(self.view, self.slot_of)
        self._closing.push_async_callback(self._resolving.close)
        async with asyncio.TaskGroup() as both:
            seen = both.create_task(self.view.start())
            both.create_task(self._contents.create(self._machines, self.version, self._waits))
            both.create_task(self._start(lab, seen))
        await self._waits.pods(self._contents.asked)
        await asyncio.gather(self._await_rules(), self._renewal.check())

    async def _start(self, lab: Future[Lab], seen: asyncio.Task[None]) -> None:
        """Start the gateway and the machines."""
        self.lab = await asyncio.wrap_future(lab)
        await seen
        users = [identities.machine_user(one.name) for one in self._machines]
        pods = Pods(self.api, run_of=self.run_of, reaches=self._reaches)
        self.gateway = Gateway(self.api, (self.changer, self.reader, *users), pods, in_force=self.barrier)
        self._closing.push_async_callback(self.gateway.close)
        plain, secure = (self._listener(port) for port in (MACHINE_PORT, API_PORT))
        await self.gateway.start(plain, secure, self._server_tls())
        self.workers = tuple(
            Worker(one, self.lab, token=user.token, version=self.version, toolboxes=self._toolboxes)
            for one, user in zip(self._machines, users, strict=True)
        )
        for worker in self.workers:
            self._closing.push_async_callback(worker.close)
        await asyncio.gather(*(worker.start(self.view.stores) for worker in self.workers))
        self._resolving.follow()

    def _connection(self) -> socket.socket:
        return Connected(fileno=self.control_plane.connect().detach())

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
        context.load_cert_chain(*self.control_plane.server_certificate)
        return context

    async def close(self) -> None:
        """Stop the machines and the gateway, whatever of them was started. Idempotent; where one fails, others stop."""
        await self._closing.aclose()

    async def await_ready(self) -> None:
        """Return once what was asked for is there, and every machine acts on it.

        Raises:
            NotReady: Something is missing after ``READY_S``.
            LabError: A kernel refuses a ruleset.
        """
        await self._waits.pods(self._contents.asked)
        await self._await_rules()

    async def _await_rules(self) -> None:
        """Return once every machine acts on what the API has now.

        Before, each pod that begins would change the rules of all machines, and nobody uses them.
        """
        await self._waits.barrier(self._enforce)
        await self._resolving.write()
        for worker in self.workers:
            worker.kubelet.recorder.release()

    def _enforce(self) -> None:
        for worker in self.workers:
            worker.enforce()

    def check(self) -> None:
        """Check that all parts run that no agent can end; for any thread.

        Raises:
            LabDied: One has ended.
        """
        problems = self.control_plane.problems, self.view.problem, *(worker.problem for worker in self.workers)
        if problem := "; ".join(filter(None, problems)):
            raise LabDied(f"a part of the cluster has ended: {problem}")

    async def barrier(self, kinds: Sequence[Kind] = FOLLOWED) -> None:
        """Return once every machine acts on what the API has now of kinds, but for those that are cut off from it.

        Raises:
            LabError: A machine does not, or its kernel refuses a ruleset.
        """
        try:
            await self._waits.barrier(kinds=kinds)
        except BaseException:
            self.is_in_doubt = True
            raise
        self.is_in_doubt = self.is_in_doubt and kinds != FOLLOWED

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
        await self._waits.machines([name])
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

    # what people manage

    async def managed(self) -> list[Object]:
        """The objects of the application that people manage."""
        return await self._contents.managed()

    async def listed(self, kind: Kind, namespace: str | None) -> list[Object]:
        """The objects of a kind, but for those that the cluster makes for itself."""
        return await self._contents.listed(kind, namespace)

    async def put(self, kind: Kind, objects: Sequence[Object], *, gone: Key | None = None) -> None:
        """Let the cluster have these objects of a kind, and one no more, as if it had been deployed so."""
        if kind is NAMESPACE:
            await at_once(self.api.replace(one) for one in objects)
            await self.barrier()
            return
        kinds = tuple(dict.fromkeys((*self.renewed, kind)))
        await self._renewal.put(kinds, objects, None if gone is None else (kind.name, gone), self.workers)
        await self._waits.pods(self._contents.asked)
        await asyncio.gather(self._await_rules(), *([self._renewal.check()] if DEPLOYMENT in kinds else []))
