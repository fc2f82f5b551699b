"""Flows between pods of a cluster, tried by a command in each pod."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_netbench.backends.kubeconfig import batches, translation
from pytest_netbench.backends.kubeconfig.batches import Try
from pytest_netbench.backends.kubeconfig.cluster import Cluster
from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.objects import Object
from pytest_netbench.lab.kubernetes import workloads
from pytest_netbench.lab.kubernetes.client import POD, Refused
from pytest_netbench.lab.kubernetes.stores import key_of
from pytest_netbench.lab.probing import ProbeResult

_END: Final = 300
_NOT_FOUND: Final = 404
_ROUNDS: Final = 3
_SLACK_S: Final = 20.0
_LATE_S: Final = 0.5
"""Pods answer for so long after the last attempt, as not all commands begin at once."""


async def tried(
    cluster: Cluster, tries: Mapping[int, Try], pods: Mapping[str, Object], *, timeout_s: float, attempts: int
) -> dict[int, ProbeResult]:
    """Try flows between pods side by side; those that are refused again, as nobody may have listened yet.

    Args:
        cluster: The cluster.
        tries: By number.
        pods: By workload.
        timeout_s: For each attempt.
        attempts: In each round.
    """
    results: dict[int, ProbeResult] = {}
    left = dict(tries)
    for number in range(_ROUNDS):
        for_s = timeout_s * attempts + _LATE_S * (1 + number)
        works = [*batches.works(left)]
        outputs = await asyncio.gather(
            *(
                _answers(
                    cluster,
                    pods[name],
                    batches.command(work, left, for_s=for_s, timeout_s=timeout_s),
                    count=len(work.flows),
                    timeout_s=for_s + _SLACK_S,
                )
                for name, work in works
            )
        )
        for (_, work), output in zip(works, outputs, strict=True):
            results |= zip(work.flows, map(batches.result_of, output), strict=True)
        left = {one: tries[one] for one in batches.refused(results, [*left], left)}
        if not left:
            break
    return results


async def _answers(cluster: Cluster, pod: Object, command: Sequence[str], *, count: int, timeout_s: float) -> list[Any]:
    """What came of the flows of one pod; that nothing was sent, if somebody has ended or changed the pod."""
    try:
        done = await cluster.run(pod, command, timeout_s=timeout_s)
        found = json.loads(done.stdout)
    except (LabError, ValueError) as error:
        if await _is_as_deployed(cluster, pod):
            said = str(error) if isinstance(error, LabError) else (done.stderr or done.stdout).strip()[-_END:]
            raise LabError(
                f"the pod {pod['metadata']['name']} cannot send probes: {said or 'it said nothing'}"
            ) from None
        return ["the pod was ended or changed"] * count
    return list(found)


async def _is_as_deployed(cluster: Cluster, pod: Object) -> bool:
    """Whether a pod still runs what it was deployed with. Agents may end pods, and give them other images."""
    space, name = key_of(pod)
    try:
        now = await cluster.api.read(POD, space, name)
    except Refused as error:
        if error.code == _NOT_FOUND:
            return False
        raise
    containers = [(one.get("image"), one.get("command")) for one in now["spec"]["containers"]]
    wanted = [(cluster.place.image, translation.COMMAND)]
    return workloads.is_ready(now) and now["metadata"]["uid"] == pod["metadata"]["uid"] and containers == wanted
