"""A client of the Kubernetes API. Its connections begin in whatever network its sockets come from."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, NamedTuple

import aiohttp

from pytest_netbench.errors import LabError

Object = dict[str, Any]
"""An object of the API, as JSON has it."""
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
_LONGEST_LINE: Final = 8 * 2**20


class Refused(LabError):
    """The API server refused a request. ``code`` is that of HTTP."""

    def __init__(self, what: str, code: int, text: str) -> None:
        super().__init__(f"{what}: {code}: {text}")
        self.code = code


class Kind(NamedTuple):
    """A kind of objects and where the API has them."""

    name: str
    version: str
    plural: str
    namespaced: bool = True

    def path(self, namespace: str | None = None, name: str = "", subresource: str = "") -> str:
        """The path of one object, or of all in a namespace, or of all."""
        root = f"/api/{self.version}" if "/" not in self.version else f"/apis/{self.version}"
        inner = f"/namespaces/{namespace}" if self.namespaced and namespace is not None else ""
        return "/".join(filter(None, (f"{root}{inner}/{self.plural}", name, subresource)))


NAMESPACE: Final = Kind("Namespace", "v1", "namespaces", namespaced=False)
NODE: Final = Kind("Node", "v1", "nodes", namespaced=False)
POD: Final = Kind("Pod", "v1", "pods")
SERVICE: Final = Kind("Service", "v1", "services")
DEPLOYMENT: Final = Kind("Deployment", "apps/v1", "deployments")
REPLICA_SET: Final = Kind("ReplicaSet", "apps/v1", "replicasets")
ENDPOINT_SLICE: Final = Kind("EndpointSlice", "discovery.k8s.io/v1", "endpointslices")
NETWORK_POLICY: Final = Kind("NetworkPolicy", "networking.k8s.io/v1", "networkpolicies")
EVENT: Final = Kind("Event", "v1", "events")
LEASE: Final = Kind("Lease", "coordination.k8s.io/v1", "leases")
CLUSTER_ROLE: Final = Kind("ClusterRole", "rbac.authorization.k8s.io/v1", "clusterroles", namespaced=False)
CLUSTER_ROLE_BINDING: Final = Kind(
    "ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False
)
ROLE_BINDING: Final = Kind("RoleBinding", "rbac.authorization.k8s.io/v1", "rolebindings")
CONFIG_MAP: Final = Kind("ConfigMap", "v1", "configmaps")
SERVICE_ACCOUNT: Final = Kind("ServiceAccount", "v1", "serviceaccounts")
MANAGED: Final = (NAMESPACE, DEPLOYMENT, SERVICE, NETWORK_POLICY)
"""What people manage in an application, also where there is none of it yet."""
RENEWED: Final = (DEPLOYMENT, NETWORK_POLICY)
"""The kinds of objects that faults change."""
KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        *(NAMESPACE, NODE, POD, SERVICE, DEPLOYMENT, ENDPOINT_SLICE, NETWORK_POLICY, LEASE, CONFIG_MAP),
        *(CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE_BINDING, SERVICE_ACCOUNT),
    )
}
"""By name: those that this backend works with."""


class Api:
    """One user's view of the API.

    Args:
        url: Of the server, e.g. ``https://172.18.0.2:6443``.
        token: Of the user.
        open_socket: Makes the socket of each connection.
        tls: How the server is checked; ``None`` for HTTP without TLS.
    """

    def __init__(
        self, url: str, *, token: str, open_socket: Callable[[], socket.socket], tls: ssl.SSLContext | None = None
    ) -> None:
        self.url = url
        self._token = token
        self._open_socket = open_socket
        self._tls = tls
        self.session = self._new_session()
        self._watches: set[aiohttp.ClientResponse] = set()

    def _new_session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            ssl=self._tls if self._tls is not None else False, limit=0, socket_factory=lambda _: self._open_socket()
        )
        return aiohttp.ClientSession(
            connector=connector,
            headers={"Authorization": f"Bearer {self._token}"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            read_bufsize=_LONGEST_LINE,
        )

    async def close(self) -> None:
        """Close its connections."""
        await self.session.close()

    async def reconnect(self) -> None:
        """Break all connections; watches, and requests that wait for an answer, end with an error.

        So it is noticed at once that a network passes packets again: connections wait for their next retransmission.
        """
        old, self.session = self.session, self._new_session()
        for answer in [*self._watches]:
            answer.close()
        await old.close()

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Object | list[Any] | None = None,
        params: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        timeout_s: float = 15.0,
    ) -> Object:
        """Send a request and return the object that answers it.

        Raises:
            Refused: The server refused it.
            LabError: It does not answer.
        """
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": content_type}
        limit = aiohttp.ClientTimeout(total=timeout_s)
        try:
            async with self.session.request(
                method, self.url + path, data=data, params=params, headers=headers, timeout=limit
            ) as answer:
                text = await answer.text()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise LabError(f"{method} {path}: the API does not answer: {error!r}") from error
        if answer.status >= 300:
            raise Refused(f"{method} {path}", answer.status, _message(text))
        return dict(json.loads(text))

    async def read(self, kind: Kind, namespace: str | None, name: str) -> Object:
        """One object."""
        return await self.request("GET", kind.path(namespace, name))

    async def list_all(self, kind: Kind, namespace: str | None = None, **params: str) -> Object:
        """The list of all objects of a kind, or of those in a namespace."""
        return await self.request("GET", kind.path(namespace), params=params)

    async def create(self, found: Object) -> Object:
        """Create an object of a kind in ``KINDS``."""
        kind, namespace, _ = identity(found)
        return await self.request("POST", kind.path(namespace), body=found)

    async def replace(self, found: Object) -> Object:
        """Replace an object by another one of its name."""
        kind, namespace, name = identity(found)
        return await self.request("PUT", kind.path(namespace, name), body=found)

    async def patch(
        self,
        kind: Kind,
        namespace: str | None,
        name: str,
        change: Object | list[Any],
        *,
        subresource: str = "",
        content_type: str = STRATEGIC_PATCH,
    ) -> Object:
        """Change parts of an object."""
        path = kind.path(namespace, name, subresource)
        return await self.request("PATCH", path, body=change, content_type=content_type)

    async def delete(self, kind: Kind, namespace: str | None, name: str, options: Object | None = None) -> Object:
        """Delete an object."""
        return await self.request("DELETE", kind.path(namespace, name), body=options)

    async def watch(self, kind: Kind, version: str, **params: str) -> AsyncIterator[Object]:
        """Events of a kind after a version, until the server ends the watch.

        Raises:
            Refused: The server refused it; 410 if the version is too old.
            LabError: The connection broke.
        """
        query = {"watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true", **params}
        try:
            async with self.session.get(self.url + kind.path(), params=query) as answer:
                if answer.status >= 300:
                    raise Refused(f"watch {kind.plural}", answer.status, _message(await answer.text()))
                self._watches.add(answer)
                try:
                    async for line in answer.content:
                        yield json.loads(line)
                finally:
                    self._watches.discard(answer)
        except (aiohttp.ClientError, OSError) as error:
            raise LabError(f"watch {kind.plural}: the connection broke: {error!r}") from error


def identity(found: Object) -> tuple[Kind, str | None, str]:
    """The kind, namespace and name of an object.

    Raises:
        LabError: This backend does not know its kind.
    """
    kind = KINDS.get(found["kind"])
    if kind is None:
        raise LabError(f"objects of the kind {found['kind']} cannot be deployed (known: {', '.join(KINDS)})")
    namespace = found["metadata"].get("namespace", "default") if kind.namespaced else None
    return kind, namespace, found["metadata"]["name"]


def _message(text: str) -> str:
    try:
        return str(json.loads(text).get("message", text))
    except (ValueError, AttributeError):
        return text[:500]
