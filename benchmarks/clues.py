"""What tells a faulty network from a healthy one: ``benchmarks/clues.py [--pairs N] [--jobs N] [--series SERIES]``.

Each drawn network is deployed twice, once with its fault and once healthy, and an agent collects all that it can see
and that is no part of the configuration: files, processes, environment, interface names and MAC addresses of hosts;
users, files, clock and history of devices; counters; of a cluster who made which object, its generation, and events.
Texts must be equal. Of numbers (the age of a node, how many
counters are zero, how much was counted) it is measured whether the faulty network has the greater one more often than
chance would have it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from math import comb
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench import parts
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.generators.series import Series, read_series
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.stage import Stage

Seen = dict[tuple[str, str], str]
"""What a node answered to a command."""

_SELF = '(.metadata.name | sub("-[0-9a-f]{8,10}(-[0-9a-z]{5})?$"; "") | sub("-[0-9a-z]{5}$"; ""))'
"""A name without what is drawn by controllers."""
_MADE = "[.metadata.managedFields[]? | [.manager, .operation, .subresource]] | unique"
_KINDS = "namespaces deployments networkpolicies services replicasets pods nodes serviceaccounts configmaps"
"""Endpoints are left out: they are written as pods become ready."""
_EVENTS = (
    "kubectl get events -A -o json"
    ' | jq -c \'.items[] | select(.metadata.namespace != "default")'
    " | [.metadata.namespace, .reason, .source.component]'"
)
_BORN = "[.items[].metadata.creationTimestamp | fromdate]"


def _objects(program: str) -> str:
    """A command that says something of each object that an agent can see."""
    listed = "kubectl get $kind -A -o json --show-managed-fields"
    return f"for kind in {_KINDS}; do {listed} | jq -c '.items[] | [{program}]'; done"


def _later(kind: str) -> str:
    """A command that prints how long after the machines the last objects of a kind were made, and in what time."""
    machines = f"kubectl get nodes -o json | jq '{_BORN} | max' > /tmp/born"
    program = f"{_BORN} | max - $born[0], max - min"
    return f"{machines}; kubectl get {kind} -A -o json | jq --slurpfile born /tmp/born '{program}'"


_FILES = "find /etc /run /tmp /var /root /home -name 'netbench-calls*' -o -printf '%p %m %u %g %s\\n'"
"""But for the record of calls in a pod: how long it is tells what calls failed, as telemetry does."""
TEXTS: Mapping[str, tuple[str, ...]] = {
    "linux": (
        _FILES,
        "ps -e -o args=",
        "env",
        "ip -o link | sed 's/<.*link/ link/'",
        "sysctl -a 2>/dev/null | grep ^net",
    ),
    "kubernetes": (
        _objects(f".kind, .metadata.namespace, {_SELF}, .metadata.generation, ({_MADE})"),
        _objects(".kind, (.metadata.annotations // {} | keys), .metadata.finalizers"),
        _EVENTS,
        _FILES,
    ),
    "frr": ("show version", "show daemons", "show history"),
    "cisco_ios": ("show users", "show history", "dir", "show privilege", "show flash:", "show archive"),
}
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "linux": (
        "date +%s.%N; stat -c -%.9Y /etc",
        "cat /proc/net/dev",
        "cat /proc/net/snmp",
    ),
    "kubernetes": (
        *map(_later, ("networkpolicies", "deployments", "pods", "services")),
        "kubectl get nodes -o json | jq 'now - (.items[0].metadata.creationTimestamp | fromdate)'",
    ),
    "frr": (),
    "cisco_ios": ("show interfaces",),
}
_PLACED = re.compile(r"\b\d+: (\w+)@if\d+:")
"""The interface of a pod: where it is placed is not the same twice, with or without a fault."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


