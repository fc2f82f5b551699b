"""What a container is here: which images there are, and what their programs get. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from pytest_netbench.backends.kube.machine.environment import expanded
from pytest_netbench.backends.kube.plan import DNS_ADDRESS
from pytest_netbench.lab.kubernetes import calls
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
_DOMAIN: Final = "cluster.local"


def is_own(image: str) -> bool:
    """Whether the image has a program of this package."""
    return image.startswith(OWN)


def is_toolbox(image: str) -> bool:
    """Whether the image is one of the known toolboxes, in any version."""
    return _plain(image) in TOOLBOXES


def _plain(image: str) -> str:
    """The name of an image without registry and version."""
    for prefix in _REGISTRIES:
        image = image.removeprefix(prefix)
    return image.partition("@")[0].partition(":")[0]


def argv() -> tuple[str, ...]:
    """The program of a container whose program is the one of this package."""
    return INTERPRETER, "-I", "-S", "-u", f"{SHARED_FILES}/{PROGRAM}"


def serves(container: Mapping[str, Any]) -> str | None:
    """What the program of this package serves for an image of others; ``None`` if the container runs its own one."""
    commanded = container.get("command") or container.get("args")
    return "http:80" if _plain(container["image"]) == "nginx" and not commanded else None


def command(container: Mapping[str, Any], variables: Mapping[str, str]) -> list[str]:
    """The command line of a container with an image of others."""
    words = [expanded(one, variables) for one in container.get("command") or ()]
    arguments = [expanded(one, variables) for one in container.get("args") or ()]
    if words or not arguments:
        words = [*words, *arguments] or ["sh"]
    else:
        calls = _plain(container["image"]) == "curlimages/curl" and arguments[0].startswith(("-", "http"))
        words = [*(["curl"] if calls else []), *arguments]
    return ["sh", "-c", 'cd "$0" && exec "$@"', container.get("workingDir") or "/", *words]


def executed(container: Mapping[str, Any], words: Sequence[str]) -> list[str]:
    """The command line of a command in a container. Its first process waits for it, so that signals end it."""
    return ["sh", "-c", 'cd "$0" && "$@"; exit $?', container.get("workingDir") or "/", *words]


def files(pod: Object, address: str) -> dict[str, str]:
    """Files that a kubelet gives a pod: its resolver's settings, its own name, and an empty record of calls."""
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    searched = f"{namespace}.svc.{_DOMAIN} svc.{_DOMAIN} {_DOMAIN}"
    resolver = f"search {searched}\nnameserver {DNS_ADDRESS}\noptions ndots:5 timeout:1 attempts:2\n"
    hosts = f"127.0.0.1 localhost\n::1 localhost\n{address} {name}\n"
    return {
        "/etc/resolv.conf": resolver,
        "/etc/nsswitch.conf": _NAMES,
        "/etc/hosts": hosts,
        "/etc/hostname": f"{name}\n",
        calls.FILE: "",
    }


def probed_port(container: Mapping[str, Any]) -> int | None:
    """The TCP port that tells whether a container is ready; ``None`` if it has no probe."""
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
