"""What a kubelet serves: logs of containers, and commands in them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from pytest_netbench.backends.kube.gateway import logs
from pytest_netbench.backends.kube.gateway.answers import status
from pytest_netbench.backends.kube.gateway.commands import Commands
from pytest_netbench.backends.kube.gateway.identities import User
from pytest_netbench.backends.kube.machine.podrun import AnyContainer, PodRun
from pytest_netbench.lab.kubernetes.client import POD, Api, Object, Refused

_REVIEW: Final = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class _Refusal(Exception):
    """A request is refused with a status of the API."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.answer = status(code, reason, message)


class Pods:
    """Serves what a kubelet serves.

    Args:
        api: The API server, as its administrator.
        run_of: What a machine knows of a pod.
        reaches: Returns whether the control plane reaches a machine, by its name.
    """

    def __init__(
        self,
        api: Api,
        *,
        run_of: Callable[[Object], PodRun | None],
        reaches: Callable[[str], Awaitable[bool]],
    ) -> None:
        self._api = api
        self._run_of = run_of
        self._reaches = reaches
        self._commands = Commands()

    async def __call__(
        self, request: web.BaseRequest, user: User, namespace: str, name: str, what: str
    ) -> web.StreamResponse:
        try:
            await self._check(user, namespace, name, what)
            run, container = await self._found(namespace, name, request.query.get("container"), what)
        except _Refusal as error:
            return error.answer
        if what == "log":
            return await logs.serve(request, run, container)
        return await (self._commands.attach if what == "attach" else self._commands.execute)(request, container)

    async def _found(self, namespace: str, name: str, wanted: str | None, what: str) -> tuple[PodRun, AnyContainer]:
        try:
            pod = await self._api.read(POD, namespace, name)
        except Refused as error:
            raise _Refusal(error.code, "NotFound", f'pods "{name}" not found') from error
        container = _name_of(pod, wanted)
        machine = pod["spec"].get("nodeName")
        if machine is None:
            raise _Refusal(400, "BadRequest", f"pod {name} does not have a host assigned")
        if not await self._reaches(machine):
            host = (pod.get("status") or {}).get("hostIP", machine)
            raise _Refusal(500, "InternalError", f"error dialing backend: dial tcp {host}:10250: i/o timeout")
        run = self._run_of(pod)
        found = None if run is None else run.containers.get(container)
        if run is None or found is None:
            raise _Refusal(400, "BadRequest", f'container "{container}" in pod "{name}" is waiting to start{_why(pod)}')
        if what == "exec" and found.state.kind != "running":
            raise _Refusal(500, "InternalError", f'unable to upgrade connection: container not found ("{container}")')
        return run, found

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


def _name_of(pod: Object, wanted: str | None) -> str:
    """The name of the container that is meant."""
    names = [one["name"] for one in pod["spec"]["containers"]]
    name = pod["metadata"]["name"]
    if wanted is None and len(names) > 1:
        why = f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]"
        raise _Refusal(400, "BadRequest", why)
    if wanted is not None and wanted not in names:
        raise _Refusal(400, "BadRequest", f"container {wanted} is not valid for pod {name}")
    return wanted or str(names[0])


def _why(pod: Object) -> str:
    for one in (pod.get("status") or {}).get("containerStatuses") or ():
        waiting = (one.get("state") or {}).get("waiting")
        if waiting:
            return f": {waiting.get('message') or waiting['reason']}"
    return ""