class Looker:
    """Collects, and answers that nothing is wrong."""

    info = AgentInfo(id="looker", strategy="looker")

    def __init__(self) -> None:
        self.texts: Seen = {}
        self.numbers: Seen = {}
        self.brief = ""

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Look at all nodes."""
        self.brief = brief.model_dump_json()
        for node, platform in brief.devices.items():
            for kept, commands in ((self.texts, TEXTS), (self.numbers, NUMBERS)):
                for command in commands.get(platform, ()):
                    kept[node, command] = _answer(ani, node, command)
        return Submission(reasoning="Nothing is wrong.")


def _answer(ani: Ani, node: str, command: str) -> str:
    try:
        return str(ani.execute_cmd(node, command)["output"])
    except AniError as error:
        return f"refused: {error}"


def look(task: Task) -> Looker:
    """What an agent sees in the network of ``task``."""
    looker = Looker()
    with Stage(task) as stage:
        stage.work(looker)
    return looker


def pair(index: int, series: Series) -> tuple[str, Looker, Looker]:
    """The fault of a draw, what is seen with it, and what is seen without it."""
    faulty, healthy = (
        parts.load("generators", series.generator)().draw(
            series.parameters.model_copy(update={"healthy": share}), seed=series.seed, index=index
        )
        for share in (0.0, 1.0)
    )
    assert faulty.drawn is not None
    if index % 2:  # what grows while the machine is used must not look like a clue
        seen = look(healthy)
        return faulty.drawn.label, look(faulty), seen
    return faulty.drawn.label, look(faulty), look(healthy)


def differences(faulty: Seen, healthy: Seen) -> Iterator[tuple[str, str]]:
    """Commands, and lines that only one of the two networks shows."""
    for key, text in faulty.items():
        ours, theirs = (Counter(_PLACED.sub(r"\1:", one).splitlines()) for one in (text, healthy[key]))
        for sign, lines in (("+", ours - theirs), ("-", theirs - ours)):
            for line in lines:
                yield f"{key[0]}: {key[1]}", f"{sign} {line.strip()}"


def measures(numbers: Seen) -> dict[str, float]:
    """What can be counted in the answers, each over all nodes."""
    found: dict[str, float] = defaultdict(float)
    for (_, command), text in numbers.items():
        values = [float(one) for one in _NUMBER.findall(text)]
        found[f"{command}: sum"] += sum(values)
        found[f"{command}: zeros"] += values.count(0.0)
    return found


def chance(more: int, less: int) -> float:
    """How probable so uneven a split is or a more uneven one, if both sides are equally likely (sign test)."""
    n = more + less
    return min(1.0, 2.0 * sum(comb(n, k) for k in range(min(more, less) + 1)) / float(2**n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60, help="networks, each deployed with its fault and without (60)")
    parser.add_argument("--jobs", type=int, default=3, help="labs side by side (3)")
    parser.add_argument(
        "--series", default="diagnose:level=1,seed=1", help="which networks are drawn (diagnose:level=1,seed=1)"
    )
    chosen = parser.parse_args()
    series = read_series(chosen.series)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        pairs = list(pool.map(lambda index: pair(index, series), range(chosen.pairs)))
    briefs = sum(faulty.brief != healthy.brief for _, faulty, healthy in pairs)
    clues = 0
    splits: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    values: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for label, faulty, healthy in pairs:
        for command, line in differences(faulty.texts, healthy.texts):
            clues += 1
            print(f"{label}: {command}: {line[:200]}")
        ours, theirs = measures(faulty.numbers), measures(healthy.numbers)
        for name, value in ours.items():
            splits[name][0] += value > theirs[name]
            splits[name][1] += value < theirs[name]
            values[name][0].append(value)
            values[name][1].append(theirs[name])
    print(f"{briefs} of {len(pairs)} briefs differ; {clues} lines differ")
    for name, (more, less) in sorted(splits.items()):
        medians = " and ".join(f"{median(one):g}" for one in values[name])
        print(
            f"{name}: greater in {more} faulty and {less} healthy networks, p = {chance(more, less):.3f},"
            f" medians {medians}"
        )


if __name__ == "__main__":
    main()
