"""The tasks that are booted: shipped ones as an agent gets them, the same with their ground truth, and drawn ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.generators.networks.mixing import MIXED, offers
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.results.truth import TruthStore
from pytest_netbench.taskfile import load_task
from tests.support.task_list import lab_files

Loaders = Mapping[str, Callable[[], Task]]
_TASKS: Final = Path(__file__).parents[3] / "tasks"
_EVERYTHING: Final = (
    "shapes=campus+clos+dual-homed-isp+isp+leaf-spine+line+mesh+ring+star+tree,platforms=cisco_ios+frr+mixed,seed=57"
)
_STRIDE: Final = 7
"""Tasks that follow each other are alike."""
SMALL: Final = (
    "repair-network:n=35,shapes=campus+line+ring+star+tree,platforms=cisco_ios+frr+mixed,size=1,hosts=1,seed=57"
)
"""Of these the gate draws one a day."""
SERIES: Final = (
    f"diagnose:n=50,{_EVERYTHING}",
    f"troubleshoot:n=45,{_EVERYTHING}",
    SMALL,
    "repair-network:n=5,shapes=sdn-leaf-spine,routings=openflow,platforms=openvswitch,seed=58",
    "repair-routing:n=15,seed=57",
)


def shipped() -> Loaders:
    """The shipped tasks on labs, by their slug."""
    return {path.name.partition(".")[0]: partial(load_task, path) for path in lab_files()}


def solved() -> Loaders:
    """The shipped tasks whose devices boot with the recorded configs of the ground truth."""
    return {f"{name}-solved": partial(_solved, load) for name, load in shipped().items()}


def drawn() -> Loaders:
    """Draws of all generators that have networks, and networks of all shapes and routings without a fault."""
    found: dict[str, Callable[[], Task]] = {}
    for text in SERIES:
        found |= _of_series(text)
    return found | {f"network-{name}": partial(_bare, name, one) for name, one in _networks()}


def _of_series(text: str) -> dict[str, Callable[[], Task]]:
    return {str(source): source.load for source in read_series(text).sources()}


def _solved(load: Callable[[], Task]) -> Task:
    task = load()
    truth = TruthStore.around(_TASKS).load(task)
    assert truth is not None
    network = task.network.model_copy(update={"startup_configs": truth.configs})
    return task.model_copy(update={"network": network})


def _networks() -> Iterator[tuple[str, NetworkParameters]]:
    for name, shape in SHAPES.items():
        for routing in shape.routings:
            for platform in (*shape.platforms, MIXED):
                if offers(shape.platforms, platform) and offers(shape.routings[routing].platforms, platform):
                    given = {"shape": name, "routing": routing, "platform": platform, "names": "drawn", "seed": 57}
                    yield f"{name}-{routing}-{platform}".replace("_", "-"), NetworkParameters.model_validate(given)


def _bare(name: str, parameters: NetworkParameters) -> Task:
    fields = draw_network(parameters).fields() | {"intents": [{"text": "none"}]}
    return Task.model_validate({"task_name": name, "slug": name, **fields})


def of_commit(number: int) -> Loaders:
    """A shipped task with its ground truth or without it, and a drawn one, other ones on each commit."""
    found = [*shipped().items(), *solved().items()], [*_of_series(SMALL).items()]
    return dict(one[number * _STRIDE % len(one)] for one in found)
