"""Does some work on a task's network and takes its portrait."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, RequirementMissing, UsageError
from pytest_netbench.evaluation.behaviour.observing import BATCH, Observer
from pytest_netbench.evaluation.observation import NotThere, View
from pytest_netbench.evaluation.reference import Reference, managed_nodes
from pytest_netbench.evaluation.testcases.reference import sample_of
from pytest_netbench.families.configure.solution import apply_truth
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.devices import Devices, versions
from pytest_netbench.lab.protocols import HasDeployers, HasImages
from pytest_netbench.lab.resources import by_kind
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.testcase import ShowTestcase, Testcase
from pytest_netbench.portability.portrait import Portrait
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage

_MASKS: Final = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        # addresses of interfaces that nobody chose
        (r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", "<mac>"),
        (r"\bfe80::[0-9a-f:]+", "<link-local>"),
        # ages, as 00:12:55, 1d02h03m and 1d 02:03:04, and timers
        (r"\b(?:\d+d )?\d+:\d\d:\d\d\b|\b(?:\d+[wdhms]){2,}\b", "<time>"),
        (r"\b(\d+\.\d{3}s|\d+ usecs)(?= |$|\()", "<time>"),
        (r"\b(due in|LS age:) \d+( seconds)?", r"\1 <time>"),
        (r"(Last update:) \w{3} \w{3} +\d.*", r"\1 <time>"),
        # numbers that the kernel gives
        (r"\bifindex \d+", "ifindex <number>"),
        # how often OSPF computed, and its link states: they are sent anew from time to time
        (r"(Hold time multiplier is currently) \d+|(SPF algorithm executed) \d+", r"\1\2 <count>"),
        (r"(LS Seq Number:) [0-9a-f]{8}|(Checksum:|Checksum Sum) 0x[0-9a-f]+", r"\1\2 <count>"),
        (r"\b\d+ 0x8[0-9a-f]{7} 0x[0-9a-f]{4}\b", "<time> <count> <count>"),
        # sessions of BGP: how they came to be, and what was sent
        (r"^( +(?:Opens|Notifications|Updates|Keepalives|Route Refresh|Capability|Total):) .*", r"\1 <count>"),
        (r"^(\S+ 4 \d+) \d+ \d+ \d+ (?=\d+ \d+ )", r"\1 <count> <count> <count> "),
        (r"\b((?:Local|Foreign) port:|FD used:) \d+", r"\1 <number>"),
        (r"^( +Connections established) .*|^( +Last reset) .*", r"\1\2 <past>"),
        (r"^( +End-of-RIB sent after update:) .*", r"\1 <past>"),
        (r"\b(Update group) \d+, subgroup \d+", r"\1 <number>"),
        (r"\b(version) \d+(?=$| \()", r"\1 <count>"),
        (r"\b\d+ (?:bytes|KiB|MiB)(?= of memory)", "<count>"),
    )
)
_LEFT_OUT: Final = re.compile(
    r"Estimated round trip time: "
    r"| +Message received that caused BGP to send a NOTIFICATION:| +[0-9A-F]{8}(?: [0-9A-F]+)*$"
)
_SPACES: Final = re.compile(r"(?<=\S) {2,}")


def lasting(lines: Iterable[str]) -> Iterator[str]:
    """The lines with what does not last replaced by words in angle brackets, and columns one space apart.

    Empty lines, and lines that are there or not by chance, are left out.
    """
    for line in lines:
        text = _SPACES.sub(" ", line.rstrip())
        if not text or _LEFT_OUT.match(text):
            continue
        for pattern, mask in _MASKS:
            text = pattern.sub(mask, text)
        yield text


RUNNING_CONFIG = "running config"


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is done on the network: commands by node; ``None`` is the ground truth."""

    name: str
    configs: Mapping[str, Sequence[str]] | None = None


def works_of(task: Task, solutions: Solutions | None, *, most: int) -> list[Work]:
    """The ground truth, nothing, and recorded solutions: right and wrong ones in turns, ``most`` of them.

    Raises:
        UsageError: The task asks for no configuration.
    """
    if task.family != "configure":
        raise UsageError(f"{task.slug} is a task of family {task.family}: only tasks of configure are compared")
    works = [Work(name="oracle"), Work(name="nop", configs={})]
    if solutions is not None:
        right = [Work(name=f"right: {one.name}", configs=one.configs) for one in solutions.right]
        wrong = [Work(name=f"wrong: {one.name}", configs=one.configs) for one in solutions.wrong]
        works += [one for pair in _in_turns(right, wrong) for one in pair][:most]
    return works


