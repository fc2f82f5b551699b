"""The flows of a cluster: from each pod and host outside to each other one, and to services. Pure.

A pod has another address each time, so a flow to it is one to the word ``pod``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Final

from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.objects import OUTSIDE, POD, objects_of
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.model.task import Task
from pytest_netbench.randomness import seeded

_PORT: Final = re.compile(r"(?<=port: )\d+|(?<=Port: )\d+")
_TRANSPORTS: Final = ("tcp", "udp")
_DNS: Final = 53
_OTHER: Final = 7
"""A port that no task names."""
_LAST: Final = 65_535


def cluster_flows(task: Task, *, seed: int, count: int) -> tuple[ReferenceFlow, ...]:
    """Return the flows of a task of ``configure`` on a cluster; the same for equal arguments.

    From each node to each other one: a ping, and by TCP and UDP each port that an object or a command of the ground
    truth names, and one beside each; and to each service each of its ports.

    Args:
        task: A task on a cluster.
        seed: Draws which ones are taken if there are more than ``count``.
        count: At most so many.
    """
    every = list(_flows(task))
    chosen = sorted(seeded(seed).sample(range(len(every)), min(count, len(every))))
    return tuple(every[index] for index in chosen)


def _flows(task: Task) -> Iterator[ReferenceFlow]:
    payload = configuration_of(task)
    nodes = [one.name for one in payload.topology.nodes if one.role in (POD, OUTSIDE)]
    objects = [one for text in payload.startup_configs.values() for one in _objects(text)]
    ports = _ports(payload.startup_configs, payload.ground_truth_configs)
    for source, target in permutations(nodes, 2):
        yield ReferenceFlow(source=source, target=POD, target_node=target)
        for transport in _TRANSPORTS:
            for port in ports:
                yield ReferenceFlow(source=source, target=POD, target_node=target, protocol=transport, port=port)
    for address, target, served in _services(objects, nodes):
        for source in nodes:
            for transport, port in served if source != target else ():
                yield ReferenceFlow(source=source, target=address, target_node=target, protocol=transport, port=port)


def _objects(text: str) -> list[dict[str, Any]]:
    try:
        return objects_of(text)
    except ValueError:  # of a host outside, whose startup config has commands
        return []


def _ports(configs: Mapping[str, str], truth: Mapping[str, Sequence[str]]) -> list[int]:
    texts = (*configs.values(), *(line for lines in truth.values() for line in lines))
    named = {int(found) for text in texts for found in _PORT.findall(text)}
    beside = {port + step for port in named for step in (-1, 1)}
    return sorted(port for port in {*named, *beside, _DNS, _OTHER} if 0 < port <= _LAST)


def _services(
    objects: Sequence[Mapping[str, Any]], nodes: Sequence[str]
) -> Iterator[tuple[str, str, list[tuple[Any, int]]]]:
    """By service with one Deployment behind it: its address, the Deployment, and its ports with their transports."""
    pods = {
        one["metadata"]["name"]: (one["metadata"].get("namespace"), one["spec"]["template"]["metadata"]["labels"])
        for one in objects
        if one["kind"] == "Deployment" and one["metadata"]["name"] in nodes
    }
    for one in objects:
        if one["kind"] != "Service" or "clusterIP" not in one["spec"]:
            continue
        home, wanted = one["metadata"].get("namespace"), one["spec"].get("selector", {}).items()
        behind = [name for name, (place, labels) in pods.items() if place == home and wanted <= labels.items()]
        if len(behind) == 1:
            ports = [(str(port.get("protocol", "TCP")).lower(), int(port["port"])) for port in one["spec"]["ports"]]
            yield one["spec"]["clusterIP"], behind[0], [each for each in ports if each[0] in _TRANSPORTS]
