"""What pods report of their containers, and when a container that ended is started again. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.lab.kubernetes.client import Object

_FIRST_DELAY_S: Final = 10.0
_LONGEST_DELAY_S: Final = 300.0


class State(NamedTuple):
    """The state of a container.

    Attributes:
        kind: ``waiting``, ``running`` or ``terminated``.
        detail: What the API has with it.
        ready: Whether it serves.
        restarts: How often it was started again.
        last: Its state before, if it ended.
    """

    kind: str
    detail: Mapping[str, Any]
    ready: bool = False
    restarts: int = 0
    last: Mapping[str, Any] | None = None


def delay_s(restarts: int) -> float:
    """How long a container that ended waits for its next start, having been started again ``restarts`` times."""
    return 0.0 if restarts == 0 else min(_FIRST_DELAY_S * 2 ** (restarts - 1), _LONGEST_DELAY_S)


def starts_again(policy: str, returncode: int) -> bool:
    """Whether a container that ended is started again."""
    return policy == "Always" or (policy == "OnFailure" and returncode != 0)


def ended(returncode: int, *, started: str, finished: str, identity: str, message: str = "") -> Object:
    """The details of a container that ended."""
    code = returncode if returncode >= 0 else 128 - returncode
    found = {
        "exitCode": code,
        "reason": "Completed" if code == 0 else "Error",
        "startedAt": started,
        "finishedAt": finished,
        "containerID": identity,
    }
    return found | ({"message": message} if message else {})


def identity_of(pod: Object, container: Mapping[str, Any]) -> str:
    """The identifier of a container."""
    digest = hashlib.sha256(f"{pod['metadata']['uid']}/{container['name']}".encode()).hexdigest()
    return f"containerd://{digest}"


def status(pod: Object, states: Mapping[str, State], *, address: str | None, host: str, started: str) -> Object:
    """The status of a pod.

    Args:
        pod: Which.
        states: By name of the container.
        address: Of the pod, if it has one.
        host: The address of its machine.
        started: When the machine took it.
    """
    policy = pod["spec"].get("restartPolicy", "Always")
    phase = _phase(policy, [*states.values()])
    done = phase in ("Succeeded", "Failed")
    ready = all(one.ready for one in states.values())
    word = "True" if ready else "False"
    why = {"reason": "PodCompleted"} if phase == "Succeeded" else {} if ready else {"reason": "ContainersNotReady"}
    conditions = [
        {"type": kind, "status": value, "lastTransitionTime": started, **reason}
        for kind, value, reason in (
            ("PodReadyToStartContainers", "False" if done else "True", {}),
            ("Initialized", "True", {}),
            ("Ready", word, why),
            ("ContainersReady", word, why),
        )
    ]
    found: Object = {
        "phase": phase,
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "startTime": started,
        "conditions": conditions,
        "containerStatuses": [_container(pod, one, states[one["name"]]) for one in pod["spec"]["containers"]],
    }
    if address is not None:
        found |= {"podIP": address, "podIPs": [{"ip": address}]}
    return found


def _phase(policy: str, states: list[State]) -> str:
    if all(one.kind == "waiting" and one.last is None for one in states):
        return "Pending"
    codes = [one.detail["exitCode"] for one in states if one.kind == "terminated"]
    if len(codes) < len(states) or any(starts_again(policy, code) for code in codes):
        return "Running"
    return "Failed" if any(codes) else "Succeeded"


def _container(pod: Object, container: Mapping[str, Any], state: State) -> Object:
    image = container["image"]
    found = {
        "name": container["name"],
        "image": image,
        "imageID": "",
        "ready": state.ready,
        "started": state.kind == "running",
        "restartCount": state.restarts,
        "state": {state.kind: dict(state.detail)},
        "lastState": {} if state.last is None else {"terminated": dict(state.last)},
    }
    if state.kind != "waiting" or state.last is not None:
        found |= {
            "imageID": f"{image.partition(':')[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}",
            "containerID": identity_of(pod, container),
        }
    return found
