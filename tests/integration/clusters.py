"""A small cluster that runs here, and programs on this machine that log in to it as an agent does."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from pytest_netbench.backends.kube.backend import KubeBackend
from pytest_netbench.backends.kube.plan import API_PORT, CONTROL_PLANE_ADDRESS, WORKSTATION
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.kubernetes.nodes import CHANGING
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.capabilities import CLUSTER, FILES, SOCKETS

SPACE = "shop"
WORKLOADS = ("front", "cart", "store")


def request() -> LabRequest:
    """Three workloads, each with a service, in one namespace."""
    objects: list[dict[str, Any]] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}]
    for number, name in enumerate(WORKLOADS):
        objects += _workload(name, 9000 + number, f"10.96.1.{10 + number}")
    nodes = [{"name": name, "role": "pod", "control": "observed"} for name in WORKLOADS]
    return LabRequest(
        name="clients",
        topology=Topology.model_validate({"nodes": [{"name": WORKSTATION, "platform": "kubernetes"}, *nodes]}),
        dialects={WORKSTATION: "kubernetes", **dict.fromkeys(WORKLOADS, "linux")},
        startup_configs={WORKSTATION: yaml.safe_dump_all(objects)},
    )


def _workload(name: str, port: int, address: str) -> list[dict[str, Any]]:
    container = {
        "name": "main",
        "image": "netbench/service:1",
        "env": [
            {"name": "NETBENCH_SERVE", "value": f"grpc:{port}"},
            {"name": "NETBENCH_CALLS", "value": f"{WORKLOADS[-1]}.{SPACE}:{9000 + len(WORKLOADS) - 1}/grpc"},
        ],
        "ports": [{"containerPort": port}],
        "readinessProbe": {"tcpSocket": {"port": port}},
    }
    labels, metadata = {"app": name}, {"name": name, "namespace": SPACE}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"clusterIP": address, "selector": labels, "ports": [{"port": port}]},
        },
    ]


def deployed() -> Any:
    """The cluster, which the caller destroys."""
    return KubeBackend().deploy(request(), labs=NetnsBackend().deploy)


@contextlib.contextmanager
def running() -> Iterator[Any]:
    """The cluster; agents may change it all the time."""
    lab = deployed()
    try:
        with lab.capability(CLUSTER).taking_changes():
            yield lab
    finally:
        lab.destroy()
        lab.await_cleanup()


@contextlib.contextmanager
def logged_in(lab: Any, folder: Path) -> Iterator[Path]:
    """A file with which clients of this machine log in to the cluster: they come from its workstation."""
    sockets = lab.inner.nodes[WORKSTATION].capability(SOCKETS)
    config = yaml.safe_load(lab.inner.nodes[WORKSTATION].capability(FILES).read_file(CHANGING))
    with _forwarded(sockets.tcp_socket, (CONTROL_PLANE_ADDRESS, API_PORT)) as port:
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{port}"
        config["contexts"][0]["context"]["namespace"] = SPACE
        path = folder / "config"
        path.write_text(yaml.safe_dump(config))
        yield path


@contextlib.contextmanager
def _forwarded(open_socket: Callable[[], socket.socket], target: tuple[str, int]) -> Iterator[int]:
    """A port of loopback whose connections begin in another network; both ends close as one of them does."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = open_socket()
                far.connect(target)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_copy, args=(one, other), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


class Kubectl:
    """A release of kubectl on this machine.

    Args:
        program: Its file.
        config: With which it logs in.
    """

    def __init__(self, program: Path, config: Path) -> None:
        self.program = program
        self.env: Mapping[str, str] = {**os.environ, "KUBECONFIG": str(config), "HOME": str(config.parent)}

    def command(self, *words: str) -> Sequence[str]:
        """A command line."""
        return [str(self.program), *words]

    def run(
        self, *words: str, input: bytes | None = None, timeout_s: float = 60.0
    ) -> subprocess.CompletedProcess[bytes]:
        """Run it, whatever its exit status is."""
        stdin: dict[str, Any] = {"stdin": subprocess.DEVNULL} if input is None else {"input": input}
        return subprocess.run(
            self.command(*words), env=self.env, capture_output=True, timeout=timeout_s, check=False, **stdin
        )

    def __call__(self, *words: str, input: bytes | None = None, timeout_s: float = 60.0) -> str:
        """Run it and return what it prints; it has to succeed."""
        done = self.run(*words, input=input, timeout_s=timeout_s)
        assert done.returncode == 0, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.decode()

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start it with pipes."""
        pipe = subprocess.PIPE
        return subprocess.Popen(self.command(*words), env=self.env, stdin=pipe, stdout=pipe, stderr=pipe)


def wait_until(condition: Callable[[], Any], *, within_s: float = 30.0) -> Any:
    """The first result of ``condition`` that is true."""
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "this did not come true in time"
        time.sleep(0.1)
    return found
