"""Records what the network of a task does before anything is done, after the ground truth, and under its events.

The networks of right solutions are observed as well: of what no intent names, what they do otherwise under events or
with unusual packets is not held.

Each of the two is observed on labs of its own, because packets leave traces (translations, sessions) that an agent's
network does not have. Each lab is looked at more than once, in another order and with other contents. What varies is
not held, and the record says so.

Of a cluster neither routes nor addresses are recorded, as where pods are says nothing. A process has one cluster at a
time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import ndiff

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import TaskFileError
from pytest_netbench.evaluation.behaviour.observing import Observer
from pytest_netbench.evaluation.behaviour.problems import reference_of
from pytest_netbench.evaluation.event_run import happening
from pytest_netbench.evaluation.flows import flows_of
from pytest_netbench.evaluation.holdtimes import longest_hold_s
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.observation import View
from pytest_netbench.evaluation.settling import Settling
from pytest_netbench.families.configure.agreement import Reactions, agreed
from pytest_netbench.families.configure.assembly import Look, assembled
from pytest_netbench.families.configure.solution import apply_truth
from pytest_netbench.families.protocol import Progress, Stages
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Behaviour, Outcome, Table, is_spoofed
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.events import Action, Enter
from pytest_netbench.model.reference import ReferenceFlow
from pytest_netbench.model.solutions import Solution
from pytest_netbench.model.task import UNLIMITED, Task

LABS = 2
LOOKS = 2
ATTEMPTS = 3
SIDE_BY_SIDE = 2


@dataclass(frozen=True, kw_only=True)
class _Observed:
    """What one lab shows: for each moment all looks, and the addresses of its nodes."""

    moments: list[list[Look]]
    addresses: dict[str, tuple[str, ...]]


class Recorder:
    """Records the behaviour of a task on stages of its own.

    Args:
        task: The task.
        stages: Opens a fresh stage of it.
        progress: Is told what is done now.
        right: The right solutions that are known beside the ground truth.
    """

    def __init__(self, task: Task, stages: Stages, *, progress: Progress, right: Sequence[Solution] = ()) -> None:
        self._task, self._stages, self._progress, self._right = task, stages, progress, right
        self._payload = configuration_of(task)
        self._is_of_cluster = self._payload.resource == "cluster"
        self._flows = flows_of(task, seed=self._payload.reference.seed, count=self._payload.reference.flows)
        self._addresses: dict[str, dict[str, None]] = {}

    def record(self) -> Behaviour:
        """Observe everything and return what is held."""
        before: list[list[list[Look]]] = []
        after: list[list[list[Look]]] = []
        with self._workers() as labs:
            for number in range(1, LABS + 1):
                unsolved = labs.submit(self._observed_lab, number, solved=False)
                solved = labs.submit(self._observed_lab, number, solved=True)
                for one, moments in ((unsolved.result(), before), (solved.result(), after)):
                    moments.append(one.moments)
                    self._note(one.addresses)
        digest = self._task.reference_digest
        assert digest is not None, "a task of configure has a reference digest"
        behaviour = assembled(
            digest=digest,
            events=tuple(self._payload.events),
            flows=self._flows,
            addresses={node: tuple(found) for node, found in self._addresses.items()},
            before=_by_moment(before),
            after=_by_moment(after),
        )
        return agreed(reference_of(self._task, behaviour), self._reactions())

    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=1 if self._is_of_cluster else SIDE_BY_SIDE)

    def _reactions(self) -> Reactions:
        """What the networks of right solutions do, undisturbed and under the events."""
        with self._workers() as labs:
            seen = labs.map(self._reacting_lab, self._right)
            return {one.name: moments for one, moments in zip(self._right, seen, strict=True)}

    def _reacting_lab(self, one: Solution) -> list[list[Look]]:
        unusual = [flow for flow in self._flows if flow.is_unusual]
        with self._lab() as lab:
            self._configure(lab, lambda ani: _type(ani, one))
            self._settle(lab)
            when, devices = f"with the right solution {one.name!r}", Devices(lab)
            return [self._observed(lab, devices, unusual), *self._under_events(lab, devices, when)]

    def _observed_lab(self, number: int, *, solved: bool) -> _Observed:
        """Everything that a lab of its own shows."""
        when = "after the ground truth" if solved else "before anything is done"
        with self._lab() as lab:
            if solved:
                self._configure(lab, lambda ani: apply_truth(self._task, ani))
            return self._looks(lab, f"{when}, lab {number} of {LABS}")

    def _looks(self, lab: Lab, when: str) -> _Observed:
        self._progress(f"{when}: {len(self._flows)} flows")
        devices = Devices(lab)
        self._settle(lab)
        addresses = {} if self._is_of_cluster else {node: lab.prober.addresses(node) for node in lab.nodes}
        found = [self._observed(lab, devices, self._flows), *self._under_events(lab, devices, when)]
        return _Observed(moments=found, addresses=addresses)

    def _under_events(self, lab: Lab, devices: Devices, when: str) -> list[list[Look]]:
        found = []
        for name, actions in self._payload.events.items():
            self._progress(f"{when}: {len(self._flows)} flows under {name}")
            before = self._entered(lab, actions)
            with happening(lab, actions):
                found.append(self._observed(lab, devices, self._flows))
            self._check_undone(name, before, self._entered(lab, actions))
        return found

    def _check_undone(self, event: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        for node, config in before.items():
            if config != after[node]:
                different = [
                    line.strip() for line in ndiff(config.splitlines(), after[node].splitlines()) if line[0] in "-+"
                ]
                raise TaskFileError(
                    f"event {event!r}: its `undo` leaves {node} otherwise than before: {'; '.join(different)}"
                )

    def _entered(self, lab: Lab, actions: Sequence[Action]) -> dict[str, str]:
        """The running configs of the nodes that an event configures."""
        nodes = dict.fromkeys(one.enter.node for one in actions if isinstance(one, Enter))
        return {node: lab.driver(node).running_config(lab.nodes[node]) for node in nodes}

    def _observed(self, lab: Lab, devices: Devices, flows: Sequence[ReferenceFlow]) -> list[Look]:
        """The looks at flows at one moment, again from the start if the network changed meanwhile."""
        for attempt in range(ATTEMPTS):
            looks, seen = [], None
            for number in range(LOOKS):
                observer = Observer(View(lab, devices))
                routes = {} if self._is_of_cluster else observer.routes()
                look, seen = _look(observer, routes, flows, seed=attempt * LOOKS + number, earlier=seen)
                looks.append(look)
            if all(look.routes == looks[0].routes for look in looks):
                break
            self._settle(lab)
        return looks

    def _settle(self, lab: Lab) -> None:
        hold_s = longest_hold_s(TaskEvaluation(lab).final_configs().values())
        # an adjacency between nodes of two drivers is not waited for at deployment, and says nothing until it is up
        Settling(lab).wait(hold_s=hold_s, silent=True)

    def _configure(self, lab: Lab, work: Callable[[Ani], object]) -> None:
        ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
        work(ani)
        ani.close()
        others = [one for one in self._payload.testcases if one.kind != "reference" and one.under is None]
        TaskEvaluation(lab).run_testcases(others)  # waits until the network has converged

    def _note(self, addresses: Mapping[str, tuple[str, ...]]) -> None:
        for node, found in addresses.items():
            self._addresses.setdefault(node, {}).update(dict.fromkeys(found))

    @contextmanager
    def _lab(self) -> Iterator[Lab]:
        with self._stages() as scene:
            assert scene.lab is not None, "a stage of configure has a lab"
            yield scene.lab


def _look(
    observer: Observer,
    routes: Mapping[str, Table],
    flows: Sequence[ReferenceFlow],
    *,
    seed: int,
    earlier: list[Outcome] | None,
) -> tuple[Look, list[Outcome]]:
    """One look, and the outcomes as they were found, also those of spoofed flows."""
    found = observer.thoroughly(flows, seed=seed, earlier=earlier)
    outcomes = {
        flow.key: one.unanswered if is_spoofed(flow, routes.get(flow.source)) else one
        for flow, one in zip(flows, found, strict=True)
    }
    return Look(outcomes=outcomes, routes=routes), found


def _type(ani: Ani, solution: Solution) -> None:
    for node, commands in solution.configs.items():
        if commands:
            ani.update_cfg(node, list(commands))


def _by_moment(labs: Sequence[Sequence[Sequence[Look]]]) -> list[list[Look]]:
    """For each moment, the looks at all labs."""
    return [[look for looks in moment for look in looks] for moment in zip(*labs, strict=True)]
