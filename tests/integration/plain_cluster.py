"""A cluster that nobody tells to be ours: an API server on loopback, machines that enforce policies or do not.

As a program it serves until its input ends: ``python -m tests.integration.plain_cluster FILE [--open]`` writes the
kubeconfig of its administrator into FILE, whose context is ``plain``.
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from pytest_netbench.backends.kube import plan
from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.gateway.answers import status
from pytest_netbench.backends.kube.gateway.identities import User
from pytest_netbench.backends.kube.gateway.pods import Pods
from pytest_netbench.backends.kube.gateway.server import Gateway
from pytest_netbench.backends.kube.machine.containers import PROGRAM
from pytest_netbench.backends.kube.runtime import Runtime
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.kubernetes.policies import TABLE
from pytest_netbench.lab.kubernetes import pod_program
from pytest_netbench.lab.kubernetes.loop import EventLoop
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import LabRequest
from tests.integration.kube import binaries_of_this_machine

IMAGE = "netbench/service:1"
CONTEXT = "plain"
SLOTS = 14
_REVIEW = "/apis/authentication.k8s.io/v1/tokenreviews"
_NO_POLICIES = f"table ip {TABLE}\ndelete table ip {TABLE}\n"
_UP_S = 90.0


class Front(Gateway):
    """Passes requests on as those of the users whose tokens they have, and serves what kubelets serve."""

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        found = (await self._api.request("POST", _REVIEW, body=review))["status"]
        if not found.get("authenticated"):
            return status(401, "Unauthorized", "Unauthorized")
        user = User(found["user"]["username"], tuple(found["user"].get("groups") or ()))
        try:
            return await self._of_user(request, user)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            return status(503, "ServiceUnavailable", f"the API server does not answer: {error}")


@dataclass
class PlainCluster:
    """A cluster that runs."""

    url: str
    ca: str
    token: str
    runtime: Runtime
    loop: EventLoop

    def write_kubeconfig(self, path: Path, *, token: str | None = None) -> Path:
        """Write a file with one context."""
        cluster = {"server": self.url, "certificate-authority-data": base64.b64encode(self.ca.encode()).decode()}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "one", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": token or self.token}}],
            "contexts": [{"name": CONTEXT, "context": {"cluster": "one", "user": "admin"}}],
            "current-context": CONTEXT,
        }
        path.write_text(json.dumps(content))
        return path

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the API as its administrator."""
        return self.loop.run(self.runtime.api.request(method, path, body=body))

    def enforce(self, *, enforces: bool) -> None:
        """Let the machines enforce policies, or let their kernels have none."""
        for worker in self.runtime.workers:
            table = worker.tables["policies"]
            table._compute = worker._policies if enforces else (lambda: _NO_POLICIES)
            table.changed()


@contextmanager
def plain_cluster(binaries: Binaries) -> Iterator[PlainCluster]:
    """Start one, and end it."""
    machines = plan.machines(3, slots=SLOTS)
    plane = ControlPlane.start(binaries)
    lab = None
    loop = EventLoop()
    runtime = Runtime(machines, plane)
    try:
        topology = plan.topology(machines)
        request = LabRequest(
            name="plain",
            topology=topology,
            dialects={node.name: "linux" for node in topology.nodes},
            startup_configs=plan.startup_configs(machines),
            shared={PROGRAM: pod_program.path()},
        )
        lab = NetnsBackend().deploy(request)
        port = loop.run(_started(runtime, lab, plane), timeout_s=_UP_S)
        yield PlainCluster(f"https://127.0.0.1:{port}", plane.ca_pem, plane.admin_token, runtime, loop)
    finally:
        loop.run(runtime.close())
        loop.close()
        if lab is not None:
            lab.destroy()
        plane.stop()


async def _started(runtime: Runtime, lab: Lab, plane: ControlPlane) -> int:
    # commands in all pods at once, each of which holds a thread
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(64))
    future: Future[Lab] = Future()
    future.set_result(lab)
    await runtime.deploy([], future)
    front = Front(
        runtime.api,
        (),
        Pods(runtime.api, run_of=runtime.run_of, reaches=_reaches),
        in_force=runtime.barrier,
    )
    runner = front._runner
    await runner.setup()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*plane.server_certificate)
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    runtime._closing.push_async_callback(front.close)
    assert site._server is not None
    return int(site._server.sockets[0].getsockname()[1])


async def _reaches(machine: str) -> bool:
    return True


def main(path: str, *options: str) -> None:
    """Serve until the input ends."""
    with plain_cluster(binaries_of_this_machine(say=print)) as cluster:
        cluster.enforce(enforces="--open" not in options)
        cluster.write_kubeconfig(Path(path))
        print("ready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
