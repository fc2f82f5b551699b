"""What a stage deploys for its family: the resource that it asks for, by the backend that was chosen for the kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_netbench.errors import RequirementMissing, UsageError
from pytest_netbench.lab.clusters import Clusters
from pytest_netbench.lab.protocols import Attaches, Backend, Lab, StandsStill
from pytest_netbench.lab.request import Clock, LabRequest, request_of
from pytest_netbench.lab.resources import backend_of, by_kind
from pytest_netbench.lab.sandboxes import Sandbox, Sandboxes
from pytest_netbench.model.payload import Resource
from pytest_netbench.model.task import DEFAULT_FAMILY, Task
from pytest_netbench.trial.settings import Settings

STANDS_STILL_FROM: Final = 4
"""The level of draws."""
_OF_FAULTS: Final = frozenset({"diagnose", "troubleshoot"})


def lab_backend(settings: Settings) -> Backend:
    """Return the backend that was chosen for labs.

    Raises:
        UsageError: It cannot use a lab that runs already, and such a lab is asked for.
    """
    backend: Backend = backend_of("lab", settings.backend)
    if settings.lab is not None and not isinstance(backend, Attaches):
        raise UsageError(
            f"--netbench-lab={settings.lab}: backend {backend.name} deploys labs of its own, and uses none that run"
            " already"
        )
    return backend


def stands_still_by_default(task: Task) -> bool:
    """Whether the lab of a task stands still between the requests of an agent, unless something else is chosen.

    Those of hard draws do: what an agent sees of timers then does not depend on how long its model thinks.
    """
    drawn = task.drawn
    is_hard = drawn is not None and drawn.level >= STANDS_STILL_FROM and task.family in _OF_FAULTS
    return is_hard and task.payload.resource == "lab"


class Deployment:
    """Deploys for one task, and knows by which backends. It removes nothing: what it returns belongs to the caller.

    Args:
        task: The task.
        settings: Which backends are chosen.
        lab: A lab that exists already, to be used in place of a new one.
    """

    def __init__(self, task: Task, settings: Settings, *, lab: Lab | None = None) -> None:
        self._task = task
        self._settings = settings
        self._lab = lab
        self._used: dict[str, None] = {}

    @property
    def backend(self) -> str | None:
        """The names of the backends that were used, each once; ``None`` if nothing was deployed."""
        return ", ".join(self._used) or None

    def __call__(self) -> Lab:
        chosen = self._settings
        is_cluster = self._task.payload.resource == "cluster"
        if is_cluster:
            self._use("cluster")
        if self._lab is not None:
            self._use("lab")
            return self._lab
        time_scale = chosen.time_scale or self._task.network.time_scale
        request = request_of(
            self._task, time_scale=time_scale, clock=self._clock, workers=chosen.workers, lab=chosen.lab
        )
        return self._cluster(request) if is_cluster else self._network(request)

    @property
    def _clock(self) -> Clock:
        """What was chosen, if it is for this task."""
        chosen, is_configure = self._settings.clock, self._task.family == DEFAULT_FAMILY
        if chosen == "calls":
            return "scaled" if is_configure or self._task.payload.resource != "lab" else chosen
        # what other families measure beside the verdict goes by the wall; a time scale is asked for to be used
        has_scale = self._settings.time_scale is not None or self._task.network.time_scale is not None
        if chosen == "events" and not has_scale and stands_still_by_default(self._task):
            return "calls" if isinstance(lab_backend(self._settings), StandsStill) else "scaled"
        return "scaled" if has_scale or not is_configure else chosen

    def _network(self, request: LabRequest) -> Lab:
        self._use("lab")
        backend = lab_backend(self._settings)
        if request.clock == "calls" and not isinstance(backend, StandsStill):
            raise RequirementMissing(f"labs of {backend.name} cannot stand still between requests (clock: calls)")
        if (lack := backend.lacks(request)) is not None:
            raise RequirementMissing(*lack)
        return backend.deploy(request)

    def _cluster(self, request: LabRequest) -> Lab:
        backend: Clusters = backend_of("cluster", self._settings.backend)
        if (lack := backend.lacks(request)) is not None:
            raise RequirementMissing(*lack)
        return backend.deploy(request, labs=self._network)

    def sandbox(self, *, packages: Sequence[str]) -> Sandbox:
        self._use("sandbox")
        backend: Sandboxes = backend_of("sandbox", self._settings.backend)
        lack = backend.lacks()
        if lack is not None:
            raise RequirementMissing(*lack)
        return backend.open(packages=packages)

    def _use(self, kind: Resource) -> None:
        self._used[by_kind(self._settings.backend)[kind]] = None
