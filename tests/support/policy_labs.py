"""A lab of three machines and twelve pods in which rules of network policies are tried with packets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pytest_netbench import parts
from pytest_netbench.backends.kube import plan
from pytest_netbench.kubernetes.policies import World, ruleset
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.platforms.capabilities import EXEC
from tests.support.policy_sets import Question, cluster, node_of, questions, workers

_ARRIVES_S = 0.3
_SILENT_S = 0.1
Compile = Callable[[World, str], str]


def request() -> LabRequest:
    """The lab."""
    topology = plan.topology(workers())
    return LabRequest(
        name="policies",
        topology=topology,
        dialects={node.name: "linux" for node in topology.nodes},
        startup_configs=plan.startup_configs(workers()),
    )


@contextmanager
def policy_lab() -> Iterator[Lab]:
    """One that runs."""
    lab: Lab = parts.load("backends", "netns")().deploy(request())
    try:
        yield lab
    finally:
        lab.destroy()
        lab.await_cleanup()


def world_of(policies: Sequence[Mapping[str, Any]]) -> World:
    """The pods with these policies."""
    return World.of([*cluster(), *policies])


def enforce(lab: Lab, world: World, *, compiled: Compile = ruleset) -> None:
    """Write the rules of all machines; the kernel must take them."""
    for machine in workers():
        text = compiled(world, machine.name)
        done = lab.nodes[machine.name].capability(EXEC).run(["nft", "-f", "-"], input=text)
        assert done.returncode == 0, f"{done.stderr}\n{text}"


def unlike(lab: Lab, world: World) -> list[tuple[Question, bool]]:
    """Questions to which packets give another answer than the decision, with what the packets say."""
    asked = list(questions(world, protocols=("TCP", "UDP")))
    where = {(pod.namespace, pod.name): (node_of(pod.address), str(pod.address)) for pod in world.pods}
    probes = []
    for (space, name, to_space, to_name, protocol, port), allowed in asked:
        target = where[to_space, to_name]
        probes.append(
            Probe(
                source=where[space, name][0],
                target=target[1],
                protocol="tcp" if protocol == "TCP" else "udp",
                port=port,
                listen_on=target[0],
                arrives_at=(target[0],),
                timeout_s=_ARRIVES_S if allowed else _SILENT_S,
                repetitions=1 if allowed else 0,
            )
        )
    results = lab.prober.probe(probes)
    return [
        (question, result.delivered)
        for (question, allowed), result in zip(asked, results, strict=True)
        if result.delivered != allowed
    ]
