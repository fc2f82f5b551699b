"""Whether a network does something else than after the ground truth, judged by other means than the testcases.

These are ten times the flows of the reference, drawn by another seed, the routes of all nodes, and what the devices
show of their protocols (sessions, roles, rates), also under the events of the task. What is not the same on two labs
with the ground truth is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_netbench import parts
from pytest_netbench.dialects.mutations import Mutable
from pytest_netbench.evaluation.behaviour.observing import Observer
from pytest_netbench.evaluation.flows import draw
from pytest_netbench.evaluation.happening import EventFailed, happening
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.families.configure.proof.workshop import Workshop
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Outcome, Table
from pytest_netbench.model.reference import ReferenceFlow

TIMES = 10
ANOTHER_SEED = 7919
LOOKED_AT_AGAIN = 300
"""Differing flows that are tried again: what was lost once is no difference."""
LABS = 2

Words = tuple[tuple[str, ...], ...]
"""What a device prints, as lines of words."""


@dataclass(frozen=True, kw_only=True)
class _Sight:
    """What was seen at one moment: in the undisturbed network, or under an event."""

    outcomes: Sequence[Outcome]
    routes: Mapping[str, Table]
    states: Mapping[tuple[str, str], Words]


class Judge:
    """Compares configured networks of a task with the ground truth's.

    Args:
        workshop: Measures the task.
    """

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        settings = workshop.payload.reference
        self._flows = draw(workshop.task, seed=settings.seed + ANOTHER_SEED, count=TIMES * settings.flows)
        self._truths: list[dict[str | None, _Sight]] = []
        self._commands = {node.name: _states_of(workshop, node.name) for node in workshop.payload.topology.nodes}

    def prepare(self) -> None:
        """Observe the ground truth on two labs, once."""
        while len(self._truths) < LABS:
            with self._workshop.network() as network:
                self._workshop.apply(network.lab, self._workshop.payload.ground_truth_configs)
                self._truths.append(dict(self._sights(network)))

    def difference(self, network: NetworkScene) -> str | None:
        """The first difference of a configured network from the ground truth's, in words; ``None`` if there is none."""
        self.prepare()
        for moment, sight in self._sights(network):
            truths = [truth[moment] for truth in self._truths if moment in truth]
            found = next(self._differences(network.lab, sight, truths), None)
            if found is not None:
                return found if moment is None else f"under {moment}: {found}"
        return None

    def _sights(self, network: NetworkScene) -> Iterator[tuple[str | None, _Sight]]:
        lab = network.lab
        Settling(lab).wait(hold_s=longest_hold_s(network.evaluation.final_configs().values()))
        yield None, self._sight(lab)
        for name, actions in self._workshop.payload.events.items():
            try:
                with happening(lab, actions):
                    yield name, self._sight(lab)
            except EventFailed:
                continue  # the testcases under this event fail

    def _sight(self, lab: Lab) -> _Sight:
        view = View(lab, Devices(lab))
        observer = Observer(view)
        expected = None
        if self._truths:
            expected = self._truths[0][None].outcomes
        outcomes = observer.at_once(self._flows, expected=expected)
        states = {
            (node, command): _words(view.output(node, command))
            for node, commands in self._commands.items()
            for command in commands
        }
        return _Sight(outcomes=outcomes, routes=observer.routes(), states=states)

    def _differences(self, lab: Lab, sight: _Sight, truths: Sequence[_Sight]) -> Iterator[str]:
        yield from _routes(sight, truths)
        yield from _states(sight, truths)
        yield from self._outcomes(lab, sight, truths)

    def _outcomes(self, lab: Lab, sight: _Sight, truths: Sequence[_Sight]) -> Iterator[str]:
        expected = [_agreed([truth.outcomes[index] for truth in truths]) for index in range(len(self._flows))]
        other = [
            index
            for index, outcome in enumerate(sight.outcomes)
            if expected[index] is not None and outcome != expected[index]
        ]
        tried: list[ReferenceFlow] = [self._flows[index] for index in other[:LOOKED_AT_AGAIN]]
        again = Observer(View(lab, Devices(lab))).in_batches(tried)
        for index, flow, outcome in zip(other, tried, again, strict=False):
            if outcome != expected[index]:
                yield f"{flow}: {outcome} instead of {expected[index]}"


def _agreed(seen: Sequence[Outcome]) -> Outcome | None:
    return seen[0] if all(one == seen[0] for one in seen) else None


def _routes(sight: _Sight, truths: Sequence[_Sight]) -> Iterator[str]:
    for node, table in sight.routes.items():
        known = [truth.routes.get(node, {}) for truth in truths]
        for prefix in dict.fromkeys((*table, *(prefix for one in known for prefix in one))):
            entries = {one.get(prefix) for one in known}
            if len(entries) == 1 and table.get(prefix) not in entries:
                yield f"{node}: route {prefix}: {_shown(table.get(prefix))} instead of {_shown(entries.pop())}"


def _shown(entry: tuple[str, ...] | None) -> str:
    return "none" if entry is None else " ".join(entry)


def _states(sight: _Sight, truths: Sequence[_Sight]) -> Iterator[str]:
    for (node, command), lines in sight.states.items():
        known = [truth.states[node, command] for truth in truths]
        if any(len(one) != len(known[0]) for one in known):
            continue
        if len(lines) != len(known[0]):
            yield f"{node}: {command!r} has {len(lines)} lines instead of {len(known[0])}"
            continue
        for number, line in enumerate(lines):
            if not _same(line, [one[number] for one in known]):
                yield f"{node}: {command!r} shows {' '.join(line)!r} instead of {' '.join(known[0][number])!r}"


def _same(line: tuple[str, ...], known: Sequence[tuple[str, ...]]) -> bool:
    """Whether ``line`` is as all of ``known``; words that vary among them, e.g. timers and counters, may be any."""
    if len(line) != len(known[0]):
        return any(len(one) != len(known[0]) for one in known)
    return all(word == seen[0] or len(set(seen)) > 1 for word, *seen in zip(line, *known, strict=False))


def _words(text: str) -> Words:
    return tuple(tuple(line.split()) for line in text.splitlines() if line.strip())


def _states_of(workshop: Workshop, node: str) -> tuple[str, ...]:
    dialect = parts.load("dialects", workshop.payload.platform_of(node))()
    return dialect.mutations().states if isinstance(dialect, Mutable) else ()
