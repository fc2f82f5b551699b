"""Events of pods as a kubelet writes them. Pure."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pytest_netbench.backends.kube.machine import containers
from pytest_netbench.lab.kubernetes.client import Object

_COMPONENT: Final = "kubelet"
_LONGEST: Final = 1000


class Note(Protocol):
    """Takes note of something that happened to a pod."""

    def __call__(self, reason: str, message: str, *, container: str | None = None, is_warning: bool = False) -> None:
        """Take note of it.

        Args:
            reason: In one word.
            message: In a sentence.
            container: To which of its containers.
            is_warning: Whether it is bad.
        """
        ...


@dataclass
class Happening:
    """What happened to a pod, once or several times.

    Attributes:
        pod: Which.
        reason: In one word.
        message: In a sentence.
        container: To which of its containers.
        is_warning: Whether it is bad.
        count: How often it happened.
        written: How many of these are written.
        due: When it may be written again, by the monotonic clock.
    """

    pod: Object
    reason: str
    message: str
    container: str | None
    is_warning: bool
    count: int = 0
    written: int = 0
    due: float = 0.0
    first: str = field(default_factory=containers.now)
    last: str = ""
    began_ns: int = field(default_factory=time.time_ns)

    def again(self) -> None:
        """Count it once more."""
        self.count += 1
        self.last = containers.now()

    @property
    def uid(self) -> str:
        """Of the pod."""
        return str(self.pod["metadata"]["uid"])

    @property
    def name(self) -> str:
        """Of the event. Clients show those of one second in the order of their names."""
        return f"{self.pod['metadata']['name']}.{self.began_ns:x}"

    @property
    def counted(self) -> Object:
        """What changes of the event when it happens again."""
        return {"count": self.count, "lastTimestamp": self.last}

    def event(self, machine: str) -> Object:
        """The event of a machine."""
        metadata = self.pod["metadata"]
        involved = {
            "apiVersion": "v1",
            "kind": "Pod",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        }
        if self.container is not None:
            involved["fieldPath"] = f"spec.containers{{{self.container}}}"
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": self.name, "namespace": metadata["namespace"]},
            "involvedObject": involved,
            "reason": self.reason,
            "message": self.message[:_LONGEST],
            "type": "Warning" if self.is_warning else "Normal",
            "source": {"component": _COMPONENT, "host": machine},
            "reportingComponent": _COMPONENT,
            "reportingInstance": machine,
            "firstTimestamp": self.first,
            **self.counted,
        }


def waits(note: Note, pod: Object, reason: str, message: str) -> None:
    """Note that the containers of a pod cannot be started, for the reason that its status has."""
    for one in pod["spec"]["containers"]:
        name, image = one["name"], one["image"]
        if reason == "ImagePullBackOff":
            note("Failed", f'Failed to pull image "{image}": {message}', container=name, is_warning=True)
            note("BackOff", f'Back-off pulling image "{image}"', container=name)
        elif reason == "CreateContainerConfigError":
            note("Failed", f"Error: {message}", container=name, is_warning=True)
        else:
            note(reason, message, is_warning=True)
            return


def made(note: Note, container: Mapping[str, Any]) -> None:
    """Note that a container is made."""
    name = container["name"]
    note("Pulled", f'Container image "{container["image"]}" already present on machine', container=name)
    note("Created", f"Created container: {name}", container=name)


def started(note: Note, container: Mapping[str, Any]) -> None:
    """Note that a container was started."""
    note("Started", f"Started container {container['name']}", container=container["name"])


def not_ready(note: Note, container: Mapping[str, Any], address: str, port: int, *, is_silent: bool) -> None:
    """Note that the port of a readiness probe takes no connection."""
    why = "i/o timeout" if is_silent else "connect: connection refused"
    message = f"Readiness probe failed: dial tcp {address}:{port}: {why}"
    note("Unhealthy", message, container=container["name"], is_warning=True)
