"""What a container is here: which images there are, what their programs get, and what their pods report. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pytest_netbench.backends.kube.plan import DNS_ADDRESS
from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.lab.request import SHARED_FILES

OWN: Final = "netbench/"
"""Images whose program is the one of this package begin with it."""
TOOLBOXES: Final = ("busybox", "alpine", "curlimages/curl", "nicolaka/netshoot", "nginx")
"""Images of others whose pods have the tools of a node."""
PROGRAM: Final = "pod.py"
INTERPRETER: Final = "/usr/bin/python3"
_REGISTRIES: Final = ("docker.io/library/", "docker.io/", "library/")
_NAMES: Final = "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"
_SEARCH: Final = "svc.cluster.local cluster.local"


def is_own(image: str) -> bool:
    """Whether the image has a program of this package."""
    return image.startswith(OWN)


def is_toolbox(image: str) -> bool:
    """Whether the image is one of the known toolboxes, in any version."""
    for prefix in _REGISTRIES:
        image = image.removeprefix(prefix)
    return image.partition("@")[0].partition(":")[0] in TOOLBOXES


def argv(image: str) -> tuple[str, ...]:
    """The program of a container."""
    if is_own(image):
        return INTERPRETER, "-I", "-S", "-u", f"{SHARED_FILES}/{PROGRAM}"
    return "sleep", "infinity"


def environment(pod: Object) -> dict[str, str]:
    """The variables of the first container that have plain values."""
    container = pod["spec"]["containers"][0]
    own = {one["name"]: str(one["value"]) for one in container.get("env") or () if one.get("value") is not None}
    metadata = pod["metadata"]
    return {**own, "HOSTNAME": metadata["name"], "POD_NAMESPACE": metadata["namespace"]}


def files(pod: Object) -> dict[str, str]:
    """Files that a kubelet gives a pod: its resolver's settings."""
    namespace = pod["metadata"]["namespace"]
    resolver = f"search {namespace}.{_SEARCH}\nnameserver {DNS_ADDRESS}\noptions ndots:5 timeout:1 attempts:2\n"
    return {"/etc/resolv.conf": resolver, "/etc/nsswitch.conf": _NAMES}


def probed_port(pod: Object) -> int | None:
    """The TCP port that tells whether the first container is ready; ``None`` if it has no probe."""
    container = pod["spec"]["containers"][0]
    probe = container.get("readinessProbe") or {}
    for way in ("tcpSocket", "httpGet", "grpc"):
        if way in probe:
            port = probe[way]["port"]
            if isinstance(port, int):
                return port
            named = {one.get("name"): one["containerPort"] for one in container.get("ports") or ()}
            return named.get(port)
    return None


def now() -> str:
    """The time as the API writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def running(pod: Object, *, address: str, host: str, ready: bool, started: str, restarts: int = 0) -> Object:
    """The status of a pod whose containers run."""
    containers = [
        {
            **_names(container, pod),
            "ready": ready,
            "started": True,
            "restartCount": restarts,
            "state": {"running": {"startedAt": started}},
        }
        for container in pod["spec"]["containers"]
    ]
    return _status("Running", containers, ready=ready, started=started, address=address, host=host)


def waiting(pod: Object, *, reason: str, message: str, host: str, started: str) -> Object:
    """The status of a pod whose containers do not start."""
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": False,
            "started": False,
            "restartCount": 0,
            "state": {"waiting": {"reason": reason, "message": message}},
        }
        for container in pod["spec"]["containers"]
    ]
    return _status("Pending", containers, ready=False, started=started, address=None, host=host)


def _status(
    phase: str, containers: list[Object], *, ready: bool, started: str, address: str | None, host: str
) -> Object:
    word = "True" if ready else "False"
    conditions: list[dict[str, Any]] = [
        {"type": "PodReadyToStartContainers", "status": "True", "lastTransitionTime": started},
        {"type": "Initialized", "status": "True", "lastTransitionTime": started},
        {"type": "Ready", "status": word, "lastTransitionTime": started},
        {"type": "ContainersReady", "status": word, "lastTransitionTime": started},
    ]
    found: Object = {
        "phase": phase,
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": started,
        "conditions": conditions,
        "containerStatuses": containers,
    }
    if address is not None:
        found |= {"podIP": address, "podIPs": [{"ip": address}]}
    return found


def _names(container: Mapping[str, Any], pod: Object) -> Object:
    image = container["image"]
    digest = hashlib.sha256(f"{pod['metadata']['uid']}/{container['name']}".encode()).hexdigest()
    return {
        "name": container["name"],
        "image": image,
        "imageID": f"{image.partition(':')[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}",
        "containerID": f"containerd://{digest}",
    }
