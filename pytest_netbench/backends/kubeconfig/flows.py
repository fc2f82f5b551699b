"""Flows between pods of a cluster, tried by a command in each pod."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.backends.kubeconfig import batches
from pytest_netbench.backends.kubeconfig.batches import Try
from pytest_netbench.backends.kubeconfig.cluster import Cluster
from pytest_netbench.errors import LabError
from pytest_netbench.kubernetes.objects import Object
from pytest_netbench.lab.probing import ProbeResult
from pytest_netbench.platforms.access import Completed

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
                cluster.run(
                    pods[name],
                    batches.command(work, left, for_s=for_s, timeout_s=timeout_s),
                    timeout_s=for_s + _SLACK_S,
                )
                for name, work in works
            )
        )
        for (name, work), output in zip(works, outputs, strict=True):
            results |= zip(work.flows, map(batches.result_of, _answers(name, output)), strict=True)
        left = {one: tries[one] for one in batches.refused(results, [*left], left)}
        if not left:
            break
    return results


def _answers(name: str, done: Completed) -> list[Any]:
    try:
        found = json.loads(done.stdout)
    except ValueError:
        said = (done.stderr or done.stdout).strip()[-300:] or "nothing"
        raise LabError(f"the pod of {name} cannot send probes: status {done.returncode}, it said {said}") from None
    return list(found)
