"""Logs of pods, and commands in them, for clients that speak websockets."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from aiohttp import WSMsgType, web

from pytest_netbench.backends.kube.gateway.answers import status
from pytest_netbench.backends.kube.gateway.identities import User
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import POD, Api, Object, Refused
from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL

_STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSE = 1, 2, 3, 4, 255
_PROTOCOLS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_REVIEW: Final = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_FOLLOW_S: Final = 0.2
_LIMITS: Final = SandboxLimits(timeout_s=60.0, output_bytes=1 << 20)


class _Refusal(Exception):
    """A request is refused with a status of the API."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.answer = status(code, reason, message)


class Pods:
    """Serves what a kubelet serves.

    Args:
        api: The API server, as its administrator.
        slot_of: Where a pod runs.
        reaches: Returns whether the control plane reaches a machine, by its name.
    """

    def __init__(
        self,
        api: Api,
        *,
        slot_of: Callable[[Object], SlotNode | None],
        reaches: Callable[[str], bool],
    ) -> None:
        self._api = api
        self._slot_of = slot_of
        self._reaches = reaches

    async def __call__(
        self, request: web.BaseRequest, user: User, namespace: str, name: str, what: str
    ) -> web.StreamResponse:
        try:
            await self._check(user, namespace, name, what)
            slot = await self._slot(namespace, name)
        except _Refusal as error:
            return error.answer
        return await (self._log(request, slot) if what == "log" else self._exec(request, slot))

    async def _slot(self, namespace: str, name: str) -> SlotNode:
        try:
            pod = await self._api.read(POD, namespace, name)
        except Refused as error:
            raise _Refusal(error.code, "NotFound", f'pods "{name}" not found') from error
        slot, machine = self._slot_of(pod), pod["spec"].get("nodeName")
        if slot is None or machine is None:
            raise _Refusal(400, "BadRequest", f'container of pod "{name}" is not running')
        if not await asyncio.to_thread(self._reaches, machine):
            host = (pod.get("status") or {}).get("hostIP", machine)
            raise _Refusal(500, "InternalError", f"error dialing backend: dial tcp {host}:10250: i/o timeout")
        return slot

    async def _check(self, user: User, namespace: str, name: str, what: str) -> None:
        if what == "portforward":
            raise _Refusal(501, "NotImplemented", "port-forward is not served here: use exec in a pod")
        attributes = {
            "namespace": namespace,
            "verb": "get" if what == "log" else "create",
            "resource": "pods",
            "subresource": what,
            "name": name,
        }
        review: Object = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": user.name, "groups": [*user.groups], "resourceAttributes": attributes},
        }
        answer = await self._api.request("POST", _REVIEW, body=review)
        if not answer["status"].get("allowed"):
            why = f'pods "{name}" is forbidden: user "{user.name}" cannot use pods/{what} in "{namespace}"'
            raise _Refusal(403, "Forbidden", why)

    async def _log(self, request: web.BaseRequest, slot: SlotNode) -> web.StreamResponse:
        query = request.query
        text = await asyncio.to_thread(slot.log)
        lines = text.splitlines(keepends=True)
        if (tail := query.get("tailLines")) is not None:
            lines = lines[-int(tail) :] if int(tail) else []
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        await response.write("".join(lines).encode())
        while query.get("follow") == "true":
            await asyncio.sleep(_FOLLOW_S)
            new = await asyncio.to_thread(slot.log)
            if len(new) > len(text):
                await response.write(new[len(text) :].encode())
            text = new
        await response.write_eof()
        return response

    async def _exec(self, request: web.BaseRequest, slot: SlotNode) -> web.StreamResponse:
        offered = request.headers.get("Sec-WebSocket-Protocol", "")
        if not any(one in offered for one in _PROTOCOLS):
            return status(400, "BadRequest", "commands in pods need a client with websockets: kubectl since 1.31")
        socket = web.WebSocketResponse(protocols=_PROTOCOLS)
        await socket.prepare(request)
        argv = request.query.getall("command", [])
        reader = asyncio.create_task(_drain(socket))
        try:
            done = await asyncio.to_thread(_run, slot, argv)
        except LabError as error:
            done = Completed(stdout="", stderr=f"{error}\n", returncode=126)
        for channel, text in ((_STDOUT, done.stdout), (_STDERR, done.stderr)):
            if text:
                await socket.send_bytes(bytes([channel]) + text.encode())
        await socket.send_bytes(bytes([_ERROR]) + json.dumps(_outcome(done)).encode())
        await socket.close()
        reader.cancel()
        return socket


async def _drain(socket: web.WebSocketResponse) -> None:
    async for message in socket:
        if message.type == WSMsgType.CLOSE:
            return


def _run(slot: SlotNode, argv: list[str]) -> Completed:
    shell = slot.node.capability(AGENT_SHELL)
    return shell.shell(shlex.join(argv), writable=False, limits=_LIMITS)


def _outcome(done: Completed) -> Mapping[str, object]:
    if done.returncode == 0 and not done.timed_out:
        return {"metadata": {}, "status": "Success"}
    message = "the command ran too long" if done.timed_out else f"command terminated with exit code {done.returncode}"
    causes = [{"reason": "ExitCode", "message": str(done.returncode)}]
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": message,
        "details": {"causes": causes},
    }
