"""Which faults cannot be told from others: ``python benchmarks/rivals.py [--shape NAME] [--only FAULT…]``.

The rivals of a fault are all faults of the catalogue at its node, at the other ends of its links, and at the next hops
of these. Each rival is injected into a network of its own. There the observations that prove the fault are made: at
least one must not hold, else the rival explains all that an agent is said to see. Results are kept in a file, a line
for each rival, and a run goes on where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError, NetbenchError
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.evidence.observation import Answer, Observation, answer_of
from pytest_netbench.faults.reasoning import evidence_of
from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.faulty_draws import draw_broken
from pytest_netbench.generators.faulty_networks import choices
from pytest_netbench.generators.levels import HIDDEN
from pytest_netbench.generators.networks import DrawnNetwork
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.trial.stage import Stage

CATALOGUE = tuple(dict.fromkeys((*DIAGNOSED, *HIDDEN)))
SEED = 5
AGAIN_S = 4.0
"""Wall seconds between the two looks: what an observation shows late must not be taken for missing."""


class Place(NamedTuple):
    """A fault at a place, and what proves it."""

    name: str
    fault: InjectedFault
    resources: tuple[str, ...]
    nodes: frozenset[str]
    evidence: tuple[Observation, ...]


def drawn(arguments: argparse.Namespace) -> tuple[DrawnNetwork, Task]:
    """A network, and the task of its diagnosis without a fault."""
    parameters = DiagnoseParameters.model_validate(
        {
            "shapes": (arguments.shape,),
            "routings": (arguments.routing,),
            "platforms": (arguments.platform,),
            "size": str(arguments.size),
            "hosts": "1",
            "level": "1",
            "names": "plain",
            "access": arguments.access,
            "healthy": 1.0,
        }
    )
    broken = draw_broken("diagnose", parameters, random_of("diagnose", seed=SEED, index=0))
    task = DiagnoseGenerator().draw(parameters, seed=SEED, index=0)
    if diagnose_of(task).startup_configs != broken.network.startup_configs:
        sys.exit(f"with access={arguments.access} the first network of this kind is not drawn; choose another one")
    return broken.network, task.with_payload(fault_types=CATALOGUE)


def places(network: DrawnNetwork, task: Task) -> Iterator[Place]:
    """One place of each fault at each node."""
    payload, seen, connected = diagnose_of(task), set(), {}
    observable = observable_of(payload)
    for kind in CATALOGUE:
        if fault_of(kind).company is not None:
            continue
        for one in choices(network, kind, connected):
            node = one.parameters.node
            if (kind, node) in seen:
                continue
            seen.add((kind, node))
            fault = InjectedFault(fault=kind, parameters=one.parameters.model_dump(mode="json", exclude_none=True))
            (cause,) = causes_of((fault,), network.topology)
            yield Place(
                f"{kind} at {cause.resources[0]}", fault, cause.resources, cause.nodes, evidence_of(fault, observable)
            )


def near(network: DrawnNetwork, one: Place) -> frozenset[str]:
    """The nodes of a fault, the other ends of their links, and the next hops of these."""
    found = set(one.nodes)
    for _ in range(2):
        found |= {end.node for link in network.topology.links for end in link.endpoints if _joins(link, found)}
    return frozenset(found)


def _joins(link: Any, nodes: set[str]) -> bool:
    return any(end.node in nodes for end in link.endpoints)


def rivals(network: DrawnNetwork, one: Place, every: Sequence[Place]) -> list[Place]:
    """The rivals of a fault. What is right with it in an answer is none."""
    nodes = near(network, one)
    return [
        other
        for other in every
        if other.nodes <= nodes and not (other.fault.fault == one.fault.fault and {*other.resources} & {*one.resources})
    ]


def holds(ani: AgentInterface, one: Observation) -> bool:
    """Whether an observation can be made now."""
    for _ in range(one.tries):
        try:
            answer = answer_of(ani.call(one.method, one.params))
        except AniError as error:
            answer = Answer(str(error), is_error=True)
        if one.shows.is_in(answer):
            return True
    return False


def looked(task: Task, rival: Place, others: Sequence[Place]) -> dict[str, Any]:
    """With a rival in force: of which other faults all observations hold, and how many of its own do."""
    chosen = task.with_payload(faults=(rival.fault,))
    try:
        with Stage(chosen) as stage:
            scene: Any = stage.scene
            scene.observe()
            ani = AgentInterface(scene.lab, policy=Policy(), budget=UNLIMITED, methods=scene.methods)
            try:
                kept = [one for one in others if one.evidence]
                alike: set[str] = set()
                for number in range(2):
                    time.sleep(AGAIN_S * number)
                    alike |= {one.name for one in kept if all(holds(ani, each) for each in one.evidence)}
                own = sum(holds(ani, each) for each in rival.evidence)
            finally:
                ani.close()
    except NetbenchError as error:
        return {"rival": rival.name, "error": str(error)}
    return {
        "rival": rival.name,
        "asked": [one.name for one in kept],
        "alike": sorted(alike),
        "own": f"{own}/{len(rival.evidence)}",
    }


def table(found: Sequence[dict[str, Any]], every: Sequence[Place]) -> Iterator[str]:
    """A line for each fault: how many of its rivals were measured, and those that explain the same."""
    yield "| fault | rivals | told apart | not told apart from |"
    yield "|---|---|---|---|"
    for one in every:
        asked = [row["rival"] for row in found if one.name in row.get("asked", ())]
        alike = [row["rival"] for row in found if one.name in row.get("alike", ())]
        if asked:
            yield f"| {one.name} | {len(asked)} | {len(asked) - len(alike)} | {'; '.join(alike) or '-'} |"


def main() -> int:
    """Measure what the store lacks, and print the table; status 1 if a rival could not be measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, value in (("shape", "line"), ("routing", "ospf"), ("platform", "frr"), ("access", "all")):
        parser.add_argument(f"--{name}", default=value)
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=CATALOGUE, help="rivals of these kinds alone")
    parser.add_argument("--against", nargs="*", default=CATALOGUE, help="faults of these kinds alone")
    parser.add_argument("--most", type=int, default=10_000, help="so many more rivals")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--store", type=Path, default=Path(".netbench/rivals.jsonl"))
    arguments = parser.parse_args()
    network, task = drawn(arguments)
    key = f"{arguments.shape} {arguments.routing} {arguments.platform} {arguments.size} {arguments.access}"
    every = list(places(network, task))
    lines = arguments.store.read_text().splitlines() if arguments.store.is_file() else []
    found = [row for line in lines if (row := json.loads(line))["network"] == key and "error" not in row]
    known = {row["rival"] for row in found}
    wanted = [one for one in every if one.fault.fault in arguments.only and one.name not in known][: arguments.most]
    faults = [one for one in every if one.fault.fault in arguments.against]
    asked = {one.name: [other for other in faults if one in rivals(network, other, every)] for one in wanted}
    arguments.store.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(arguments.jobs) as pool, arguments.store.open("a") as store:
        for row in pool.map(lambda one: looked(task, one, asked[one.name]), wanted):
            found.append({**row, "network": key})
            store.write(json.dumps(found[-1]) + "\n")
            store.flush()
            print(row["rival"], row.get("error") or f"own {row['own']}, alike {row['alike']}", file=sys.stderr)
    print("\n".join(table(found, every)))
    return int(any("error" in row for row in found))


if __name__ == "__main__":
    sys.exit(main())
