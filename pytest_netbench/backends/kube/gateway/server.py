"""The gateway: an HTTP server in front of the API server."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import Final

import aiohttp
from aiohttp import web
from yarl import URL

from pytest_netbench.backends.kube.gateway.answers import status
from pytest_netbench.backends.kube.gateway.deeds import Deeds, changes_policies
from pytest_netbench.backends.kube.gateway.identities import User
from pytest_netbench.backends.kube.view import FOLLOWED
from pytest_netbench.lab.kubernetes.client import NETWORK_POLICY, Api, Kind

_HOPS: Final = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailers", "transfer-encoding"),
    *("upgrade", "host", "content-length", "authorization"),
}
_REFUSED: Final = 400
_IMPERSONATE: Final = "impersonate-"
_READING: Final = {"GET", "HEAD", "OPTIONS"}
_REVIEWS: Final = re.compile(r"/apis/authorization\.k8s\.io/|/apis/authentication\.k8s\.io/")
_LOG: Final = "log"
_POD: Final = re.compile(r"^/api/v1/namespaces/([^/]+)/pods/([^/]+)/(log|exec|attach|portforward)$")
Pods = Callable[[web.BaseRequest, User, str, str, str], Awaitable[web.StreamResponse]]
"""Serves what a kubelet serves: request, user, namespace, pod, and ``log``, ``exec``, ``attach`` or ``portforward``."""


class Gateway:
    """Passes requests to the API server under the names of their users.

    Args:
        api: The API server, as its administrator.
        users: Those who may ask.
        pods: Serves what a kubelet serves.
        in_force: Returns once the machines act on what the API server has of some kinds.
    """

    def __init__(
        self, api: Api, users: tuple[User, ...], pods: Pods, *, in_force: Callable[[Sequence[Kind]], Awaitable[None]]
    ) -> None:
        self._api = api
        self._users: Mapping[str, User] = {user.token: user for user in users}
        self._pods = pods
        self._in_force = in_force
        self.deeds = Deeds()
        """What agents do, of which something may follow later."""
        self.takes_changes = False
        """Whether agents may change something now."""
        self.listener: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
        """Each change of an agent happens within what this returns for it."""
        self._runner = web.ServerRunner(web.Server(self._answer, access_log=None), shutdown_timeout=0.1)

    async def start(self, plain: socket.socket, secure: socket.socket, tls: ssl.SSLContext) -> None:
        """Serve on two listening sockets, without TLS and with it."""
        await self._runner.setup()
        await web.SockSite(self._runner, plain).start()
        await web.SockSite(self._runner, secure, ssl_context=tls).start()

    async def close(self) -> None:
        """End all connections."""
        await self._runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        user = self._users.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
        if user is None:
            return status(401, "Unauthorized", "Unauthorized")
        if user.is_agent and any(name.lower().startswith(_IMPERSONATE) for name in request.headers):
            return status(403, "Forbidden", f'user "{user.name}" cannot impersonate others')
        try:
            return await self._of_user(request, user)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            return status(503, "ServiceUnavailable", f"the API server does not answer: {error}")

    async def _of_user(self, request: web.BaseRequest, user: User) -> web.StreamResponse:
        found = _POD.match(request.path)
        if found is not None:
            namespace, pod, what = found.groups()
            with nullcontext() if what == _LOG else self.deeds.deed(request.path):
                return await self._pods(request, user, namespace, pod, what)
        if self._is_refused(request, user):
            why = "this is a read-only session: nothing can be changed in it"
            return status(403, "Forbidden", f'user "{user.name}" cannot {request.method} {request.path}: {why}')
        if self._is_change(request, user):
            with self.deeds.deed(request.path):
                return await self._change(request, user)
        return await self._pass(request, user)

    def _is_refused(self, request: web.BaseRequest, user: User) -> bool:
        return self._is_change(request, user) and not self.takes_changes

    def _is_change(self, request: web.BaseRequest, user: User) -> bool:
        if not user.is_agent or request.method in _READING or "dryRun" in request.query:
            return False
        return _REVIEWS.match(request.path) is None

    async def _change(self, request: web.BaseRequest, user: User) -> web.StreamResponse:
        """Pass a change, and hold its answer until the machines act on it."""
        watched = self.listener(f"{request.method} {request.path}")
        await asyncio.to_thread(watched.__enter__)
        try:
            async with self._sent(request, user) as answer:
                response = web.Response(status=answer.status, body=await answer.read())
                _copy_headers(answer, response)
            if answer.status < _REFUSED:
                await self._in_force((NETWORK_POLICY,) if changes_policies(request.path) else FOLLOWED)
        finally:
            await asyncio.to_thread(watched.__exit__, None, None, None)
        return response

    def _sent(self, request: web.BaseRequest, user: User) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _HOPS]
        headers.append(("Impersonate-User", user.name))
        headers += [("Impersonate-Group", group) for group in user.groups]
        body = request.content if request.can_read_body else None
        return self._api.session.request(
            request.method,
            URL(self._api.url + request.raw_path, encoded=True),
            headers=headers,
            data=body,
            allow_redirects=False,
            auto_decompress=False,
        )

    async def _pass(self, request: web.BaseRequest, user: User) -> web.StreamResponse:
        async with self._sent(request, user) as answer:
            response = web.StreamResponse(status=answer.status)
            _copy_headers(answer, response)
            if (length := answer.headers.get("Content-Length")) is not None:
                response.content_length = int(length)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response


def _copy_headers(answer: aiohttp.ClientResponse, response: web.StreamResponse) -> None:
    for name, value in answer.headers.items():
        if name.lower() not in _HOPS:
            response.headers[name] = value
