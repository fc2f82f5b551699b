"""What a pod asks for that no pod has here. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_netbench.lab.kubernetes.client import Object

_HOST: Final = ("hostNetwork", "hostPID", "hostIPC")
_MOST_CONTAINERS: Final = 5
_IGNORED_VOLUMES: Final = ("emptyDir", "projected")


def refusal(pod: Object, *, own: bool) -> str | None:
    """Why a pod cannot run here, in a sentence; ``None`` if it can.

    Args:
        pod: Which.
        own: Whether its image is one of this package, whose program needs no volume.
    """
    return next(_refusals(pod["spec"], own=own), None)


def _refusals(spec: Mapping[str, Any], *, own: bool) -> Iterator[str]:
    for name in _HOST:
        if spec.get(name):
            yield f"{name} is not available: pods have no access to their machine in this cluster"
    if spec.get("initContainers"):
        yield "init containers are not available in this cluster"
    if len(spec["containers"]) > _MOST_CONTAINERS:
        yield f"at most {_MOST_CONTAINERS} containers run in a pod of this cluster"
    for volume in spec.get("volumes") or ():
        kind = next((one for one in volume if one != "name"), "emptyDir")
        if (not own and kind not in _IGNORED_VOLUMES) or kind == "hostPath":
            yield f'volume "{volume["name"]}": volumes of the kind {kind} are not available in this cluster'
    for container in spec["containers"]:
        yield from _of_container(container, own=own)


def _of_container(container: Mapping[str, Any], *, own: bool) -> Iterator[str]:
    name = container["name"]
    asked = container.get("securityContext") or {}
    if asked.get("privileged"):
        yield f'container "{name}": privileged containers are not available in this cluster'
    if (asked.get("capabilities") or {}).get("add"):
        yield f'container "{name}": capabilities cannot be added in this cluster'
    for mount in container.get("volumeMounts") or ():
        if not own and not mount["mountPath"].startswith("/var/run/secrets/"):
            yield f'container "{name}": nothing is mounted at {mount["mountPath"]}: use files in /tmp'
