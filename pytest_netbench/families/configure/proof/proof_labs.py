"""Fresh labs of a task, configured as an agent would, and what its testcases say of them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TypeVar, cast

from pytest_netbench import deadline
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AniError
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.families.proof import Extent
from pytest_netbench.families.protocol import Stages, WatchesWork
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.model.task import UNLIMITED, Task

Configs = Mapping[str, Sequence[str]]
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What became of commands.

    ``refused`` has a phrase for each line that a device refused; ``denied`` maps a node that the ANI did not let be
    configured to its words.
    """

    refused: tuple[str, ...] = ()
    denied: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the testcases say of a configured lab: the names of those that failed."""

    failed: tuple[str, ...]
    refused: tuple[str, ...] = ()
    denied: Mapping[str, str]
    configs: Mapping[str, str] | None = None


class ProofLabs:
    """Measures a task on stages of its own.

    Args:
        task: The task.
        stages: Opens a fresh stage of it.
        extent: How much is proved; its memory keeps verdicts.
    """

    def __init__(self, task: Task, stages: Stages, extent: Extent) -> None:
        self.task = task
        self.payload = configuration_of(task)
        self.extent = extent
        self._stages = stages
        self._witnesses: dict[str, str] = {}

    @contextmanager
    def network(self) -> Iterator[NetworkScene]:
        """A fresh network of the task."""
        with self._stages() as scene:
            assert isinstance(scene, NetworkScene), "a stage of configure has a network"
            yield scene

    def each(self, measure: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Measure each of ``items``, as many at a time as the extent allows; results in order.

        After an error nothing new begins. If the caller does not wait any longer, what is under way is told to end.
        """
        over = threading.Event()
        errors: list[BaseException] = []

        def one(item: T) -> R | None:
            if errors:
                return None
            try:
                with deadline.within(math.inf, cancelled=over.is_set):
                    return measure(item)
            except BaseException as error:
                errors.append(error)
                raise

        pool = ThreadPoolExecutor(max_workers=self.extent.side_by_side, thread_name_prefix="netbench-proof")
        try:
            measured = [pool.submit(one, item) for item in items]
            wait(measured)
            if errors:
                raise errors[0]
            return [cast("R", future.result()) for future in measured]
        finally:
            over.set()
            pool.shutdown(cancel_futures=True)

    def judged(self, what: str, configs: Configs, *, repeat: int, passes: bool) -> Verdict:
        """What the testcases say of ``configs``, measured or remembered.

        Args:
            what: Name of what is measured: the testcase that failed the last time is asked first.
            configs: Commands by node.
            repeat: Number of the repeat; each is measured on its own.
            passes: Whether the testcases should pass. Then all of them are run, and the configs are read; otherwise the
                first failure decides. A verdict that is not as it should be is measured again the next time.
        """
        key = ("verdict", list(configs.items()), repeat, passes)
        kept = self.extent.memory.get(*key)
        if kept is None:
            verdict = self._measure(what, configs, thorough=passes)
            if passes is not bool(verdict.failed):
                self.extent.memory.put(*key, value=asdict(verdict))
        else:
            verdict = Verdict(**kept | {"failed": tuple(kept["failed"]), "refused": tuple(kept["refused"])})
        if verdict.failed:
            self._witnesses[what] = verdict.failed[0]
        return verdict

    def _measure(self, what: str, configs: Configs, *, thorough: bool) -> Verdict:
        with self.network() as network:
            applied = self.apply(network, configs)
            evaluation = network.evaluation
            if thorough:
                results = evaluation.run_testcases(self.payload.testcases)
                failed = tuple(result.name for result in results if result.status == "fail")
                read = evaluation.final_configs()
            else:
                first = self.first_failed(evaluation, witness=self._witnesses.get(what))
                failed, read = () if first is None else (first,), None
        return Verdict(failed=failed, refused=applied.refused, denied=applied.denied, configs=read)

    def first_failed(self, evaluation: TaskEvaluation, *, witness: str | None) -> str | None:
        """The name of a testcase that fails, if there is one; ``witness`` is asked first."""
        first = [testcase for testcase in self.payload.testcases if testcase.name == witness]
        for testcases in (first, self.payload.testcases):
            for result in evaluation.run_testcases(testcases, stop_at_first_failure=True):
                if result.status == "fail":
                    return result.name
        return None

    def witness_of(self, node: str, index: int) -> str | None:
        """The testcase that failed the last time without this line, or with a mutant of it."""
        return self._witnesses.get(line_name(node, index))

    def note_witness(self, node: str, index: int, testcase: str) -> None:
        """Note that ``testcase`` failed with a mutant of this line."""
        self._witnesses[line_name(node, index)] = testcase

    def interface(self, network: NetworkScene) -> AgentInterface:
        """The ANI to a network, as an agent has it; whoever watches agents is told of changes."""
        ani = AgentInterface(network.lab, policy=Policy(), budget=UNLIMITED)
        if isinstance(network, WatchesWork):
            ani.watch(network.watcher)
        return ani

    def apply(self, network: NetworkScene, configs: Configs) -> Applied:
        """Configure a network through the ANI, node by node; what is refused does not keep the rest from being done."""
        ani = self.interface(network)
        refused: list[str] = []
        denied: dict[str, str] = {}
        for node, commands in configs.items():
            if not commands:
                continue
            try:
                answer = ani.update_cfg(node, list(commands))
            except AniError as error:
                denied[node] = str(error)
                continue
            refused += [
                f"{node} refused {result['command'].strip()!r}: {(result.get('message') or '').strip()}"
                for result in answer["results"]
                if result["status"] == "error"
            ]
        ani.close()
        return Applied(refused=tuple(refused), denied=denied)


def line_name(node: str, index: int) -> str:
    """What is measured by changes of one ground-truth line."""
    return f"line {index} of {node}"