def _in_turns(right: list[Work], wrong: list[Work]) -> Iterator[list[Work]]:
    for index in range(max(len(right), len(wrong))):
        yield [*right[index : index + 1], *wrong[index : index + 1]]


def portray(task: Task, work: Work, settings: Settings, *, behaviour: Behaviour | None) -> Portrait:
    """Deploy the network of a task, do the work, and look at all that can be compared.

    Args:
        task: A task of configure.
        work: What is done.
        settings: How the stage is set up, the backend above all.
        behaviour: The recorded behaviour of the task, whose flows are looked at.

    Raises:
        LabError: The lab broke.
    """
    backend = by_kind(settings.backend)["lab"]
    began = time.monotonic()
    try:
        with Stage(task, settings) as stage:
            assert isinstance(stage.scene, NetworkScene), "a stage of configure has a network"
            portrait = _Sitting(task, stage.scene, behaviour).portrait(work, backend)
    except RequirementMissing as lack:
        return Portrait(backend=backend, lack=str(lack))
    return portrait.model_copy(update={"seconds": round(time.monotonic() - began, 3)})


class _Sitting:
    """A network that is portrayed."""

    def __init__(self, task: Task, scene: NetworkScene, behaviour: Behaviour | None) -> None:
        self._task, self._payload, self._scene = task, configuration_of(task), scene
        self._devices = Devices(scene.lab)
        self._reference: Reference | None = None
        if behaviour is not None:
            managed = managed_nodes(scene.lab.topology)
            self._reference = Reference(behaviour, self._payload.reference, managed=managed)

    def portrait(self, work: Work, backend: str) -> Portrait:
        lab = self._scene.lab
        ani = AgentInterface(lab, policy=Policy(), budget=UNLIMITED)
        _do(work, self._task, ani)
        ani.close()
        steady = [one for one in self._payload.testcases if one.under is None]
        verdicts = self._verdicts(steady)
        view = View(lab, self._devices, reference=self._reference)
        observer = Observer(view)
        found = Portrait(
            backend=backend,
            routes=observer.routes(),
            flows=self._flows(observer),
            of=0 if self._reference is None else len(self._reference.compared()),
            shown=self._shown(view),
            versions=versions(lab),
            images=dict(lab.images) if isinstance(lab, HasImages) else {},
            deployers=dict(lab.deployers) if isinstance(lab, HasDeployers) else {},
        )
        verdicts |= self._verdicts([one for one in self._payload.testcases if one.under is not None])
        return found.model_copy(update={"verdicts": verdicts})

    def _verdicts(self, testcases: Sequence[Testcase]) -> dict[str, str]:
        results = self._scene.evaluation.run_testcases(testcases) if testcases else []
        return {one.name: one.status for one in results}

    def _flows(self, observer: Observer) -> dict[str, str]:
        if self._reference is None:
            return {}
        sample = sample_of(self._reference, None, observer)
        held = self._reference.compared() if sample is None else sample.held
        flows = [one.flow for one in held]
        outcomes = observer.in_batches(flows, size=BATCH)
        again = [index for index, one in enumerate(outcomes) if one.reach != "allowed"]
        # a packet is lost now and then while addresses are resolved
        for index, outcome in zip(again, observer.in_batches([flows[index] for index in again]), strict=True):
            outcomes[index] = outcome
        judged = (self._reference.judged(flow, outcome) for flow, outcome in zip(flows, outcomes, strict=True))
        return {str(flow): str(outcome) for flow, outcome in zip(flows, judged, strict=True)}

    def _shown(self, view: View) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        asked = [one for one in self._payload.testcases if isinstance(one, ShowTestcase) and one.under is None]
        for one in asked:
            for command in one.commands:
                try:
                    found[f"{one.device}: {command}"] = tuple(lasting(view.output(one.device, command).splitlines()))
                except NotThere as error:
                    found[f"{one.device}: {command}"] = (str(error),)
        for node in self._scene.lab.topology.nodes:
            if node.control == "managed":
                found[f"{node.name}: {RUNNING_CONFIG}"] = tuple(view.running_config(node.name).splitlines())
        return found


def _do(work: Work, task: Task, ani: Ani) -> None:
    if work.configs is None:
        apply_truth(task, ani)
        return
    for node, commands in work.configs.items():
        if commands:
            try:
                ani.update_cfg(node, list(commands))
            except AniError:  # refused on one backend only: its running config and verdicts differ then
                continue
