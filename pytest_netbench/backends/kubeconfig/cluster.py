"""A lab on a cluster that exists: its namespaces and objects, and commands in its pods. Runs in an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from collections.abc import Awaitable, Iterable, Sequence
from typing import Final

from pytest_netbench.backends.kubeconfig import accounts, execution, leases, permissions, rights, translation
from pytest_netbench.backends.kubeconfig.settings import Place
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.lab.kubernetes import pod_program, workloads
from pytest_netbench.lab.kubernetes.client import (
    DEPLOYMENT,
    ENDPOINT_SLICE,
    MANAGED,
    MERGE_PATCH,
    NAMESPACE,
    NETWORK_POLICY,
    POD,
    RENEWED,
    SERVICE,
    SERVICE_ACCOUNT,
    Api,
    Kind,
    Object,
    identity,
)
from pytest_netbench.lab.kubernetes.stores import Key, key_of
from pytest_netbench.platforms.access import Completed

READY_S: Final = 120.0
_POLL_S: Final = 0.2
_AT_ONCE: Final = 8
_TOKEN_S: Final = 6 * 3600
_OWN_NAME: Final = "kubernetes.io/metadata.name"
_GONE_AT_ONCE: Final = {"propagationPolicy": "Background"}
_NOT_MANAGED: Final = ("kube-root-ca.crt", "default", translation.PROGRAM)


def api_of(place: Place) -> Api:
    """A client for the user of the context."""
    return Api(place.server, token=place.token, tls=place.tls, open_socket=_socket)


def _socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


class Cluster:
    """The part of a cluster that a lab has. All methods run in the event loop.

    Args:
        place: The cluster.
        objects: Of the task.
    """

    def __init__(self, place: Place, objects: Sequence[Object]) -> None:
        self.place = place
        self.lab = secrets.token_hex(4)
        self.spaces = tuple(one["metadata"]["name"] for one in objects if one["kind"] == NAMESPACE.name)
        self.given = {key_of(one): one["spec"].get("clusterIP") for one in objects if one["kind"] == SERVICE.name}
        self.asked = translation.for_cluster(objects, image=place.image)
        self.settle_s = 0.0
        self.renewed: Sequence[Kind] = RENEWED
        self.version = ""
        self._renewing: asyncio.Task[None] | None = None
        self.api: Api

    async def open(self) -> None:
        """Look at the cluster, remove labs whose owners have ended, and claim the namespaces.

        Raises:
            RequirementMissing: The user may not do something, or names are not resolved.
            LabError: A namespace is taken, or the API does not answer.
        """
        self.api = api_of(self.place)
        self.version = str((await self.api.request("GET", "/version"))["gitVersion"]).lstrip("v")
        await permissions.check(self.api, self.place.context)
        await permissions.check_names(self.api, self.place.context)
        mine = (accounts.home(self.lab), *self.spaces)
        await leases.claim(self.api, self.lab, mine, wait_s=self.place.wait_s)
        self._renewing = asyncio.create_task(self._renew(mine))

    async def _renew(self, names: Sequence[str]) -> None:
        while True:
            await asyncio.sleep(leases.RENEW_S)
            with contextlib.suppress(LabError):
                await leases.renew(self.api, names)

    async def close(self) -> None:
        """Remove all that the lab has made, and close the connections. Idempotent."""
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None
        if hasattr(self, "api") and not self.api.session.closed:
            try:
                await leases.remove(self.api, self.lab)
            finally:
                await self.api.close()

    # what is deployed

    async def deploy(self) -> None:
        """Create all objects but the policies, and return once the pods are ready.

        Raises:
            LabError: The API refuses one.
            NotReady: A pod is not ready in time.
        """
        programs = [translation.program(space, pod_program.text()) for space in self.spaces]
        await self._all(self.api.create(one) for one in (*accounts.accounts(self.lab), *programs))
        await self._all(self._label(one) for one in self.asked if one["kind"] == NAMESPACE.name)
        others = [one for one in self.asked if one["kind"] not in (NAMESPACE.name, NETWORK_POLICY.name)]
        await self._all(self.api.create(one) for one in (*accounts.roles(self.lab, self.spaces), *others))
        await self.await_ready()

    async def deploy_policies(self) -> None:
        """Create the policies, and return once they should be in force."""
        await self._all(self.api.create(one) for one in self.asked if one["kind"] == NETWORK_POLICY.name)
        await asyncio.sleep(self.settle_s)

    async def token(self, name: str) -> str:
        """A token of a service account of the lab."""
        asked: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _TOKEN_S},
        }
        path = SERVICE_ACCOUNT.path(accounts.home(self.lab), name, "token")
        return str((await self.api.request("POST", path, body=asked))["status"]["token"])

    async def let_change(self, *, allowed: bool) -> None:
        """Let agents change something from now on, or no more; returns once that is in force.

        Raises:
            LabError: It is not in force in time.
        """
        await rights.let_change(self.api, self.lab, self.spaces, allowed=allowed)

    async def _all(self, work: Iterable[Awaitable[object]]) -> None:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(awaitable: Awaitable[object]) -> None:
            async with limit:
                await awaitable

        await asyncio.gather(*(one(each) for each in work))

    async def await_ready(self) -> None:
        """Return once all pods and endpoints that were asked for are there.

        Raises:
            NotReady: Something is missing after ``READY_S``.
        """
        deployments = [one for one in self.asked if one["kind"] == DEPLOYMENT.name]
        services = [one for one in self.asked if one["kind"] == SERVICE.name]
        end = time.monotonic() + READY_S
        while True:
            pods, slices = await self.everywhere(POD), await self.everywhere(ENDPOINT_SLICE)
            lacks = [*workloads.missing(deployments, pods, services, slices)]
            if not lacks:
                return
            if time.monotonic() > end:
                raise NotReady(lacks, waited_s=READY_S)
            await asyncio.sleep(_POLL_S)

    async def everywhere(self, kind: Kind) -> list[Object]:
        """All objects of a kind in the namespaces of the application."""
        lists = await asyncio.gather(*(self.api.list_all(kind, space) for space in self.spaces))
        return [one for each in lists for one in each.get("items") or ()]

    # pods

    async def pod_of(self, workload: str) -> Object | None:
        """The pod that stands for a Deployment."""
        return workloads.pod_of(await self.everywhere(POD), workload)

    async def run(self, pod: Object, argv: Sequence[str], *, timeout_s: float, most: int = 1 << 20) -> Completed:
        """Run a command in a pod."""
        space, name = key_of(pod)
        return await execution.run(self.api, space, name, argv, timeout_s=timeout_s, most=most)

    # what people manage

    async def managed(self) -> list[Object]:
        """The objects of the application that people manage."""
        kinds = sorted({*MANAGED, *(identity(one)[0] for one in self.asked)})
        found = [one for kind in kinds for one in await self.listed(kind, None)]
        return [one for one in found if self._space_of(one) in self.spaces]

    async def listed(self, kind: Kind, namespace: str | None) -> list[Object]:
        """The objects of a kind, but for those that the cluster and the lab make for themselves."""
        if kind.namespaced and namespace is None:
            items = await self.everywhere(kind)
        else:
            items = (await self.api.list_all(kind, namespace)).get("items") or []
        found = [translation.as_managed({"apiVersion": kind.version, "kind": kind.name, **one}) for one in items]
        return [one for one in found if one["metadata"]["name"] not in _NOT_MANAGED]

    def _space_of(self, one: Object) -> str | None:
        metadata = one["metadata"]
        return str(metadata["name"]) if one["kind"] == NAMESPACE.name else metadata.get("namespace")

    async def put(self, kind: Kind, objects: Sequence[Object], *, gone: Key | None = None) -> None:
        """Let the cluster have these objects of a kind, and one no more, as if it had been deployed so.

        All of the kinds ``renewed`` in the application's namespaces are created anew: nothing tells which changed.
        """
        if kind is NAMESPACE:
            await self._all(self._relabel(one) for one in objects)
        else:
            kinds = tuple(dict.fromkeys((*self.renewed, kind)))
            names = {one.name for one in kinds}
            wanted = {_place(one): one for one in await self.managed() if one["kind"] in names}
            await self._all(
                self.api.request("DELETE", one.path(space), params=_GONE_AT_ONCE)
                for one in kinds
                for space in self.spaces
            )
            wanted |= {_place(one): one for one in translation.for_cluster(objects, image=self.place.image)}
            wanted = {place: one for place, one in wanted.items() if place != (kind.name, gone)}
            self.asked = [one for one in self.asked if one["kind"] not in names] + [*wanted.values()]
            await self._all(self.api.create(wanted[place]) for place in sorted(wanted, reverse=True))
            await self.await_ready()
        await asyncio.sleep(self.settle_s)

    async def _label(self, one: Object) -> None:
        """Give a namespace of the lab the labels of the task, too: selectors of policies look for them."""
        metadata = one["metadata"]
        if labels := metadata.get("labels"):
            change = {"metadata": {"labels": labels}}
            await self.api.patch(NAMESPACE, None, metadata["name"], change, content_type=MERGE_PATCH)

    async def _relabel(self, one: Object) -> None:
        """Give a namespace other labels. The lab's own stay."""
        name = one["metadata"]["name"]
        before = (await self.api.read(NAMESPACE, None, name))["metadata"]
        kept = {key: value for key, value in before["labels"].items() if key in (leases.LAB, _OWN_NAME)}
        before["labels"] = {**(one["metadata"].get("labels") or {}), **kept}
        await self.api.replace({"apiVersion": "v1", "kind": NAMESPACE.name, "metadata": before})


def _place(one: Object) -> tuple[str, Key]:
    """The kind and the key of an object."""
    return str(one["kind"]), key_of(one)
